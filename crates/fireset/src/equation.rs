//! Reachability by solutions of the state equation, which need no states: `fireset_reduce::Equation` as an engine.
//!
//! Test: in `plan`, against the reference checker.

use std::time::{Duration, Instant};

use fireset_engine::{Asker, Engine, turns};
use fireset_net::{
    Budget, Evidence, Model, Outcome, Problem, Query, Statistics, Step, StopReason, Technique, Trace, Verdict,
};
use fireset_reduce::{Equation as StateEquation, Finding};

/// What it may take where nothing limits the time: there is no end of solutions.
const TIME: Duration = Duration::from_secs(10);

/// Looks for runs to a goal, or for a proof that there is none, on place/transition nets.
pub(crate) struct Equation;

impl Engine for Equation {
    fn name(&self) -> &'static str {
        "state equation"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!((model, query), (Model::Plain(_), Query::Reachable(_) | Query::Invariant(_)))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        let Model::Plain(net) = &*problem.model else { return };
        let Some(equation) = StateEquation::of(net) else { return };
        let part = budget.time_left().unwrap_or(TIME);
        let decide = |at: usize, _, budget: &Budget| self.outcome(&equation, &problem.queries[at], budget);
        turns::in_turn(problem.queries.len(), &budget.within(part), decide, asker);
    }
}

impl Equation {
    fn outcome(&self, equation: &StateEquation<'_>, query: &Query, budget: &Budget) -> Outcome {
        // What is looked for, and what it says of the query when it is found.
        let (goal, holds) = match query {
            Query::Reachable(goal) => (goal.clone(), true),
            Query::Invariant(always) => (always.clone().negate(), false),
            _ => return Outcome::unknown(StopReason::NoEngine),
        };
        let start = Instant::now();
        let (verdict, evidence) = match equation.realise(&goal, budget) {
            Finding::Run(run) => {
                let steps = run.into_iter().map(Step::plain).collect();
                (Verdict::from(holds), Some(Evidence::Trace(Trace(steps))))
            }
            Finding::Never => (Verdict::from(!holds), None),
            Finding::Open(_) => {
                return Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine));
            }
        };
        let techniques = vec![Technique::StateEquation];
        let statistics =
            Statistics { engine: self.name(), elapsed: start.elapsed(), ..Statistics::default() };
        Outcome { verdict, evidence, techniques, statistics }
    }
}

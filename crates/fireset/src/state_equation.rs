//! Reachability by solutions of the state equation, which need no states: `fireset_reduce::ParikhRealisation` as an engine. The
//! best solutions that have no order guide random walks, which may leave them where they are stuck.
//!
//! Test: in `scheduler::tests`, against the reference checker.

use std::time::{Duration, Instant};

use fireset_engine::{Engine, ResultSink, turns, walk_along};
use fireset_net::{
    Budget, Evidence, Model, Net, Outcome, Problem, Query, StatePredicate, Statistics, Step, StopReason,
    Technique, Trace, Verdict,
};
use fireset_reduce::{ParikhRealisation, ParikhVector, Realisation};

/// What it may take where nothing limits the time: there is no end of solutions.
const TIME: Duration = Duration::from_secs(10);
/// The part of the time for solutions, before walks follow them.
const SOLVING: f64 = 0.75;

/// Looks for runs to a goal, or for a proof that there is none, on place/transition nets.
pub(crate) struct StateEquationEngine;

impl Engine for StateEquationEngine {
    fn name(&self) -> &'static str {
        "state equation"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!((model, query), (Model::Plain(_), Query::Reachable(_) | Query::Invariant(_)))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let Some(equation) = ParikhRealisation::of(net) else { return };
        let part = budget.time_left().unwrap_or(TIME);
        let decide =
            |at: usize, _, budget: &Budget| self.outcome((net, &equation), &problem.queries[at], budget);
        turns::in_turn(problem.queries.len(), &budget.within(part), decide, sink);
    }
}

impl StateEquationEngine {
    fn outcome(
        &self,
        (net, equation): (&Net, &ParikhRealisation<'_>),
        query: &Query,
        budget: &Budget,
    ) -> Outcome {
        // What is looked for, and what it says of the query when it is found.
        let (goal, holds) = match query {
            Query::Reachable(goal) => (goal.clone(), true),
            Query::Invariant(always) => (always.clone().negate(), false),
            _ => return Outcome::unknown(StopReason::NoEngine),
        };
        let start = Instant::now();
        let first = budget.time_left().map(|time| budget.within(time.mul_f64(SOLVING)));
        let mut techniques = vec![Technique::StateEquation];
        let run = match equation.realise(&goal, first.as_ref().unwrap_or(budget)) {
            Realisation::Run(run) => Some(Trace(run.into_iter().map(Step::plain).collect())),
            Realisation::Never => None,
            Realisation::Open(guides) => match along(net, &guides, &goal, budget) {
                Some(run) => {
                    techniques.push(Technique::RandomWalk);
                    Some(run)
                }
                None => return Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine)),
            },
        };
        let verdict = Verdict::from(run.is_some() == holds);
        let evidence = run.map(Evidence::Trace);
        let statistics =
            Statistics { engine: self.name(), elapsed: start.elapsed(), ..Statistics::default() };
        Outcome { verdict, evidence, techniques, statistics }
    }
}

/// A run to the goal near one of these solutions, each in its part of the time.
fn along(net: &Net, guides: &[ParikhVector], goal: &StatePredicate, budget: &Budget) -> Option<Trace> {
    let mut left = guides.len() as u32;
    guides.iter().find_map(|guide| {
        let part = budget.part(left);
        left -= 1;
        let mut counts = vec![0; net.nodes().transitions.len()];
        guide.iter().for_each(|&(t, times)| counts[t.index()] = times);
        walk_along(net, &counts, goal, &part)
    })
}

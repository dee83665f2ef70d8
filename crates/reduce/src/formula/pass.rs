//! Simplification as a pass.

use std::{sync::Arc, time::Duration};

use fireset_net::{Budget, Model, Outcome, Problem, Query, StopReason, Technique};

use super::{Simplifier, lift};
use crate::{Lift, Pass, Reduced};

/// The most time that the state equation may take; a quarter of what is left, if that is less.
const TIME: Duration = Duration::from_secs(10);

/// Makes queries smaller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simplify;

impl Pass for Simplify {
    fn name(&self) -> &'static str {
        "simplification"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let smaller =
            |query: &Query| matches!(query, Query::Reachable(_) | Query::Invariant(_) | Query::Ltl(..));
        if !problem.queries.iter().any(smaller) {
            return Ok(None);
        }
        let time = budget.time_left().map_or(TIME, |left| TIME.min(left / 4));
        let simplifier = Simplifier::for_model(&problem.model).within(time, problem.queries.len());
        let queries: Vec<Query> = problem.queries.iter().map(|query| simplifier.query(query)).collect();
        let asked =
            problem.queries.iter().zip(&queries).map(|(query, small)| (query.clone(), query != small));
        let lift = Back { model: problem.model.clone(), asked: asked.collect() };
        let asked_for = (0..queries.len()).collect();
        let problem = Problem { model: problem.model.clone(), queries };
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(lift) }))
    }
}

/// The queries as they were, and whether they changed.
struct Back {
    model: Arc<Model>,
    asked: Vec<(Query, bool)>,
}

impl Lift for Back {
    fn lift(&mut self, at: usize, outcome: Outcome) -> Option<Outcome> {
        let (query, changed) = &self.asked[at];
        let mut outcome = lift(query, &self.model, outcome);
        if *changed && !outcome.techniques.contains(&Technique::QueryReduction) {
            outcome.techniques.push(Technique::QueryReduction);
        }
        Some(outcome)
    }
}

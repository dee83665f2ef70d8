//! Structural reduction as a pass.

use std::sync::Arc;

use fireset_net::{Budget, Model, Problem, StopReason};

use super::{RuleSet, lift::ReductionLift, reduce_with};
use crate::{Pass, Reduced};

/// Reductions take at most this fraction of the time: one quarter.
const PARTS: u32 = 4;

/// Makes place/transition nets smaller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduce {
    /// The rules that may be applied.
    pub rules: RuleSet,
}

impl Pass for Reduce {
    fn name(&self) -> &'static str {
        "structural reduction"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let Model::Plain(net) = &*problem.model else { return Ok(None) };
        let Some(reduction) = reduce_with(net, &problem.queries, self.rules, &budget.part(PARTS)) else {
            return Ok(None);
        };
        let queries = reduction.queries.clone();
        let lift = ReductionLift {
            model: problem.model.clone(),
            queries: problem.queries.iter().cloned().zip(queries.clone()).collect(),
            back_mapping: reduction.back_mapping,
        };
        let asked_for = (0..queries.len()).collect();
        let problem = Problem { model: Arc::new(Model::Plain(reduction.net)), queries };
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(lift) }))
    }
}

//! Every property from the explicit reachability graph, by the reference checker.

use fireset_net::{Budget, Model, Outcome, Problem, Query, reference};

use crate::Engine;

/// Builds the reachability graph once and decides all properties on it.
#[derive(Clone, Copy, Debug)]
pub struct Naive {
    /// It gives up past this many states.
    pub max_states: usize,
}

impl Default for Naive {
    fn default() -> Self {
        Self { max_states: u32::MAX as usize }
    }
}

impl Engine for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        // What the other engines leave open is beyond this one too.
        !crate::Explicit::default().accepts(model, query) && !crate::OnTheFly::default().accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, answer: &mut dyn FnMut(usize, Outcome)) {
        reference::decide(&problem.model, &problem.queries, self.max_states, budget, answer);
    }
}

//! Reachable predicates and invariants: each state is looked at once, and the first that decides ends the search.
//! On a part of the graph a state that was found still decides; that none was found does not.

use fireset_net::{Semantics, StatePredicate, StopReason, reachability::StateView};

use crate::decide::{Explored, OpenQuery, OracleAnswer};

/// A search for a state with a predicate.
pub(super) struct PredicateSearch {
    target: StatePredicate,
    when_found: bool,
}

impl PredicateSearch {
    pub(super) fn reachable(predicate: StatePredicate) -> Self {
        Self { target: predicate, when_found: true }
    }

    pub(super) fn invariant(predicate: StatePredicate) -> Self {
        Self { target: predicate.negate(), when_found: false }
    }
}

impl<S: Semantics> OpenQuery<S> for PredicateSearch {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        view.holds(&self.target).then(|| OracleAnswer::traced(self.when_found, view.graph.trace(view.at)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        Ok(OracleAnswer::bare(!self.when_found))
    }
}

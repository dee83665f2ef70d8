//! Reachable predicates and invariants: each state is looked at once, and the first that decides ends the search.
//! On a part of the graph a state that was found still decides; that none was found does not.

use super::{Answer, Explored, View, Watch};
use crate::{Formula, Semantics, StopReason};

/// A search for a state with a predicate.
pub(super) struct Search {
    target: Formula,
    when_found: bool,
}

impl Search {
    pub(super) fn reachable(predicate: Formula) -> Self {
        Self { target: predicate, when_found: true }
    }

    pub(super) fn invariant(predicate: Formula) -> Self {
        Self { target: predicate.negate(), when_found: false }
    }
}

impl<S: Semantics> Watch<S> for Search {
    fn visit(&mut self, view: &View<'_, S>) -> Option<Answer> {
        view.holds(&self.target).then(|| Answer::traced(self.when_found, view.graph.trace(view.at)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<Answer, StopReason> {
        explored.graph.complete()?;
        Ok(Answer::bare(!self.when_found))
    }
}

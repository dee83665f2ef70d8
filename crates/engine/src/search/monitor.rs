//! The interface between a search and the engine that runs it.

use std::ops::ControlFlow;

use fireset_kernel::store::RowId;

use super::{StateSearch, StateSpace};

/// A state, when it is known whether any action is enabled there.
pub(crate) struct VisitedState<'a> {
    pub(crate) id: RowId,
    pub(crate) row: &'a [u64],
    pub(crate) deadlock: bool,
}

/// Observes a search. Each thread has a clone, which sees other states than the others; clones are joined.
pub(crate) trait Monitor<S: StateSpace>: Clone + Send {
    /// Sees a state; `true` when the state decides something.
    fn visit(&mut self, space: &mut S, state: &VisitedState<'_>) -> bool;

    /// Adds what another monitor saw in later states; `true` when both together decide something.
    fn join(&mut self, other: Self) -> bool;

    /// An action of this transition fires; the search may tell one firing twice.
    fn on_firing(&mut self, _transition: u32) {}

    /// Writes actions of a row that suffice into `actions`; `false` when all enabled actions have to fire. The choice
    /// for a row depends only on the row and on what was seen before the last call of [`Monitor::prepare`].
    fn choose(&mut self, _space: &mut S, _row: &[u64], _actions: &mut Vec<S::ActionId>) -> bool {
        false
    }

    /// Called before each block of states, which several clones may see.
    fn prepare(&mut self) {}

    /// Whether no further state can decide anything.
    fn is_done(&self) -> bool {
        false
    }

    /// An estimate of the distance from a row to a state that decides something.
    fn distance(&self, _space: &S, _row: &[u64]) -> u64 {
        0
    }
}

/// Owns a monitor, and takes what it decides.
pub(crate) trait Visitor<S: StateSpace> {
    type Monitor: Monitor<S>;

    fn monitor(&mut self) -> &mut Self::Monitor;

    /// The monitor has decided something, or the search is about to stop; breaks when nothing is open any more.
    fn on_decided(&mut self, search: &StateSearch<S::ActionId>, space: &mut S) -> ControlFlow<()>;
}

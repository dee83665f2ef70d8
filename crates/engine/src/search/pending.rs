//! The pending successors of the states on a stack.
//!
//! After EnPAC, section III-A (dynamic fireset): a state remembers only its position in the total order of the
//! actions, and the next enabled action is computed when the search comes back to the state. The alternative, kept for
//! comparison, stores all actions that have not fired yet of every state on the stack.
//!
//! Where a search fires only some actions of a state, those are stored in any case.
//!
//! Invariant: only the last state on the stack that is not done yields actions.

use fireset_kernel::store::ChunkedVec;

use super::{ActionCursor, ActionId, FiresetMode, StateSpace};

/// The actions that have not fired yet. Each state keeps an [`ActionCursor`], at first the default one.
#[derive(Default)]
pub(crate) struct PendingSuccessors<N> {
    mode: FiresetMode,
    /// The stored actions, those of the last state at the end; for each state [`ActionId::LAST`], then its actions in
    /// reverse order.
    stored: ChunkedVec<N>,
}

impl<N: ActionId> PendingSuccessors<N> {
    pub(crate) fn new(mode: FiresetMode) -> Self {
        Self { mode, stored: ChunkedVec::default() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.stored.bytes()
    }

    /// The next action of the last state, given its row and its cursor.
    pub(crate) fn next<S: StateSpace<ActionId = N>>(
        &mut self,
        space: &mut S,
        row: &[u64],
        cursor: &mut ActionCursor<N>,
    ) -> Option<N> {
        if self.mode == FiresetMode::Full && *cursor == ActionCursor::default() {
            let (mut actions, mut at) = (Vec::new(), ActionCursor::default());
            while let Some((action, after)) = space.next(row, at) {
                actions.push(action);
                at = after;
            }
            *cursor = self.store(&actions);
        }
        if cursor.is_stored() {
            return self.stored.pop().filter(|&action| action != N::LAST);
        }
        let (action, after) = space.next(row, *cursor)?;
        *cursor = after;
        Some(action)
    }

    /// Whether the actions of a state with this cursor are stored, or will be.
    pub(crate) fn keeps(&self, cursor: ActionCursor<N>) -> bool {
        self.mode == FiresetMode::Full || cursor.is_stored()
    }

    /// Stores the actions of the last state, none of which has fired; returns the state's cursor.
    pub(crate) fn store(&mut self, actions: &[N]) -> ActionCursor<N> {
        self.stored.push(N::LAST);
        actions.iter().rev().for_each(|&action| self.stored.push(action));
        ActionCursor(N::STORED)
    }

    /// Adds an action to the stored ones of the last state.
    pub(crate) fn add(&mut self, action: N) {
        self.stored.push(action);
    }
}

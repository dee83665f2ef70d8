//! What is left to do in the states on a stack.
//!
//! After EnPAC, section III-A (dynamic fireset): a state remembers only where it stands in the total order of the
//! actions, and the next enabled one is looked for when the search comes back to it. The other way, kept for
//! comparison, stores the actions that are left of every state on the stack.
//!
//! Where a search does not want all actions of a state, those that it wants are stored in any case.
//!
//! Invariant: only the last state on the stack that is not done is asked for its next action.

use fireset_kernel::store::ChunkedVec;

use super::{Cursor, FiresetMode, Number, Space};

/// The actions that are left, of states that keep a [`Cursor`] each, which is the default at first.
#[derive(Default)]
pub(crate) struct Agenda<N> {
    mode: FiresetMode,
    /// If actions are stored: those of the last state last; of each state [`Number::LAST`], then its actions in
    /// reverse order.
    stored: ChunkedVec<N>,
}

impl<N: Number> Agenda<N> {
    pub(crate) fn new(mode: FiresetMode) -> Self {
        Self { mode, stored: ChunkedVec::default() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.stored.bytes()
    }

    /// The next action of the last state, whose row this is.
    pub(crate) fn next<S: Space<Number = N>>(
        &mut self,
        space: &mut S,
        row: &[u64],
        cursor: &mut Cursor<N>,
    ) -> Option<N> {
        if self.mode == FiresetMode::Full && *cursor == Cursor::default() {
            let (mut actions, mut at) = (Vec::new(), Cursor::default());
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

    /// Stores the actions of the last state, of which none was asked for yet; gives the state's cursor.
    pub(crate) fn store(&mut self, actions: &[N]) -> Cursor<N> {
        self.stored.push(N::LAST);
        actions.iter().rev().for_each(|&action| self.stored.push(action));
        Cursor(N::STORED)
    }

    /// Adds an action to those that are stored of the last state.
    pub(crate) fn add(&mut self, action: N) {
        self.stored.push(action);
    }
}

//! What is left to do in the states on a stack.
//!
//! After EnPAC, section III-A (dynamic fireset): a state remembers only where it stands in the total order of the
//! actions, and the next enabled one is looked for when the search comes back to it. The other way, kept for
//! comparison, stores the actions that are left of every state on the stack.
//!
//! Invariant: only the last state on the stack that is not done is asked for its next action.

use fireset_kernel::store::Chunks;

use super::{Cursor, FiresetMode, Number, Space};

/// The actions that are left, of states that keep a [`Cursor`] each, which is the default at first.
#[derive(Default)]
pub(crate) struct Agenda<N> {
    mode: FiresetMode,
    /// If actions are stored: those of the last state last; of each state [`Number::LAST`], then its actions in
    /// reverse order.
    stored: Chunks<N>,
}

impl<N: Number> Agenda<N> {
    pub(crate) fn new(mode: FiresetMode) -> Self {
        Self { mode, stored: Chunks::default() }
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
        match self.mode {
            FiresetMode::Dynamic => {
                let (action, after) = space.next(row, *cursor)?;
                *cursor = after;
                Some(action)
            }
            FiresetMode::Full => {
                if *cursor == Cursor::default() {
                    *cursor = self.store(space, row);
                }
                self.stored.pop().filter(|&action| action != N::LAST)
            }
        }
    }

    /// Stores all actions of a row; gives the cursor after the last, which is the default if there are none.
    fn store<S: Space<Number = N>>(&mut self, space: &mut S, row: &[u64]) -> Cursor<N> {
        let (mut actions, mut cursor) = (Vec::new(), Cursor::default());
        while let Some((action, after)) = space.next(row, cursor) {
            actions.push(action);
            cursor = after;
        }
        self.stored.push(N::LAST);
        actions.iter().rev().for_each(|&action| self.stored.push(action));
        cursor
    }

    /// Takes back the last action of the last state, since it did not fire; `false` where cursors cannot go back.
    pub(crate) fn take_back(&mut self, action: N) -> bool {
        if self.mode == FiresetMode::Full {
            self.stored.push(action);
        }
        self.mode == FiresetMode::Full
    }
}

//! Depth-first search with the dynamic fireset.
//!
//! After EnPAC, section III-A: a state on the stack remembers only where it stands in the total order of the
//! actions, and the next enabled one is looked for when the search comes back to it: 8 bytes a state on the
//! stack. The other way, kept for comparison, stores the actions that are left of every state on the stack.
//!
//! Invariant: a state is on the stack at most once, and visited when it is put there.

use fireset_kernel::store::{Chunks, Folded, RowId};
use fireset_net::Budget;

use super::{Cursor, FiresetMode, Look, Number, Search, Space, Stop, Visitor, Waiting};

/// How many actions fire between two looks at the budget.
const CHECK_AFTER: u64 = 1 << 12;

/// A state that is being expanded.
#[derive(Clone, Copy)]
struct Frame<N> {
    id: RowId,
    /// Where the search for its next action starts, if actions are not stored.
    at: Cursor<N>,
}

/// The states that are being expanded.
pub(super) struct Stack<N> {
    mode: FiresetMode,
    frames: Chunks<Frame<N>>,
    /// The stored actions of all frames, those of the last frame last: a mark, then the actions in reverse order.
    stored: Chunks<N>,
}

impl<N: Number> Stack<N> {
    pub(super) fn new(mode: FiresetMode) -> Self {
        Self { mode, frames: Chunks::default(), stored: Chunks::default() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.frames.bytes() + self.stored.bytes()
    }

    pub(super) fn renumber(&mut self, new: &[RowId]) {
        self.frames.iter_mut().for_each(|frame| frame.id = new[frame.id as usize]);
    }

    /// Puts a state on the stack.
    fn push<S: Space<Number = N>>(&mut self, id: RowId, row: &[u64], space: &mut S) {
        if self.mode == FiresetMode::Full {
            let (mut actions, mut cursor) = (Vec::new(), Cursor::default());
            while let Some((action, after)) = space.next(row, cursor) {
                actions.push(action);
                cursor = after;
            }
            self.stored.push(N::LAST);
            actions.into_iter().rev().for_each(|action| self.stored.push(action));
        }
        self.frames.push(Frame { id, at: Cursor::default() });
    }

    /// The next action of the last state, whose row this is.
    fn next<S: Space<Number = N>>(&mut self, row: &[u64], space: &mut S) -> Option<N> {
        let frame = self.frames.last_mut()?;
        match self.mode {
            FiresetMode::Dynamic => {
                let (action, after) = space.next(row, frame.at)?;
                frame.at = after;
                Some(action)
            }
            FiresetMode::Full => self.stored.pop().filter(|&action| action != N::LAST),
        }
    }

    /// Takes back the last action, since it did not fire.
    fn take_back(&mut self, action: N) {
        if self.mode == FiresetMode::Full {
            self.stored.push(action);
        }
    }
}

impl<N: Number> Search<N> {
    /// Visits all states, each before those that are found from it.
    pub(super) fn dive<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        let mut near = Folded::default();
        let mut next = vec![0; space.width()];
        let mut work = 0u64;
        if self.states.firings == 0 && self.stack().frames.is_empty() {
            self.states.store.get(self.states.initial, &mut near);
            self.enter(self.states.initial, near.row(), space, visitor)?;
        }
        while let Some(&mut Frame { id, .. }) = self.stack().frames.last_mut() {
            if work.is_multiple_of(CHECK_AFTER) {
                self.check(budget, space.bytes())?;
            }
            work += 1;
            self.states.store.get(id, &mut near);
            let Some(action) = self.stack().next(near.row(), space) else {
                self.stack().frames.pop();
                continue;
            };
            if !space.fire(near.row(), action, &mut next) {
                self.stack().take_back(action);
                self.rewind(space);
                return Err(Stop::Misfit(id, action));
            }
            self.states.firings += 1;
            visitor.look().firing(space.kind(action));
            let (child, new) = self.states.store.insert_near(&next, &near, id)?;
            if new {
                self.enter(child, &next, space, visitor)?;
            }
        }
        Ok(())
    }

    fn stack(&mut self) -> &mut Stack<N> {
        let Waiting::Depth(stack) = &mut self.waiting else { unreachable!("it dives") };
        stack
    }

    /// Puts a state on the stack and shows it to the visitor.
    fn enter<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        id: RowId,
        row: &[u64],
        space: &mut S,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        self.stack().push(id, row, space);
        let deadlock = space.next(row, Cursor::default()).is_none();
        self.show(id, (row, deadlock), space, visitor)
    }

    /// Makes the states on the stack start again, because positions in the total order change with the space.
    fn rewind<S: Space<Number = N>>(&mut self, space: &mut S) {
        if self.stack().mode == FiresetMode::Full {
            return;
        }
        let Self { states, waiting: Waiting::Depth(stack), .. } = self else { unreachable!("it dives") };
        // The action that did not fit was not counted, but is among those before its frame's position.
        states.firings += 1;
        let mut row = Folded::default();
        for frame in stack.frames.iter_mut() {
            states.store.get(frame.id, &mut row);
            let mut cursor = Cursor::default();
            while let Some((_, after)) = space.next(row.row(), cursor).filter(|(_, c)| c.0 <= frame.at.0) {
                states.firings -= 1;
                cursor = after;
            }
            frame.at = Cursor::default();
        }
    }
}

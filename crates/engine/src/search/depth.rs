//! Depth-first search with the dynamic fireset: 8 bytes a state on the stack.
//!
//! Invariant: a state is on the stack at most once, and visited when it is put there.

use fireset_kernel::store::{ChunkedVec, RowId, TreeRow};
use fireset_net::Budget;

use super::{Cursor, FiresetMode, Look, Number, Pace, Search, Space, Stop, Visitor, Waiting, agenda::Agenda};

/// A state that is being expanded.
#[derive(Clone, Copy)]
struct Frame<N> {
    id: RowId,
    cursor: Cursor<N>,
}

/// The states that are being expanded.
pub(super) struct Stack<N> {
    frames: ChunkedVec<Frame<N>>,
    agenda: Agenda<N>,
}

impl<N: Number> Stack<N> {
    pub(super) fn new(mode: FiresetMode) -> Self {
        Self { frames: ChunkedVec::default(), agenda: Agenda::new(mode) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.frames.bytes() + self.agenda.bytes()
    }

    pub(super) fn renumber(&mut self, new: &[RowId]) {
        self.frames.iter_mut().for_each(|frame| frame.id = new[frame.id as usize]);
    }

    /// The next action of the last state, whose row this is.
    fn next<S: Space<Number = N>>(&mut self, row: &[u64], space: &mut S) -> Option<N> {
        self.agenda.next(space, row, &mut self.frames.last_mut()?.cursor)
    }

    /// Leaves only these actions to the last state.
    fn choose(&mut self, actions: &[N]) {
        if let Some(last) = self.frames.last_mut() {
            last.cursor = self.agenda.store(actions);
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
        let mut near = TreeRow::default();
        let mut next = vec![0; space.width()];
        let mut pace = Pace::default();
        let mut chosen = Vec::new();
        if self.states.firings == 0 && self.stack().frames.is_empty() {
            self.states.store.get(self.states.initial, &mut near);
            self.enter(self.states.initial, near.row(), space, visitor, &mut chosen)?;
        }
        while let Some(&mut Frame { id, .. }) = self.stack().frames.last_mut() {
            if pace.is_due() {
                self.check(budget, space.bytes())?;
            }
            self.states.store.get(id, &mut near);
            let Some(action) = self.stack().next(near.row(), space) else {
                self.stack().frames.pop();
                continue;
            };
            if !space.fire(near.row(), action, &mut next) {
                self.rewind(space, action);
                return Err(Stop::Misfit(id, action));
            }
            self.states.firings += 1;
            visitor.look().firing(space.kind(action));
            let (child, new) = self.states.store.insert_near(&next, &near, id)?;
            if new {
                self.enter(child, &next, space, visitor, &mut chosen)?;
            }
        }
        Ok(())
    }

    fn stack(&mut self) -> &mut Stack<N> {
        let Waiting::Depth(stack) = &mut self.waiting else { unreachable!("it dives") };
        stack
    }

    /// Puts a state on the stack and shows it to the visitor; then those of its actions are chosen that are enough.
    fn enter<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        id: RowId,
        row: &[u64],
        space: &mut S,
        visitor: &mut V,
        chosen: &mut Vec<N>,
    ) -> Result<(), Stop<N>> {
        self.stack().frames.push(Frame { id, cursor: Cursor::default() });
        let deadlock = space.next(row, Cursor::default()).is_none();
        self.show(id, (row, deadlock), space, visitor)?;
        visitor.look().prepare();
        if visitor.look().choose(space, row, chosen) {
            self.stack().choose(chosen);
        }
        Ok(())
    }

    /// Takes back the last action, since it did not fire. The states on the stack start again, because positions in the
    /// total order change with the space; not those whose actions are stored.
    fn rewind<S: Space<Number = N>>(&mut self, space: &mut S, action: N) {
        let Self { states, waiting: Waiting::Depth(stack), .. } = self else { unreachable!("it dives") };
        if stack.frames.last_mut().is_some_and(|frame| frame.cursor.is_stored()) {
            stack.agenda.add(action);
        } else {
            // It was not counted, but is among those before its frame's position.
            states.firings += 1;
        }
        let mut row = TreeRow::default();
        for frame in stack.frames.iter_mut().filter(|frame| !frame.cursor.is_stored()) {
            states.store.get(frame.id, &mut row);
            let mut cursor = Cursor::default();
            while let Some((_, after)) = space.next(row.row(), cursor).filter(|(_, c)| c.0 <= frame.cursor.0)
            {
                states.firings -= 1;
                cursor = after;
            }
            frame.cursor = Cursor::default();
        }
    }
}

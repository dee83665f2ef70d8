//! Depth-first exploration with the dynamic fireset.
//!
//! After EnPAC, section III-A: a state on the stack remembers only where it stands in the total order of the
//! transitions, and the next enabled one is looked for when the search comes back to it. The other way, kept
//! for comparison, stores all enabled transitions of every state on the stack.
//!
//! Invariants: (1) a state is on the stack at most once, and visited when it is put there; (2) its firings are
//! counted when it leaves, so that a frame may start again after the layout was widened.

use fireset_net::Budget;

use super::{
    FiresetMode,
    explore::{Explorer, Stop, Visitor},
};
use crate::packed::{
    fireset::{Cursor, Fireset},
    moves::Moves,
};

/// A state that is being expanded.
pub(super) struct Frame {
    id: u32,
    /// How many of its transitions fired.
    fired: u32,
    todo: Todo,
}

/// What of a state is left to fire.
enum Todo {
    /// All from here on in the total order.
    From(Cursor),
    /// These, the last one first.
    Stored(Vec<u32>),
    /// Not known: everything has to be looked at again.
    Restart,
}

impl Todo {
    /// How many transitions it stores.
    fn stored(&self) -> usize {
        if let Self::Stored(list) = self { list.len() } else { 0 }
    }
}

impl Frame {
    /// Forgets what was fired, which will be found known when it fires again.
    pub(super) fn restart(&mut self) {
        (self.fired, self.todo) = (0, Todo::Restart);
    }
}

impl Explorer<'_> {
    pub(super) fn dive<M: Moves, V: Visitor>(
        &mut self,
        mut moves: M,
        fireset: &Fireset,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let mut row = vec![0; self.layout.width];
        let mut next = row.clone();
        if self.stack.is_empty() && self.firings == 0 {
            self.enter(0, &mut row, &mut moves, fireset, visitor)?;
        }
        let mut work = 0u64;
        while let Some(frame) = self.stack.last_mut() {
            work += 1;
            if work.is_multiple_of(1 << 12) {
                budget.check(self.progress().bytes(), self.store.len() as u64).map_err(Stop::Reason)?;
                continue;
            }
            let id = frame.id;
            self.store.get(id, &mut row);
            if matches!(frame.todo, Todo::Restart) {
                frame.todo = start(self.how.fireset, &row, &mut moves, fireset);
                self.pending += frame.todo.stored();
            }
            let transition = match &mut frame.todo {
                Todo::From(cursor) => fireset.next(&row, &mut moves, *cursor).map(|(transition, next)| {
                    *cursor = next;
                    transition
                }),
                Todo::Stored(list) => {
                    self.pending -= usize::from(!list.is_empty());
                    list.pop().map(|transition| transition as usize)
                }
                Todo::Restart => unreachable!("it was started above"),
            };
            let Some(transition) = transition else {
                self.firings += u64::from(frame.fired);
                self.stack.pop();
                continue;
            };
            frame.fired += 1;
            if !moves.fire(&row, transition, &mut next) {
                return Err(Stop::Misfit(id, transition));
            }
            visitor.firing(transition);
            let (child, new) = self.store.insert(&next)?;
            if new {
                if let Some(parents) = &mut self.parents {
                    parents.push(id);
                }
                self.enter(child, &mut next, &mut moves, fireset, visitor)?;
            }
        }
        Ok(())
    }

    /// Puts a state on the stack and shows it to the visitor.
    fn enter<M: Moves, V: Visitor>(
        &mut self,
        id: u32,
        row: &mut [u64],
        moves: &mut M,
        fireset: &Fireset,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        self.store.get(id, row);
        let todo = start(self.how.fireset, row, moves, fireset);
        let deadlock = fireset.next(row, moves, Cursor::default()).is_none();
        self.pending += todo.stored();
        self.stack.push(Frame { id, fired: 0, todo });
        self.show(id, row, deadlock, visitor)
    }
}

/// Everything that is enabled in a row, in the form that the mode asks for.
fn start<M: Moves>(mode: FiresetMode, row: &[u64], moves: &mut M, fireset: &Fireset) -> Todo {
    match mode {
        FiresetMode::Dynamic => Todo::From(Cursor::default()),
        FiresetMode::Full => {
            let (mut list, mut cursor) = (Vec::new(), Cursor::default());
            while let Some((transition, next)) = fireset.next(row, moves, cursor) {
                list.push(transition as u32);
                cursor = next;
            }
            list.reverse();
            Todo::Stored(list)
        }
    }
}

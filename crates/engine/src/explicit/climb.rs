//! Best-first exploration: the state that looks nearest to what is wanted comes next.
//!
//! Invariants: as for the other orders; a state waits on the heap from when it is found until it is expanded,
//! and is visited when it is expanded. Cost: 16 bytes for each state that waits.

use std::{cmp::Reverse, ops::ControlFlow};

use fireset_net::Budget;

use super::explore::{Explorer, Stop, View, Visitor};
use crate::packed::{
    fireset::{Cursor, Fireset},
    moves::Moves,
};

/// A state that waits: its distance, then its number, so that ties go to the state that was found first.
pub(super) type Waiting = Reverse<(u64, u32)>;

impl Explorer<'_> {
    pub(super) fn climb<M: Moves, V: Visitor>(
        &mut self,
        mut moves: M,
        fireset: &Fireset,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let mut row = vec![0; self.layout.width];
        let mut next = row.clone();
        if self.firings == 0 && self.heap.is_empty() {
            self.heap.push(Reverse((0, 0)));
        }
        let (mut work, mut found) = (0u64, Vec::new());
        while let Some(&Reverse((_, id))) = self.heap.peek() {
            if work.is_multiple_of(1 << 10) {
                budget.check(self.progress().bytes(), self.store.len() as u64).map_err(Stop::Reason)?;
            }
            work += 1;
            self.store.get(id, &mut row);
            let (store, parents) = (&mut self.store, &mut self.parents);
            let mut fired = 0;
            let flow = fireset.scan(&row, &mut moves, Cursor::default(), |moves, transition, _| {
                if !moves.fire(&row, transition, &mut next) {
                    return ControlFlow::Break(Stop::Misfit(id, transition));
                }
                match store.insert(&next) {
                    Err(full) => return ControlFlow::Break(full.into()),
                    Ok((child, true)) => {
                        if let Some(parents) = parents {
                            parents.push(id);
                        }
                        found.push(child);
                    }
                    Ok((_, false)) => {}
                }
                fired += 1;
                visitor.firing(transition);
                ControlFlow::Continue(())
            });
            // What was found waits in any case: it will not be found again.
            let done = matches!(flow, ControlFlow::Continue(()));
            if done {
                self.heap.pop();
            }
            for child in found.drain(..) {
                self.store.get(child, &mut next);
                let view = View { id: child, row: &next, deadlock: false };
                let distance = visitor.distance(&self.progress(), &view);
                self.heap.push(Reverse((distance, child)));
            }
            if let ControlFlow::Break(stop) = flow {
                return Err(stop);
            }
            self.firings += fired;
            self.show(id, &row, fired == 0, visitor)?;
        }
        Ok(())
    }
}

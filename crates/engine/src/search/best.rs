//! Best-first search: the state that looks nearest to what is wanted comes next.
//!
//! Invariant: a state waits on the heap from when it is found until it is expanded, and is visited when it is
//! expanded. Cost: 16 bytes for each state that waits.

use std::{cmp::Reverse, collections::BinaryHeap, ops::ControlFlow};

use fireset_kernel::store::{RowId, TreeRow};
use fireset_net::Budget;

use super::{Cursor, Look, Number, Pace, Search, Space, Stop, Successor, Visitor, Waiting};

/// The states that wait: by distance, then by age, so that ties go to the state that was found first.
pub(super) struct Heap {
    waiting: BinaryHeap<Reverse<(u64, RowId)>>,
}

impl Heap {
    pub(super) fn new(initial: RowId) -> Self {
        Self { waiting: [Reverse((0, initial))].into() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Reverse<(u64, RowId)>>()
    }

    pub(super) fn renumber(&mut self, new: &[RowId]) {
        self.waiting =
            self.waiting.drain().map(|Reverse((far, id))| Reverse((far, new[id as usize]))).collect();
    }
}

impl<N: Number> Search<N> {
    /// Visits all states, those first that look near.
    pub(super) fn climb<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        let mut near = TreeRow::default();
        let (mut pace, mut found) = (Pace::default(), Vec::new());
        let (mut chosen, mut next) = (Vec::new(), Vec::new());
        while let Some(&Reverse((_, id))) = self.heap().peek() {
            if pace.is_due() {
                self.check(budget, space.bytes())?;
            }
            self.states.store.get(id, &mut near);
            let (store, look) = (&mut self.states.store, visitor.look());
            let mut fired = 0;
            look.prepare();
            let few = look.choose(space, near.row(), &mut chosen);
            let visit = |successor: Successor<'_, N>| {
                let Some(row) = successor.row else {
                    return ControlFlow::Break(Stop::Misfit(id, successor.action));
                };
                match store.insert_near(row, &near, id) {
                    Err(full) => return ControlFlow::Break(full.into()),
                    Ok((child, true)) => found.push(child),
                    Ok((_, false)) => {}
                }
                fired += 1;
                look.firing(successor.kind);
                ControlFlow::Continue(())
            };
            // The distances need the space, which is busy with the successors until they are all found.
            let flow = match few {
                true => space.successors_by(near.row(), &chosen, &mut next, visit),
                false => space.successors(near.row(), Cursor::default(), visit),
            };
            // What was found waits in any case: it will not be found again.
            if flow.is_continue() {
                self.heap().pop();
            }
            let mut child = TreeRow::default();
            for id in found.drain(..) {
                self.states.store.get(id, &mut child);
                let distance = visitor.look().distance(space, child.row());
                self.heap().push(Reverse((distance, id)));
            }
            if let ControlFlow::Break(stop) = flow {
                return Err(stop);
            }
            self.states.firings += fired;
            let deadlock = fired == 0 && (!few || space.next(near.row(), Cursor::default()).is_none());
            self.show(id, (near.row(), deadlock), space, visitor)?;
        }
        Ok(())
    }

    fn heap(&mut self) -> &mut BinaryHeap<Reverse<(u64, RowId)>> {
        let Waiting::Best(heap) = &mut self.waiting else { unreachable!("it climbs") };
        &mut heap.waiting
    }
}

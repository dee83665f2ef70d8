//! Best-first search: the state with the smallest estimated distance to a goal comes next.
//!
//! Invariant: a state is on the heap from when it is found until it is expanded, and is visited when it is expanded.
//! Cost: 16 bytes for each state on the heap.

use std::{cmp::Reverse, collections::BinaryHeap, ops::ControlFlow};

use fireset_kernel::store::{RowId, TreeRow};

use super::{
    ActionCursor, ActionId, Monitor, OpenList, PollTimer, SearchContext, SearchStop, StateSearch, StateSpace,
    Successor, VisitedState, Visitor,
};

/// The open states: by distance, then by age, so that ties go to the state that was found first.
pub(super) struct OpenHeap {
    states: BinaryHeap<Reverse<(u64, RowId)>>,
}

impl OpenHeap {
    pub(super) fn new(initial: RowId) -> Self {
        Self { states: [Reverse((0, initial))].into() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<Reverse<(u64, RowId)>>()
    }

    pub(super) fn renumber(&mut self, new: &[RowId]) {
        self.states =
            self.states.drain().map(|Reverse((far, id))| Reverse((far, new[id as usize]))).collect();
    }
}

impl<N: ActionId> StateSearch<N> {
    /// Visits all states, the most promising ones first.
    pub(super) fn run_best_first<S, V>(&mut self, run: SearchContext<'_, S, V>) -> Result<(), SearchStop<N>>
    where
        S: StateSpace<ActionId = N>,
        V: Visitor<S>,
    {
        let SearchContext { space, budget, visitor } = run;
        let (mut timer, mut found) = (PollTimer::default(), Vec::new());
        let (mut near, mut chosen, mut next) = (TreeRow::default(), Vec::new(), Vec::new());
        while let Some(&Reverse((_, id))) = self.heap().peek() {
            if timer.is_due() {
                self.check(budget, space.bytes())?;
            }
            self.states.store.get(id, &mut near);
            let (store, monitor) = (&mut self.states.store, visitor.monitor());
            let mut fired = 0;
            monitor.prepare();
            let reduced = monitor.choose(space, near.row(), &mut chosen);
            let visit = |successor: Successor<'_, N>| {
                let Some(row) = successor.row else {
                    return ControlFlow::Break(SearchStop::overflow(near.row(), successor.action));
                };
                match store.insert_near(row, &near, id) {
                    Err(full) => return ControlFlow::Break(full.into()),
                    Ok((child, true)) => found.push(child),
                    Ok((_, false)) => {}
                }
                fired += 1;
                monitor.on_firing(successor.transition);
                ControlFlow::Continue(())
            };
            // The distances need the space, which is busy with the successors until they are all found.
            let flow = match reduced {
                true => space.successors_by(near.row(), &chosen, &mut next, visit),
                false => space.successors(near.row(), ActionCursor::default(), visit),
            };
            // New states go on the heap in any case: they will not be found again.
            if flow.is_continue() {
                self.heap().pop();
            }
            let mut child = TreeRow::default();
            for id in found.drain(..) {
                self.states.store.get(id, &mut child);
                let distance = visitor.monitor().distance(space, child.row());
                self.heap().push(Reverse((distance, id)));
            }
            if let ControlFlow::Break(stop) = flow {
                return Err(stop);
            }
            self.states.firings += fired;
            let deadlock =
                fired == 0 && (!reduced || space.next(near.row(), ActionCursor::default()).is_none());
            self.visit(&VisitedState { id, row: near.row(), deadlock }, space, visitor)?;
        }
        Ok(())
    }

    fn heap(&mut self) -> &mut BinaryHeap<Reverse<(u64, RowId)>> {
        let OpenList::Best(heap) = &mut self.open else { unreachable!("the search is best-first") };
        &mut heap.states
    }
}

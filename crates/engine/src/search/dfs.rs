//! Depth-first search with the dynamic fireset: 8 bytes a state on the stack.
//!
//! Invariant: a state is on the stack at most once, and is visited when it is pushed.

use fireset_kernel::store::{ChunkedVec, RowId, TreeRow};

use super::{
    ActionCursor, ActionId, FiresetMode, Monitor, OpenList, PendingSuccessors, PollTimer, SearchContext,
    SearchStop, StateSearch, StateSpace, VisitedState, Visitor,
};

#[derive(Clone, Copy)]
struct DfsFrame<N> {
    id: RowId,
    cursor: ActionCursor<N>,
}

/// The states that are being expanded.
pub(super) struct DfsStack<N> {
    frames: ChunkedVec<DfsFrame<N>>,
    pending: PendingSuccessors<N>,
}

impl<N: ActionId> DfsStack<N> {
    pub(super) fn new(mode: FiresetMode) -> Self {
        Self { frames: ChunkedVec::default(), pending: PendingSuccessors::new(mode) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.frames.bytes() + self.pending.bytes()
    }

    pub(super) fn renumber(&mut self, new: &[RowId]) {
        self.frames.iter_mut().for_each(|frame| frame.id = new[frame.id as usize]);
    }

    /// The next action of the last state, given its row.
    fn next<S: StateSpace<ActionId = N>>(&mut self, row: &[u64], space: &mut S) -> Option<N> {
        self.pending.next(space, row, &mut self.frames.last_mut()?.cursor)
    }

    /// Restricts the last state to these actions.
    fn choose(&mut self, actions: &[N]) {
        if let Some(last) = self.frames.last_mut() {
            last.cursor = self.pending.store(actions);
        }
    }
}

impl<N: ActionId> StateSearch<N> {
    /// Visits all states, each before those that are found from it.
    pub(super) fn run_dfs<S, V>(&mut self, run: SearchContext<'_, S, V>) -> Result<(), SearchStop<N>>
    where
        S: StateSpace<ActionId = N>,
        V: Visitor<S>,
    {
        let SearchContext { space, budget, visitor } = run;
        let mut near = TreeRow::default();
        let mut next = vec![0; space.width()];
        let mut timer = PollTimer::default();
        let mut chosen = Vec::new();
        if self.states.firings == 0 && self.stack().frames.is_empty() {
            self.states.store.get(self.states.initial, &mut near);
            self.enter(self.states.initial, near.row(), space, visitor, &mut chosen)?;
        }
        while let Some(&mut DfsFrame { id, .. }) = self.stack().frames.last_mut() {
            if timer.is_due() {
                self.check(budget, space.bytes())?;
            }
            self.states.store.get(id, &mut near);
            let Some(action) = self.stack().next(near.row(), space) else {
                self.stack().frames.pop();
                continue;
            };
            if !space.fire(near.row(), action, &mut next) {
                self.rewind(space, action);
                return Err(SearchStop::overflow(near.row(), action));
            }
            self.states.firings += 1;
            visitor.monitor().on_firing(space.transition(action));
            let (child, new) = self.states.store.insert_near(&next, &near, id)?;
            if new {
                self.enter(child, &next, space, visitor, &mut chosen)?;
            }
        }
        Ok(())
    }

    fn stack(&mut self) -> &mut DfsStack<N> {
        let OpenList::Depth(stack) = &mut self.open else { unreachable!("the search is depth-first") };
        stack
    }

    /// Pushes a state and shows it to the monitor, which then chooses the actions that fire.
    fn enter<S: StateSpace<ActionId = N>, V: Visitor<S>>(
        &mut self,
        id: RowId,
        row: &[u64],
        space: &mut S,
        visitor: &mut V,
        chosen: &mut Vec<N>,
    ) -> Result<(), SearchStop<N>> {
        self.stack().frames.push(DfsFrame { id, cursor: ActionCursor::default() });
        let deadlock = space.next(row, ActionCursor::default()).is_none();
        self.visit(&VisitedState { id, row, deadlock }, space, visitor)?;
        visitor.monitor().prepare();
        if visitor.monitor().choose(space, row, chosen) {
            self.stack().choose(chosen);
        }
        Ok(())
    }

    /// Takes back the last action, since it did not fire. The states on the stack start again, because positions in the
    /// total order change with the layout; states whose actions are stored go on.
    fn rewind<S: StateSpace<ActionId = N>>(&mut self, space: &mut S, action: N) {
        let Self { states, open: OpenList::Depth(stack), .. } = self else {
            unreachable!("the search is depth-first")
        };
        if stack.frames.last_mut().is_some_and(|frame| frame.cursor.is_stored()) {
            stack.pending.add(action);
        } else {
            // The action was not counted, but is among those before its frame's position.
            states.firings += 1;
        }
        let mut row = TreeRow::default();
        for frame in stack.frames.iter_mut().filter(|frame| !frame.cursor.is_stored()) {
            states.store.get(frame.id, &mut row);
            let mut cursor = ActionCursor::default();
            while let Some((_, after)) = space.next(row.row(), cursor).filter(|(_, c)| c.0 <= frame.cursor.0)
            {
                states.firings -= 1;
                cursor = after;
            }
            frame.cursor = ActionCursor::default();
        }
    }
}

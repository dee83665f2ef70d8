//! The markings that a search has met, each stored once, and the way from one to the next.

use std::ops::ControlFlow;

use fireset_kernel::store::{RowId, Store, TreeRow};

use super::{
    ActionCursor, ActionId, MarkingSpace, PendingSuccessors, Predicate, SearchStop, Searched, StateSpace,
    asks_for_deadlock, holds,
};

/// A marking, and the action that leads to it, if one does.
pub(crate) type MarkingStep<S> = (RowId, Option<<S as StateSpace>::ActionId>);

/// Markings of a space. The row of one of them, which is loaded, is at hand.
pub(crate) struct MarkingTable<'a, S> {
    pub(crate) space: &'a mut S,
    pub(crate) store: Store,
    pub(crate) initial: RowId,
    pub(crate) firings: u64,
    loaded: Option<RowId>,
    near: TreeRow,
    next: Vec<u64>,
    /// The rows of the last batch of successors.
    rows: Vec<u64>,
}

impl<'a, S: MarkingSpace> MarkingTable<'a, S> {
    /// A table with the markings that a store of the same space already holds, and an initial row.
    pub(crate) fn new(space: &'a mut S, initial: &[u64], mut store: Store) -> Self {
        let (first, _) = store.insert(initial, 0).expect("the first row fits");
        let (near, next) = (TreeRow::default(), vec![0; initial.len()]);
        Self { space, store, initial: first, firings: 0, loaded: None, near, next, rows: Vec::new() }
    }

    pub(crate) fn load(&mut self, marking: RowId) {
        if self.loaded != Some(marking) {
            self.store.get(marking, &mut self.near);
            self.loaded = Some(marking);
        }
    }

    /// The space, and the row of the loaded marking.
    pub(crate) fn at_hand(&mut self) -> (&mut S, &[u64]) {
        (self.space, self.near.row())
    }

    /// The space, and the row of a marking of the last batch of successors, by its position there.
    pub(crate) fn found(&mut self, at: usize) -> (&mut S, &[u64]) {
        let width = self.store.width();
        (self.space, &self.rows[at * width..][..width])
    }

    /// The successor of a marking by its next action from a cursor on, and that action; `None` after the last.
    pub(crate) fn next(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        pending: &mut PendingSuccessors<S::ActionId>,
    ) -> Searched<S, Option<(RowId, S::ActionId)>> {
        self.load(marking);
        let Some(action) = pending.next(self.space, self.near.row(), cursor) else { return Ok(None) };
        if !self.space.fire(self.near.row(), action, &mut self.next) {
            return Err(SearchStop::overflow(self.near.row(), action));
        }
        self.firings += 1;
        let (next, _) = self.store.insert_near(&self.next, &self.near, 0)?;
        Ok(Some((next, action)))
    }

    /// [`next`](Self::next), where a deadlock is followed by itself, without an action.
    pub(crate) fn next_or_itself(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        pending: &mut PendingSuccessors<S::ActionId>,
    ) -> Searched<S, Option<MarkingStep<S>>> {
        // The end of the actions, also after stuttering.
        let end = ActionCursor(S::ActionId::LAST);
        if *cursor == end {
            return Ok(None);
        }
        let stutters = *cursor == ActionCursor::default();
        let Some((next, action)) = self.next(marking, cursor, pending)? else {
            *cursor = end;
            return Ok(stutters.then_some((marking, None)));
        };
        Ok(Some((next, Some(action))))
    }

    /// Writes a batch of at most `most` successors of a marking into `found`, from a cursor on; `false` after the last.
    pub(crate) fn next_batch(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        most: usize,
        found: &mut Vec<RowId>,
    ) -> Searched<S, bool> {
        self.load(marking);
        let Self { space, store, near, rows, .. } = self;
        rows.clear();
        let mut left = most;
        let flow = space.successors(near.row(), *cursor, |successor| {
            let Some(row) = successor.row else {
                return ControlFlow::Break(Err(SearchStop::overflow(near.row(), successor.action)));
            };
            rows.extend_from_slice(row);
            *cursor = successor.after;
            left -= 1;
            if left == 0 { ControlFlow::Break(Ok(true)) } else { ControlFlow::Continue(()) }
        });
        let more = flow.break_value().unwrap_or(Ok(false))?;
        self.firings += (most - left) as u64;
        store.insert_several(rows, near, found)?;
        Ok(more)
    }

    /// Writes the next successors of a marking, at most `most`, into `found`, from a cursor on; none after the last. A deadlock is
    /// followed by itself. Several are looked up at once, so that the processor waits for the memory of all of them together; where
    /// actions are stored, it is one, because more may be added to them until it is left. After an overflow the same call in a wider
    /// layout gives them all.
    pub(crate) fn next_several_or_itself(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        pending: &mut PendingSuccessors<S::ActionId>,
        (most, found): (usize, &mut Vec<RowId>),
    ) -> Searched<S, ()> {
        let before = *cursor;
        let result = self.several_or_itself(marking, cursor, pending, (most, found));
        if let Err(SearchStop::Overflow(overflow)) = &result {
            if cursor.is_stored() {
                pending.add(overflow.action);
            } else {
                *cursor = before;
            }
        }
        result
    }

    fn several_or_itself(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        pending: &mut PendingSuccessors<S::ActionId>,
        (most, found): (usize, &mut Vec<RowId>),
    ) -> Searched<S, ()> {
        found.clear();
        if pending.keeps(*cursor) {
            found.extend(self.next_or_itself(marking, cursor, pending)?.map(|(next, _)| next));
            return Ok(());
        }
        let end = ActionCursor(S::ActionId::LAST);
        if *cursor == end {
            return Ok(());
        }
        let is_first = *cursor == ActionCursor::default();
        if !self.next_batch(marking, cursor, most, found)? {
            *cursor = end;
        }
        if is_first && found.is_empty() {
            found.push(marking);
        }
        Ok(())
    }

    /// The bytes of the table and the space.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.space.bytes()
    }
}

/// The value of a state predicate in a row, where it is not known whether the row is a deadlock.
pub(crate) fn value<S: MarkingSpace>(space: &mut S, predicate: &Predicate, row: &[u64]) -> bool {
    let deadlock = asks_for_deadlock(predicate) && space.next(row, ActionCursor::default()).is_none();
    holds(predicate, space, row, deadlock)
}

//! The markings that a search has met, each kept once, and the way from one to the next.

use std::ops::ControlFlow;

use fireset_kernel::store::{Full, RowId, Store, TreeRow};

use super::{Agenda, Cursor, Marked, Predicate, Space};

/// Why a marking cannot be reached.
pub(crate) enum Obstacle<N> {
    /// There are too many.
    Full,
    /// This action leads to a row that does not fit.
    Misfit(RowId, N),
}

impl<N> From<Full> for Obstacle<N> {
    fn from(Full: Full) -> Self {
        Self::Full
    }
}

/// What may stand in the way on a space.
pub(crate) type Stuck<S> = Obstacle<<S as Space>::Number>;

/// Markings of a space. One of them is loaded: its row is at hand.
pub(crate) struct Markings<'a, S> {
    pub(crate) space: &'a mut S,
    pub(crate) store: Store,
    pub(crate) initial: RowId,
    pub(crate) firings: u64,
    loaded: Option<RowId>,
    near: TreeRow,
    next: Vec<u64>,
    /// The rows that were found together last.
    rows: Vec<u64>,
}

impl<'a, S: Marked> Markings<'a, S> {
    /// From an initial row, with those that a store of the same space holds already.
    pub(crate) fn new(space: &'a mut S, initial: &[u64], mut store: Store) -> Self {
        let (first, _) = store.insert(initial, 0).expect("the first row fits");
        let (near, next) = (TreeRow::default(), vec![0; initial.len()]);
        Self { space, store, initial: first, firings: 0, loaded: None, near, next, rows: Vec::new() }
    }

    /// Loads a marking.
    pub(crate) fn load(&mut self, marking: RowId) {
        if self.loaded != Some(marking) {
            self.store.get(marking, &mut self.near);
            self.loaded = Some(marking);
        }
    }

    /// The space, and the row of the marking that is loaded.
    pub(crate) fn at_hand(&mut self) -> (&mut S, &[u64]) {
        (self.space, self.near.row())
    }

    /// The space, and the row of a marking among those that were found together last.
    pub(crate) fn found(&mut self, at: usize) -> (&mut S, &[u64]) {
        let width = self.store.width();
        (self.space, &self.rows[at * width..][..width])
    }

    /// The marking after the next action of one, from a cursor on, and that action; `None` when no more follow.
    pub(crate) fn next(
        &mut self,
        marking: RowId,
        cursor: &mut Cursor<S::Number>,
        agenda: &mut Agenda<S::Number>,
    ) -> Result<Option<(RowId, S::Number)>, Stuck<S>> {
        self.load(marking);
        let Some(action) = agenda.next(self.space, self.near.row(), cursor) else { return Ok(None) };
        if !self.space.fire(self.near.row(), action, &mut self.next) {
            return Err(Obstacle::Misfit(marking, action));
        }
        self.firings += 1;
        let (next, _) = self.store.insert_near(&self.next, &self.near, 0)?;
        Ok(Some((next, action)))
    }

    /// Finds the markings after one, from a cursor on and at most so many; `false` when no more follow.
    pub(crate) fn some(
        &mut self,
        marking: RowId,
        cursor: &mut Cursor<S::Number>,
        most: usize,
        found: &mut Vec<RowId>,
    ) -> Result<bool, Stuck<S>> {
        self.load(marking);
        let Self { space, store, near, rows, .. } = self;
        rows.clear();
        let mut left = most;
        let flow = space.successors(near.row(), *cursor, |successor| {
            let Some(row) = successor.row else {
                return ControlFlow::Break(Err(Obstacle::Misfit(marking, successor.action)));
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

    /// The row of a marking.
    pub(crate) fn row(&self, marking: RowId) -> Vec<u64> {
        let mut row = TreeRow::default();
        self.store.get(marking, &mut row);
        row.row().to_vec()
    }

    /// The bytes that they and the space hold.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.space.bytes()
    }
}

/// The value of a state predicate in a row, where it is not known whether anything is enabled.
pub(crate) fn value<S: Marked>(space: &mut S, predicate: &Predicate, row: &[u64]) -> bool {
    let deadlock = predicate.asks_for_deadlock() && space.next(row, Cursor::default()).is_none();
    predicate.holds(space, row, deadlock)
}

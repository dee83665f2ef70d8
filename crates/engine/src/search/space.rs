//! What a search walks on: a space with successors on demand.

use std::ops::ControlFlow;

use fireset_net::{PlaceId, TransitionId};

/// Where the search for the next action of a row starts; the default is before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor(pub(crate) u32);

/// States as rows of words, and actions that lead from one to another.
///
/// Laws: equal states are equal rows; the actions of a row have a total order, and [`Cursor`]s are positions in
/// it; an action that is enabled leads to one row, or to one that does not fit into the words.
pub(crate) trait Space: Clone + Send {
    /// Words of a row.
    fn width(&self) -> usize;

    /// One more than the last cursor.
    fn cursors(&self) -> u32;

    /// Calls `visit` with each successor of a row, from a cursor on, until it breaks.
    fn successors<B>(
        &mut self,
        row: &[u64],
        from: Cursor,
        visit: impl FnMut(Successor<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Writes the row after an action that is enabled; `false` when it does not fit.
    fn fire(&mut self, row: &[u64], action: u32, next: &mut [u64]) -> bool;

    /// The first action that is enabled from a cursor on, and the cursor after it.
    fn next(&mut self, row: &[u64], from: Cursor) -> Option<(u32, Cursor)> {
        let first = |s: Successor<'_>| ControlFlow::Break((s.action, s.after));
        match self.successors(row, from, first) {
            ControlFlow::Break(found) => Some(found),
            ControlFlow::Continue(()) => None,
        }
    }
}

/// An action that is enabled.
pub(crate) struct Successor<'a> {
    /// The number by which the space knows it.
    pub(crate) action: u32,
    /// Where the search for further actions starts.
    pub(crate) after: Cursor,
    /// The row that it leads to, unless it does not fit.
    pub(crate) row: Option<&'a [u64]>,
}

/// A space whose states are markings of a net.
pub(crate) trait Marked: Space {
    /// The tokens of a place.
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64;

    /// Whether a transition is enabled.
    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool;

    /// The tokens of all places together, and the most of one.
    fn total_and_most(&self, row: &[u64]) -> (u128, u64);
}

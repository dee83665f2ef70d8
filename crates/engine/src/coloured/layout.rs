//! Layouts of coloured markings in rows of words.

mod dense;
mod sparse;

pub(super) use self::{dense::DenseLayout, sparse::SparseLayout};

/// A colour, and the number of tokens of that colour.
pub(super) type ColouredToken = (u64, u64);

/// A layout of coloured markings.
///
/// Laws: equal markings are equal rows; where `give` returns `false` the row is meaningless. The tokens of a place
/// together fit into 64 bits.
pub(super) trait MarkingLayout: Clone + Send + Sync {
    /// A layout for places with these numbers of colours, with room for these tokens and for all markings that fit
    /// `narrower`.
    fn fitting(sizes: &[u64], tokens: &[Vec<ColouredToken>], narrower: Option<&Self>) -> Option<Self>;

    /// The number of words of a row.
    fn width(&self) -> usize;

    /// The number of tokens of a colour.
    fn count(&self, row: &[u64], place: usize, colour: u64) -> u64;

    /// The first token of a place with a colour from `from` to before `end`.
    fn first(&self, row: &[u64], place: usize, from: u64, end: u64) -> Option<ColouredToken>;

    /// Removes tokens, which the row has.
    fn take(&self, row: &mut [u64], place: usize, colour: u64, count: u64);

    /// Adds tokens; `false` when they do not fit.
    fn give(&self, row: &mut [u64], place: usize, colour: u64, count: u64) -> bool;

    /// Calls `visit` with each token of a place, by colour.
    fn each(&self, row: &[u64], place: usize, mut visit: impl FnMut(ColouredToken)) {
        let mut from = 0;
        while let Some((colour, count)) = self.first(row, place, from, u64::MAX) {
            visit((colour, count));
            from = colour + 1;
        }
    }

    /// The tokens of all colours of a place.
    fn total(&self, row: &[u64], place: usize) -> u64 {
        let mut total = 0;
        self.each(row, place, |(_, count)| total += count);
        total
    }
}

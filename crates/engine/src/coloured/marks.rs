//! How the tokens of a coloured marking lie in a row of words.

mod dense;
mod sparse;

pub(super) use self::{dense::Dense, sparse::Sparse};

/// A token that there is: a colour, and how many there are of it.
pub(super) type Token = (u64, u64);

/// A layout of coloured markings.
///
/// Laws: equal markings are equal rows; what `take` and `give` do to a row is what they say or, where `give` says
/// `false`, nothing that counts. The tokens of a place together fit into 64 bits.
pub(super) trait Marks: Clone + Send + Sync {
    /// A layout for places of these sorts' sizes that has room for these tokens, and for all that `narrower` has.
    fn fitting(sizes: &[u64], tokens: &[Vec<Token>], narrower: Option<&Self>) -> Option<Self>;

    /// Words of a row.
    fn width(&self) -> usize;

    /// How many tokens of a colour a place has.
    fn count(&self, row: &[u64], place: usize, colour: u64) -> u64;

    /// The first token of a place with a colour from `from` to before `end`.
    fn first(&self, row: &[u64], place: usize, from: u64, end: u64) -> Option<Token>;

    /// Takes tokens that are there.
    fn take(&self, row: &mut [u64], place: usize, colour: u64, count: u64);

    /// Adds tokens; `false` when they do not fit.
    fn give(&self, row: &mut [u64], place: usize, colour: u64, count: u64) -> bool;

    /// Calls `visit` with each token of a place, by colour.
    fn each(&self, row: &[u64], place: usize, mut visit: impl FnMut(Token)) {
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

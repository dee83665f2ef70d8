//! Hash-consed rows of 64-bit words: each different row is kept once, under a number that never changes.
//!
//! Tree compression maps a row of several words to one word; a set keeps those words, with a link to another row each
//! if the store keeps links. The set is cut into segments by the hash, and a row's number names its segment in
//! its low bits. So numbers have gaps, few compared with [`Store::limit`], but many new rows can
//! be sorted by segment into a [`RowBatch`] first and then inserted segment by segment: the touched memory stays in the
//! cache, and several threads can insert rows without locks. Within a segment rows are numbered in the order of their
//! insertion, so two [`Watermark`]s delimit the rows inserted between them, and a breadth-first search needs no queue.
//!
//! Memory grows in small steps: words lie in chunks that never move, and each segment's index grows by itself.

mod batch;
mod chunked_vec;
mod edges;
mod segment;
mod tree;
mod words;

pub use batch::RowBatch;
pub use chunked_vec::ChunkedVec;
pub use edges::{EdgeLog, Predecessors};
pub use tree::TreeRow;

use self::{tree::TreeCompression, words::WordSet};

/// Identifies a row of a store: the number within its segment in the high bits, the segment in the low ones.
pub type RowId = u32;

/// The low bits of a [`RowId`], which name the segment.
const SEGMENT_BITS: u32 = 7;
/// Enough segments that one of them is small compared with the whole.
const SEGMENTS: usize = 1 << SEGMENT_BITS;

/// Rows of a fixed width, with a link each if the store keeps links.
#[derive(Clone, Debug)]
pub struct Store {
    width: usize,
    /// For rows of more than one word.
    tree: Option<TreeCompression>,
    words: WordSet,
}

/// The error of an insertion: a segment holds as many rows as its numbers can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The rows that a store held at some moment, as their number in each segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watermark(Box<[u32; SEGMENTS]>);

impl Default for Watermark {
    /// The watermark of an empty store.
    fn default() -> Self {
        Self(Box::new([0; SEGMENTS]))
    }
}

impl Watermark {
    /// The number of rows below the watermark.
    pub fn rows(&self) -> usize {
        self.0.iter().map(|&rows| rows as usize).sum()
    }

    /// Moves the watermark past the next `most` rows towards `end`, and returns those rows.
    pub fn take(&mut self, end: &Self, most: usize) -> Vec<RowId> {
        let mut rows = Vec::new();
        for (segment, (from, &to)) in self.0.iter_mut().zip(end.0.iter()).enumerate() {
            let upto = to.min(from.saturating_add((most - rows.len()).try_into().unwrap_or(u32::MAX)));
            rows.extend((*from..upto).map(|number| words::row_id(number, segment)));
            *from = upto;
        }
        rows
    }
}

impl Store {
    /// An empty store for rows of `width` words; `links` tells whether it keeps a link for each row.
    pub fn new(width: usize, links: bool) -> Self {
        Self { width, tree: (width > 1).then(TreeCompression::new), words: WordSet::new(links) }
    }

    /// The number of words of each row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The id of a row, and whether the row is new; a new row gets the link.
    pub fn insert(&mut self, row: &[u64], link: RowId) -> Result<(RowId, bool), Full> {
        debug_assert_eq!(row.len(), self.width);
        let word = match &mut self.tree {
            Some(tree) => tree.compress(row)?,
            None => row[0],
        };
        self.words.insert(word, link)
    }

    /// The same for a row that differs from `near` in few words.
    #[inline]
    pub fn insert_near(&mut self, row: &[u64], near: &TreeRow, link: RowId) -> Result<(RowId, bool), Full> {
        let word = self.add_word(row, near)?;
        self.words.insert(word, link)
    }

    /// The word that stands for a row that differs from `near` in few words.
    #[inline]
    fn add_word(&mut self, row: &[u64], near: &TreeRow) -> Result<u64, Full> {
        match &mut self.tree {
            Some(tree) => tree.compress_near(row, near),
            None => Ok(row[0]),
        }
    }

    /// Inserts rows that lie one after another and differ from `near` in few words; appends their ids to a list.
    ///
    /// Their lookups load memory at once, which is faster than one by one.
    pub fn insert_several(&mut self, rows: &[u64], near: &TreeRow, ids: &mut Vec<RowId>) -> Result<(), Full> {
        let first = ids.len();
        let mut words = [0; segment::PREFETCH_WIDTH];
        for rows in rows.chunks(self.width * words.len()) {
            let mut taken = 0;
            for row in rows.chunks(self.width) {
                words[taken] = self.add_word(row, near)?;
                taken += 1;
            }
            let words = &words[..taken];
            self.words.prefetch(words);
            for &word in words {
                ids.push(self.words.insert(word, 0)?.0);
            }
        }
        debug_assert_eq!(ids.len() - first, rows.len() / self.width);
        Ok(())
    }

    /// Loads the memory of the lookups of rows of one word each into the cache.
    pub fn prefetch(&self, rows: impl Iterator<Item = u64>) {
        debug_assert_eq!(self.width, 1);
        let mut words = [0; segment::PREFETCH_WIDTH];
        let taken = words.iter_mut().zip(rows).map(|(word, row)| *word = row).count();
        self.words.prefetch(&words[..taken]);
    }

    /// The id of a row that differs from `near` in few words, if the store has the row.
    pub fn find_near(&self, row: &[u64], near: &TreeRow) -> Option<RowId> {
        self.words.find(self.word(row, near)?)
    }

    /// The word that stands for a row, unless one of its subtrees is new.
    #[inline]
    fn word(&self, row: &[u64], near: &TreeRow) -> Option<u64> {
        match &self.tree {
            Some(tree) => tree.find(row, near),
            None => Some(row[0]),
        }
    }

    /// Writes the row of an id, with its tree nodes; `to` is empty or has a row of this store.
    #[inline]
    pub fn get(&self, id: RowId, to: &mut TreeRow) {
        let word = self.words.get(id);
        match &self.tree {
            Some(tree) => tree.expand(word, self.width, to),
            None => {
                to.row.resize(1, 0);
                to.row[0] = word;
            }
        }
    }

    /// The link of a row; the store keeps links.
    pub fn link(&self, id: RowId) -> RowId {
        self.words.link(id)
    }

    /// Replaces the link of a row; the store keeps links.
    pub fn set_link(&mut self, id: RowId, link: RowId) {
        self.words.set_link(id, link);
    }

    /// The watermark above all present rows.
    pub fn watermark(&self) -> Watermark {
        let mut watermark = Watermark::default();
        for (to, segment) in watermark.0.iter_mut().zip(self.words.segments()) {
            *to = segment.len() as u32;
        }
        watermark
    }

    /// The number of different rows inserted so far.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the store has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An upper bound of all ids, not itself an id.
    pub fn limit(&self) -> usize {
        let longest = self.words.segments().iter().map(|segment| segment.len()).max();
        longest.unwrap_or(0) << SEGMENT_BITS
    }

    /// The bytes of rows, links and hash indices.
    pub fn bytes(&self) -> usize {
        self.words.bytes() + self.tree.as_ref().map_or(0, TreeCompression::bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::threads::WorkerPool;

    /// A fixed pseudo-random sequence.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|n| words::mix(n.wrapping_mul(0x2545_f491_4f6c_dd1d)))
    }

    /// Random rows with few values for each word, so that rows repeat.
    fn rows(width: usize, count: usize) -> Vec<Vec<u64>> {
        let mut random = numbers(width as u64);
        (0..count).map(|_| random.by_ref().take(width).map(|n| n % 5).collect()).collect()
    }

    #[test]
    fn rows_keep_their_numbers_at_every_width() {
        for width in 1..=19 {
            let mut store = Store::new(width, true);
            let mut known: HashMap<Vec<u64>, (RowId, RowId)> = HashMap::new();
            let mut near = TreeRow::default();
            for (link, row) in rows(width, 5_000).into_iter().enumerate() {
                let (link, before) = (link as RowId, known.get(&row).copied());
                let (id, new) = if link == 0 {
                    store.insert(&row, link).unwrap()
                } else {
                    store.insert_near(&row, &near, link).unwrap()
                };
                assert_eq!((new, before.is_none_or(|(known, _)| known == id)), (before.is_none(), true));
                known.entry(row).or_insert((id, link));
                store.get(id, &mut near);
                assert!((id as usize) < store.limit());
            }
            assert_eq!(store.len(), known.len());
            let mut back = TreeRow::default();
            for (row, (id, link)) in known {
                store.get(id, &mut back);
                assert_eq!((back.row(), store.link(id)), (&row[..], link));
                assert_eq!(store.find_near(&row, &near), Some(id));
            }
        }
    }

    #[test]
    fn several_rows_get_the_numbers_of_single_ones() {
        for width in [1, 2, 5] {
            let (mut single, mut several) = (Store::new(width, false), Store::new(width, false));
            let mut near = TreeRow::default();
            let all = rows(width, 5_000);
            single.insert(&all[0], 0).unwrap();
            let (id, _) = several.insert(&all[0], 0).unwrap();
            several.get(id, &mut near);
            for part in all.chunks(37) {
                let mut numbers = Vec::new();
                several.insert_several(&part.concat(), &near, &mut numbers).unwrap();
                let expected: Vec<RowId> = part.iter().map(|row| single.insert(row, 0).unwrap().0).collect();
                assert_eq!(numbers, expected);
            }
        }
    }

    #[test]
    fn batches_of_any_number_of_threads_give_the_same_numbers() {
        let pool = WorkerPool::new(2).unwrap();
        for width in [1, 2, 5] {
            let all = rows(width, 20_000);
            let fill = |threads: usize| {
                let mut store = Store::new(width, true);
                store.insert(&all[0], 0).unwrap();
                let mut near = TreeRow::default();
                store.get(store.all_rows()[0], &mut near);
                for block in all.chunks(4_000) {
                    let mut batches: Vec<RowBatch> = (0..threads).map(|_| RowBatch::new(&store)).collect();
                    for (at, part) in block.chunks(4_000 / threads).enumerate() {
                        part.iter().for_each(|row| batches[at].push(&store, row, &near, at as RowId));
                    }
                    let mut batches: Vec<_> = batches.iter_mut().collect();
                    pool.run(|| store.insert_all(&mut batches)).unwrap();
                }
                store
            };
            let one = fill(1);
            let distinct: std::collections::HashSet<_> = all.iter().collect();
            assert_eq!(one.len(), distinct.len());
            for threads in [2, 4] {
                let several = fill(threads);
                let (mut a, mut b) = (TreeRow::default(), TreeRow::default());
                for id in one.all_rows() {
                    one.get(id, &mut a);
                    several.get(id, &mut b);
                    assert_eq!(a.row(), b.row());
                }
                assert_eq!(several.len(), one.len());
            }
        }
    }

    #[test]
    fn many_words_stay_within_16_bytes_each() {
        let mut store = Store::new(1, false);
        let words: Vec<u64> = numbers(7).take(1_000_000).collect();
        let mut ids = Vec::new();
        for (at, &word) in words.iter().enumerate() {
            let (id, new) = store.insert(&[word], 0).unwrap();
            assert!(new);
            ids.push(id);
            if at > 400_000 && at % 1_000 == 0 {
                let each = store.bytes() as f64 / store.len() as f64;
                assert!(each < 16.0, "{each} bytes a word at {at}");
            }
        }
        let mut back = TreeRow::default();
        for (&id, &word) in ids.iter().zip(&words) {
            assert_eq!(store.insert(&[word], 0), Ok((id, false)));
            store.get(id, &mut back);
            assert_eq!(back.row(), [word]);
        }
    }

    #[test]
    fn watermarks_delimit_the_rows_between_them() {
        let mut store = Store::new(1, false);
        let mut came: Vec<Vec<RowId>> = Vec::new();
        let mut watermarks = vec![store.watermark()];
        for part in numbers(3).take(3_000).collect::<Vec<_>>().chunks(1_000) {
            came.push(part.iter().map(|&word| store.insert(&[word], 0).unwrap().0).collect());
            watermarks.push(store.watermark());
        }
        for (came, window) in came.iter_mut().zip(watermarks.windows(2)) {
            let mut from = window[0].clone();
            let mut taken = Vec::new();
            while from != window[1] {
                let some = from.take(&window[1], 300);
                assert!((1..=300).contains(&some.len()));
                taken.extend(some);
            }
            taken.sort_unstable();
            came.sort_unstable();
            assert_eq!(taken, *came);
        }
    }

    impl Store {
        fn all_rows(&self) -> Vec<RowId> {
            Watermark::default().take(&self.watermark(), usize::MAX)
        }
    }
}

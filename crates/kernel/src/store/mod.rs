//! Hash-consed rows of 64-bit words: each different row is kept once, under a number that stays.
//!
//! A row of several words is folded into one word; a set keeps those words, with a link to another row each
//! where links are wanted. The set is cut into segments by the hash, and a row's number names its segment in
//! its low bits. So numbers have gaps, small ones beside [`Store::limit`], but rows that are found in numbers can
//! be sorted by segment into a [`Batch`] first and then put in segment by segment: what is touched stays in the
//! cache, and several threads can put rows in without locks. Within a segment rows are numbered as they come, so
//! [`Mark`]s tell which rows came when, and a breadth-first search needs no queue.
//!
//! Memory grows in small pieces: words lie in chunks that never move, and each segment's index grows by itself.

mod arena;
mod batch;
mod fold;
mod predecessors;
mod segment;
mod words;

pub use arena::Chunks;
pub use batch::Batch;
pub use fold::Folded;
pub use predecessors::{Noted, Predecessors};

use self::{fold::Fold, words::WordSet};

/// The number of a row.
pub type RowId = u32;

/// The bits of a number that name its segment.
const SEGMENT_BITS: u32 = 7;
/// The segments; enough that one of them is small beside the whole.
const SEGMENTS: usize = 1 << SEGMENT_BITS;

/// Rows of a fixed width, with a link each if they are kept.
#[derive(Clone, Debug)]
pub struct Store {
    width: usize,
    /// For rows of more than one word.
    fold: Option<Fold>,
    words: WordSet,
}

/// A segment holds as many rows as its numbers can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A moment in the life of a store: the rows that it held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(Box<[u32; SEGMENTS]>);

impl Default for Mark {
    /// Before the first row.
    fn default() -> Self {
        Self(Box::new([0; SEGMENTS]))
    }
}

impl Mark {
    /// How many rows it held.
    pub fn rows(&self) -> usize {
        self.0.iter().map(|&rows| rows as usize).sum()
    }

    /// Takes the next `most` rows that came after this and before another moment.
    pub fn take(&mut self, end: &Self, most: usize) -> Vec<RowId> {
        let mut rows = Vec::new();
        for (segment, (from, &to)) in self.0.iter_mut().zip(end.0.iter()).enumerate() {
            let upto = to.min(from.saturating_add((most - rows.len()).try_into().unwrap_or(u32::MAX)));
            rows.extend((*from..upto).map(|number| words::join(number, segment)));
            *from = upto;
        }
        rows
    }
}

impl Store {
    /// A store for rows of `width` words.
    pub fn new(width: usize, links: bool) -> Self {
        Self { width, fold: (width > 1).then(Fold::new), words: WordSet::new(links) }
    }

    /// Words of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of a row, and whether it is new; a new row gets the link.
    pub fn insert(&mut self, row: &[u64], link: RowId) -> Result<(RowId, bool), Full> {
        debug_assert_eq!(row.len(), self.width);
        let word = match &mut self.fold {
            Some(fold) => fold.fold(row)?,
            None => row[0],
        };
        self.words.insert(word, link)
    }

    /// The same for a row that is near another one.
    #[inline]
    pub fn insert_near(&mut self, row: &[u64], near: &Folded, link: RowId) -> Result<(RowId, bool), Full> {
        match self.word(row, near) {
            Some(word) => self.words.insert(word, link),
            None => self.insert(row, link),
        }
    }

    /// Puts in rows that lie one after another and are near another one; adds their numbers to a list.
    ///
    /// All of them are looked for at once, which is faster than one by one.
    pub fn insert_several(
        &mut self,
        rows: &[u64],
        near: &Folded,
        numbers: &mut Vec<RowId>,
    ) -> Result<(), Full> {
        let first = numbers.len();
        let mut words = [0; segment::TOGETHER];
        for rows in rows.chunks(self.width * words.len()) {
            let mut taken = 0;
            for row in rows.chunks(self.width) {
                words[taken] = match self.word(row, near) {
                    Some(word) => word,
                    None => self.fold.as_mut().expect("a row of one word has no parts").fold(row)?,
                };
                taken += 1;
            }
            let words = &words[..taken];
            self.words.approach(words);
            for &word in words {
                numbers.push(self.words.insert(word, 0)?.0);
            }
        }
        debug_assert_eq!(numbers.len() - first, rows.len() / self.width);
        Ok(())
    }

    /// The number of a row that is near another one, if it is known.
    pub fn find_near(&self, row: &[u64], near: &Folded) -> Option<RowId> {
        self.words.find(self.word(row, near)?)
    }

    /// The word that stands for a row, unless some part of it is new.
    #[inline]
    fn word(&self, row: &[u64], near: &Folded) -> Option<u64> {
        match &self.fold {
            Some(fold) => fold.find(row, near),
            None => Some(row[0]),
        }
    }

    /// Writes the row of a number.
    #[inline]
    pub fn get(&self, id: RowId, to: &mut Folded) {
        let word = self.words.get(id);
        match &self.fold {
            Some(fold) => fold.unfold(word, self.width, to),
            None => {
                to.row.resize(1, 0);
                to.row[0] = word;
            }
        }
    }

    /// The link of a number; links are kept.
    pub fn link(&self, id: RowId) -> RowId {
        self.words.link(id)
    }

    /// Gives a number another link; links are kept.
    pub fn set_link(&mut self, id: RowId, link: RowId) {
        self.words.set_link(id, link);
    }

    /// The rows that it holds now.
    pub fn mark(&self) -> Mark {
        let mut mark = Mark::default();
        for (to, segment) in mark.0.iter_mut().zip(self.words.segments()) {
            *to = segment.len() as u32;
        }
        mark
    }

    /// How many rows it holds.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it holds no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All numbers are below this.
    pub fn limit(&self) -> usize {
        let longest = self.words.segments().iter().map(|segment| segment.len()).max();
        longest.unwrap_or(0) << SEGMENT_BITS
    }

    /// The bytes that it holds, tables included.
    pub fn bytes(&self) -> usize {
        self.words.bytes() + self.fold.as_ref().map_or(0, Fold::bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::threads::Threads;

    /// A fixed sequence of numbers that look random.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|n| words::mix(n.wrapping_mul(0x2545_f491_4f6c_dd1d)))
    }

    /// Rows with few values a word, so that they come again.
    fn rows(width: usize, count: usize) -> Vec<Vec<u64>> {
        let mut random = numbers(width as u64);
        (0..count).map(|_| random.by_ref().take(width).map(|n| n % 5).collect()).collect()
    }

    #[test]
    fn rows_keep_their_numbers_at_every_width() {
        for width in 1..=19 {
            let mut store = Store::new(width, true);
            let mut known: HashMap<Vec<u64>, (RowId, RowId)> = HashMap::new();
            let mut near = Folded::default();
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
            let mut back = Folded::default();
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
            let mut near = Folded::default();
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
        let pool = Threads::new(2).unwrap();
        for width in [1, 2, 5] {
            let all = rows(width, 20_000);
            let fill = |threads: usize| {
                let mut store = Store::new(width, true);
                store.insert(&all[0], 0).unwrap();
                let mut near = Folded::default();
                store.get(store.mark_of_all()[0], &mut near);
                for block in all.chunks(4_000) {
                    let mut batches: Vec<Batch> = (0..threads).map(|_| Batch::new(&store)).collect();
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
                let (mut a, mut b) = (Folded::default(), Folded::default());
                for id in one.mark_of_all() {
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
        let mut back = Folded::default();
        for (&id, &word) in ids.iter().zip(&words) {
            assert_eq!(store.insert(&[word], 0), Ok((id, false)));
            store.get(id, &mut back);
            assert_eq!(back.row(), [word]);
        }
    }

    #[test]
    fn marks_tell_which_rows_came_when() {
        let mut store = Store::new(1, false);
        let mut came: Vec<Vec<RowId>> = Vec::new();
        let mut marks = vec![store.mark()];
        for part in numbers(3).take(3_000).collect::<Vec<_>>().chunks(1_000) {
            came.push(part.iter().map(|&word| store.insert(&[word], 0).unwrap().0).collect());
            marks.push(store.mark());
        }
        for (came, window) in came.iter_mut().zip(marks.windows(2)) {
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
        fn mark_of_all(&self) -> Vec<RowId> {
            Mark::default().take(&self.mark(), usize::MAX)
        }
    }
}

//! From which rows each row was found, all of them: the steps between rows, kept by where they end.
//!
//! A fixpoint goes against the steps, and needs nothing else. Steps are noted while rows are put in, in the segment of the row
//! that they lead to; when all are known each segment sorts its own. So both touch a part of the memory at a
//! time that fits the cache. Cost: 8 bytes a step until they are sorted, then 4, and 8 a row.

use super::{RowId, SEGMENT_BITS, SEGMENTS, Store};

/// Steps as they come.
#[derive(Clone, Debug)]
pub struct Noted(Vec<Notes>);

/// The steps to rows of one segment: from which row, and to which of the segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Vec<(RowId, u32)>);

impl Notes {
    /// Makes room for so many more; doubling would leave much of it unused.
    pub(super) fn reserve(&mut self, more: usize) {
        if self.0.capacity() - self.0.len() < more {
            self.0.reserve_exact(more.max(self.0.len() / 4));
        }
    }

    #[inline]
    pub(super) fn push(&mut self, from: RowId, number: u32) {
        self.0.push((from, number));
    }
}

impl Default for Noted {
    fn default() -> Self {
        Self(vec![Notes::default(); SEGMENTS])
    }
}

impl Noted {
    pub(super) fn parts_mut(&mut self) -> &mut [Notes] {
        &mut self.0
    }

    pub(super) fn push(&mut self, from: RowId, to: RowId) {
        self.0[to as usize % SEGMENTS].push(from, to >> SEGMENT_BITS);
    }

    /// The bytes that they hold.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|notes| notes.0.capacity() * size_of::<(RowId, u32)>()).sum()
    }

    /// The bytes that they hold at most while and when they are sorted.
    pub fn bytes_sorted(&self, store: &Store) -> usize {
        let largest = self.0.iter().map(|notes| notes.0.len()).max().unwrap_or(0);
        self.bytes() + largest * size_of::<u32>() + store.len() * size_of::<usize>()
    }

    /// Sorts the steps between the rows of a store.
    pub fn sort(self, store: &Store) -> Predecessors {
        let rows = || store.words.segments().iter().map(|segment| segment.len());
        let mut all = 0;
        let begin = |rows: usize| {
            all += rows;
            (all - rows) as u32
        };
        let begins: Vec<u32> = rows().map(begin).collect();
        let position = |id: RowId| begins[id as usize % SEGMENTS] + (id >> SEGMENT_BITS);
        let mut sorted = Predecessors { starts: Vec::with_capacity(all + 1), from: Vec::new() };
        for (notes, rows) in self.0.into_iter().zip(rows()) {
            sorted.add(notes, rows, position);
        }
        sorted.starts.push(sorted.from.len());
        sorted
    }
}

/// For each row those from which it was found. Here rows are named by their positions among all rows of their store, as
/// [`Mark::take`] lists them: what is near in memory has near positions, and there are no gaps.
///
/// [`Mark::take`]: super::Mark::take
#[derive(Clone, Debug)]
pub struct Predecessors {
    /// Where those of each row begin; and where the last ones end.
    starts: Vec<usize>,
    from: Vec<u32>,
}

impl Predecessors {
    /// Adds the steps to the rows of the next segment.
    fn add(&mut self, Notes(notes): Notes, rows: usize, position: impl Fn(RowId) -> u32) {
        let (row, place) = (self.starts.len(), self.from.len());
        self.starts.resize(row + rows, 0);
        let starts = &mut self.starts[row..];
        notes.iter().for_each(|&(_, number)| starts[number as usize] += 1);
        // Where they end at first; each step that finds its place moves that forward.
        let mut sum = place;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        self.from.reserve_exact(notes.len());
        self.from.resize(sum, 0);
        for (source, number) in notes {
            let start = &mut starts[number as usize];
            *start -= 1;
            self.from[*start] = position(source);
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The positions of those of a row, each as often as it was noted.
    #[inline]
    pub fn of(&self, position: usize) -> &[u32] {
        &self.from[self.starts[position]..self.starts[position + 1]]
    }

    /// How often each row led to another one.
    pub fn successors(&self) -> Vec<u32> {
        let mut count = vec![0; self.rows()];
        self.from.iter().for_each(|&position| count[position as usize] += 1);
        count
    }

    /// The bytes that they hold.
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + self.from.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::store::{Batch, Folded, Mark};

    #[test]
    fn all_steps_are_kept() {
        // From each row two steps; those into rows that are known, and those twice, count too.
        for width in [1, 2] {
            let row = |n: u64| vec![n; width];
            let mut store = Store::new(width, false);
            let mut noted = Noted::default();
            let mut near = Folded::default();
            store.insert(&row(1), 0).unwrap();
            let mut expected: HashMap<RowId, Vec<RowId>> = HashMap::new();
            let mut expanded = Mark::default();
            loop {
                let level = expanded.take(&store.mark(), usize::MAX);
                if level.is_empty() {
                    break;
                }
                let (mut batch, mut steps) = (Batch::noting(&store), Vec::new());
                for from in level {
                    store.get(from, &mut near);
                    let n = near.row()[0];
                    for next in [3 * n % 1009, n * n % 1009] {
                        batch.push(&store, &row(next), &near, from);
                        steps.push((from, next));
                    }
                }
                store.insert_all_noting(&mut [&mut batch], &mut noted).unwrap();
                for (from, next) in steps {
                    let (to, new) = store.insert(&row(next), 0).unwrap();
                    assert!(!new);
                    expected.entry(to).or_default().push(from);
                }
            }
            assert!(store.len() > 100);
            let sorted = noted.sort(&store);
            let rows = Mark::default().take(&store.mark(), usize::MAX);
            assert_eq!(sorted.rows(), rows.len());
            assert!(sorted.successors().into_iter().all(|count| count == 2));
            for (position, to) in rows.iter().enumerate() {
                let mut given: Vec<RowId> =
                    sorted.of(position).iter().map(|&from| rows[from as usize]).collect();
                let mut expected = expected.remove(to).unwrap_or_default();
                given.sort_unstable();
                expected.sort_unstable();
                assert_eq!(given, expected);
            }
        }
    }
}

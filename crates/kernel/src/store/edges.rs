//! The edges between rows, kept by the row that they lead to.
//!
//! A backward fixpoint needs nothing else. Edges are logged while rows are inserted, in the segment of the row
//! that they lead to; when all are known each segment sorts its own. So both touch a part of the memory at a
//! time that fits the cache. Cost: 8 bytes for an edge until they are sorted, then 4, and 8 for a row.

use super::{RowId, SEGMENT_BITS, SEGMENTS, Store};

/// Edges in the order of their discovery, by the segment of the row that they lead to.
#[derive(Clone, Debug)]
pub struct EdgeLog(Vec<SegmentEdges>);

/// The edges to rows of one segment: the source, and the number of the target within the segment.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentEdges(Vec<(RowId, u32)>);

impl SegmentEdges {
    /// Makes room for `more` edges; doubling would leave much of it unused.
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

impl Default for EdgeLog {
    fn default() -> Self {
        Self(vec![SegmentEdges::default(); SEGMENTS])
    }
}

impl EdgeLog {
    pub(super) fn segments_mut(&mut self) -> &mut [SegmentEdges] {
        &mut self.0
    }

    pub(super) fn push(&mut self, from: RowId, to: RowId) {
        self.0[to as usize % SEGMENTS].push(from, to >> SEGMENT_BITS);
    }

    /// The bytes of the log, unused capacity included.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|edges| edges.0.capacity() * size_of::<(RowId, u32)>()).sum()
    }

    /// An upper bound of the bytes in use during and after [`EdgeLog::sort`].
    pub fn bytes_sorted(&self, store: &Store) -> usize {
        let largest = self.0.iter().map(|edges| edges.0.len()).max().unwrap_or(0);
        self.bytes() + largest * size_of::<u32>() + store.len() * size_of::<usize>()
    }

    /// Sorts the edges between the rows of a store by target.
    pub fn sort(self, store: &Store) -> Predecessors {
        let rows = || store.words.segments().iter().map(|segment| segment.len());
        let mut all = 0;
        let begin = |rows: usize| {
            all += rows;
            (all - rows) as u32
        };
        let begins: Vec<u32> = rows().map(begin).collect();
        let position = |id: RowId| begins[id as usize % SEGMENTS] + (id >> SEGMENT_BITS);
        let mut sorted = Predecessors { starts: Vec::with_capacity(all + 1), sources: Vec::new() };
        for (edges, rows) in self.0.into_iter().zip(rows()) {
            sorted.add(edges, rows, position);
        }
        sorted.starts.push(sorted.sources.len());
        sorted
    }
}

/// For each row the sources of the edges to it. Here rows have their positions among all rows of their store as names, in the
/// order of [`Watermark::take`]: rows near each other in memory have near positions, and there are no gaps.
///
/// [`Watermark::take`]: super::Watermark::take
#[derive(Clone, Debug)]
pub struct Predecessors {
    /// The index of each row's first source, and at the end the number of edges.
    starts: Vec<usize>,
    sources: Vec<u32>,
}

impl Predecessors {
    /// Adds the edges to the rows of the next segment.
    fn add(&mut self, SegmentEdges(edges): SegmentEdges, rows: usize, position: impl Fn(RowId) -> u32) {
        let (row, place) = (self.starts.len(), self.sources.len());
        self.starts.resize(row + rows, 0);
        let starts = &mut self.starts[row..];
        edges.iter().for_each(|&(_, number)| starts[number as usize] += 1);
        // At first the end of each row's sources; each edge that is placed moves it down.
        let mut sum = place;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        self.sources.reserve_exact(edges.len());
        self.sources.resize(sum, 0);
        for (source, number) in edges {
            let start = &mut starts[number as usize];
            *start -= 1;
            self.sources[*start] = position(source);
        }
    }

    /// The number of rows of the store.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The positions of the sources of the edges to a row; a source of several edges comes several times.
    #[inline]
    pub fn of(&self, position: usize) -> &[u32] {
        &self.sources[self.starts[position]..self.starts[position + 1]]
    }

    /// The number of edges from each row.
    pub fn out_degrees(&self) -> Vec<u32> {
        let mut count = vec![0; self.rows()];
        self.sources.iter().for_each(|&position| count[position as usize] += 1);
        count
    }

    /// The bytes of both tables.
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + self.sources.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::store::{RowBatch, TreeRow, Watermark};

    #[test]
    fn all_edges_are_kept() {
        // Two edges from each row; edges to known rows and parallel edges count too.
        for width in [1, 2] {
            let row = |n: u64| vec![n; width];
            let mut store = Store::new(width, false);
            let mut log = EdgeLog::default();
            let mut near = TreeRow::default();
            store.insert(&row(1), 0).unwrap();
            let mut expected: HashMap<RowId, Vec<RowId>> = HashMap::new();
            let mut expanded = Watermark::default();
            loop {
                let level = expanded.take(&store.watermark(), usize::MAX);
                if level.is_empty() {
                    break;
                }
                let (mut batch, mut edges) = (RowBatch::with_edges(&store), Vec::new());
                for from in level {
                    store.get(from, &mut near);
                    let n = near.row()[0];
                    for next in [3 * n % 1009, n * n % 1009] {
                        batch.push(&store, &row(next), &near, from);
                        edges.push((from, next));
                    }
                }
                store.insert_all_logged(&mut [&mut batch], &mut log).unwrap();
                for (from, next) in edges {
                    let (to, new) = store.insert(&row(next), 0).unwrap();
                    assert!(!new);
                    expected.entry(to).or_default().push(from);
                }
            }
            assert!(store.len() > 100);
            let sorted = log.sort(&store);
            let rows = Watermark::default().take(&store.watermark(), usize::MAX);
            assert_eq!(sorted.rows(), rows.len());
            assert!(sorted.out_degrees().into_iter().all(|count| count == 2));
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

//! Rows sorted by segment, to be inserted into a store together.
//!
//! Inserting rows one by one touches memory all over the store; segment by segment it touches a part that fits
//! the cache. The store does not change while batches are filled, so that threads can share it; then each thread
//! takes some segments and inserts the rows that all batches have for them, in the order of the batches. So the numbers
//! that rows get do not depend on the number of threads. Rows with a subtree that no row had before wait until
//! the end and are compressed one after another.

use super::{
    Full, RowId, SEGMENTS, Store, TreeRow,
    edges::{EdgeLog, SegmentEdges},
    segment::Segment,
    words,
};
use crate::threads::parallel_map;

/// Segments that a thread fills before it takes more: few, so that no thread waits long for another one.
const SEGMENTS_PER_JOB: usize = 4;

/// Rows that wait for their insertion, with a link each if the store keeps links or edges are logged.
#[derive(Clone, Debug)]
pub struct RowBatch {
    by_segment: Vec<SegmentBatch>,
    /// Rows with new subtrees, one after another, and for each a row in `near`.
    uncompressed: Vec<u64>,
    uncompressed_links: Vec<RowId>,
    uncompressed_near: Vec<u32>,
    near: Vec<TreeRow>,
    keeps_links: bool,
}

/// Words that stand for rows, as their keys, and the links of the rows.
#[derive(Clone, Debug, Default)]
struct SegmentBatch {
    keys: Vec<u64>,
    links: Vec<RowId>,
}

impl SegmentBatch {
    #[inline]
    fn push(&mut self, key: u64, link: Option<RowId>) {
        if self.keys.len() == self.keys.capacity() {
            self.grow(link.is_some());
        }
        self.keys.push(key);
        if let Some(link) = link {
            self.links.push(link);
        }
    }

    /// Makes room for some more keys; doubling would leave much of it unused.
    #[cold]
    fn grow(&mut self, with_links: bool) {
        let more = self.keys.len() / 4 + 16;
        self.keys.reserve_exact(more);
        if with_links {
            self.links.reserve_exact(more);
        }
    }

    /// Inserts all rows into their segment; logs the edges from their links if there is a log.
    fn drain_into(&mut self, segment: &mut Segment, log: Option<&mut SegmentEdges>) -> Result<(), Full> {
        let Self { keys, links } = self;
        match log {
            Some(log) => {
                log.reserve(keys.len());
                segment.insert_all(keys, links, |at, number| log.push(links[at], number))?;
            }
            None => segment.insert_all(keys, links, |_, _| ())?,
        }
        self.keys.clear();
        self.links.clear();
        Ok(())
    }
}

impl RowBatch {
    /// An empty batch for [`Store::insert_all`].
    pub fn new(store: &Store) -> Self {
        Self {
            by_segment: vec![SegmentBatch::default(); SEGMENTS],
            uncompressed: Vec::new(),
            uncompressed_links: Vec::new(),
            uncompressed_near: Vec::new(),
            near: Vec::new(),
            keeps_links: store.words.has_links(),
        }
    }

    /// An empty batch for [`Store::insert_all_logged`].
    pub fn with_edges(store: &Store) -> Self {
        Self { keeps_links: true, ..Self::new(store) }
    }

    /// Adds a row, which differs from `near` in few words, with the link that it gets if it is new.
    #[inline]
    pub fn push(&mut self, store: &Store, row: &[u64], near: &TreeRow, link: RowId) {
        match store.word(row, near) {
            Some(word) => {
                let key = words::mix(word);
                self.by_segment[words::segment_of(key)].push(key, self.keeps_links.then_some(link));
            }
            None => self.postpone(row, near, link),
        }
    }

    fn postpone(&mut self, row: &[u64], near: &TreeRow, link: RowId) {
        self.uncompressed.extend_from_slice(row);
        self.uncompressed_links.push(link);
        if self.near.last().is_none_or(|last| last.row() != near.row()) {
            self.near.push(near.clone());
        }
        self.uncompressed_near.push(self.near.len() as u32 - 1);
    }

    /// The bytes of the batch, unused capacity included.
    pub fn bytes(&self) -> usize {
        let of = |words: &Vec<u64>, links: &Vec<RowId>| {
            words.capacity() * size_of::<u64>() + links.capacity() * size_of::<RowId>()
        };
        let compressed: usize = self.by_segment.iter().map(|batch| of(&batch.keys, &batch.links)).sum();
        let near = self.near.len() * self.near.first().map_or(0, TreeRow::bytes)
            + 4 * self.uncompressed_near.capacity();
        compressed + of(&self.uncompressed, &self.uncompressed_links) + near
    }
}

impl Store {
    /// Inserts the rows of all batches and empties them; several batches need [`WorkerPool::run`] around it.
    ///
    /// [`WorkerPool::run`]: crate::threads::WorkerPool::run
    pub fn insert_all(&mut self, batches: &mut [&mut RowBatch]) -> Result<(), Full> {
        let no_logs = (0..SEGMENTS).map(|_| None).collect();
        self.insert_batches(batches, no_logs, |_, _| ())
    }

    /// The same for batches of [`RowBatch::with_edges`]: also logs an edge from the link of each row to the row, whether the row
    /// is new or not.
    pub fn insert_all_logged(
        &mut self,
        batches: &mut [&mut RowBatch],
        log: &mut EdgeLog,
    ) -> Result<(), Full> {
        debug_assert!(batches.iter().all(|batch| batch.keeps_links));
        let mut late_edges = Vec::new();
        let logs = log.segments_mut().iter_mut().map(Some).collect();
        self.insert_batches(batches, logs, |from, to| late_edges.push((from, to)))?;
        late_edges.into_iter().for_each(|(from, to)| log.push(from, to));
        Ok(())
    }

    /// Inserts the rows of all batches, with the log of each segment; `on_late_edge` gets the link and the number of each row that
    /// was compressed at the end.
    fn insert_batches(
        &mut self,
        batches: &mut [&mut RowBatch],
        mut logs: Vec<Option<&mut SegmentEdges>>,
        mut on_late_edge: impl FnMut(RowId, RowId),
    ) -> Result<(), Full> {
        let share = if batches.len() < 2 { SEGMENTS } else { SEGMENTS_PER_JOB };
        let mut by_segment: Vec<Vec<&mut SegmentBatch>> = (0..SEGMENTS).map(|_| Vec::new()).collect();
        for batch in batches.iter_mut() {
            by_segment.iter_mut().zip(&mut batch.by_segment).for_each(|(all, rows)| all.push(rows));
        }
        let segments = self.words.segments_mut().chunks_mut(share);
        let jobs = segments.zip(by_segment.chunks_mut(share)).zip(logs.chunks_mut(share)).collect();
        parallel_map(jobs, |((segments, by_segment), logs): SegmentJob<'_, '_, '_>| {
            let mut each = segments.iter_mut().zip(by_segment).zip(logs);
            each.try_for_each(|((segment, batches), log)| {
                batches.iter_mut().try_for_each(|rows| rows.drain_into(segment, log.as_deref_mut()))
            })
        })
        .into_iter()
        .collect::<Result<(), Full>>()?;
        for batch in batches {
            let RowBatch { uncompressed, uncompressed_links, uncompressed_near, near, .. } = &mut **batch;
            let links = uncompressed_links.iter().zip(&*uncompressed_near);
            for (row, (&link, &at)) in uncompressed.chunks(self.width).zip(links) {
                on_late_edge(link, self.insert_near(row, &near[at as usize], link)?.0);
            }
            uncompressed.clear();
            uncompressed_links.clear();
            uncompressed_near.clear();
            near.clear();
        }
        Ok(())
    }
}

/// Some segments, the rows that all batches have for each of them, and their logs.
type SegmentJob<'a, 'b, 'l> =
    ((&'a mut [Segment], &'a mut [Vec<&'b mut SegmentBatch>]), &'a mut [Option<&'l mut SegmentEdges>]);

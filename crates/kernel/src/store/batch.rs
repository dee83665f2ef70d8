//! Rows that were found, sorted by segment, to be put into a store together.
//!
//! Putting rows in one by one touches memory all over the store; segment by segment it touches a part that fits
//! the cache. While batches are filled the store stands still, so that threads can share it; then each thread
//! takes some segments and puts in what all batches have for them, in the order of the batches. So the numbers
//! that rows get do not depend on how many threads there are. Rows with a part that no row had before wait until
//! the end and are folded one after another.

use super::{
    Folded, Full, RowId, SEGMENTS, Store,
    predecessors::{Noted, Notes},
    segment::Segment,
    words,
};
use crate::threads::each;

/// Segments that a thread fills before it takes more: few, so that no thread waits long for another one.
const SEGMENTS_A_PIECE: usize = 4;

/// Rows to be put in.
#[derive(Clone, Debug)]
pub struct Batch {
    /// For each segment the words that stand for rows, and their links.
    parts: Vec<Words>,
    /// Rows with new parts, one after another.
    rest: Vec<u64>,
    rest_links: Vec<RowId>,
    links: bool,
}

#[derive(Clone, Debug, Default)]
struct Words {
    words: Vec<u64>,
    links: Vec<RowId>,
}

impl Words {
    #[inline]
    fn push(&mut self, word: u64, link: Option<RowId>) {
        if self.words.len() == self.words.capacity() {
            self.grow(link.is_some());
        }
        self.words.push(word);
        if let Some(link) = link {
            self.links.push(link);
        }
    }

    /// Makes room for some more words; doubling would leave much of it unused.
    #[cold]
    fn grow(&mut self, links: bool) {
        let more = self.words.len() / 4 + 16;
        self.words.reserve_exact(more);
        if links {
            self.links.reserve_exact(more);
        }
    }

    /// Puts everything into its segment; takes notes of the links if they are wanted.
    fn put_into(&mut self, segment: &mut Segment, notes: Option<&mut Notes>) -> Result<(), Full> {
        let Self { words, links } = self;
        match notes {
            Some(notes) => {
                notes.reserve(words.len());
                segment.insert_all(words, links, |at, number| notes.push(links[at], number))?;
            }
            None => segment.insert_all(words, links, |_, _| ())?,
        }
        self.words.clear();
        self.links.clear();
        Ok(())
    }
}

impl Batch {
    /// No rows so far.
    pub fn new(store: &Store) -> Self {
        let parts = vec![Words::default(); SEGMENTS];
        Self { parts, rest: Vec::new(), rest_links: Vec::new(), links: store.words.has_links() }
    }

    /// The same for [`Store::insert_all_noting`].
    pub fn noting(store: &Store) -> Self {
        Self { links: true, ..Self::new(store) }
    }

    /// Adds a row, with a row near it and a link.
    #[inline]
    pub fn push(&mut self, store: &Store, row: &[u64], near: &Folded, link: RowId) {
        match store.word(row, near) {
            Some(word) => {
                let key = words::mix(word);
                self.parts[words::segment_of(key)].push(key, self.links.then_some(link));
            }
            None => {
                self.rest.extend_from_slice(row);
                self.rest_links.push(link);
            }
        }
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        let of = |w: &Words| w.words.capacity() * size_of::<u64>() + w.links.capacity() * size_of::<RowId>();
        let rest = self.rest.capacity() * size_of::<u64>() + self.rest_links.capacity() * size_of::<RowId>();
        self.parts.iter().map(of).sum::<usize>() + rest
    }
}

impl Store {
    /// Puts in the rows of all batches and empties them; several batches need [`Threads::run`] around it.
    ///
    /// [`Threads::run`]: crate::threads::Threads::run
    pub fn insert_all(&mut self, batches: &mut [&mut Batch]) -> Result<(), Full> {
        let no_notes = (0..SEGMENTS).map(|_| None).collect();
        self.put_in(batches, no_notes, |_, _| ())
    }

    /// The same, and notes the link of each row, known before or not, as one from which it was found. The batches are made for that.
    pub fn insert_all_noting(&mut self, batches: &mut [&mut Batch], noted: &mut Noted) -> Result<(), Full> {
        debug_assert!(batches.iter().all(|batch| batch.links));
        let mut rest = Vec::new();
        let notes = noted.parts_mut().iter_mut().map(Some).collect();
        self.put_in(batches, notes, |from, to| rest.push((from, to)))?;
        rest.into_iter().for_each(|(from, to)| noted.push(from, to));
        Ok(())
    }

    /// Puts in the rows of all batches, with the notes of each segment; `rest` is told of those that were folded one after another.
    fn put_in(
        &mut self,
        batches: &mut [&mut Batch],
        mut notes: Vec<Option<&mut Notes>>,
        mut rest: impl FnMut(RowId, RowId),
    ) -> Result<(), Full> {
        let share = if batches.len() < 2 { SEGMENTS } else { SEGMENTS_A_PIECE };
        let mut parts: Vec<Vec<&mut Words>> = (0..SEGMENTS).map(|_| Vec::new()).collect();
        for batch in batches.iter_mut() {
            parts.iter_mut().zip(&mut batch.parts).for_each(|(all, part)| all.push(part));
        }
        let segments = self.words.segments_mut().chunks_mut(share);
        let pieces = segments.zip(parts.chunks_mut(share)).zip(notes.chunks_mut(share)).collect();
        each(pieces, |((segments, parts), notes): Piece<'_, '_, '_>| {
            let mut each = segments.iter_mut().zip(parts).zip(notes);
            each.try_for_each(|((segment, parts), notes)| {
                parts.iter_mut().try_for_each(|part| part.put_into(segment, notes.as_deref_mut()))
            })
        })
        .into_iter()
        .collect::<Result<(), Full>>()?;
        for batch in batches {
            for (row, &link) in batch.rest.chunks(self.width).zip(&batch.rest_links) {
                rest(link, self.insert(row, link)?.0);
            }
            batch.rest.clear();
            batch.rest_links.clear();
        }
        Ok(())
    }
}

/// Some segments, what all batches have for each of them, and their notes.
type Piece<'a, 'w, 'n> = ((&'a mut [Segment], &'a mut [Vec<&'w mut Words>]), &'a mut [Option<&'n mut Notes>]);

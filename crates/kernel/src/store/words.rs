//! A set of words in segments, which grow one at a time: the room for a second copy is that of one segment.
//!
//! A word's number names its segment in the low bits. Words with equal segments can be put in by one thread
//! while others fill other segments, and one segment after another keeps the memory that is touched small.

use super::{Full, RowId, SEGMENT_BITS, SEGMENTS, segment::Segment};

/// Each word once, with a link each if they are kept. About 13 bytes a word: 8 for the word, 5 for the index.
#[derive(Clone, Debug)]
pub(super) struct WordSet {
    segments: Vec<Segment>,
}

impl WordSet {
    /// No words.
    pub(super) fn new(links: bool) -> Self {
        Self { segments: vec![Segment::new(links); SEGMENTS] }
    }

    /// The number of a word, and whether it is new; a new word gets the link.
    #[inline]
    pub(super) fn insert(&mut self, word: u64, link: RowId) -> Result<(RowId, bool), Full> {
        let hash = hash(word);
        let segment = segment_of(hash);
        let (number, new) = self.segments[segment].insert(hash, word, link)?;
        Ok((join(number, segment), new))
    }

    /// The number of a word, if it is known.
    #[inline]
    pub(super) fn find(&self, word: u64) -> Option<RowId> {
        let hash = hash(word);
        let segment = segment_of(hash);
        Some(join(self.segments[segment].find(hash, word)?, segment))
    }

    /// The word of a number.
    #[inline]
    pub(super) fn get(&self, id: RowId) -> u64 {
        self.segments[id as usize % SEGMENTS].get(id >> SEGMENT_BITS)
    }

    /// The link of a number.
    pub(super) fn link(&self, id: RowId) -> RowId {
        self.segments[id as usize % SEGMENTS].link(id >> SEGMENT_BITS)
    }

    /// Gives a number another link.
    pub(super) fn set_link(&mut self, id: RowId, link: RowId) {
        self.segments[id as usize % SEGMENTS].set_link(id >> SEGMENT_BITS, link);
    }

    /// Whether links are kept.
    pub(super) fn has_links(&self) -> bool {
        self.segments[0].has_links()
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(super) fn segments_mut(&mut self) -> &mut [Segment] {
        &mut self.segments
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let own = self.segments.capacity() * size_of::<Segment>();
        own + self.segments.iter().map(Segment::bytes).sum::<usize>()
    }
}

/// The segment of a hash.
#[inline]
pub(super) fn segment_of(hash: u64) -> usize {
    (hash >> (u64::BITS - SEGMENT_BITS)) as usize
}

/// The number of a word from its number within its segment.
#[inline]
pub(super) fn join(number: u32, segment: usize) -> RowId {
    number << SEGMENT_BITS | segment as u32
}

/// Mixes all bits of a word into all bits of the result: the two halves of a 128-bit product, folded.
#[inline]
pub(super) fn hash(word: u64) -> u64 {
    let product = u128::from(word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
    let folded = (product as u64) ^ ((product >> 64) as u64);
    folded.wrapping_mul(0x9fb2_1c65_1e98_df25) ^ (folded >> 32)
}

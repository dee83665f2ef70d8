//! A set of words in segments, which grow one at a time: the room for a second copy is that of one segment.
//!
//! A word is kept as its key, a mix of its bits that can be undone, so that it is hashed once.
//!
//! A word's number names its segment in the low bits. Words with equal segments can be put in by one thread
//! while others fill other segments, and one segment after another keeps the memory that is touched small.

use std::hint::black_box;

use super::{
    Full, RowId, SEGMENT_BITS, SEGMENTS,
    segment::{Segment, TOGETHER},
};

/// Each word once, with a link each if they are kept. About 13 bytes a word: 8 for the word, 5 for the index.
#[derive(Clone, Debug)]
pub(super) struct WordSet {
    segments: Vec<Segment>,
}

impl WordSet {
    /// No words.
    pub(super) fn new(links: bool) -> Self {
        Self { segments: (0..SEGMENTS).map(|at| Segment::new(at, links)).collect() }
    }

    /// The number of a word, and whether it is new; a new word gets the link.
    #[inline]
    pub(super) fn insert(&mut self, word: u64, link: RowId) -> Result<(RowId, bool), Full> {
        let key = mix(word);
        let segment = segment_of(key);
        let (number, new) = self.segments[segment].insert(key, link)?;
        Ok((join(number, segment), new))
    }

    /// Brings the memory near in which words are looked for: nothing but loads, so that many of them are under way
    /// at once.
    #[inline]
    pub(super) fn approach(&self, words: &[u64]) {
        let mut keys = [0; TOGETHER];
        for words in words.chunks(TOGETHER) {
            let mut touched = 0;
            for (key, &word) in keys.iter_mut().zip(words) {
                *key = mix(word);
                touched ^= self.segments[segment_of(*key)].touch(*key);
            }
            black_box(touched);
            let rivals = keys[..words.len()].iter().map(|&key| self.segments[segment_of(key)].rival(key));
            black_box(rivals.fold(0, |all, rival| all ^ rival));
        }
    }

    /// The number of a word, if it is known.
    #[inline]
    pub(super) fn find(&self, word: u64) -> Option<RowId> {
        let key = mix(word);
        let segment = segment_of(key);
        Some(join(self.segments[segment].find(key)?, segment))
    }

    /// The word of a number.
    #[inline]
    pub(super) fn get(&self, id: RowId) -> u64 {
        unmix(self.segments[id as usize % SEGMENTS].get(id >> SEGMENT_BITS))
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

/// The segment of a key.
#[inline]
pub(super) fn segment_of(key: u64) -> usize {
    (key >> (u64::BITS - SEGMENT_BITS)) as usize
}

/// The number of a word from its number within its segment.
#[inline]
pub(super) fn join(number: u32, segment: usize) -> RowId {
    number << SEGMENT_BITS | segment as u32
}

/// An odd factor that spreads bits upwards, and the factor that undoes it.
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
const UNDO: u64 = inverse(FACTOR);

/// The inverse of an odd number modulo 2^64: each step of Newton's method doubles the bits that are right.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut right) = (odd, 3);
    while right < u64::BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
}

/// Mixes all bits of a word into all bits of its key, which serves as its hash and, since different words have
/// different keys, stands for it.
#[inline]
pub(super) fn mix(word: u64) -> u64 {
    let mut key = (word ^ (word >> 32)).wrapping_mul(FACTOR);
    key = (key ^ (key >> 32)).wrapping_mul(FACTOR);
    key ^ (key >> 32)
}

/// The word of a key.
#[inline]
fn unmix(key: u64) -> u64 {
    let mut word = (key ^ (key >> 32)).wrapping_mul(UNDO);
    word = (word ^ (word >> 32)).wrapping_mul(UNDO);
    word ^ (word >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gives_its_word_back() {
        let words = (0..64).flat_map(|bit| [1 << bit, !0 << bit, 0x0123_4567_89ab_cdef_u64.rotate_left(bit)]);
        assert!(words.chain([0]).all(|word| unmix(mix(word)) == word));
    }
}

//! A set of words in segments, which grow one at a time: a growing set needs room for a second copy of one segment only.
//!
//! A word is kept as its key, an invertible mix of its bits, so that it is hashed once.
//!
//! A word's number names its segment in the low bits. One thread can insert the words of one segment
//! while others fill other segments, and insertion segment by segment keeps the touched memory small.

use std::hint::black_box;

use super::{
    Full, RowId, SEGMENT_BITS, SEGMENTS,
    segment::{PREFETCH_WIDTH, Segment},
};

/// Each word once, with a link each if links are kept. About 13 bytes for a word: 8 for its key, 5 for the index.
#[derive(Clone, Debug)]
pub(super) struct WordSet {
    segments: Vec<Segment>,
}

impl WordSet {
    pub(super) fn new(links: bool) -> Self {
        Self { segments: (0..SEGMENTS).map(|at| Segment::new(at, links)).collect() }
    }

    /// The number of a word, and whether it is new; a new word gets the link.
    #[inline]
    pub(super) fn insert(&mut self, word: u64, link: RowId) -> Result<(RowId, bool), Full> {
        let key = mix(word);
        let segment = segment_of(key);
        let (number, new) = self.segments[segment].insert(key, link)?;
        Ok((row_id(number, segment), new))
    }

    /// Loads the memory of the lookups of words into the cache, so that many loads are under way at once.
    #[inline]
    pub(super) fn prefetch(&self, words: &[u64]) {
        let mut keys = [0; PREFETCH_WIDTH];
        for words in words.chunks(PREFETCH_WIDTH) {
            let mut touched = 0;
            for (key, &word) in keys.iter_mut().zip(words) {
                *key = mix(word);
                touched ^= self.segments[segment_of(*key)].touch(*key);
            }
            black_box(touched);
            let candidates =
                keys[..words.len()].iter().map(|&key| self.segments[segment_of(key)].first_candidate(key));
            black_box(candidates.fold(0, |all, candidate| all ^ candidate));
        }
    }

    #[inline]
    pub(super) fn find(&self, word: u64) -> Option<RowId> {
        let key = mix(word);
        let segment = segment_of(key);
        Some(row_id(self.segments[segment].find(key)?, segment))
    }

    #[inline]
    pub(super) fn get(&self, id: RowId) -> u64 {
        unmix(self.segments[id as usize % SEGMENTS].get(id >> SEGMENT_BITS))
    }

    pub(super) fn link(&self, id: RowId) -> RowId {
        self.segments[id as usize % SEGMENTS].link(id >> SEGMENT_BITS)
    }

    pub(super) fn set_link(&mut self, id: RowId, link: RowId) {
        self.segments[id as usize % SEGMENTS].set_link(id >> SEGMENT_BITS, link);
    }

    pub(super) fn has_links(&self) -> bool {
        self.segments[0].has_links()
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(super) fn segments_mut(&mut self) -> &mut [Segment] {
        &mut self.segments
    }

    pub(super) fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        let own = self.segments.capacity() * size_of::<Segment>();
        own + self.segments.iter().map(Segment::bytes).sum::<usize>()
    }
}

/// The number of a key's segment: its high bits.
#[inline]
pub(super) fn segment_of(key: u64) -> usize {
    (key >> (u64::BITS - SEGMENT_BITS)) as usize
}

/// The number of a word in the whole set, from its number within its segment.
#[inline]
pub(super) fn row_id(number: u32, segment: usize) -> RowId {
    number << SEGMENT_BITS | segment as u32
}

/// An odd factor that spreads bits upwards, and its inverse.
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
const INVERSE_FACTOR: u64 = inverse(FACTOR);

/// The inverse of an odd number modulo 2^64: each step of Newton's method doubles the number of correct bits.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut correct_bits) = (odd, 3);
    while correct_bits < u64::BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        correct_bits *= 2;
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

/// The inverse of [`mix`].
#[inline]
fn unmix(key: u64) -> u64 {
    let mut word = (key ^ (key >> 32)).wrapping_mul(INVERSE_FACTOR);
    word = (word ^ (word >> 32)).wrapping_mul(INVERSE_FACTOR);
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

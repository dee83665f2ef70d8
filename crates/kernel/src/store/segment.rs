//! A part of a set of words: the words whose hash starts alike, with their own hash index.
//!
//! The index holds 4 bytes a slot: the number of a word in the low bits and, in the bits that numbers of the
//! present size leave free, a tag from the hash, so that most slots of another word are passed over without
//! looking the word up. Sixteen slots are a bucket, which is one line of the cache: all of them are compared at
//! once, without a branch for each. A bucket fills from its first slot; what finds it full goes to the next one.
//!
//! Many words are put in together in steps of [`TOGETHER`]: first all their buckets are looked at, then all the
//! words that these name, so that the processor waits for several lines of memory at once.
//!
//! Invariants: (1) numbers are below `mask`, so a slot is never [`EMPTY`] by accident; (2) some bucket always has
//! an empty slot, so probing ends; (3) all buckets between a word's home and its own are full.

use std::hint::black_box;

use super::{Chunks, Full, RowId, SEGMENT_BITS, words};

/// No number.
const EMPTY: u32 = u32::MAX;
/// It grows when more than this share of its slots is used.
const MAX_LOAD: f64 = 0.9;
/// By how much it grows: a compromise of empty slots and work.
const GROWTH: f64 = 1.3;
/// The bits of the largest numbers.
const MAX_BITS: u32 = RowId::BITS - SEGMENT_BITS;
/// Slots of a bucket.
const SLOTS: usize = 16;
/// Words that are looked for at once.
const TOGETHER: usize = 16;

/// One line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket([u32; SLOTS]);

impl Bucket {
    /// The slots whose bits under `mask` are those of `tag`, as bits.
    #[inline]
    fn matches(&self, mask: u32, tag: u32) -> u32 {
        let bit = |(at, slot): (usize, &u32)| u32::from(slot & mask == tag) << at;
        self.0.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
    }

    /// Its first empty slot.
    #[inline]
    fn vacant(&self) -> Option<usize> {
        let empty = self.matches(u32::MAX, EMPTY);
        (empty != 0).then(|| empty.trailing_zeros() as usize)
    }
}

/// Words with a link each, if links are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    words: Chunks<u64>,
    links: Option<Chunks<RowId>>,
    buckets: Vec<Bucket>,
    /// It grows when it holds so many words.
    limit: usize,
    /// How many low bits of a slot are the number.
    id_bits: u32,
}

impl Segment {
    pub(super) fn new(links: bool) -> Self {
        Self { links: links.then(Chunks::default), ..Self::default() }
    }

    /// The number of a word, and whether it is new; a new word gets the link.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64, word: u64, link: RowId) -> Result<(u32, bool), Full> {
        if self.words.len() >= self.limit {
            self.grow()?;
        }
        let (bucket, slot) = match self.probe(hash, word) {
            Ok(number) => return Ok((number, false)),
            Err(vacant) => vacant,
        };
        let new = self.words.len() as u32;
        self.buckets[bucket].0[slot] = self.tag(hash) | new;
        self.words.push(word);
        if let Some(links) = &mut self.links {
            links.push(link);
        }
        Ok((new, true))
    }

    /// Puts in many words, with a link each if links are kept.
    pub(super) fn insert_all(&mut self, words: &[u64], links: &[RowId]) -> Result<(), Full> {
        for (step, words) in words.chunks(TOGETHER).enumerate() {
            let known = self.known(words);
            for (at, &word) in words.iter().enumerate().filter(|(at, _)| !known[*at]) {
                let link = links.get(step * TOGETHER + at).copied().unwrap_or(0);
                self.insert(words::hash(word), word, link)?;
            }
        }
        Ok(())
    }

    /// Which of up to [`TOGETHER`] words are seen at first sight to be known.
    #[inline]
    fn known(&self, words: &[u64]) -> [bool; TOGETHER] {
        let mut known = [false; TOGETHER];
        if self.buckets.is_empty() {
            return known;
        }
        // Nothing but loads at first, so that many of them are under way at once.
        let mut homes = [(0, 0); TOGETHER];
        let mut touched = 0;
        for (home, &word) in homes.iter_mut().zip(words) {
            let hash = words::hash(word);
            *home = (hash, self.home(hash));
            touched ^= self.buckets[home.1].0[0];
        }
        black_box(touched);
        let mut numbers = [0; TOGETHER];
        let mask = self.mask();
        for (number, (hash, home)) in numbers.iter_mut().zip(homes).take(words.len()) {
            let bucket = &self.buckets[home];
            let matches = bucket.matches(!mask, self.tag(hash));
            // No match gives the first slot, whose word is another one or not there.
            let slot = bucket.0[matches.trailing_zeros() as usize % SLOTS] & mask;
            *number = slot.min(self.words.len() as u32 - 1);
        }
        for ((known, number), &word) in known.iter_mut().zip(numbers).zip(words) {
            *known = self.get(number) == word;
        }
        known
    }

    /// The number of a word, if it is known.
    #[inline]
    pub(super) fn find(&self, hash: u64, word: u64) -> Option<u32> {
        if self.buckets.is_empty() { None } else { self.probe(hash, word).ok() }
    }

    /// The number of a word, or the bucket and the empty slot where it belongs.
    #[inline]
    fn probe(&self, hash: u64, word: u64) -> Result<u32, (usize, usize)> {
        let (mask, tag) = (self.mask(), self.tag(hash));
        let mut at = self.home(hash);
        loop {
            let bucket = &self.buckets[at];
            let mut matches = bucket.matches(!mask, tag);
            while matches != 0 {
                let number = bucket.0[matches.trailing_zeros() as usize % SLOTS] & mask;
                // An empty slot may look like a match.
                if (number as usize) < self.words.len() && self.get(number) == word {
                    return Ok(number);
                }
                matches &= matches - 1;
            }
            if let Some(slot) = bucket.vacant() {
                return Err((at, slot));
            }
            at = self.after(at);
        }
    }

    /// The word of a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> u64 {
        self.words.get(number as usize)
    }

    /// Whether links are kept.
    pub(super) fn has_links(&self) -> bool {
        self.links.is_some()
    }

    /// The link of a number; links are kept.
    pub(super) fn link(&self, number: u32) -> RowId {
        self.links.as_ref().expect("links are kept").get(number as usize)
    }

    /// Gives a number another link; links are kept.
    pub(super) fn set_link(&mut self, number: u32, link: RowId) {
        self.links.as_mut().expect("links are kept").set(number as usize, link);
    }

    /// How many words there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let links = self.links.as_ref().map_or(0, Chunks::bytes);
        self.words.bytes() + links + self.buckets.capacity() * size_of::<Bucket>()
    }

    /// The low bits that hold numbers; all of them set is no number.
    #[inline]
    fn mask(&self) -> u32 {
        (1 << self.id_bits) - 1
    }

    /// The first bucket to look at.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        // The middle bits, scaled to the number of buckets; the first 8 bits chose the segment.
        ((((hash >> 24) & 0xffff_ffff) * self.buckets.len() as u64) >> 32) as usize
    }

    /// The bucket to look at next.
    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }

    /// The bits of a slot above the number.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        // The last bits, which the home bucket does not depend on.
        ((hash as u32) << SEGMENT_BITS) & !self.mask()
    }

    /// More slots, and wider numbers if they need it.
    #[cold]
    fn grow(&mut self) -> Result<(), Full> {
        const MOST: usize = (1 << MAX_BITS) - 1;
        if self.words.len() >= MOST {
            return Err(Full);
        }
        let limit = |length: usize| (length as f64 * SLOTS as f64 * MAX_LOAD) as usize;
        let mut length = self.buckets.len().max(1);
        while self.words.len() >= limit(length) {
            length = (length as f64 * GROWTH).ceil() as usize;
        }
        self.limit = limit(length).min(MOST);
        self.id_bits = (usize::BITS - self.limit.leading_zeros()).clamp(SEGMENT_BITS, MAX_BITS);
        // The old slots go first: what they say follows from the words.
        self.buckets = Vec::new();
        self.buckets = vec![Bucket([EMPTY; SLOTS]); length];
        for number in 0..self.words.len() as u32 {
            let hash = words::hash(self.get(number));
            let mut at = self.home(hash);
            let slot = loop {
                match self.buckets[at].vacant() {
                    Some(slot) => break slot,
                    None => at = self.after(at),
                }
            };
            self.buckets[at].0[slot] = self.tag(hash) | number;
        }
        Ok(())
    }
}

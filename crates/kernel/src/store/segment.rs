//! One segment of a word set: the words whose hashes begin with the same bits, with a hash index of its own.
//!
//! The index holds 4 bytes a slot: the number of a word in the low bits and, in the bits that numbers of the
//! present size leave free, a tag from the hash, so that most slots of another word are passed over without
//! looking the word up. Sixteen slots are a bucket, which is one line of the cache: all of them are compared at
//! once, without a branch for each. A bucket fills from its first slot; a word that finds it full goes to the next one.
//!
//! Many words are inserted together in steps of [`PREFETCH_WIDTH`]: first all their buckets are loaded, then all the
//! words that these name, so that the processor waits for several lines of memory at once.
//!
//! Invariants: (1) numbers are below `mask`, so a slot is never [`EMPTY`] by accident; (2) some bucket always has
//! an empty slot, so probing ends; (3) all buckets between a word's home and its own are full.

use std::hint::black_box;

use wide::u32x4;

use super::{ChunkedVec, Full, RowId, SEGMENT_BITS, SEGMENTS};

/// A slot without a number.
const EMPTY: u32 = u32::MAX;
/// A segment grows when more than this share of its slots is used.
const MAX_LOAD: f64 = 0.9;
/// The factor of growth: a compromise of empty slots and work.
const GROWTH: f64 = 1.4;
/// The bits of the largest numbers within a segment.
const MAX_ID_BITS: u32 = RowId::BITS - SEGMENT_BITS;
/// The number of words that a segment can hold.
const MAX_WORDS: usize = (1 << MAX_ID_BITS) - 1;
/// Slots of a bucket, which fill a line of the cache.
const SLOTS: usize = 16;
/// Words whose memory is loaded at once.
pub(super) const PREFETCH_WIDTH: usize = 16;

/// One line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket([u32; SLOTS]);

impl Bucket {
    /// The slots whose bits under `mask` are those of `tag`, as bits.
    #[inline]
    fn matches(&self, mask: u32, tag: u32) -> u32 {
        let (mask, tag) = (u32x4::splat(mask), u32x4::splat(tag));
        let (quarters, _) = self.0.as_chunks::<4>();
        let quarter = |at: usize| (u32x4::new(quarters[at]) & mask).simd_eq(tag).to_bitmask() << (4 * at);
        quarter(0) | quarter(1) | quarter(2) | quarter(3)
    }

    #[inline]
    fn vacant(&self) -> Option<usize> {
        let empty = self.matches(u32::MAX, EMPTY);
        (empty != 0).then(|| empty.trailing_zeros() as usize)
    }
}

/// Words, as their keys, with a link each if links are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    keys: ChunkedVec<u64>,
    links: Option<ChunkedVec<RowId>>,
    buckets: Vec<Bucket>,
    /// The number of buckets after the next growth.
    next_buckets: f64,
    /// The number of words at which the segment grows.
    grow_at: usize,
    /// The low bits of a slot, which hold the number.
    id_bits: u32,
}

impl Segment {
    /// The empty segment number `at` of a word set.
    pub(super) fn new(at: usize, links: bool) -> Self {
        // Segments fill alike. With sizes that differ they do not all grow at once, so their empty slots together
        // are always those of the average.
        let next_buckets = GROWTH.powf(at as f64 / SEGMENTS as f64);
        Self { links: links.then(ChunkedVec::default), next_buckets, ..Self::default() }
    }

    /// The number of a key, and whether it is new; a new key gets the link.
    #[inline]
    pub(super) fn insert(&mut self, key: u64, link: RowId) -> Result<(u32, bool), Full> {
        if self.keys.len() >= self.grow_at {
            self.grow()?;
        }
        let (bucket, slot) = match self.probe(key) {
            Ok(number) => return Ok((number, false)),
            Err(vacant) => vacant,
        };
        let new = self.keys.len() as u32;
        self.buckets[bucket].0[slot] = self.tag(key) | new;
        self.keys.push(key);
        if let Some(links) = &mut self.links {
            links.push(link);
        }
        Ok((new, true))
    }

    /// Inserts many keys, with a link each if links are kept. Calls `on_inserted` with the position and the number of each.
    #[inline]
    pub(super) fn insert_all(
        &mut self,
        keys: &[u64],
        links: &[RowId],
        mut on_inserted: impl FnMut(usize, u32),
    ) -> Result<(), Full> {
        for (step, keys) in keys.chunks(PREFETCH_WIDTH).enumerate() {
            let (numbers, mut unresolved) = self.guess_all(keys);
            let first = step * PREFETCH_WIDTH;
            for (at, &number) in numbers[..keys.len()].iter().enumerate() {
                if unresolved >> at & 1 == 0 {
                    on_inserted(first + at, number);
                }
            }
            while unresolved != 0 {
                let at = unresolved.trailing_zeros() as usize;
                unresolved &= unresolved - 1;
                let link = links.get(first + at).copied().unwrap_or(0);
                on_inserted(first + at, self.insert(keys[at], link)?.0);
            }
        }
        Ok(())
    }

    /// The guessed numbers of up to [`PREFETCH_WIDTH`] keys, and the keys whose guess is wrong, as bits.
    #[inline]
    fn guess_all(&self, keys: &[u64]) -> ([u32; PREFETCH_WIDTH], u32) {
        let mut numbers = [0; PREFETCH_WIDTH];
        if self.keys.is_empty() {
            return (numbers, (1 << keys.len()) - 1);
        }
        // Only loads at first, so that many of them are under way at once.
        let mut homes = [0; PREFETCH_WIDTH];
        let mut touched = 0;
        for (home, &key) in homes.iter_mut().zip(keys) {
            *home = self.home(key);
            touched ^= self.buckets[*home].0[0];
        }
        black_box(touched);
        for ((number, home), &key) in numbers.iter_mut().zip(homes).zip(keys) {
            *number = self.guess(home, key);
        }
        let differ = |(at, (&number, &key)): (usize, (&u32, &u64))| u32::from(self.get(number) != key) << at;
        let unresolved = numbers.iter().zip(keys).enumerate().map(differ).fold(0, |all, bit| all | bit);
        (numbers, unresolved)
    }

    /// The number that a key probably has if it is known, from its home bucket alone.
    #[inline]
    fn guess(&self, home: usize, key: u64) -> u32 {
        let (mask, last) = (self.mask(), self.keys.len() as u32 - 1);
        let bucket = &self.buckets[home];
        let matches = bucket.matches(!mask, self.tag(key));
        // No match gives the first slot, whose key is another one or not there.
        (bucket.0[matches.trailing_zeros() as usize % SLOTS] & mask).min(last)
    }

    /// Loads the home bucket of a key; the value is of no use.
    #[inline]
    pub(super) fn touch(&self, key: u64) -> u32 {
        if self.keys.is_empty() { 0 } else { self.buckets[self.home(key)].0[0] }
    }

    /// The key with which a lookup of `key` compares first.
    #[inline]
    pub(super) fn first_candidate(&self, key: u64) -> u64 {
        if self.keys.is_empty() { 0 } else { self.get(self.guess(self.home(key), key)) }
    }

    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        if self.keys.is_empty() { None } else { self.probe(key).ok() }
    }

    /// The number of a key, or the bucket and the empty slot where it belongs.
    #[inline]
    fn probe(&self, key: u64) -> Result<u32, (usize, usize)> {
        let (mask, tag) = (self.mask(), self.tag(key));
        let mut at = self.home(key);
        loop {
            let bucket = &self.buckets[at];
            let mut matches = bucket.matches(!mask, tag);
            while matches != 0 {
                let number = bucket.0[matches.trailing_zeros() as usize % SLOTS] & mask;
                // An empty slot may look like a match.
                if (number as usize) < self.keys.len() && self.get(number) == key {
                    return Ok(number);
                }
                matches &= matches - 1;
            }
            if let Some(slot) = bucket.vacant() {
                return Err((at, slot));
            }
            at = self.next_bucket(at);
        }
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> u64 {
        self.keys.get(number as usize)
    }

    pub(super) fn has_links(&self) -> bool {
        self.links.is_some()
    }

    pub(super) fn link(&self, number: u32) -> RowId {
        self.links.as_ref().expect("links are kept").get(number as usize)
    }

    pub(super) fn set_link(&mut self, number: u32, link: RowId) {
        self.links.as_mut().expect("links are kept").set(number as usize, link);
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn bytes(&self) -> usize {
        let links = self.links.as_ref().map_or(0, ChunkedVec::bytes);
        self.keys.bytes() + links + self.buckets.capacity() * size_of::<Bucket>()
    }

    /// The bits of a slot that hold the number; a slot with all of them set has none.
    #[inline]
    fn mask(&self) -> u32 {
        (1 << self.id_bits) - 1
    }

    /// The bucket where the lookup of a key begins.
    #[inline]
    fn home(&self, key: u64) -> usize {
        // The middle bits, scaled to the number of buckets; the first bits chose the segment.
        ((((key >> 24) & 0xffff_ffff) * self.buckets.len() as u64) >> 32) as usize
    }

    /// The bucket that follows in the probe sequence.
    #[inline]
    fn next_bucket(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }

    /// The bits of a slot above the number.
    #[inline]
    fn tag(&self, key: u64) -> u32 {
        // The last bits, which the home bucket does not depend on.
        ((key as u32) << SEGMENT_BITS) & !self.mask()
    }

    /// Takes more slots, and wider numbers if necessary.
    #[cold]
    fn grow(&mut self) -> Result<(), Full> {
        if self.keys.len() >= MAX_WORDS {
            return Err(Full);
        }
        let length = self.next_buckets.ceil() as usize;
        self.next_buckets *= GROWTH;
        self.grow_at = ((length as f64 * SLOTS as f64 * MAX_LOAD) as usize).min(MAX_WORDS);
        self.id_bits = (usize::BITS - self.grow_at.leading_zeros()).clamp(SEGMENT_BITS, MAX_ID_BITS);
        // The old slots are freed first: the new ones follow from the keys.
        self.buckets = Vec::new();
        self.buckets = vec![Bucket([EMPTY; SLOTS]); length];
        for number in 0..self.keys.len() as u32 {
            let key = self.get(number);
            let mut at = self.home(key);
            let slot = loop {
                match self.buckets[at].vacant() {
                    Some(slot) => break slot,
                    None => at = self.next_bucket(at),
                }
            };
            self.buckets[at].0[slot] = self.tag(key) | number;
        }
        Ok(())
    }
}

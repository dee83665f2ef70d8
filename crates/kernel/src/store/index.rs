//! Hash to number, in 4 bytes a slot and without a doubling spike.
//!
//! The table is cut into segments by the first bits of the hash, and a segment grows by itself when it is
//! nearly full: the room for a second copy is that of one segment. A slot holds a number in its low bits and,
//! in the bits that numbers of the present size leave free, a tag from the hash, so that most slots of another
//! row are passed over without looking the row up.
//!
//! Invariants: (1) a segment's numbers are below its `limit`, a power of two less one, so a slot is never
//! [`EMPTY`] by accident; (2) a segment always has an empty slot, so probing ends; (3) between a row's home
//! slot and its slot no slot is empty.

use super::{Full, RowId};

/// No number.
const EMPTY: u32 = u32::MAX;
/// The segments; enough that one of them is small beside the whole.
const SEGMENTS: usize = 256;
/// A segment grows when more than this share of its slots is used.
const MAX_LOAD: f64 = 0.85;
/// By how much it grows: a compromise of empty slots and work.
const GROWTH: f64 = 1.4;
/// Slots of a segment at first.
const FIRST: usize = 16;

/// The hash index.
#[derive(Debug)]
pub(super) struct Index {
    segments: Vec<Segment>,
}

/// One part of the index.
#[derive(Debug, Default)]
struct Segment {
    slots: Vec<u32>,
    used: usize,
    /// It grows when so many slots are used.
    limit: usize,
    /// How many low bits of a slot are the number.
    id_bits: u32,
}

impl Default for Index {
    fn default() -> Self {
        Self { segments: (0..SEGMENTS).map(|_| Segment::default()).collect() }
    }
}

impl Index {
    /// The number under which a row is known, or `next` when it is not known so far; and whether it is new.
    /// `is` tells whether a number is the row's, `hash_of` gives the hash of a known number.
    #[inline]
    pub fn insert(
        &mut self,
        hash: u64,
        next: RowId,
        is: impl Fn(RowId) -> bool,
        hash_of: impl Fn(RowId) -> u64,
    ) -> Result<(RowId, bool), Full> {
        let segment = &mut self.segments[(hash >> 56) as usize];
        if segment.must_grow(next) {
            if next == EMPTY {
                return Err(Full);
            }
            segment.grow(next, hash_of);
        }
        Ok(segment.insert(hash, next, is))
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        let slots: usize = self.segments.iter().map(|s| s.slots.capacity()).sum();
        slots * size_of::<u32>() + self.segments.capacity() * size_of::<Segment>()
    }
}

impl Segment {
    /// Whether another entry with this number needs more slots or wider numbers.
    #[inline]
    fn must_grow(&self, next: RowId) -> bool {
        self.used >= self.limit || next >= self.mask()
    }

    /// The low bits that hold numbers; all of them set is no number.
    #[inline]
    fn mask(&self) -> u32 {
        ((1u64 << self.id_bits) - 1) as u32
    }

    /// The first slot to look at.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        // The middle bits, scaled to the number of slots; the first 8 bits chose the segment.
        ((((hash >> 24) & 0xffff_ffff) * self.slots.len() as u64) >> 32) as usize
    }

    /// The bits of a slot above the number.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        // The last bits, which the home slot does not depend on.
        ((hash as u32) << 8) & !self.mask()
    }

    #[inline]
    fn insert(&mut self, hash: u64, next: RowId, is: impl Fn(RowId) -> bool) -> (RowId, bool) {
        let (mask, tag) = (self.mask(), self.tag(hash));
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                self.slots[at] = tag | next;
                self.used += 1;
                return (next, true);
            }
            if slot & !mask == tag && is(slot & mask) {
                return (slot & mask, false);
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// More slots if it is nearly full, wider numbers if `next` needs them.
    #[cold]
    fn grow(&mut self, next: RowId, hash_of: impl Fn(RowId) -> u64) {
        let ids: Vec<u32> = self.slots.iter().filter(|&&s| s != EMPTY).map(|s| s & self.mask()).collect();
        let mut length = self.slots.len().max(FIRST);
        while ids.len() >= (length as f64 * MAX_LOAD) as usize {
            length = (length as f64 * GROWTH) as usize;
        }
        // One bit more than needed: numbers grow for a while before the tags are narrowed again.
        self.id_bits = (RowId::BITS - next.leading_zeros() + 2).clamp(self.id_bits, 32);
        self.slots.clear();
        self.slots.reserve_exact(length);
        self.slots.resize(length, EMPTY);
        self.limit = (length as f64 * MAX_LOAD) as usize;
        let mask = self.mask();
        for id in ids {
            let hash = hash_of(id);
            let mut at = self.home(hash);
            while self.slots[at] != EMPTY {
                at = (at + 1) % length;
            }
            self.slots[at] = (self.tag(hash) & !mask) | id;
        }
    }
}

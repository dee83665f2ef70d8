//! A field of a few bits for each colour of each place.
//!
//! All fields of a place have the same number of bits, a power of two, so that a field's place follows from its
//! colour and no field crosses words. PlaceFields start as narrow as the first tokens allow; when a count does not fit,
//! the fields of its place become twice as wide, or more, and all rows are written again.
//!
//! Invariants: (1) fields do not overlap; (2) other bits are zero; (3) a count in a place of several colours has at
//! most 32 bits, so that the tokens of a place can be added up.

use super::{ColouredToken, MarkingLayout};
use crate::packed::layout::bits_for;

#[derive(Clone, Copy, Debug)]
struct PlaceFields {
    /// The first bit of the first field.
    first: usize,
    /// Each field has two to this power bits.
    log: u32,
    size: u64,
}

impl PlaceFields {
    /// The largest count that fits a field.
    #[inline]
    fn most(self) -> u64 {
        u64::MAX >> (64 - (1u32 << self.log))
    }

    /// The word and the shift of a colour's field.
    #[inline]
    fn at(self, colour: u64) -> (usize, u32) {
        let bit = self.first + ((colour as usize) << self.log);
        (bit / 64, (bit % 64) as u32)
    }
}

/// A field for each colour of each place.
#[derive(Clone, Debug)]
pub(crate) struct DenseLayout {
    places: Vec<PlaceFields>,
    width: usize,
}

impl DenseLayout {
    /// The number of words that places of these sizes need at least.
    pub(in super::super) fn least_width(sizes: &[u64]) -> u64 {
        sizes.iter().fold(0, |sum: u64, size| sum.saturating_add(*size)).div_ceil(64)
    }

    fn with(sizes: &[u64], logs: &[u32]) -> Self {
        let mut places: Vec<PlaceFields> =
            sizes.iter().zip(logs).map(|(&size, &log)| PlaceFields { first: 0, log, size }).collect();
        let mut order: Vec<usize> = (0..places.len()).collect();
        // Wide fields first: then each begins at a multiple of its bits.
        order.sort_by_key(|&at| std::cmp::Reverse(logs[at]));
        let mut next = 0;
        for at in order {
            places[at].first = next;
            next += (sizes[at] as usize) << logs[at];
        }
        Self { places, width: next.div_ceil(64).max(1) }
    }
}

impl MarkingLayout for DenseLayout {
    fn fitting(sizes: &[u64], tokens: &[Vec<ColouredToken>], narrower: Option<&Self>) -> Option<Self> {
        let mut logs = Vec::new();
        for (at, (size, tokens)) in sizes.iter().zip(tokens).enumerate() {
            let needed = bits_for(tokens.iter().map(|&(_, count)| count).max().unwrap_or(0));
            let log = needed.next_power_of_two().trailing_zeros();
            if *size > 1 && log > 5 {
                return None;
            }
            logs.push(log.max(narrower.map_or(0, |narrower| narrower.places[at].log)));
        }
        Some(Self::with(sizes, &logs))
    }

    fn width(&self) -> usize {
        self.width
    }

    #[inline]
    fn count(&self, row: &[u64], place: usize, colour: u64) -> u64 {
        let fields = self.places[place];
        let (word, shift) = fields.at(colour);
        row[word] >> shift & fields.most()
    }

    #[inline]
    fn first(&self, row: &[u64], place: usize, from: u64, end: u64) -> Option<ColouredToken> {
        let fields = self.places[place];
        let end = end.min(fields.size);
        if from >= end {
            return None;
        }
        let (mut word, shift) = fields.at(from);
        let (last, _) = fields.at(end - 1);
        let mut bits = row[word] >> shift << shift;
        while bits == 0 {
            word += 1;
            if word > last {
                return None;
            }
            bits = row[word];
        }
        let colour = ((64 * word + bits.trailing_zeros() as usize - fields.first) >> fields.log) as u64;
        (colour < end).then(|| (colour, self.count(row, place, colour)))
    }

    #[inline]
    fn take(&self, row: &mut [u64], place: usize, colour: u64, count: u64) {
        let (word, shift) = self.places[place].at(colour);
        row[word] -= count << shift;
    }

    #[inline]
    fn give(&self, row: &mut [u64], place: usize, colour: u64, count: u64) -> bool {
        let fields = self.places[place];
        let (word, shift) = fields.at(colour);
        let has = row[word] >> shift & fields.most();
        if count > fields.most() - has {
            return false;
        }
        row[word] += count << shift;
        true
    }

    fn total(&self, row: &[u64], place: usize) -> u64 {
        let fields = self.places[place];
        if fields.log > 0 {
            let mut total = 0;
            self.each(row, place, |(_, count)| total += count);
            return total;
        }
        // One bit a field: those of whole words are counted at once.
        let (first, end) = (fields.first, fields.first + fields.size as usize);
        let words = first / 64..end.div_ceil(64);
        let ones = words.map(|word| {
            let mut bits = row[word];
            if 64 * word < first {
                bits &= u64::MAX << (first % 64);
            }
            if 64 * (word + 1) > end {
                bits &= u64::MAX >> (64 * (word + 1) - end);
            }
            u64::from(bits.count_ones())
        });
        ones.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_where_they_were_put() {
        let sizes = [3, 70, 1, 200, 5];
        let tokens = [vec![], vec![(3, 1), (69, 1)], vec![(0, 1 << 40)], vec![(0, 300), (199, 2)], vec![]];
        let layout = DenseLayout::fitting(&sizes, &tokens, None).unwrap();
        let mut row = vec![0; layout.width()];
        for (place, tokens) in tokens.iter().enumerate() {
            tokens.iter().for_each(|&(colour, count)| assert!(layout.give(&mut row, place, colour, count)));
        }
        for (place, tokens) in tokens.iter().enumerate() {
            let mut found = Vec::new();
            layout.each(&row, place, |token| found.push(token));
            assert_eq!(found, *tokens);
            assert_eq!(layout.total(&row, place), tokens.iter().map(|token| token.1).sum::<u64>());
        }
        assert!(!layout.give(&mut row, 1, 3, 1), "one bit holds one token");
        assert_eq!(layout.first(&row, 1, 4, 69), None);
        layout.take(&mut row, 3, 199, 2);
        assert_eq!(layout.first(&row, 3, 1, 200), None);
    }
}

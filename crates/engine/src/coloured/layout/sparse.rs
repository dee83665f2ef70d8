//! A sorted list of tokens, for large sorts with few tokens.
//!
//! A token is one word: place and colour in the upper bits, as a number among the colours of all places, and the
//! count in the lower ones. The list is as long as the largest number of tokens seen so far, and unused words at its
//! end are zero; when another word is needed, all rows are written again with more room.
//!
//! Invariants: (1) the words that are not zero come first and grow; (2) no count is zero.

use super::{ColouredToken, MarkingLayout};
use crate::packed::layout::bits_for;

/// Counts have at least this many bits at first.
const FEW_BITS: u32 = 8;
/// Counts have at most this many bits, so that the tokens of a place can be added up.
const MOST_BITS: u32 = 32;

/// A list of tokens.
#[derive(Clone, Debug)]
pub(crate) struct SparseLayout {
    /// For each place the number of colours of all places before it, and the number of all colours.
    starts: Vec<u64>,
    /// The bits of a count.
    bits: u32,
    width: usize,
}

impl SparseLayout {
    /// The first position whose key is not below that of a colour.
    #[inline]
    fn seek(&self, row: &[u64], key: u64) -> usize {
        row.partition_point(|&word| word != 0 && self.key(word) < key)
    }

    /// The number of the colour of a word, counted from one, so that no word is zero.
    #[inline]
    fn key(&self, word: u64) -> u64 {
        word >> self.bits
    }

    #[inline]
    fn key_of(&self, place: usize, colour: u64) -> u64 {
        self.starts[place] + colour + 1
    }

    #[inline]
    fn most(&self) -> u64 {
        (1 << self.bits) - 1
    }
}

impl MarkingLayout for SparseLayout {
    fn fitting(sizes: &[u64], tokens: &[Vec<ColouredToken>], narrower: Option<&Self>) -> Option<Self> {
        let mut starts = vec![0u64];
        for &size in sizes {
            starts.push(starts[starts.len() - 1].checked_add(size)?);
        }
        let keys = bits_for(starts[sizes.len()].checked_add(1)?);
        let largest = tokens.iter().flatten().map(|&(_, count)| count).max().unwrap_or(0);
        let bits = match narrower {
            Some(narrower) if bits_for(largest) <= narrower.bits => narrower.bits,
            Some(narrower) => bits_for(largest).max(2 * narrower.bits).min(MOST_BITS),
            None => bits_for(largest).max(FEW_BITS),
        };
        if bits_for(largest) > bits || keys + bits > 64 {
            return None;
        }
        let needed = tokens.iter().map(Vec::len).sum::<usize>();
        // A quarter more than now: a list that became too long will go on growing.
        let width = narrower.map_or(0, |narrower| narrower.width).max(needed + needed / 4).max(1);
        Some(Self { starts, bits, width })
    }

    fn width(&self) -> usize {
        self.width
    }

    fn count(&self, row: &[u64], place: usize, colour: u64) -> u64 {
        let key = self.key_of(place, colour);
        match row.get(self.seek(row, key)) {
            Some(&word) if self.key(word) == key => word & self.most(),
            _ => 0,
        }
    }

    fn first(&self, row: &[u64], place: usize, from: u64, end: u64) -> Option<ColouredToken> {
        let size = self.starts[place + 1] - self.starts[place];
        if from >= size {
            return None;
        }
        let &word = row.get(self.seek(row, self.key_of(place, from)))?;
        let colour = self.key(word).checked_sub(self.key_of(place, 0))?;
        (colour < end.min(size)).then(|| (colour, word & self.most()))
    }

    fn total(&self, row: &[u64], place: usize) -> u64 {
        let [from, end] = [place, place + 1].map(|at| self.seek(row, self.starts[at] + 1));
        row[from..end].iter().map(|word| word & self.most()).sum()
    }

    fn take(&self, row: &mut [u64], place: usize, colour: u64, count: u64) {
        let at = self.seek(row, self.key_of(place, colour));
        row[at] -= count;
        if row[at] & self.most() == 0 {
            row[at..].rotate_left(1);
            *row.last_mut().expect("a row has at least one word") = 0;
        }
    }

    fn give(&self, row: &mut [u64], place: usize, colour: u64, count: u64) -> bool {
        let key = self.key_of(place, colour);
        let at = self.seek(row, key);
        let has = match row.get(at) {
            Some(&word) if self.key(word) == key => word & self.most(),
            _ => 0,
        };
        if count > self.most() - has || (has == 0 && row.last() != Some(&0)) {
            return false;
        }
        if has == 0 {
            row[at..].rotate_right(1);
            row[at] = key << self.bits;
        }
        row[at] += count;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_where_they_were_put() {
        let sizes = [3, 1 << 40, 1];
        let tokens = [vec![(2, 1)], vec![(3, 1), (1 << 39, 7)], vec![(0, 4)]];
        let layout = SparseLayout::fitting(&sizes, &tokens, None).unwrap();
        let mut row = vec![0; layout.width()];
        for place in [2, 0, 1] {
            tokens[place]
                .iter()
                .for_each(|&(colour, count)| assert!(layout.give(&mut row, place, colour, count)));
        }
        for (place, tokens) in tokens.iter().enumerate() {
            let mut found = Vec::new();
            layout.each(&row, place, |token| found.push(token));
            assert_eq!(found, *tokens);
            assert_eq!(layout.total(&row, place), tokens.iter().map(|token| token.1).sum::<u64>());
        }
        assert_eq!((layout.count(&row, 1, 1 << 39), layout.count(&row, 1, 4)), (7, 0));
        assert!(
            layout.give(&mut row, 1, 4, 1) && !layout.give(&mut row, 1, 5, 1),
            "there is room for one more"
        );
        layout.take(&mut row, 1, 1 << 39, 7);
        assert_eq!(layout.first(&row, 1, 5, u64::MAX), None);
        assert!(layout.give(&mut row, 2, 0, 251) && !layout.give(&mut row, 2, 0, 1));
    }
}

//! A set of words, numbered in the order in which they come.

use super::{Chunks, Full, RowId, index::Index};

/// Each word once. About 13 bytes a word: 8 for the word, 5 for the index.
#[derive(Debug, Default)]
pub struct WordSet {
    words: Chunks<u64>,
    index: Index,
}

impl WordSet {
    /// No words.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a word, and whether it is new.
    #[inline]
    pub fn insert(&mut self, word: u64) -> Result<(RowId, bool), Full> {
        let words = &self.words;
        let next = RowId::try_from(words.len()).map_err(|_| Full)?;
        let is = |id: RowId| words.get(id as usize) == word;
        let (id, new) = self.index.insert(hash(word), next, is, |id| hash(words.get(id as usize)))?;
        if new {
            self.words.push(word);
        }
        Ok((id, new))
    }

    /// The word of a number.
    pub fn get(&self, id: RowId) -> u64 {
        self.words.get(id as usize)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.words.bytes() + self.index.bytes()
    }
}

/// Mixes all bits of a word into all bits of the result: the two halves of a 128-bit product, folded.
#[inline]
pub(super) fn hash(word: u64) -> u64 {
    let product = u128::from(word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
    let folded = (product as u64) ^ ((product >> 64) as u64);
    folded.wrapping_mul(0x9fb2_1c65_1e98_df25) ^ (folded >> 32)
}

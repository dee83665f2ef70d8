//! Hash-consed rows of 64-bit words: each different row is kept once, under a number that stays.
//!
//! Rows get the numbers 0, 1, 2, ... in the order in which they are first seen, so a breadth-first search needs
//! no queue beside the store. [`WordSet`] keeps single words; [`Tree`] folds longer rows into a word by
//! hash-consing pairs of numbers, so that a wide row costs little more than what is new in it. [`Store`] picks
//! between them.
//!
//! Memory grows in small pieces: words lie in chunks that never move, and the hash index is cut into segments
//! that grow one at a time.

mod arena;
mod index;
mod tree;
mod words;

pub use arena::Chunks;
pub use tree::Tree;
pub use words::WordSet;

/// The number of a row.
pub type RowId = u32;

/// Rows of a fixed width.
#[derive(Debug)]
pub enum Store {
    /// One word a row.
    Word(WordSet),
    /// Several words a row.
    Tree(Tree),
}

/// The store holds as many rows as its 32-bit numbers can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Store {
    /// A store for rows of `width` words.
    pub fn new(width: usize) -> Self {
        if width <= 1 { Self::Word(WordSet::new()) } else { Self::Tree(Tree::new(width)) }
    }

    /// The number of a row, and whether it is new.
    pub fn insert(&mut self, row: &[u64]) -> Result<(RowId, bool), Full> {
        match self {
            Self::Word(words) => words.insert(row.first().copied().unwrap_or(0)),
            Self::Tree(tree) => tree.insert(row),
        }
    }

    /// Writes the row of a number into `row`.
    pub fn get(&self, id: RowId, row: &mut [u64]) {
        match self {
            Self::Word(words) => {
                if let Some(word) = row.first_mut() {
                    *word = words.get(id);
                }
            }
            Self::Tree(tree) => tree.get(id, row),
        }
    }

    /// How many rows it holds.
    pub fn len(&self) -> usize {
        match self {
            Self::Word(words) => words.len(),
            Self::Tree(tree) => tree.len(),
        }
    }

    /// Whether it holds no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that it holds, tables included.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Word(words) => words.bytes(),
            Self::Tree(tree) => tree.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// A fixed sequence of numbers that look random.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|n| words::hash(n.wrapping_mul(0x2545_f491_4f6c_dd1d)))
    }

    #[test]
    fn rows_keep_their_numbers_at_every_width() {
        for width in 1..=19 {
            let mut store = Store::new(width);
            let mut known: HashMap<Vec<u64>, RowId> = HashMap::new();
            let mut random = numbers(width as u64);
            for _ in 0..5_000 {
                // Few values a word, so that rows come again.
                let row: Vec<u64> = (0..width).map(|_| random.next().unwrap() % 5).collect();
                let (id, new) = store.insert(&row).unwrap();
                let next = known.len() as RowId;
                assert_eq!(new, !known.contains_key(&row));
                assert_eq!(id, *known.entry(row).or_insert(next));
            }
            let mut back = vec![0; width];
            for (row, id) in known {
                store.get(id, &mut back);
                assert_eq!(back, row);
            }
        }
    }

    #[test]
    fn many_words_stay_within_16_bytes_each() {
        let mut set = WordSet::new();
        let words: Vec<u64> = numbers(7).take(1_000_000).collect();
        for (at, &word) in words.iter().enumerate() {
            assert_eq!(set.insert(word), Ok((at as RowId, true)));
            if at > 100_000 && at % 1_000 == 0 {
                let each = set.bytes() as f64 / set.len() as f64;
                assert!(each < 16.0, "{each} bytes a word at {at}");
            }
        }
        for (at, &word) in words.iter().enumerate() {
            assert_eq!(set.insert(word), Ok((at as RowId, false)));
            assert_eq!(set.get(at as RowId), word);
        }
    }
}

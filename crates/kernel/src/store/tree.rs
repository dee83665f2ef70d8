//! Rows of several words, folded into one word by hash-consing: Laarman, van de Pol and Weber, "Parallel
//! recursive state compression for free" (SPIN 2011), here with numbers instead of slots.
//!
//! The words of a row are the leaves of a binary tree. A leaf becomes the number of its word, an inner node the
//! number of the pair of its children; the root is the pair itself, kept as the row's word. Rows that share
//! parts share nodes, so a row costs about what a single word costs plus the nodes that are new in it.
//!
//! Needs: rows of one width, at least two words. Cost of an insertion: one lookup a node.

use super::{Full, RowId, WordSet};

/// The rows, as roots over shared nodes.
#[derive(Debug)]
pub struct Tree {
    width: usize,
    leaves: WordSet,
    pairs: WordSet,
    roots: WordSet,
    /// The numbers of one level, while it is folded.
    level: Vec<u32>,
}

fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Tree {
    /// For rows of `width` words.
    pub fn new(width: usize) -> Self {
        assert!(width >= 2, "a tree has at least two leaves");
        let (leaves, pairs, roots) = (WordSet::new(), WordSet::new(), WordSet::new());
        Self { width, leaves, pairs, roots, level: Vec::with_capacity(width) }
    }

    /// The number of a row, and whether it is new.
    pub fn insert(&mut self, row: &[u64]) -> Result<(RowId, bool), Full> {
        debug_assert_eq!(row.len(), self.width);
        self.level.clear();
        for &word in row {
            self.level.push(self.leaves.insert(word)?.0);
        }
        while self.level.len() > 2 {
            let length = self.level.len();
            for at in 0..length / 2 {
                self.level[at] = self.pairs.insert(pair(self.level[2 * at], self.level[2 * at + 1]))?.0;
            }
            if length % 2 == 1 {
                self.level[length / 2] = self.level[length - 1];
            }
            self.level.truncate(length.div_ceil(2));
        }
        self.roots.insert(pair(self.level[0], self.level[1]))
    }

    /// Writes the row of a number into `row`.
    pub fn get(&self, id: RowId, row: &mut [u64]) {
        self.unfold(self.roots.get(id), row);
    }

    /// Writes the leaves below a pair into `row`.
    fn unfold(&self, node: u64, row: &mut [u64]) {
        let (left, right) = ((node >> 32) as u32, node as u32);
        let split = left_leaves(row.len());
        for (child, part) in [left, right].into_iter().zip(<[_; 2]>::from(row.split_at_mut(split))) {
            match part {
                [word] => *word = self.leaves.get(child),
                part => self.unfold(self.pairs.get(child), part),
            }
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.leaves.bytes() + self.pairs.bytes() + self.roots.bytes()
    }
}

/// How many of `width` leaves are below the left child of their root: folding level by level fills complete
/// trees from the left, so the left side is the largest power of two below `width`.
fn left_leaves(width: usize) -> usize {
    width.next_power_of_two() / 2
}

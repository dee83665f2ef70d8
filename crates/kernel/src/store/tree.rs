//! Tree compression of rows of several words to one word: Laarman, van de Pol and Weber, "Parallel
//! recursive state compression for free" (SPIN 2011), here with numbers instead of slots.
//!
//! The words of a row are the leaves of a binary tree. A leaf becomes the number of its word, an inner node the
//! number of the pair of its children; the root is the pair itself, the word that stands for the row. Rows that
//! share parts share nodes, so a row costs about what a single word costs plus the nodes that are new in it.
//!
//! A successor differs from its state in few words. So the nodes of the state at hand are remembered, and only
//! those above changed words are looked up again.
//!
//! Needs: rows of one width, at least two words. Cost: one lookup for each node above a changed word.

use super::{Full, RowId, words::WordSet};

/// The tables of the leaves and of the inner nodes of all rows.
#[derive(Clone, Debug)]
pub(super) struct TreeCompression {
    leaves: WordSet,
    pairs: WordSet,
}

/// A row with the numbers of its tree nodes in preorder: node 0 is the root, the left subtree of a node comes before the right.
#[derive(Clone, Debug, Default)]
pub struct TreeRow {
    pub(super) row: Vec<u64>,
    nodes: Vec<RowId>,
}

impl TreeRow {
    /// The words of the row; empty before a store has written one.
    pub fn row(&self) -> &[u64] {
        &self.row
    }

    /// A row whose nodes have a number that no node has.
    fn blank(width: usize) -> Self {
        Self { row: vec![0; width], nodes: vec![RowId::MAX; 2 * width - 1] }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.row.capacity() * size_of::<u64>()
            + self.nodes.capacity() * size_of::<RowId>()
    }
}

/// A node of the tree, and the range of the words below it.
#[derive(Clone, Copy)]
struct Subtree {
    node: usize,
    from: usize,
    to: usize,
}

impl Subtree {
    fn root(width: usize) -> Self {
        Self { node: 0, from: 0, to: width }
    }

    /// The two subtrees; a leaf has none.
    fn children(self) -> [Self; 2] {
        let left = (self.to - self.from).next_power_of_two() / 2;
        let middle = self.from + left;
        [
            Self { node: self.node + 1, from: self.from, to: middle },
            // A tree with n leaves has 2n - 1 nodes.
            Self { node: self.node + 2 * left, from: middle, to: self.to },
        ]
    }

    fn is_leaf(self) -> bool {
        self.to - self.from == 1
    }
}

fn pair(left: RowId, right: RowId) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl TreeCompression {
    pub(super) fn new() -> Self {
        Self { leaves: WordSet::new(false), pairs: WordSet::new(false) }
    }

    /// The word that stands for a row, whose new nodes are added.
    pub(super) fn compress(&mut self, row: &[u64]) -> Result<u64, Full> {
        let [left, right] = Subtree::root(row.len()).children();
        Ok(pair(self.add(left, row)?, self.add(right, row)?))
    }

    fn add(&mut self, subtree: Subtree, row: &[u64]) -> Result<RowId, Full> {
        if subtree.is_leaf() {
            return Ok(self.leaves.insert(row[subtree.from], 0)?.0);
        }
        let [left, right] = subtree.children();
        let word = pair(self.add(left, row)?, self.add(right, row)?);
        Ok(self.pairs.insert(word, 0)?.0)
    }

    /// The same for a row that differs from `near` in few words.
    pub(super) fn compress_near(&mut self, row: &[u64], near: &TreeRow) -> Result<u64, Full> {
        let [left, right] = Subtree::root(row.len()).children();
        Ok(pair(self.add_near(left, row, near)?, self.add_near(right, row, near)?))
    }

    fn add_near(&mut self, subtree: Subtree, row: &[u64], near: &TreeRow) -> Result<RowId, Full> {
        if row[subtree.from..subtree.to] == near.row[subtree.from..subtree.to] {
            return Ok(near.nodes[subtree.node]);
        }
        if subtree.is_leaf() {
            return Ok(self.leaves.insert(row[subtree.from], 0)?.0);
        }
        let [left, right] = subtree.children();
        let word = pair(self.add_near(left, row, near)?, self.add_near(right, row, near)?);
        Ok(self.pairs.insert(word, 0)?.0)
    }

    /// The word that stands for a row, if all its nodes are known. `near` is a row that differs in few words.
    pub(super) fn find(&self, row: &[u64], near: &TreeRow) -> Option<u64> {
        let [left, right] = Subtree::root(row.len()).children();
        Some(pair(self.look_up(left, row, near)?, self.look_up(right, row, near)?))
    }

    fn look_up(&self, subtree: Subtree, row: &[u64], near: &TreeRow) -> Option<RowId> {
        if row[subtree.from..subtree.to] == near.row[subtree.from..subtree.to] {
            return Some(near.nodes[subtree.node]);
        }
        if subtree.is_leaf() {
            return self.leaves.find(row[subtree.from]);
        }
        let [left, right] = subtree.children();
        self.pairs.find(pair(self.look_up(left, row, near)?, self.look_up(right, row, near)?))
    }

    /// Writes the row for which a word stands, with its nodes. `to` is empty or a row of this store; the subtrees that it shares
    /// with the row are there already.
    pub(super) fn expand(&self, word: u64, width: usize, to: &mut TreeRow) {
        if to.nodes.is_empty() {
            *to = TreeRow::blank(width);
        }
        self.expand_below(word, Subtree::root(width), to);
        debug_assert!({
            let mut anew = TreeRow::blank(width);
            self.expand_below(word, Subtree::root(width), &mut anew);
            anew.row == to.row
        });
    }

    fn expand_below(&self, word: u64, subtree: Subtree, to: &mut TreeRow) {
        for (id, child) in [(word >> 32) as RowId, word as RowId].into_iter().zip(subtree.children()) {
            if std::mem::replace(&mut to.nodes[child.node], id) == id {
                continue;
            }
            if child.is_leaf() {
                to.row[child.from] = self.leaves.get(id);
            } else {
                self.expand_below(self.pairs.get(id), child, to);
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.leaves.bytes() + self.pairs.bytes()
    }
}

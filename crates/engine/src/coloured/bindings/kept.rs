//! What is kept with states: a list of numbers for each row.

use std::collections::HashMap;

/// Lists by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    lists: HashMap<Box<[u64]>, Box<[u64]>>,
    numbers: usize,
}

impl Kept {
    /// The list of a row, which is made when it is asked for first.
    pub(super) fn of(&mut self, row: &[u64], make: impl FnOnce() -> Vec<u64>) -> &[u64] {
        if !self.lists.contains_key(row) {
            let list: Box<[u64]> = make().into();
            self.numbers += list.len() + row.len();
            self.lists.insert(row.into(), list);
        }
        &self.lists[row]
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.lists.capacity() * (size_of::<(Box<[u64]>, Box<[u64]>)>() + 1) + self.numbers * size_of::<u64>()
    }
}

//! Lists of numbers that are kept with states.

use std::collections::HashMap;

#[derive(Clone, Debug, Default)]
pub(super) struct RowCache {
    lists: HashMap<Box<[u64]>, Box<[u64]>>,
    numbers: usize,
}

impl RowCache {
    /// The list of a row, computed at the first request.
    pub(super) fn of(&mut self, row: &[u64], make: impl FnOnce() -> Vec<u64>) -> &[u64] {
        if !self.lists.contains_key(row) {
            let list: Box<[u64]> = make().into();
            self.numbers += list.len() + row.len();
            self.lists.insert(row.into(), list);
        }
        &self.lists[row]
    }

    pub(super) fn bytes(&self) -> usize {
        self.lists.capacity() * (size_of::<(Box<[u64]>, Box<[u64]>)>() + 1) + self.numbers * size_of::<u64>()
    }
}

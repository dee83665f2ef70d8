//! The status of one operator in the markings: a table by their numbers, in pages that are allocated when they are needed.
//!
//! Numbers of markings are dense, and markings that are found together have numbers that are close. So a table costs
//! little more than 4 bytes for each marking in which the operator was needed, without hashing.

use std::hint::black_box;

use fireset_kernel::store::RowId;

/// The number of markings of a page.
const PAGE: usize = 1 << 10;

/// The status of an operator in a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The operator was not evaluated in the marking.
    Unseen,
    /// This is the final value.
    Decided(bool),
    /// The marking alone does not decide the value; its successors do.
    Undecided,
    /// A search visits the configuration, which has this position on its stack.
    Open(u32),
}

/// The first number that stands for a position.
const OPEN: u32 = 4;

impl Status {
    #[inline]
    fn number(self) -> u32 {
        match self {
            Self::Unseen => 0,
            Self::Undecided => 1,
            Self::Decided(value) => 2 + u32::from(value),
            Self::Open(place) => OPEN + place,
        }
    }

    #[inline]
    fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Unseen,
            1 => Self::Undecided,
            2 | 3 => Self::Decided(number == 3),
            _ => Self::Open(number - OPEN),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct StatusTable {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    taken: usize,
}

impl StatusTable {
    #[inline]
    pub(super) fn get(&self, marking: RowId) -> Status {
        let (page, at) = (marking as usize / PAGE, marking as usize % PAGE);
        match self.pages.get(page) {
            Some(Some(page)) => Status::from_number(page[at]),
            _ => Status::Unseen,
        }
    }

    /// Loads the entries of markings into the cache: nothing but loads, so that many are in flight at once.
    pub(super) fn prefetch(&self, markings: &[RowId]) {
        let number = |&marking: &RowId| match self.pages.get(marking as usize / PAGE) {
            Some(Some(page)) => page[marking as usize % PAGE],
            _ => 0,
        };
        black_box(markings.iter().map(number).fold(0, |all, number| all ^ number));
    }

    #[inline]
    pub(super) fn set(&mut self, marking: RowId, status: Status) {
        let (page, at) = (marking as usize / PAGE, marking as usize % PAGE);
        match self.pages.get_mut(page) {
            Some(Some(page)) => page[at] = status.number(),
            _ => self.page(page)[at] = status.number(),
        }
    }

    /// Allocates a page.
    #[cold]
    fn page(&mut self, page: usize) -> &mut [u32; PAGE] {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.taken += 1;
        self.pages[page].insert(Box::new([0; PAGE]))
    }

    /// Keeps the final values alone.
    pub(super) fn forget_undecided(&mut self) {
        for page in &mut self.pages {
            let Some(numbers) = page else { continue };
            let mut is_empty = true;
            for number in numbers.iter_mut() {
                match Status::from_number(*number) {
                    Status::Decided(_) => is_empty = false,
                    _ => *number = 0,
                }
            }
            if is_empty {
                *page = None;
                self.taken -= 1;
            }
        }
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.taken * size_of::<[u32; PAGE]>() + self.pages.capacity() * size_of::<Option<Box<[u32; PAGE]>>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_what_it_is_told() {
        let statuses = [Status::Undecided, Status::Decided(true), Status::Decided(false), Status::Open(7)];
        let mut values = StatusTable::default();
        let markings = |offset: u32| (0..40).map(move |at: u32| at * 997 + offset);
        for marking in markings(0) {
            values.set(marking, statuses[marking as usize % 4]);
        }
        assert!(markings(0).all(|marking| values.get(marking) == statuses[marking as usize % 4]));
        assert!(markings(1).all(|marking| values.get(marking) == Status::Unseen));
        assert!(values.bytes() >= 40 * 4);
        values.forget_undecided();
        for marking in markings(0) {
            let status = statuses[marking as usize % 4];
            let is_final = matches!(status, Status::Decided(_));
            assert_eq!(values.get(marking), if is_final { status } else { Status::Unseen });
        }
    }
}

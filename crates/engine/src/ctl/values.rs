//! What is known of one operator in the markings: a table by their numbers, in pages that come when they are needed.
//!
//! Numbers of markings are dense, and markings that are found together have numbers that are close. So a table costs
//! little more than 4 bytes for each marking in which the operator was asked for, and nothing is hashed.

use std::hint::black_box;

use fireset_kernel::store::RowId;

/// Markings of a page.
const PAGE: usize = 1 << 10;

/// How an operator stands in a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing is known.
    Unseen,
    /// It has this value, for ever.
    Decided(bool),
    /// The marking alone does not decide it, but what follows does.
    Undecided,
    /// A search for it has begun here: its place on the stack.
    Open(u32),
}

/// The first number that stands for a place.
const OPEN: u32 = 4;

impl Standing {
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

/// The standings of an operator.
#[derive(Debug, Default)]
pub(super) struct Values {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    taken: usize,
}

impl Values {
    /// How it stands in a marking.
    #[inline]
    pub(super) fn get(&self, marking: RowId) -> Standing {
        let (page, at) = (marking as usize / PAGE, marking as usize % PAGE);
        match self.pages.get(page) {
            Some(Some(page)) => Standing::from_number(page[at]),
            _ => Standing::Unseen,
        }
    }

    /// Brings the memory near in which markings stand: nothing but loads, so that many of them are under way at once.
    pub(super) fn approach(&self, markings: &[RowId]) {
        let number = |&marking: &RowId| match self.pages.get(marking as usize / PAGE) {
            Some(Some(page)) => page[marking as usize % PAGE],
            _ => 0,
        };
        black_box(markings.iter().map(number).fold(0, |all, number| all ^ number));
    }

    /// Takes note of how it stands in a marking.
    #[inline]
    pub(super) fn set(&mut self, marking: RowId, standing: Standing) {
        let (page, at) = (marking as usize / PAGE, marking as usize % PAGE);
        match self.pages.get_mut(page) {
            Some(Some(page)) => page[at] = standing.number(),
            _ => self.page(page)[at] = standing.number(),
        }
    }

    /// A page that is new.
    #[cold]
    fn page(&mut self, page: usize) -> &mut [u32; PAGE] {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.taken += 1;
        self.pages[page].insert(Box::new([0; PAGE]))
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
        let standings =
            [Standing::Undecided, Standing::Decided(true), Standing::Decided(false), Standing::Open(7)];
        let mut values = Values::default();
        let markings = |offset: u32| (0..40).map(move |at: u32| at * 997 + offset);
        for marking in markings(0) {
            values.set(marking, standings[marking as usize % 4]);
        }
        assert!(markings(0).all(|marking| values.get(marking) == standings[marking as usize % 4]));
        assert!(markings(1).all(|marking| values.get(marking) == Standing::Unseen));
        assert!(values.bytes() >= 40 * 4);
    }
}

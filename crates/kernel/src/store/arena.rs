//! A list that grows in chunks that never move, so that growing needs no room for a second copy.

/// Items that the first chunk has room for at first.
const FIRST: usize = 8;
/// Items of a full chunk: small, because each of many segments has a chunk that is not full.
const LARGEST: usize = 1 << 8;

/// A list of items in chunks of equal size; the last chunk grows until it is full.
#[derive(Clone, Debug)]
pub struct Chunks<T> {
    full: Vec<Box<[T]>>,
    last: Vec<T>,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T: Copy> Chunks<T> {
    /// Adds an item at the end.
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.last.len() == self.last.capacity() {
            self.grow();
        }
        self.last.push(item);
    }

    /// Makes room for another item; at most one chunk is copied.
    #[cold]
    fn grow(&mut self) {
        if self.last.len() == LARGEST {
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(LARGEST));
            self.full.push(full.into_boxed_slice());
        } else {
            let target = (self.last.len() * 2).clamp(FIRST, LARGEST);
            self.last.reserve_exact(target - self.last.len());
        }
    }

    /// Takes the item at the end.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.last.is_empty() {
            self.last = self.full.pop()?.into_vec();
        }
        self.last.pop()
    }

    /// The item at the end.
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.last.last_mut().or_else(|| self.full.last_mut().and_then(|chunk| chunk.last_mut()))
    }

    /// The item at a position.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        match self.full.get(at / LARGEST) {
            Some(chunk) => chunk[at % LARGEST],
            None => self.last[at % LARGEST],
        }
    }

    /// Puts another item at a position.
    pub fn set(&mut self, at: usize, item: T) {
        match self.full.get_mut(at / LARGEST) {
            Some(chunk) => chunk[at % LARGEST] = item,
            None => self.last[at % LARGEST] = item,
        }
    }

    /// All items, in their order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.full.iter_mut().flat_map(|chunk| chunk.iter_mut()).chain(&mut self.last)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.full.len() * LARGEST + self.last.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        size_of::<T>() * (self.full.len() * LARGEST + self.last.capacity())
            + size_of::<Box<[T]>>() * self.full.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_stack_too() {
        let (mut chunks, mut model) = (Chunks::default(), Vec::new());
        for round in 0..3_000_u32 {
            for item in 0..round % 7 {
                chunks.push(item);
                model.push(item);
            }
            for _ in 0..round % 5 {
                assert_eq!(chunks.last_mut().copied(), model.last().copied());
                assert_eq!(chunks.pop(), model.pop());
            }
            assert_eq!(chunks.len(), model.len());
        }
        assert!(chunks.iter_mut().map(|item| *item).eq(model));
    }
}

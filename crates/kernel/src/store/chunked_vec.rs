//! A vector in chunks that never move, so that growing needs no room for a second copy.

/// Capacity of the first chunk when it is made, in items.
const FIRST_CAPACITY: usize = 8;
/// Items of a full chunk: few, because each of many segments has a chunk that is not full.
const CHUNK_LEN: usize = 1 << 8;

/// Items in chunks of equal size; the last chunk grows until it is full.
#[derive(Clone, Debug)]
pub struct ChunkedVec<T> {
    full: Vec<Box<[T]>>,
    last: Vec<T>,
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T: Copy> ChunkedVec<T> {
    /// Appends an item, at the cost of copying at most one chunk.
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.last.len() == self.last.capacity() {
            self.grow();
        }
        self.last.push(item);
    }

    #[cold]
    fn grow(&mut self) {
        if self.last.len() == CHUNK_LEN {
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(CHUNK_LEN));
            self.full.push(full.into_boxed_slice());
        } else {
            let target = (self.last.len() * 2).clamp(FIRST_CAPACITY, CHUNK_LEN);
            self.last.reserve_exact(target - self.last.len());
        }
    }

    /// Removes the last item and returns it.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.last.is_empty() {
            self.last = self.full.pop()?.into_vec();
        }
        self.last.pop()
    }

    /// The item that was pushed last, if there is one.
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.last.last_mut().or_else(|| self.full.last_mut().and_then(|chunk| chunk.last_mut()))
    }

    /// A copy of the item at a position, which must be below the length.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        match self.full.get(at / CHUNK_LEN) {
            Some(chunk) => chunk[at % CHUNK_LEN],
            None => self.last[at % CHUNK_LEN],
        }
    }

    /// Replaces the item at a position, which must be below the length.
    pub fn set(&mut self, at: usize, item: T) {
        match self.full.get_mut(at / CHUNK_LEN) {
            Some(chunk) => chunk[at % CHUNK_LEN] = item,
            None => self.last[at % CHUNK_LEN] = item,
        }
    }

    /// All items, in the order of their positions.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.full.iter_mut().flat_map(|chunk| chunk.iter_mut()).chain(&mut self.last)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK_LEN + self.last.len()
    }

    /// Whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of all chunks, unused capacity included.
    pub fn bytes(&self) -> usize {
        size_of::<T>() * (self.full.len() * CHUNK_LEN + self.last.capacity())
            + size_of::<Box<[T]>>() * self.full.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_a_vector() {
        let (mut vec, mut model) = (ChunkedVec::default(), Vec::new());
        for round in 0..3_000_u32 {
            for item in 0..round % 7 {
                vec.push(item);
                model.push(item);
            }
            for _ in 0..round % 5 {
                assert_eq!(vec.last_mut().copied(), model.last().copied());
                assert_eq!(vec.pop(), model.pop());
            }
            assert_eq!(vec.len(), model.len());
        }
        assert!(vec.iter_mut().map(|item| *item).eq(model));
    }
}

//! A list that grows in chunks that never move, so that growing needs no room for a second copy.

/// Items that the first chunk has room for at first.
const FIRST: usize = 1 << 10;
/// Items of a full chunk.
const LARGEST: usize = 1 << 14;

/// A list of items in chunks of equal size; the last chunk grows until it is full.
#[derive(Debug)]
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
    pub fn push(&mut self, item: T) {
        if self.last.len() == self.last.capacity() {
            self.grow();
        }
        self.last.push(item);
    }

    /// Makes room for another item; at most one chunk is copied.
    fn grow(&mut self) {
        if self.last.len() == LARGEST {
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(LARGEST));
            self.full.push(full.into_boxed_slice());
        } else {
            let target = (self.last.len() * 2).clamp(FIRST, LARGEST);
            self.last.reserve_exact(target - self.last.len());
        }
    }

    /// The item at a position.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        match self.full.get(at / LARGEST) {
            Some(chunk) => chunk[at % LARGEST],
            None => self.last[at % LARGEST],
        }
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

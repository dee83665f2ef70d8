//! Sets of states, one bit each.

/// A subset of `0..len`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// All of `0..len`, or none of it.
    pub fn filled(len: usize, value: bool) -> Self {
        let mut bits = Self { words: vec![if value { u64::MAX } else { 0 }; len.div_ceil(64)], len };
        bits.trim();
        bits
    }

    /// The elements of `0..len` for which `test` is true.
    pub fn collect(len: usize, test: impl FnMut(usize) -> bool) -> Self {
        let mut bits = Self::default();
        (0..len).map(test).for_each(|value| bits.push(value));
        bits
    }

    /// Makes the range longer by one, with or without the new element.
    pub fn push(&mut self, value: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
        if value {
            self.insert(self.len - 1);
        }
    }

    /// Whether `at` is in it; what lies beyond the range is not.
    pub fn get(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Adds a number of the range to the subset.
    pub fn insert(&mut self, at: usize) {
        debug_assert!(at < self.len);
        self.words[at / 64] |= 1 << (at % 64);
    }

    /// Takes `at` out.
    pub fn remove(&mut self, at: usize) {
        self.words[at / 64] &= !(1 << (at % 64));
    }

    /// Takes out the first element that is not below `from`.
    pub fn take_from(&mut self, from: usize) -> Option<usize> {
        let first = from / 64;
        let above = self.words.get(first)? & u64::MAX << (from % 64);
        let (at, word) = match above {
            0 => self.words.iter().copied().enumerate().skip(first + 1).find(|(_, word)| *word != 0)?,
            above => (first, above),
        };
        let found = at * 64 + word.trailing_zeros() as usize;
        self.remove(found);
        Some(found)
    }

    /// Its elements, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }

    /// What is not in it.
    #[must_use]
    pub fn complement(mut self) -> Self {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
        self
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        self.join(other, |a, b| a & b)
    }

    /// What is in either.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        self.join(other, |a, b| a | b)
    }

    /// What is in both or in neither.
    #[must_use]
    pub fn iff(self, other: &Self) -> Self {
        self.join(other, |a, b| !(a ^ b))
    }

    fn join(mut self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, &b)| *a = join(*a, b));
        self.trim();
        self
    }

    /// Clears the bits of the last word that lie beyond the range.
    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut().filter(|_| !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn operators_stay_within_the_range() {
        let even = Bits::collect(70, |at| at % 2 == 0);
        let low = Bits::collect(70, |at| at < 10);
        assert_eq!(even.clone().complement().iter().count(), 35);
        assert_eq!(even.clone().and(&low).iter().collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert_eq!(even.clone().or(&low).iter().count(), 40);
        assert_eq!(even.clone().iff(&even), Bits::filled(70, true));
        assert!(!even.get(1000));
        let mut rest = Bits::collect(300, |at| at == 3 || at == 64 || at == 250);
        assert_eq!(
            [4, 0, 65, 251, 0].map(|from| rest.take_from(from)),
            [Some(64), Some(3), Some(250), None, None]
        );
    }
}

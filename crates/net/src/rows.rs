//! Compressed rows: many short lists in two flat arrays.

/// Row `i` is `items[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// A table without rows.
    pub fn new() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }

    /// Adds a row at the end.
    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.starts.push(self.items.len());
    }

    /// `rows` rows from pairs of row and item, which come in any order and stay in it within a row. The pairs
    /// are gone through twice.
    pub fn group(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self
    where
        T: Copy + Default,
    {
        let mut starts = vec![0; rows + 1];
        pairs.clone().for_each(|(row, _)| starts[row + 1] += 1);
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut items = vec![T::default(); starts[rows]];
        let mut next = starts.clone();
        for (row, item) in pairs {
            items[next[row]] = item;
            next[row] += 1;
        }
        Self { starts, items }
    }

    /// Rows may be empty; those count too.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of all rows, one row after the other.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// In the order in which rows were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        self.starts.windows(2).map(|w| &self.items[w[0]..w[1]])
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> std::ops::Index<usize> for Rows<T> {
    type Output = [T];

    fn index(&self, row: usize) -> &[T] {
        &self.items[self.starts[row]..self.starts[row + 1]]
    }
}

impl<T, R: IntoIterator<Item = T>> FromIterator<R> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut all = Self::new();
        rows.into_iter().for_each(|row| all.push(row));
        all
    }
}

//! Multisets of colours.

use std::cmp::Ordering;

use super::Colour;

/// A multiset: colours in ascending order, each with a count above zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bag(Vec<(Colour, u64)>);

impl Bag {
    /// `count` times `colour`.
    pub fn of(colour: Colour, count: u64) -> Self {
        Self(if count == 0 { Vec::new() } else { vec![(colour, count)] })
    }

    /// A multiset from counts in any order; counts of a colour add up. `None` on overflow.
    pub fn collect(counts: impl IntoIterator<Item = (Colour, u64)>) -> Option<Self> {
        let mut all: Vec<_> = counts.into_iter().filter(|&(_, n)| n > 0).collect();
        all.sort_unstable();
        let mut bag = Self(Vec::with_capacity(all.len()));
        for (colour, count) in all {
            match bag.0.last_mut() {
                Some((last, n)) if *last == colour => *n = n.checked_add(count)?,
                _ => bag.0.push((colour, count)),
            }
        }
        Some(bag)
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How often it holds `colour`.
    pub fn count(&self, colour: Colour) -> u64 {
        self.0.binary_search_by_key(&colour, |&(c, _)| c).map_or(0, |at| self.0[at].1)
    }

    /// Its colours with their counts, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Colour, u64)> + Clone {
        self.0.iter().copied()
    }

    /// Counts every token, also those of equal colours.
    pub fn total(&self) -> u128 {
        self.0.iter().map(|&(_, n)| u128::from(n)).sum()
    }

    /// The count of its most frequent colour.
    pub fn largest(&self) -> u64 {
        self.0.iter().map(|&(_, n)| n).max().unwrap_or(0)
    }

    /// Both together; `None` when a count does not fit into 64 bits.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.merge(other, u64::checked_add)
    }

    /// The difference to `other`; taking more than there is leaves zero.
    pub fn minus(&self, other: &Self) -> Self {
        self.merge(other, |a, b| Some(a.saturating_sub(b))).expect("a difference does not overflow")
    }

    /// `factor` times all of it; `None` when a count does not fit into 64 bits.
    pub fn times(&self, factor: u64) -> Option<Self> {
        if factor == 0 {
            return Some(Self::default());
        }
        self.0.iter().map(|&(c, n)| Some((c, n.checked_mul(factor)?))).collect::<Option<_>>().map(Self)
    }

    /// Joins the counts of both, colour by colour.
    fn merge(&self, other: &Self, join: impl Fn(u64, u64) -> Option<u64>) -> Option<Self> {
        let mut joined = Vec::with_capacity(self.0.len() + other.0.len());
        for (colour, a, b) in self.zip(other) {
            let count = join(a, b)?;
            if count > 0 {
                joined.push((colour, count));
            }
        }
        Some(Self(joined))
    }

    /// Every colour of either with its count in both, ascending.
    pub fn zip(&self, other: &Self) -> impl Iterator<Item = (Colour, u64, u64)> {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        std::iter::from_fn(move || {
            let side = match (left.peek(), right.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let (mut colour, mut a, mut b) = (Colour(0), 0, 0);
            if side.is_le() {
                (colour, a) = *left.next()?;
            }
            if side.is_ge() {
                (colour, b) = *right.next()?;
            }
            Some((colour, a, b))
        })
    }
}

/// Pointwise inclusion.
impl PartialOrd for Bag {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        crate::marking::pointwise(self.zip(other).map(|(_, a, b)| (a, b)))
    }
}

//! MarkingTable as Boolean variables: one for each place `p` and each `k` from 1 to its top, which says `m(p) >= k`.
//!
//! Why this order encoding and no binary numbers: what a transition needs, what it leaves, and what the pre-image of a set of
//! markings are then each a conjunction of literals, so that IC3's cubes are boxes of markings, go back through
//! a step exactly, and read as formulas over places. Places are mostly 1-safe, where both encodings are the same.
//!
//! A place whose proven bound is at most its top is *exact*. Any other is *open*: its top stands for itself and all that is
//! above, and a step that takes tokens from there may leave any number that it could leave. So runs of the net are runs of
//! the encoding, on every net; the converse holds where all places are exact. What the encoding cannot reach the net cannot
//! reach; a run of the encoding has to be fired.

use fireset_kernel::sat::Literal;
use fireset_net::{Marking, PlaceId};

/// A place with a bound up to this is exact, unless there would be too many variables.
const EXACT: u64 = 64;
/// The number of variables that there may be.
const MOST: usize = 30_000;
/// The highest top of an open place.
const HIGHEST: u64 = 64;

#[derive(Clone, Copy, Debug)]
struct PlaceVariables {
    /// The variable of `m(p) >= 1`, if there is any.
    first: Literal,
    /// The number of variables.
    top: u32,
    is_exact: bool,
}

/// That a place holds at least a number of tokens, in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtLeast {
    Always,
    Never,
    /// Equivalent to this literal.
    When(Literal),
    /// Implies this literal, but is not implied by it: the number is above the top of an open place.
    OnlyWhen(Literal),
}

/// The Boolean variables of a marking.
#[derive(Clone, Debug)]
pub(super) struct OrderEncoding {
    places: Vec<PlaceVariables>,
    /// By variable, its place.
    owners: Vec<u32>,
}

impl OrderEncoding {
    /// From the bounds that are proven and the largest number that each place is compared with; `None` when there are too
    /// many variables.
    pub(super) fn new(bounds: &[Option<u64>], compared: &[u64], finer: u32) -> Option<Self> {
        let (mut places, mut owners) = (Vec::new(), Vec::new());
        let bounded: u64 = bounds.iter().flatten().filter(|&&bound| bound <= EXACT).sum();
        let exact = if bounded <= MOST as u64 / 2 { EXACT } else { 1 };
        for (place, (bound, &compared)) in bounds.iter().zip(compared).enumerate() {
            // Two tokens are told from one even where the net claims to be safe.
            let open = compared.clamp(2, HIGHEST / 4).saturating_mul(1 << finer.min(6)).min(HIGHEST);
            let (top, is_exact) = match bound {
                Some(bound) if *bound <= exact.max(open) => (*bound, true),
                _ => (open, false),
            };
            places.push(PlaceVariables { first: owners.len() as Literal + 1, top: top as u32, is_exact });
            owners.resize(owners.len() + top as usize, place as u32);
            if owners.len() > MOST {
                return None;
            }
        }
        Some(Self { places, owners })
    }

    /// The number of variables; they are numbered from 1.
    pub(super) fn variables(&self) -> Literal {
        self.owners.len() as Literal
    }

    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// The highest number that the count of a place is compared with.
    pub(super) fn top(&self, place: u32) -> u32 {
        self.places[place as usize].top
    }

    /// Whether the top is a proven bound.
    pub(super) fn is_exact(&self, place: u32) -> bool {
        self.places[place as usize].is_exact
    }

    /// Whether some place is open and could have more variables.
    pub(super) fn can_be_finer(&self) -> bool {
        self.places.iter().any(|place| !place.is_exact && u64::from(place.top) < HIGHEST)
    }

    pub(super) fn at_least(&self, place: u32, tokens: i128) -> AtLeast {
        let place = self.places[place as usize];
        if tokens <= 0 {
            AtLeast::Always
        } else if tokens <= i128::from(place.top) {
            AtLeast::When(place.first + tokens as Literal - 1)
        } else if place.is_exact {
            AtLeast::Never
        } else {
            AtLeast::OnlyWhen(place.first + place.top as Literal - 1)
        }
    }

    /// The place of a literal and the count at which it changes.
    pub(super) fn meaning(&self, literal: Literal) -> (u32, u32) {
        let variable = literal.abs();
        let place = self.owners[variable as usize - 1];
        (place, (variable - self.places[place as usize].first) as u32 + 1)
    }

    /// Whether `a` implies `b`.
    pub(super) fn implies(&self, a: Literal, b: Literal) -> bool {
        let ((place, count), (other, limit)) = (self.meaning(a), self.meaning(b));
        place == other && (a > 0) == (b > 0) && if a > 0 { count >= limit } else { count <= limit }
    }

    /// A weaker literal about the same place, one token away.
    pub(super) fn weaker(&self, literal: Literal) -> Option<Literal> {
        let (place, count) = self.meaning(literal);
        match literal > 0 {
            true => (count > 1).then_some(literal - 1),
            false => (count < self.top(place)).then_some(literal - 1),
        }
    }

    /// The counts of a marking, each cut at the place's top.
    pub(super) fn counts(&self, marking: &Marking) -> Vec<u32> {
        let count = |(place, &tokens): (&PlaceVariables, &u64)| tokens.min(place.top.into()) as u32;
        self.places.iter().zip(&marking.0).map(count).collect()
    }

    /// Counts from the values of variables.
    pub(super) fn read(&self, is_true: impl Fn(Literal) -> bool) -> Vec<u32> {
        let count = |place: &PlaceVariables| {
            // The variables are true up to the count.
            (0..place.top).rev().find(|&k| is_true(place.first + k as Literal)).map_or(0, |k| k + 1)
        };
        self.places.iter().map(count).collect()
    }

    pub(super) fn holds(&self, literal: Literal, counts: &[u32]) -> bool {
        let (place, count) = self.meaning(literal);
        (counts[place as usize] >= count) == (literal > 0)
    }

    /// The literals that are true of counts, one for each variable.
    pub(super) fn literals_of<'a>(&'a self, counts: &'a [u32]) -> impl Iterator<Item = Literal> + 'a {
        (1..=self.variables()).map(|v| if self.holds(v, counts) { v } else { -v })
    }

    /// The variables of a place, ascending.
    pub(super) fn of_place(&self, place: u32) -> impl Iterator<Item = Literal> + use<> {
        let place = self.places[place as usize];
        (0..place.top as Literal).map(move |k| place.first + k)
    }

    pub(super) fn id(place: u32) -> PlaceId {
        PlaceId::new(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_mean_what_they_say() {
        let order = OrderEncoding::new(&[Some(1), Some(3), None, Some(0)], &[1, 1, 4, 0], 0).unwrap();
        assert_eq!(order.variables(), 1 + 3 + 4);
        assert_eq!(order.at_least(1, 2), AtLeast::When(3));
        assert_eq!(order.at_least(1, 4), AtLeast::Never);
        assert_eq!(order.at_least(2, 5), AtLeast::OnlyWhen(8));
        assert_eq!(order.at_least(3, 0), AtLeast::Always);
        assert_eq!(order.meaning(-4), (1, 3));
        assert!(order.implies(4, 2) && !order.implies(2, 4) && order.implies(-2, -4));
        assert_eq!((order.weaker(4), order.weaker(2)), (Some(3), None));
        assert_eq!((order.weaker(-3), order.weaker(-4)), (Some(-4), None));
        let counts = order.counts(&Marking([1, 2, 9, 0].into()));
        assert_eq!(counts, [1, 2, 4, 0]);
        assert_eq!(order.read(|literal| order.holds(literal, &counts)), counts);
    }

    #[test]
    fn huge_numbers_are_cut() {
        let order = OrderEncoding::new(&[None, Some(u64::MAX)], &[u64::MAX, 0], 9).unwrap();
        assert_eq!((order.top(0), order.top(1)), (64, 64));
        assert!(!order.is_exact(0) && !order.is_exact(1) && !order.can_be_finer());
        assert_eq!(order.at_least(0, i128::MAX), AtLeast::OnlyWhen(64));
    }
}

//! Markings as Boolean variables: one for each place `p` and each `k` from 1 to its top, which says `m(p) >= k`.
//!
//! Why this order encoding and no binary numbers: what a transition needs, what it leaves, and what a set of markings
//! was before a step are then each a conjunction of literals, so that IC3's cubes are boxes of markings, go back through
//! a step exactly, and read as formulas over places. Places are mostly 1-safe, where both encodings are the same.
//!
//! A place whose proven bound is at most its top is *exact*. Any other is *open*: its top stands for itself and all that is
//! above, and a step that takes tokens from there may leave any number that it could leave. So runs of the net are runs of
//! the encoding, on every net; the converse holds where all places are exact. What the encoding cannot reach the net cannot
//! reach; a run of the encoding has to be fired.

use fireset_kernel::sat::Literal;
use fireset_net::{Marking, PlaceId};

/// A place with a bound up to this has all its thresholds, unless they are too many together.
const EXACT: u64 = 64;
/// As many thresholds as there may be.
const MOST: usize = 30_000;
/// The highest top of an open place.
const HIGHEST: u64 = 64;

/// The thresholds of a place.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// The variable of the first, if there is any.
    first: Literal,
    /// How many there are.
    top: u32,
    is_exact: bool,
}

/// What a comparison of a place with a number is in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtLeast {
    Always,
    Never,
    /// Exactly this literal.
    When(Literal),
    /// Only if this literal is true, but not always then: it is above the top of an open place.
    OnlyWhen(Literal),
}

/// The variables of all places.
#[derive(Clone, Debug)]
pub(super) struct Thresholds {
    scales: Vec<Scale>,
    /// The place of each variable.
    owners: Vec<u32>,
}

impl Thresholds {
    /// From the bounds that are proven and the largest number that each place is compared with; `None` when there are too
    /// many.
    pub(super) fn new(bounds: &[Option<u64>], compared: &[u64], finer: u32) -> Option<Self> {
        let (mut scales, mut owners) = (Vec::new(), Vec::new());
        let bounded: u64 = bounds.iter().flatten().filter(|&&bound| bound <= EXACT).sum();
        let exact = if bounded <= MOST as u64 / 2 { EXACT } else { 1 };
        for (place, (bound, &compared)) in bounds.iter().zip(compared).enumerate() {
            // A marking that is said to be safe and is not has to be told from one that is.
            let open = compared.clamp(2, HIGHEST / 4).saturating_mul(1 << finer.min(6)).min(HIGHEST);
            let (top, is_exact) = match bound {
                Some(bound) if *bound <= exact.max(open) => (*bound, true),
                _ => (open, false),
            };
            scales.push(Scale { first: owners.len() as Literal + 1, top: top as u32, is_exact });
            owners.resize(owners.len() + top as usize, place as u32);
            if owners.len() > MOST {
                return None;
            }
        }
        Some(Self { scales, owners })
    }

    /// How many variables there are; they are numbered from 1.
    pub(super) fn variables(&self) -> Literal {
        self.owners.len() as Literal
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.scales.len()
    }

    /// The highest threshold of a place.
    pub(super) fn top(&self, place: u32) -> u32 {
        self.scales[place as usize].top
    }

    /// Whether the top is a proven bound.
    pub(super) fn is_exact(&self, place: u32) -> bool {
        self.scales[place as usize].is_exact
    }

    /// Whether some place is open and could have finer thresholds.
    pub(super) fn can_be_finer(&self) -> bool {
        self.scales.iter().any(|scale| !scale.is_exact && u64::from(scale.top) < HIGHEST)
    }

    /// That a place holds at least so many tokens.
    pub(super) fn at_least(&self, place: u32, tokens: i128) -> AtLeast {
        let scale = self.scales[place as usize];
        if tokens <= 0 {
            AtLeast::Always
        } else if tokens <= i128::from(scale.top) {
            AtLeast::When(scale.first + tokens as Literal - 1)
        } else if scale.is_exact {
            AtLeast::Never
        } else {
            AtLeast::OnlyWhen(scale.first + scale.top as Literal - 1)
        }
    }

    /// The place of a literal and the count at which it changes.
    pub(super) fn meaning(&self, literal: Literal) -> (u32, u32) {
        let variable = literal.abs();
        let place = self.owners[variable as usize - 1];
        (place, (variable - self.scales[place as usize].first) as u32 + 1)
    }

    /// Whether whenever `a` is true `b` is too.
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

    /// A marking, each place up to its top.
    pub(super) fn counts(&self, marking: &Marking) -> Vec<u32> {
        let count = |(scale, &tokens): (&Scale, &u64)| tokens.min(scale.top.into()) as u32;
        self.scales.iter().zip(&marking.0).map(count).collect()
    }

    /// Counts from the values of variables.
    pub(super) fn read(&self, is_true: impl Fn(Literal) -> bool) -> Vec<u32> {
        let count = |scale: &Scale| {
            // Thresholds are true up to the count.
            (0..scale.top).rev().find(|&k| is_true(scale.first + k as Literal)).map_or(0, |k| k + 1)
        };
        self.scales.iter().map(count).collect()
    }

    /// Whether a literal is true of counts.
    pub(super) fn holds(&self, literal: Literal, counts: &[u32]) -> bool {
        let (place, count) = self.meaning(literal);
        (counts[place as usize] >= count) == (literal > 0)
    }

    /// The threshold literals of a place from the lowest on.
    pub(super) fn of_place(&self, place: u32) -> impl Iterator<Item = Literal> + use<> {
        let scale = self.scales[place as usize];
        (0..scale.top as Literal).map(move |k| scale.first + k)
    }

    /// The place as an id.
    pub(super) fn id(place: u32) -> PlaceId {
        PlaceId::new(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_mean_what_they_say() {
        let thresholds = Thresholds::new(&[Some(1), Some(3), None, Some(0)], &[1, 1, 4, 0], 0).unwrap();
        assert_eq!(thresholds.variables(), 1 + 3 + 4);
        assert_eq!(thresholds.at_least(1, 2), AtLeast::When(3));
        assert_eq!(thresholds.at_least(1, 4), AtLeast::Never);
        assert_eq!(thresholds.at_least(2, 5), AtLeast::OnlyWhen(8));
        assert_eq!(thresholds.at_least(3, 0), AtLeast::Always);
        assert_eq!(thresholds.meaning(-4), (1, 3));
        assert!(thresholds.implies(4, 2) && !thresholds.implies(2, 4) && thresholds.implies(-2, -4));
        assert_eq!((thresholds.weaker(4), thresholds.weaker(2)), (Some(3), None));
        assert_eq!((thresholds.weaker(-3), thresholds.weaker(-4)), (Some(-4), None));
        let counts = thresholds.counts(&Marking([1, 2, 9, 0].into()));
        assert_eq!(counts, [1, 2, 4, 0]);
        assert_eq!(thresholds.read(|literal| thresholds.holds(literal, &counts)), counts);
    }

    #[test]
    fn huge_numbers_are_cut() {
        let thresholds = Thresholds::new(&[None, Some(u64::MAX)], &[u64::MAX, 0], 9).unwrap();
        assert_eq!((thresholds.top(0), thresholds.top(1)), (64, 64));
        assert!(!thresholds.is_exact(0) && !thresholds.is_exact(1) && !thresholds.can_be_finer());
        assert_eq!(thresholds.at_least(0, i128::MAX), AtLeast::OnlyWhen(64));
    }
}

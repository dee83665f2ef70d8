//! Conjunctions of threshold literals: boxes of markings.

use fireset_kernel::sat::Literal;

use super::thresholds::Thresholds;

/// At most one literal of each sign for a place, ascending by variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cube {
    literals: Vec<Literal>,
    /// A bit for each place, where some share theirs: a quick test for inclusion.
    trace: u64,
}

impl Cube {
    /// All of these literals, which are not contradictory.
    pub(super) fn new(literals: impl IntoIterator<Item = Literal>, thresholds: &Thresholds) -> Self {
        let mut literals: Vec<Literal> = literals.into_iter().collect();
        literals.sort_unstable_by_key(|literal| literal.abs());
        literals.dedup();
        let mut kept: Vec<Literal> = Vec::with_capacity(literals.len());
        for literal in literals {
            let place = thresholds.meaning(literal).0;
            let same = |other: &Literal| (*other > 0) == (literal > 0);
            let mut near = kept.iter_mut().rev().take_while(|other| thresholds.meaning(**other).0 == place);
            match near.find(|other| same(other)) {
                // Of lower limits the highest counts, of upper ones the lowest, which came first.
                Some(other) if literal > 0 => *other = literal,
                Some(_) => {}
                None => kept.push(literal),
            }
        }
        kept.sort_unstable_by_key(|literal| literal.abs());
        let bit = |&literal: &Literal| 1 << (thresholds.meaning(literal).0 % 64);
        let trace = kept.iter().fold(0u64, |bits, literal| bits | bit(literal));
        Self { literals: kept, trace }
    }

    pub(super) fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Whether the counts are in it.
    pub(super) fn contains(&self, counts: &[u32], thresholds: &Thresholds) -> bool {
        self.literals.iter().all(|&literal| thresholds.holds(literal, counts))
    }

    /// Whether all counts of another one are in it.
    pub(super) fn covers(&self, other: &Self, thresholds: &Thresholds) -> bool {
        let implied = |&literal: &Literal| {
            other
                .literals
                .binary_search_by_key(&literal.abs(), |o| o.abs())
                .is_ok_and(|at| other.literals[at] == literal)
                || other.literals.iter().any(|&stronger| thresholds.implies(stronger, literal))
        };
        self.trace & !other.trace == 0 && self.literals.iter().all(implied)
    }

    /// The clause that excludes it.
    pub(super) fn clause(&self) -> impl Iterator<Item = Literal> + '_ {
        self.literals.iter().map(|&literal| -literal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_boxes() {
        let thresholds = Thresholds::new(&[Some(3), Some(2)], &[0, 0], 0).unwrap();
        // At least 2 and at most 2 on the first place, at least 1 on the second.
        let cube = Cube::new([1, 2, -3, 4], &thresholds);
        assert_eq!(cube.literals(), [2, -3, 4]);
        assert!(Cube::new([1], &thresholds).covers(&cube, &thresholds));
        assert!(!Cube::new([3], &thresholds).covers(&cube, &thresholds));
        assert!(!Cube::new([-2], &thresholds).covers(&cube, &thresholds));
        assert!(!cube.covers(&Cube::new([2, 4], &thresholds), &thresholds));
        assert!(cube.contains(&[2, 1], &thresholds) && !cube.contains(&[3, 1], &thresholds));
        assert_eq!(Cube::new([-3, -2], &thresholds).literals(), [-2]);
        assert_eq!(cube.clause().collect::<Vec<_>>(), [-2, 3, -4]);
    }
}

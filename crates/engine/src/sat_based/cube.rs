//! Cubes: conjunctions of literals of the order encoding, which are boxes of markings.

use fireset_kernel::sat::Literal;

use super::order_encoding::OrderEncoding;

/// A conjunction with at most one literal of each sign for a place, ascending by variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cube {
    literals: Vec<Literal>,
    /// A bit for each place, which some places share: a quick test for inclusion.
    signature: u64,
}

impl Cube {
    /// The conjunction of literals that do not contradict each other.
    pub(super) fn new(literals: impl IntoIterator<Item = Literal>, order: &OrderEncoding) -> Self {
        let mut literals: Vec<Literal> = literals.into_iter().collect();
        literals.sort_unstable_by_key(|literal| literal.abs());
        literals.dedup();
        let mut kept: Vec<Literal> = Vec::with_capacity(literals.len());
        for literal in literals {
            let place = order.meaning(literal).0;
            let same = |other: &Literal| (*other > 0) == (literal > 0);
            let mut near = kept.iter_mut().rev().take_while(|other| order.meaning(**other).0 == place);
            match near.find(|other| same(other)) {
                // The highest lower bound counts, and the lowest upper bound, which came first.
                Some(other) if literal > 0 => *other = literal,
                Some(_) => {}
                None => kept.push(literal),
            }
        }
        kept.sort_unstable_by_key(|literal| literal.abs());
        let bit = |&literal: &Literal| 1 << (order.meaning(literal).0 % 64);
        let signature = kept.iter().fold(0u64, |bits, literal| bits | bit(literal));
        Self { literals: kept, signature }
    }

    pub(super) fn literals(&self) -> &[Literal] {
        &self.literals
    }

    pub(super) fn contains(&self, counts: &[u32], order: &OrderEncoding) -> bool {
        self.literals.iter().all(|&literal| order.holds(literal, counts))
    }

    /// Whether it is implied by another cube.
    pub(super) fn covers(&self, other: &Self, order: &OrderEncoding) -> bool {
        let implied = |&literal: &Literal| {
            other
                .literals
                .binary_search_by_key(&literal.abs(), |o| o.abs())
                .is_ok_and(|at| other.literals[at] == literal)
                || other.literals.iter().any(|&stronger| order.implies(stronger, literal))
        };
        self.signature & !other.signature == 0 && self.literals.iter().all(implied)
    }

    /// The clause that excludes the markings of the cube.
    pub(super) fn clause(&self) -> impl Iterator<Item = Literal> + '_ {
        self.literals.iter().map(|&literal| -literal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_boxes() {
        let order = OrderEncoding::new(&[Some(3), Some(2)], &[0, 0], 0).unwrap();
        // At least 2 and at most 2 on the first place, at least 1 on the second.
        let cube = Cube::new([1, 2, -3, 4], &order);
        assert_eq!(cube.literals(), [2, -3, 4]);
        assert!(Cube::new([1], &order).covers(&cube, &order));
        assert!(!Cube::new([3], &order).covers(&cube, &order));
        assert!(!Cube::new([-2], &order).covers(&cube, &order));
        assert!(!cube.covers(&Cube::new([2, 4], &order), &order));
        assert!(cube.contains(&[2, 1], &order) && !cube.contains(&[3, 1], &order));
        assert_eq!(Cube::new([-3, -2], &order).literals(), [-2]);
        assert_eq!(cube.clause().collect::<Vec<_>>(), [-2, 3, -4]);
    }
}

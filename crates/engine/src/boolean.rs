//! Boolean combinations of atoms of any kind.

/// A Boolean combination. The constants are the empty conjunction and the empty disjunction.
#[derive(Clone, Debug)]
pub(crate) enum BoolTree<A> {
    Atom(A),
    Not(Box<BoolTree<A>>),
    And(Box<[BoolTree<A>]>),
    Or(Box<[BoolTree<A>]>),
    Iff(Box<(BoolTree<A>, BoolTree<A>)>),
}

impl<A> BoolTree<A> {
    pub(crate) fn constant(value: bool) -> Self {
        if value { Self::And(Box::default()) } else { Self::Or(Box::default()) }
    }

    /// The value, where `atom` gives those of the atoms; it is asked only as far as they decide.
    pub(crate) fn value(&self, atom: &impl Fn(&A) -> bool) -> bool {
        match self {
            Self::Atom(leaf) => atom(leaf),
            Self::Not(tree) => !tree.value(atom),
            Self::And(trees) => trees.iter().all(|tree| tree.value(atom)),
            Self::Or(trees) => trees.iter().any(|tree| tree.value(atom)),
            Self::Iff(sides) => sides.0.value(atom) == sides.1.value(atom),
        }
    }

    /// Calls `visit` with each atom, from left to right.
    pub(crate) fn atoms<'t>(&'t self, visit: &mut impl FnMut(&'t A)) {
        match self {
            Self::Atom(leaf) => visit(leaf),
            Self::Not(tree) => tree.atoms(visit),
            Self::And(trees) | Self::Or(trees) => trees.iter().for_each(|tree| tree.atoms(visit)),
            Self::Iff(sides) => {
                sides.0.atoms(visit);
                sides.1.atoms(visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_the_truth_tables() {
        let atom = |at: usize| BoolTree::Atom(at);
        for bits in 0..4 {
            let value = |tree: BoolTree<usize>| tree.value(&|&at| bits >> at & 1 == 1);
            let (a, b) = (value(atom(0)), value(atom(1)));
            assert_eq!(value(BoolTree::Not(Box::new(atom(0)))), !a);
            assert_eq!(value(BoolTree::And([atom(0), atom(1)].into())), a && b);
            assert_eq!(value(BoolTree::Or([atom(0), atom(1)].into())), a || b);
            assert_eq!(value(BoolTree::Iff(Box::new((atom(0), atom(1))))), a == b);
            assert!(
                [true, false].into_iter().all(|constant| value(BoolTree::constant(constant)) == constant)
            );
        }
    }

    #[test]
    fn atoms_come_from_left_to_right() {
        let iff = BoolTree::Iff(Box::new((BoolTree::Atom(1), BoolTree::Atom(2))));
        let tree = BoolTree::And([BoolTree::Not(Box::new(BoolTree::Atom(0))), iff, BoolTree::Atom(0)].into());
        let mut seen = Vec::new();
        tree.atoms(&mut |&at| seen.push(at));
        assert_eq!(seen, [0, 1, 2, 0]);
    }
}

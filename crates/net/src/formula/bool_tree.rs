//! Boolean combinations of atoms of any kind: the connectives of every logic and of every compiled form, once.

/// A Boolean combination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoolTree<A> {
    /// Has this value everywhere.
    Constant(bool),
    /// A leaf whose value the tree does not know.
    Atom(A),
    /// Holds where the operand does not.
    Not(Box<BoolTree<A>>),
    /// All of them; true when empty.
    And(Vec<BoolTree<A>>),
    /// Some of them; false when empty.
    Or(Vec<BoolTree<A>>),
    /// Both or neither. Kept, because spelling it out doubles both sides.
    Iff(Box<(BoolTree<A>, BoolTree<A>)>),
}

impl<A> BoolTree<A> {
    /// Negation, without stacking two.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::Constant(value) => Self::Constant(!value),
            other => Self::Not(Box::new(other)),
        }
    }

    /// The equivalence of two.
    pub fn iff(left: Self, right: Self) -> Self {
        Self::Iff(Box::new((left, right)))
    }

    /// The value, where `atom` gives those of the atoms; it is asked only as far as they decide.
    #[inline]
    pub fn value(&self, atom: &mut impl FnMut(&A) -> bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Atom(leaf) => atom(leaf),
            Self::Not(tree) => !tree.value(atom),
            Self::And(trees) => trees.iter().all(|tree| tree.value(atom)),
            Self::Or(trees) => trees.iter().any(|tree| tree.value(atom)),
            Self::Iff(sides) => sides.0.value(atom) == sides.1.value(atom),
        }
    }

    /// Calls `visit` with each atom, from left to right.
    pub fn atoms<'t>(&'t self, visit: &mut impl FnMut(&'t A)) {
        match self {
            Self::Constant(_) => {}
            Self::Atom(leaf) => visit(leaf),
            Self::Not(tree) => tree.atoms(visit),
            Self::And(trees) | Self::Or(trees) => trees.iter().for_each(|tree| tree.atoms(visit)),
            Self::Iff(sides) => {
                sides.0.atoms(visit);
                sides.1.atoms(visit);
            }
        }
    }

    /// Whether `test` is true of some atom.
    pub fn any_atom(&self, test: &impl Fn(&A) -> bool) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Atom(leaf) => test(leaf),
            Self::Not(tree) => tree.any_atom(test),
            Self::And(trees) | Self::Or(trees) => trees.iter().any(|tree| tree.any_atom(test)),
            Self::Iff(sides) => sides.0.any_atom(test) || sides.1.any_atom(test),
        }
    }

    /// The same combination of what `leaf` makes of the atoms.
    pub fn map<B>(&self, leaf: &mut impl FnMut(&A) -> BoolTree<B>) -> BoolTree<B> {
        match self {
            Self::Constant(value) => BoolTree::Constant(*value),
            Self::Atom(atom) => leaf(atom),
            Self::Not(tree) => BoolTree::Not(Box::new(tree.map(leaf))),
            Self::And(trees) => BoolTree::And(trees.iter().map(|tree| tree.map(leaf)).collect()),
            Self::Or(trees) => BoolTree::Or(trees.iter().map(|tree| tree.map(leaf)).collect()),
            Self::Iff(sides) => BoolTree::iff(sides.0.map(leaf), sides.1.map(leaf)),
        }
    }

    /// The trees directly below, in order.
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        let (several, pair): (&[Self], _) = match self {
            Self::Constant(_) | Self::Atom(_) => (&[], None),
            Self::Not(tree) => (std::slice::from_ref(&**tree), None),
            Self::And(trees) | Self::Or(trees) => (trees, None),
            Self::Iff(sides) => (&[], Some([&sides.0, &sides.1])),
        };
        several.iter().chain(pair.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(at: usize) -> BoolTree<usize> {
        BoolTree::Atom(at)
    }

    fn mixed() -> BoolTree<usize> {
        BoolTree::And(vec![BoolTree::Not(Box::new(atom(0))), BoolTree::iff(atom(1), atom(2)), atom(0)])
    }

    #[test]
    fn values_follow_the_truth_tables() {
        for bits in 0..4 {
            let value = |tree: BoolTree<usize>| tree.value(&mut |&at| bits >> at & 1 == 1);
            let (a, b) = (value(atom(0)), value(atom(1)));
            assert_eq!(value(BoolTree::Not(Box::new(atom(0)))), !a);
            assert_eq!(value(atom(0).negate().negate()), a);
            assert_eq!(value(BoolTree::And(vec![atom(0), atom(1)])), a && b);
            assert_eq!(value(BoolTree::Or(vec![atom(0), atom(1)])), a || b);
            assert_eq!(value(BoolTree::iff(atom(0), atom(1))), a == b);
            assert!(value(BoolTree::And(Vec::new())) && !value(BoolTree::Or(Vec::new())));
            for constant in [true, false] {
                assert_eq!(value(BoolTree::Constant(constant)), constant);
                assert_eq!(value(BoolTree::Constant(constant).negate()), !constant);
            }
        }
    }

    #[test]
    fn atoms_come_from_left_to_right() {
        let mut seen = Vec::new();
        mixed().atoms(&mut |&at| seen.push(at));
        assert_eq!(seen, [0, 1, 2, 0]);
        assert!(mixed().any_atom(&|&at| at == 2) && !mixed().any_atom(&|&at| at == 3));
    }

    #[test]
    fn mapping_keeps_the_connectives() {
        let doubled = mixed().map(&mut |&at| BoolTree::Atom(2 * at));
        let mut seen = Vec::new();
        doubled.atoms(&mut |&at| seen.push(at));
        assert_eq!(seen, [0, 2, 4, 0]);
        assert_eq!(mixed().map(&mut |&at| BoolTree::Atom(at)), mixed());
        assert_eq!(mixed().children().count(), 3);
    }
}

//! State predicates compiled for evaluation in many states: a comparison becomes one linear sum over token counts that is
//! compared with zero.
//!
//! A comparison that is not linear, or has numbers that are too large, is kept as it is and evaluated exactly.
//! Test: below, against the formula's own value.

use fireset_net::{
    BoolTree, Comparison, Expr, Linear, PlaceId, StateAtom, StatePredicate, TokenCounts, TransitionId,
    coloured::{BindingPattern, PlaceColours},
};

use super::MarkingSpace;

/// Factors below this cannot overflow a sum of 128 bits.
const MAX_FACTOR: i128 = 1 << 40;

/// An atom in the form in which engines evaluate it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PredicateAtom {
    Deadlock,
    /// Some of these transitions is enabled; each stands there once.
    Fireable(Box<[TransitionId]>),
    /// A transition of a coloured net is enabled under some of these bindings.
    BindingFireable(Box<BindingPattern>),
    /// The sum of factors times tokens and the constant, compared with zero.
    Linear(Comparison, Box<[(PlaceId, i64)]>, i128),
    /// A comparison of products of counts, of tokens of some colours, or of numbers that are too large for a sum.
    Nonlinear(Comparison, Box<(Expr, Expr)>),
}

/// A compiled state predicate: the one form that all engines evaluate.
pub(crate) type Predicate = BoolTree<PredicateAtom>;

/// Brings the comparisons of a predicate to one side.
pub(crate) fn compile(predicate: &StatePredicate) -> Predicate {
    predicate.map(&mut |atom| BoolTree::Atom(PredicateAtom::new(atom)))
}

/// The value of a predicate in a row; `deadlock` tells whether the row enables no transition.
#[inline]
pub(crate) fn holds<S: MarkingSpace>(
    predicate: &Predicate,
    space: &mut S,
    row: &[u64],
    deadlock: bool,
) -> bool {
    predicate.value(&mut |atom| atom.holds(space, row, deadlock))
}

/// Whether a predicate contains a deadlock atom.
pub(crate) fn asks_for_deadlock(predicate: &Predicate) -> bool {
    predicate.any_atom(&|atom| matches!(atom, PredicateAtom::Deadlock))
}

impl PredicateAtom {
    fn new(atom: &StateAtom) -> Self {
        match atom {
            StateAtom::Deadlock => Self::Deadlock,
            StateAtom::Fireable(ts) => {
                let mut ts = ts.clone();
                ts.sort_unstable();
                ts.dedup();
                Self::Fireable(ts.into())
            }
            StateAtom::BindingFireable(bindings) => Self::BindingFireable(Box::new(bindings.clone())),
            StateAtom::Compare(how, a, b) => {
                linear(*how, a, b).unwrap_or_else(|| Self::Nonlinear(*how, Box::new((a.clone(), b.clone()))))
            }
        }
    }

    /// The value in a row; `deadlock` tells whether the row enables no transition.
    #[inline]
    pub(crate) fn holds<S: MarkingSpace>(&self, space: &mut S, row: &[u64], deadlock: bool) -> bool {
        match self {
            Self::Deadlock => deadlock,
            Self::Fireable(ts) => ts.iter().any(|&t| space.fireable(row, t)),
            Self::Linear(how, terms, constant) => {
                how.holds(&sum(terms, *constant, |place| space.tokens(row, place)), &0)
            }
            Self::BindingFireable(bindings) => space.binding_fireable(row, bindings),
            Self::Nonlinear(how, sides) => sides.0.compare(*how, &sides.1, &RowCounts { space, row }),
        }
    }

    /// Calls `visit` with each place that a comparison counts.
    pub(crate) fn counted_places(&self, visit: &mut impl FnMut(PlaceId)) {
        match self {
            Self::Deadlock | Self::Fireable(_) | Self::BindingFireable(_) => {}
            Self::Linear(_, terms, _) => terms.iter().for_each(|term| visit(term.0)),
            Self::Nonlinear(_, sides) => {
                sides.0.places(visit);
                sides.1.places(visit);
            }
        }
    }
}

/// The token counts of a row.
pub(crate) struct RowCounts<'a, S> {
    pub(crate) space: &'a S,
    pub(crate) row: &'a [u64],
}

impl<S: MarkingSpace> TokenCounts for RowCounts<'_, S> {
    #[inline]
    fn tokens(&self, place: PlaceId) -> u128 {
        self.space.tokens(self.row, place).into()
    }

    fn colour_tokens(&self, tokens: &PlaceColours) -> u128 {
        self.space.colour_tokens(self.row, tokens).into()
    }
}

/// The sum of a linear comparison.
#[inline]
pub(crate) fn sum(terms: &[(PlaceId, i64)], constant: i128, tokens: impl Fn(PlaceId) -> u64) -> i128 {
    let term = |&(place, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(tokens(place));
    terms.iter().map(term).fold(constant, |sum, term| sum + term)
}

/// A comparison as that of a sum with zero.
fn linear(how: Comparison, a: &Expr, b: &Expr) -> Option<PredicateAtom> {
    let form = Linear::difference(a, b)?;
    let small = |&(place, factor): &(u32, i128)| {
        (factor.abs() < MAX_FACTOR).then_some((PlaceId::new(place as usize), factor as i64))
    };
    let terms = form.terms.iter().map(small).collect::<Option<_>>()?;
    (form.constant.abs() < i128::MAX / 4).then_some(PredicateAtom::Linear(how, terms, form.constant))
}

#[cfg(test)]
mod tests {
    use fireset_net::{Budget, Net, Semantics, replay};
    use fireset_oracle::random::{self, NetShape, TestRng};
    use fireset_structure::NetStructure;

    use super::*;
    use crate::{
        packed::{Access, LayoutChoice, PackedNet},
        search::{EncodedNet, SpaceTask},
    };

    struct PredicateTask<'a>(&'a Predicate, Vec<u64>, bool);

    impl SpaceTask<u32> for PredicateTask<'_> {
        type Output = bool;

        fn run<S: MarkingSpace<ActionId = u32>>(self, space: &mut S) -> bool {
            holds(self.0, space, &self.1, self.2)
        }
    }

    fn value(net: &Net, predicate: &Predicate) -> bool {
        let knowledge = NetStructure::of(net).place_invariants(&Budget::unlimited());
        let ground = PackedNet::new(net, &knowledge, LayoutChoice::Auto, Access::Direct);
        let deadlock = net.steps(net.initial_marking()).is_empty();
        ground
            .on_space(PredicateTask(predicate, ground.initial_row(), deadlock), &Budget::unlimited())
            .expect("nothing stops it")
    }

    #[test]
    fn it_has_the_formulas_value() {
        let mut linear = 0;
        for seed in 0..2_000 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape::default());
            let formula = random::predicate(&mut random, net.nodes(), 3);
            let predicate = compile(&formula);
            linear += usize::from(matches!(predicate, BoolTree::Atom(PredicateAtom::Linear(..))));
            let expected = replay::holds_in(&net, net.initial_marking(), &formula);
            assert_eq!(value(&net, &predicate), expected, "seed {seed}: {formula:?}");
        }
        assert!(linear > 100, "only {linear} were linear");
    }

    #[test]
    fn numbers_that_are_too_large_stay_exact() {
        let net = fireset_oracle::tiny::net("p:3; t: p -> p");
        let p = || Expr::Tokens(vec![PlaceId::new(0)]);
        let huge = || Expr::Product(vec![Expr::Constant(i64::MAX), Expr::Constant(i64::MAX), p()]);
        for (a, b, expected) in [(huge(), p(), false), (p(), huge(), true)] {
            let predicate = StateAtom::Compare(Comparison::Less, a, b).into();
            assert_eq!(value(&net, &compile(&predicate)), expected);
        }
    }
}

//! State predicates compiled for evaluation in many states: a comparison becomes one linear sum over token counts that is
//! compared with zero.
//!
//! A comparison that is not linear, or has numbers that are too large, is kept as it is and evaluated exactly.
//! Test: below, against the formula's own value.

use fireset_net::{Comparison, Expr, Formula, Linear, PlaceId, TransitionId};

use super::MarkingSpace;

/// Factors below this cannot overflow a sum of 128 bits.
const MAX_FACTOR: i128 = 1 << 40;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Predicate {
    Constant(bool),
    Deadlock,
    Fireable(Box<[TransitionId]>),
    /// The sum of factors times tokens and the constant, compared with zero.
    Linear(Comparison, Box<[(PlaceId, i64)]>, i128),
    Compare(Comparison, Expr, Expr),
    Not(Box<Predicate>),
    And(Box<[Predicate]>),
    Or(Box<[Predicate]>),
    Iff(Box<(Predicate, Predicate)>),
}

impl Predicate {
    /// Compiles a formula, which is a state predicate.
    pub(crate) fn new(formula: &Formula) -> Self {
        let all = |fs: &[Formula]| fs.iter().map(Self::new).collect();
        match formula {
            Formula::Constant(value) => Self::Constant(*value),
            Formula::Deadlock => Self::Deadlock,
            Formula::Fireable(ts) => Self::Fireable(ts[..].into()),
            Formula::Compare(how, a, b) => {
                linear(*how, a, b).unwrap_or_else(|| Self::Compare(*how, a.clone(), b.clone()))
            }
            Formula::Not(f) => Self::Not(Box::new(Self::new(f))),
            Formula::And(fs) => Self::And(all(fs)),
            Formula::Or(fs) => Self::Or(all(fs)),
            Formula::Iff(f, g) => Self::Iff(Box::new((Self::new(f), Self::new(g)))),
            _ => panic!("only state predicates have a value in a single state"),
        }
    }

    /// The value in a row; `deadlock` tells whether the row enables no transition.
    pub(crate) fn holds<S: MarkingSpace>(&self, space: &mut S, row: &[u64], deadlock: bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Deadlock => deadlock,
            Self::Fireable(ts) => ts.iter().any(|&t| space.fireable(row, t)),
            Self::Linear(how, terms, constant) => how.holds(&Self::sum(space, row, terms, *constant), &0),
            Self::Compare(how, a, b) => a.compare(*how, b, &|p| space.tokens(row, p).into()),
            Self::Not(f) => !f.holds(space, row, deadlock),
            Self::And(fs) => fs.iter().all(|f| f.holds(space, row, deadlock)),
            Self::Or(fs) => fs.iter().any(|f| f.holds(space, row, deadlock)),
            Self::Iff(sides) => sides.0.holds(space, row, deadlock) == sides.1.holds(space, row, deadlock),
        }
    }

    /// The sum of a linear comparison.
    pub(crate) fn sum<S: MarkingSpace>(
        space: &S,
        row: &[u64],
        terms: &[(PlaceId, i64)],
        constant: i128,
    ) -> i128 {
        let term =
            |&(place, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(space.tokens(row, place));
        terms.iter().map(term).fold(constant, |sum, term| sum + term)
    }

    /// Whether it contains a deadlock atom.
    pub(crate) fn asks_for_deadlock(&self) -> bool {
        match self {
            Self::Deadlock => true,
            Self::Not(f) => f.asks_for_deadlock(),
            Self::And(fs) | Self::Or(fs) => fs.iter().any(Self::asks_for_deadlock),
            Self::Iff(sides) => sides.0.asks_for_deadlock() || sides.1.asks_for_deadlock(),
            _ => false,
        }
    }
}

/// A comparison as that of a sum with zero.
fn linear(how: Comparison, a: &Expr, b: &Expr) -> Option<Predicate> {
    let form = Linear::from_expr(a)?.plus(&Linear::from_expr(b)?.scaled(-1)?)?;
    let small = |&(place, factor): &(u32, i128)| {
        (factor.abs() < MAX_FACTOR).then_some((PlaceId::new(place as usize), factor as i64))
    };
    let terms = form.terms.iter().map(small).collect::<Option<_>>()?;
    (form.constant.abs() < i128::MAX / 4).then_some(Predicate::Linear(how, terms, form.constant))
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
            self.0.holds(space, &self.1, self.2)
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
            let predicate = Predicate::new(&formula);
            linear += usize::from(matches!(predicate, Predicate::Linear(..)));
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
            let formula = Formula::Compare(Comparison::Less, a, b);
            assert_eq!(value(&net, &Predicate::new(&formula)), expected);
        }
    }
}

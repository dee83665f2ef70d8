//! Path formulas in negation normal form over opaque atoms, as automata want them.
//!
//! `F`, `G`, `W` and `<->` are spelled out into `U`, `R`, `&` and `|`. That copies the operands of `<->` and the
//! right one of `W`, so nested ones can grow without measure: ask [`size`] first. Test: below, on all markings and
//! on short formulas spelled out by hand.

use fireset_kernel::automata::{AtomId, AtomLiteral, LtlFormula};
use fireset_net::{BoolTree, PathAtom, PathFormula, StateAtom, StatePredicate, Temporal};

/// The formula with negations only before atoms. `state` translates a state predicate or, where its second argument is
/// false, the negation of one: to a literal, or with [`spelled_out`].
pub fn path(
    formula: &PathFormula,
    state: &mut impl FnMut(&StatePredicate, bool) -> LtlFormula,
) -> LtlFormula {
    signed_path(formula, true, state)
}

/// A state predicate, or its negation, with its connectives; `atom` numbers the atoms.
pub fn spelled_out(
    predicate: &StatePredicate,
    positive: bool,
    atom: &mut impl FnMut(&StateAtom) -> AtomId,
) -> LtlFormula {
    signed(predicate, positive, &mut |leaf, positive| {
        LtlFormula::Literal(AtomLiteral { atom: atom(leaf), positive })
    })
}

/// How many nodes [`path`] makes of a formula, at most, where `state` tells that of a state predicate.
pub fn size(formula: &PathFormula, state: &impl Fn(&StatePredicate) -> usize) -> usize {
    tree_size(formula, &|atom| match atom {
        PathAtom::State(predicate) => state(predicate),
        PathAtom::Temporal((), operator) => operator_size(operator, |f| size(f, state)),
    })
}

/// How many nodes [`signed_operator`] and its operands make, at most, where `size` tells those of an operand.
pub(crate) fn operator_size<F>(operator: &Temporal<F>, size: impl Fn(&F) -> usize) -> usize {
    match operator {
        Temporal::WeakUntil(f, g) => size(f).saturating_add(size(g).saturating_mul(2)).saturating_add(2),
        other => other.operands().fold(2, |sum: usize, f| sum.saturating_add(size(f))),
    }
}

/// How many nodes [`spelled_out`] makes of a predicate, at most.
pub fn spelled_out_size(predicate: &StatePredicate) -> usize {
    tree_size(predicate, &|_| 1)
}

pub(crate) fn tree_size<A>(tree: &BoolTree<A>, leaf: &impl Fn(&A) -> usize) -> usize {
    let below = tree.children().fold(0, |sum: usize, f| sum.saturating_add(tree_size(f, leaf)));
    match tree {
        BoolTree::Atom(atom) => leaf(atom),
        BoolTree::Iff(_) => below.saturating_mul(2).saturating_add(3),
        _ => below.saturating_add(1),
    }
}

/// A Boolean combination or its negation, where `leaf` translates atoms and negated ones.
pub(crate) fn signed<A>(
    tree: &BoolTree<A>,
    positive: bool,
    leaf: &mut impl FnMut(&A, bool) -> LtlFormula,
) -> LtlFormula {
    match tree {
        BoolTree::Constant(value) => LtlFormula::Constant(*value == positive),
        BoolTree::Atom(atom) => leaf(atom, positive),
        BoolTree::Not(f) => signed(f, !positive, leaf),
        BoolTree::And(fs) => many(fs.iter().map(|f| signed(f, positive, leaf)).collect(), positive),
        BoolTree::Or(fs) => many(fs.iter().map(|f| signed(f, positive, leaf)).collect(), !positive),
        BoolTree::Iff(sides) => {
            let (f, g) = (&sides.0, &sides.1);
            let mut side = |of_f, of_g| many(vec![signed(f, of_f, leaf), signed(g, of_g, leaf)], true);
            LtlFormula::Or(vec![side(true, positive), side(false, !positive)])
        }
    }
}

/// The formula, or its negation.
fn signed_path(
    formula: &PathFormula,
    positive: bool,
    state: &mut impl FnMut(&StatePredicate, bool) -> LtlFormula,
) -> LtlFormula {
    signed(formula, positive, &mut |atom: &PathAtom, positive| match atom {
        PathAtom::State(predicate) => state(predicate, positive),
        PathAtom::Temporal((), operator) => {
            signed_operator(operator.map(&mut |f| signed_path(f, positive, &mut *state)), positive)
        }
    })
}

/// A temporal operator, or its negation, over operands that are translated with the same sign.
pub(crate) fn signed_operator(operator: Temporal<LtlFormula>, positive: bool) -> LtlFormula {
    match operator {
        Temporal::Next(f) => LtlFormula::Next(f.into()),
        Temporal::Finally(f) => binary(LtlFormula::Constant(positive), f, positive),
        Temporal::Globally(f) => binary(LtlFormula::Constant(!positive), f, !positive),
        Temporal::Until(f, g) => binary(f, g, positive),
        Temporal::Release(f, g) => binary(f, g, !positive),
        // The first may be false only when the second is true: f W g = g R (f | g).
        Temporal::WeakUntil(f, g) => binary(g.clone(), many(vec![f, g], !positive), !positive),
    }
}

fn many(parts: Vec<LtlFormula>, all: bool) -> LtlFormula {
    if all { LtlFormula::And(parts) } else { LtlFormula::Or(parts) }
}

fn binary(f: LtlFormula, g: LtlFormula, until: bool) -> LtlFormula {
    if until { LtlFormula::Until(f.into(), g.into()) } else { LtlFormula::Release(f.into(), g.into()) }
}

#[cfg(test)]
mod tests {
    use fireset_net::TransitionId;

    use super::*;

    fn atom(n: usize) -> StatePredicate {
        StateAtom::Fireable(vec![TransitionId::new(n)]).into()
    }

    fn leaf(n: usize) -> PathFormula {
        atom(n).into()
    }

    fn number(atom: &StateAtom) -> u32 {
        if let StateAtom::Fireable(ts) = atom { ts[0].index() as u32 } else { u32::MAX }
    }

    fn converted(formula: &PathFormula) -> LtlFormula {
        path(formula, &mut |predicate, positive| spelled_out(predicate, positive, &mut number))
    }

    fn literal(atom: u32, positive: bool) -> LtlFormula {
        LtlFormula::Literal(AtomLiteral { atom, positive })
    }

    #[test]
    fn negations_stand_before_atoms() {
        let f = PathFormula::from(Temporal::Until(leaf(0), Temporal::Next(leaf(1)).into()));
        let (a, b) = (literal(0, false), LtlFormula::Next(literal(1, false).into()));
        assert_eq!(converted(&f.negate()), LtlFormula::Release(a.into(), b.into()));
        let f = PathFormula::from(Temporal::Globally(Temporal::Finally(leaf(0).complement()).into()));
        let inner = LtlFormula::Until(LtlFormula::Constant(true).into(), literal(0, false).into());
        assert_eq!(converted(&f), LtlFormula::Release(LtlFormula::Constant(false).into(), inner.into()));
        let inner = LtlFormula::Release(LtlFormula::Constant(false).into(), literal(0, true).into());
        assert_eq!(
            converted(&f.negate()),
            LtlFormula::Until(LtlFormula::Constant(true).into(), inner.into())
        );
    }

    #[test]
    fn weak_until_is_a_release() {
        let f = PathFormula::from(Temporal::WeakUntil(leaf(0), leaf(1)));
        let or = LtlFormula::Or(vec![literal(0, true), literal(1, true)]);
        assert_eq!(converted(&f), LtlFormula::Release(literal(1, true).into(), or.into()));
        let and = LtlFormula::And(vec![literal(0, false), literal(1, false)]);
        assert_eq!(converted(&f.negate()), LtlFormula::Until(literal(1, false).into(), and.into()));
    }

    /// The value of a formula without temporal operators.
    fn holds(f: &LtlFormula, letter: u32) -> Option<bool> {
        match f {
            LtlFormula::Constant(value) => Some(*value),
            LtlFormula::Literal(l) => Some((letter >> l.atom & 1 == 1) == l.positive),
            LtlFormula::And(fs) => fs.iter().try_fold(true, |all, f| Some(all & holds(f, letter)?)),
            LtlFormula::Or(fs) => fs.iter().try_fold(false, |any, f| Some(any | holds(f, letter)?)),
            _ => None,
        }
    }

    #[test]
    fn boolean_operators_keep_their_value() {
        let iff = BoolTree::iff(atom(0), BoolTree::Or(vec![atom(1), atom(2).negate()]));
        let f = BoolTree::And(vec![iff.clone(), BoolTree::iff(iff.negate(), atom(2)).negate()]);
        for f in [f.clone(), f.negate()] {
            for letter in 0..8_u32 {
                let value = f.value(&mut |atom| letter >> number(atom) & 1 == 1);
                assert_eq!(holds(&converted(&f.clone().into()), letter), Some(value), "{f:?} {letter}");
            }
        }
    }

    #[test]
    fn sizes_are_told_before() {
        let nested = (0..300).fold(atom(0), |f, n| BoolTree::iff(f, atom(n)));
        assert_eq!(spelled_out_size(&nested), usize::MAX);
        assert!(spelled_out_size(&BoolTree::iff(atom(0), atom(1))) < 20);
        let next = |f| PathFormula::from(Temporal::Next(f));
        let nested = (0..300).fold(next(leaf(0)), |f, _| BoolTree::iff(f, next(leaf(1))));
        assert_eq!(size(&nested, &spelled_out_size), usize::MAX);
        assert!(size(&Temporal::WeakUntil(leaf(0), leaf(1)).into(), &spelled_out_size) < 20);
    }
}

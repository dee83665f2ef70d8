//! Path formulas in negation normal form over opaque atoms, as automata want them.
//!
//! `F`, `G`, `W` and `<->` are spelled out into `U`, `R`, `&` and `|`. That copies the operands of `<->` and the
//! right one of `W`, so nested ones can grow without measure: ask [`size`] first. Test: below, on
//! all letters for Boolean operators and on short formulas for the others.

use fireset_kernel::automata::{Atom, Literal, Ltl};
use fireset_net::Formula;

/// The formula with negations only before atoms. `atom` gives numbers to `Deadlock`, `Fireable` and `Compare`; it
/// is asked once for each time that one is met.
///
/// # Panics
/// When the formula has a quantifier, a bound or a property of the whole net.
pub fn path(formula: &Formula, atom: &mut impl FnMut(&Formula) -> Atom) -> Ltl {
    signed(formula, true, atom)
}

/// How many nodes [`path`] makes of it, at most.
pub fn size(formula: &Formula) -> usize {
    let copies = |f: &Formula, n: usize| size(f).saturating_mul(n);
    let parts = match formula {
        Formula::Iff(f, g) => copies(f, 2).saturating_add(copies(g, 2)).saturating_add(2),
        Formula::WeakUntil(f, g) => copies(f, 1).saturating_add(copies(g, 2)).saturating_add(1),
        _ => formula.children().fold(1, |sum: usize, f| sum.saturating_add(size(f))),
    };
    parts.saturating_add(1)
}

/// The formula, or its negation.
fn signed(formula: &Formula, positive: bool, atom: &mut impl FnMut(&Formula) -> Atom) -> Ltl {
    match formula {
        Formula::Constant(value) => Ltl::Constant(*value == positive),
        Formula::Deadlock | Formula::Fireable(_) | Formula::Compare(..) => {
            Ltl::Literal(Literal { atom: atom(formula), positive })
        }
        Formula::Not(f) => signed(f, !positive, atom),
        Formula::And(fs) => many(fs.iter().map(|f| signed(f, positive, atom)).collect(), positive),
        Formula::Or(fs) => many(fs.iter().map(|f| signed(f, positive, atom)).collect(), !positive),
        Formula::Iff(f, g) => {
            let mut side = |of_f, of_g| many(vec![signed(f, of_f, atom), signed(g, of_g, atom)], true);
            Ltl::Or(vec![side(true, positive), side(false, !positive)])
        }
        Formula::Next(f) => Ltl::Next(signed(f, positive, atom).into()),
        Formula::Finally(f) => binary(Ltl::Constant(positive), signed(f, positive, atom), positive),
        Formula::Globally(f) => binary(Ltl::Constant(!positive), signed(f, positive, atom), !positive),
        Formula::Until(f, g) => binary(signed(f, positive, atom), signed(g, positive, atom), positive),
        Formula::Release(f, g) => binary(signed(f, positive, atom), signed(g, positive, atom), !positive),
        // The first may be false only when the second is true: f W g = g R (f | g).
        Formula::WeakUntil(f, g) => {
            let (f, g) = (signed(f, positive, atom), signed(g, positive, atom));
            binary(g.clone(), many(vec![f, g], !positive), !positive)
        }
        Formula::Exists(_) | Formula::ForAll(_) | Formula::Bound(_) | Formula::Global(_) => {
            panic!("a path formula has neither quantifiers nor bounds nor properties of the whole net")
        }
    }
}

fn many(parts: Vec<Ltl>, all: bool) -> Ltl {
    if all { Ltl::And(parts) } else { Ltl::Or(parts) }
}

fn binary(f: Ltl, g: Ltl, until: bool) -> Ltl {
    if until { Ltl::Until(f.into(), g.into()) } else { Ltl::Release(f.into(), g.into()) }
}

#[cfg(test)]
mod tests {
    use fireset_net::TransitionId;

    use super::*;

    fn atom(n: usize) -> Formula {
        Formula::Fireable(vec![TransitionId::new(n)])
    }

    fn converted(formula: &Formula) -> Ltl {
        path(formula, &mut |atom| match atom {
            Formula::Fireable(ts) => ts[0].index() as u32,
            other => panic!("{other:?} is not an atom of these tests"),
        })
    }

    fn literal(atom: u32, positive: bool) -> Ltl {
        Ltl::Literal(Literal { atom, positive })
    }

    #[test]
    fn negations_stand_before_atoms() {
        let f = Formula::Until(atom(0).into(), Formula::Next(atom(1).into()).into());
        let (a, b) = (literal(0, false), Ltl::Next(literal(1, false).into()));
        assert_eq!(converted(&f.negate()), Ltl::Release(a.into(), b.into()));
        let f = Formula::Globally(Formula::Finally(atom(0).negate().into()).into());
        let inner = Ltl::Until(Ltl::Constant(true).into(), literal(0, false).into());
        assert_eq!(converted(&f), Ltl::Release(Ltl::Constant(false).into(), inner.into()));
        let inner = Ltl::Release(Ltl::Constant(false).into(), literal(0, true).into());
        assert_eq!(converted(&f.negate()), Ltl::Until(Ltl::Constant(true).into(), inner.into()));
    }

    #[test]
    fn weak_until_is_a_release() {
        let f = Formula::WeakUntil(atom(0).into(), atom(1).into());
        let or = Ltl::Or(vec![literal(0, true), literal(1, true)]);
        assert_eq!(converted(&f), Ltl::Release(literal(1, true).into(), or.into()));
        let and = Ltl::And(vec![literal(0, false), literal(1, false)]);
        assert_eq!(converted(&f.negate()), Ltl::Until(literal(1, false).into(), and.into()));
    }

    fn holds(f: &Ltl, letter: u32) -> bool {
        match f {
            Ltl::Constant(value) => *value,
            Ltl::Literal(l) => (letter >> l.atom & 1 == 1) == l.positive,
            Ltl::And(fs) => fs.iter().all(|f| holds(f, letter)),
            Ltl::Or(fs) => fs.iter().any(|f| holds(f, letter)),
            _ => panic!("not Boolean"),
        }
    }

    #[test]
    fn boolean_operators_keep_their_value() {
        let iff = Formula::Iff(atom(0).into(), Formula::Or(vec![atom(1), atom(2).negate()]).into());
        let f = Formula::And(vec![iff.clone(), Formula::Iff(iff.negate().into(), atom(2).into()).negate()]);
        for f in [f.clone(), f.negate()] {
            for letter in 0..8_u32 {
                let value =
                    f.evaluate(&|a| matches!(a, Formula::Fireable(ts) if letter >> ts[0].index() & 1 == 1));
                assert_eq!(holds(&converted(&f), letter), value, "{f:?} {letter}");
            }
        }
    }

    #[test]
    fn sizes_are_told_before() {
        let nested = (0..300).fold(atom(0), |f, n| Formula::Iff(f.into(), atom(n).into()));
        assert_eq!(size(&nested), usize::MAX);
        assert!(size(&Formula::Iff(atom(0).into(), atom(1).into())) < 20);
    }
}

//! Path formulas in negation normal form over opaque atoms, as automata want them.
//!
//! `F`, `G`, `W` and `<->` are spelled out into `U`, `R`, `&` and `|`. That copies the operands of `<->` and the
//! right one of `W`, so nested ones can grow without measure: ask [`size`] first. Test: below, on all markings and
//! on short formulas spelled out by hand.

use fireset_kernel::automata::{AtomId, AtomLiteral, LtlFormula};
use fireset_net::Formula;

/// The formula with negations only before atoms. `atom` says which parts are atoms and gives them numbers: it is
/// asked from the top down about all parts that are not negations, and has to take `Deadlock`, `Fireable` and
/// `Compare`.
///
/// # Panics
/// When the formula has a quantifier, a bound or a property of the whole net.
pub fn path(formula: &Formula, atom: &mut impl FnMut(&Formula) -> Option<AtomId>) -> LtlFormula {
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
fn signed(
    formula: &Formula,
    positive: bool,
    atom: &mut impl FnMut(&Formula) -> Option<AtomId>,
) -> LtlFormula {
    match formula {
        Formula::Constant(value) => return LtlFormula::Constant(*value == positive),
        Formula::Not(f) => return signed(f, !positive, atom),
        _ => {}
    }
    if let Some(atom) = atom(formula) {
        return LtlFormula::Literal(AtomLiteral { atom, positive });
    }
    match formula {
        Formula::And(fs) => many(fs.iter().map(|f| signed(f, positive, atom)).collect(), positive),
        Formula::Or(fs) => many(fs.iter().map(|f| signed(f, positive, atom)).collect(), !positive),
        Formula::Iff(f, g) => {
            let mut side = |of_f, of_g| many(vec![signed(f, of_f, atom), signed(g, of_g, atom)], true);
            LtlFormula::Or(vec![side(true, positive), side(false, !positive)])
        }
        Formula::Next(f) => LtlFormula::Next(signed(f, positive, atom).into()),
        Formula::Finally(f) => binary(LtlFormula::Constant(positive), signed(f, positive, atom), positive),
        Formula::Globally(f) => binary(LtlFormula::Constant(!positive), signed(f, positive, atom), !positive),
        Formula::Until(f, g) => binary(signed(f, positive, atom), signed(g, positive, atom), positive),
        Formula::Release(f, g) => binary(signed(f, positive, atom), signed(g, positive, atom), !positive),
        // The first may be false only when the second is true: f W g = g R (f | g).
        Formula::WeakUntil(f, g) => {
            let (f, g) = (signed(f, positive, atom), signed(g, positive, atom));
            binary(g.clone(), many(vec![f, g], !positive), !positive)
        }
        _ => panic!("a path formula has neither quantifiers nor bounds nor properties of the whole net"),
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

    fn atom(n: usize) -> Formula {
        Formula::Fireable(vec![TransitionId::new(n)])
    }

    fn converted(formula: &Formula) -> LtlFormula {
        path(formula, &mut |atom| match atom {
            Formula::Fireable(ts) => Some(ts[0].index() as u32),
            _ => None,
        })
    }

    fn literal(atom: u32, positive: bool) -> LtlFormula {
        LtlFormula::Literal(AtomLiteral { atom, positive })
    }

    #[test]
    fn negations_stand_before_atoms() {
        let f = Formula::Until(atom(0).into(), Formula::Next(atom(1).into()).into());
        let (a, b) = (literal(0, false), LtlFormula::Next(literal(1, false).into()));
        assert_eq!(converted(&f.negate()), LtlFormula::Release(a.into(), b.into()));
        let f = Formula::Globally(Formula::Finally(atom(0).negate().into()).into());
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
        let f = Formula::WeakUntil(atom(0).into(), atom(1).into());
        let or = LtlFormula::Or(vec![literal(0, true), literal(1, true)]);
        assert_eq!(converted(&f), LtlFormula::Release(literal(1, true).into(), or.into()));
        let and = LtlFormula::And(vec![literal(0, false), literal(1, false)]);
        assert_eq!(converted(&f.negate()), LtlFormula::Until(literal(1, false).into(), and.into()));
    }

    fn holds(f: &LtlFormula, letter: u32) -> bool {
        match f {
            LtlFormula::Constant(value) => *value,
            LtlFormula::Literal(l) => (letter >> l.atom & 1 == 1) == l.positive,
            LtlFormula::And(fs) => fs.iter().all(|f| holds(f, letter)),
            LtlFormula::Or(fs) => fs.iter().any(|f| holds(f, letter)),
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

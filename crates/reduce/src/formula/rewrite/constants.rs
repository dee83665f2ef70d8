//! Constants below temporal operators.

use fireset_net::Formula;

use super::{RewriteRule, rule};
use crate::formula::view::{PathQuantifier, finally, globally, not_deadlock, temporal};

pub(in crate::formula) const RULES: &[RewriteRule] = &[
    rule("constant_next", constant_next),
    rule("constant_below", constant_below),
    rule("constant_in_until", constant_in_until),
    rule("constant_in_release", constant_in_release),
    rule("constant_in_weak_until", constant_in_weak_until),
];

/// `QX c = c` for a constant `c`, but for `EX true = !deadlock` and `AX false = deadlock`.
fn constant_next(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Next(c)) = temporal(f)? else { return None };
    let Formula::Constant(value) = **c else { return None };
    Some(match (quantifier, value) {
        (PathQuantifier::Exists, true) => not_deadlock(),
        (PathQuantifier::ForAll, false) => Formula::Deadlock,
        _ => Formula::Constant(value),
    })
}

/// `QF c = QG c = c` for a constant `c`.
fn constant_below(f: &Formula) -> Option<Formula> {
    match temporal(f)?.1 {
        Formula::Finally(c) | Formula::Globally(c) => {
            matches!(**c, Formula::Constant(_)).then(|| (**c).clone())
        }
        _ => None,
    }
}

/// `Q[f U true] = true`, `Q[f U false] = false`, `Q[true U g] = QF g`, `Q[false U g] = g`.
fn constant_in_until(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Until(f, g)) = temporal(f)? else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(_)) | (Formula::Constant(false), _) => Some((**g).clone()),
        (Formula::Constant(true), g) => Some(quantifier.over(finally(g.clone()))),
        _ => None,
    }
}

/// `Q[f R true] = true`, `Q[f R false] = false`, `Q[true R g] = g`, `Q[false R g] = QG g`.
fn constant_in_release(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Release(f, g)) = temporal(f)? else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(_)) | (Formula::Constant(true), _) => Some((**g).clone()),
        (Formula::Constant(false), g) => Some(quantifier.over(globally(g.clone()))),
        _ => None,
    }
}

/// `Q[f W true] = true`, `Q[f W false] = QG f`, `Q[true W g] = true`, `Q[false W g] = g`.
fn constant_in_weak_until(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::WeakUntil(f, g)) = temporal(f)? else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(true)) | (Formula::Constant(true), _) => Some(Formula::Constant(true)),
        (Formula::Constant(false), g) => Some(g.clone()),
        (f, Formula::Constant(false)) => Some(quantifier.over(globally(f.clone()))),
        _ => None,
    }
}

//! Stable formulas move outwards: they have one value for the whole word, so no temporal operator need hold them.
//!
//! The size stays the same, but outside they meet others and can be asked for once.

use fireset_net::Formula;

use super::{Rule, binary, combine, finally, globally, next, operands};
use crate::formula::classes::is_stable;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "stable_below_unary", apply: stable_below_unary },
    Rule { name: "stable_on_the_right", apply: stable_on_the_right },
    Rule { name: "stable_on_the_left", apply: stable_on_the_left },
];

/// The stable operands of a conjunction or disjunction, and the others, when there are some of each.
fn split(f: &Formula) -> Option<(bool, Vec<Formula>, Formula)> {
    let (conjunction, fs) = operands(f)?;
    let (stable, rest): (Vec<Formula>, Vec<Formula>) = fs.iter().cloned().partition(is_stable);
    (!stable.is_empty() && !rest.is_empty()).then(|| (conjunction, stable, combine(conjunction, rest)))
}

/// The stable operands beside what is left of the operator.
fn beside(conjunction: bool, mut stable: Vec<Formula>, rest: Formula) -> Formula {
    stable.push(rest);
    combine(conjunction, stable)
}

/// `X(f & s) = X f & s`, and so for F and G and for `|`.
fn stable_below_unary(f: &Formula) -> Option<Formula> {
    let (inner, operator): (_, fn(Formula) -> Formula) = match f {
        Formula::Next(inner) => (inner, next),
        Formula::Finally(inner) => (inner, finally),
        Formula::Globally(inner) => (inner, globally),
        _ => return None,
    };
    let (conjunction, stable, rest) = split(inner)?;
    Some(beside(conjunction, stable, operator(rest)))
}

/// `f U (g & s) = (f U g) & s`, and so for R and for `|`; `f W (g | s) = (f W g) | s`.
fn stable_on_the_right(f: &Formula) -> Option<Formula> {
    let (left, right) = match f {
        Formula::Until(left, right) | Formula::Release(left, right) | Formula::WeakUntil(left, right) => {
            (left, right)
        }
        _ => return None,
    };
    let (conjunction, stable, rest) = split(right)?;
    if conjunction && matches!(f, Formula::WeakUntil(..)) {
        // `f W g` may be true without `g`.
        return None;
    }
    Some(beside(conjunction, stable, binary(f, (**left).clone(), rest)))
}

/// `(f | s) W g = (f W g) | s`.
fn stable_on_the_left(f: &Formula) -> Option<Formula> {
    let Formula::WeakUntil(left, right) = f else { return None };
    let (conjunction, stable, rest) = split(left)?;
    (!conjunction).then(|| beside(false, stable, binary(f, rest, (**right).clone())))
}

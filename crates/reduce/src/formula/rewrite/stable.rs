//! Stable formulas move outwards: they have one value along the whole path, so no temporal operator need hold them.
//!
//! The size stays the same, but outside they meet others and can be asked for once. These laws are for LTL: in CTL no
//! operator shows that a formula is stable, and eventual and universal formulas have rules of their own.

use fireset_net::Formula;

use super::{RewriteRule, ltl_rule};
use crate::formula::{
    classes::is_stable,
    view::{Connective, UnaryOperator, binary, connected},
};

pub(super) const RULES: &[RewriteRule] = &[
    ltl_rule("stable_below_unary", stable_below_unary),
    ltl_rule("stable_on_the_right", stable_on_the_right),
    ltl_rule("stable_on_the_left", stable_on_the_left),
];

/// The stable operands of a conjunction or disjunction, and the others joined, when there are some of each.
fn split(f: &Formula) -> Option<(Connective, Vec<Formula>, Formula)> {
    let (connective, _) = connected(f)?;
    let (stable, rest) = connective.split(f, is_stable)?;
    Some((connective, stable, rest))
}

/// The stable operands beside the operator over the others.
fn beside(connective: Connective, mut stable: Vec<Formula>, rest: Formula) -> Formula {
    stable.push(rest);
    connective.join(stable)
}

/// `X(f & s) = X f & s`, and so for F and G and for `|`.
fn stable_below_unary(f: &Formula) -> Option<Formula> {
    let (inner, operator) = match f {
        Formula::Next(inner) => (inner, UnaryOperator::Next),
        Formula::Finally(inner) => (inner, UnaryOperator::Finally),
        Formula::Globally(inner) => (inner, UnaryOperator::Globally),
        _ => return None,
    };
    let (connective, stable, rest) = split(inner)?;
    Some(beside(connective, stable, operator.apply(rest)))
}

/// `f U (g & s) = (f U g) & s`, and so for R and for `|`; `f W (g | s) = (f W g) | s`.
fn stable_on_the_right(f: &Formula) -> Option<Formula> {
    let (Formula::Until(left, right) | Formula::Release(left, right) | Formula::WeakUntil(left, right)) = f
    else {
        return None;
    };
    let (connective, stable, rest) = split(right)?;
    if connective == Connective::And && matches!(f, Formula::WeakUntil(..)) {
        // `f W g` may be true without `g`.
        return None;
    }
    Some(beside(connective, stable, binary(f, (**left).clone(), rest)))
}

/// `(f | s) W g = (f W g) | s`.
fn stable_on_the_left(f: &Formula) -> Option<Formula> {
    let Formula::WeakUntil(left, right) = f else { return None };
    let (stable, rest) = Connective::Or.split(left, is_stable)?;
    Some(beside(Connective::Or, stable, binary(f, rest, (**right).clone())))
}

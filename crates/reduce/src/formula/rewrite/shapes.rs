//! Trivial shapes: empty, single, nested, repeated and constant operands, and atoms over numbers. No temporal operator has
//! a part in them.

use std::collections::HashSet;

use fireset_net::{Expr, Formula};

use super::{RewriteRule, rule};
use crate::formula::{implies::excludes, normal::negated, view::connected};

pub(super) const RULES: &[RewriteRule] = &[
    rule("few_operands", few_operands),
    rule("nested_operands", nested_operands),
    rule("constant_operands", constant_operands),
    rule("repeated_operands", repeated_operands),
    rule("decided_iff", decided_iff),
    rule("decided_atom", decided_atom),
];

/// `&[] = true`, `|[] = false`, `&[f] = f`.
fn few_operands(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    match fs {
        [] => Some(Formula::Constant(connective.neutral())),
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// `f & (g & h) = f & g & h`, and so for `|`.
fn nested_operands(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let is_nested = |f: &Formula| connected(f).is_some_and(|(same, _)| same == connective);
    fs.iter()
        .any(is_nested)
        .then(|| connective.join(fs.iter().flat_map(|f| connective.operands(f)).cloned().collect()))
}

/// `f & true = f`, `f & false = false`, and so for `|`.
fn constant_operands(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let is_constant = |f: &Formula| matches!(f, Formula::Constant(_));
    fs.iter().any(is_constant).then(|| connective.join_without_constants(fs.iter().cloned()))
}

/// `f & f = f`, and so for `|`.
fn repeated_operands(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let mut seen = HashSet::new();
    let kept: Vec<&Formula> = fs.iter().filter(|f| seen.insert(*f)).collect();
    (kept.len() < fs.len()).then(|| connective.join(kept.into_iter().cloned().collect()))
}

/// An equivalence with a constant side, or with sides that are equal or never true together or never false.
fn decided_iff(f: &Formula) -> Option<Formula> {
    let Formula::Iff(f, g) = f else { return None };
    match (&**f, &**g) {
        (f, g) if f == g => Some(Formula::Constant(true)),
        (Formula::Constant(true), other) | (other, Formula::Constant(true)) => Some(other.clone()),
        (Formula::Constant(false), other) | (other, Formula::Constant(false)) => negated(other),
        (f, g) => {
            let opposite = negated(g).is_some_and(|not_g| *f == not_g);
            (opposite && excludes(f, g)).then_some(Formula::Constant(false))
        }
    }
}

/// `Fireable([])`, and comparisons of numbers or of equal sides.
fn decided_atom(f: &Formula) -> Option<Formula> {
    match f {
        Formula::Fireable(ts) if ts.is_empty() => Some(Formula::Constant(false)),
        Formula::Not(f) => match &**f {
            Formula::Constant(value) => Some(Formula::Constant(!value)),
            _ => None,
        },
        Formula::Compare(how, a, b) if a == b => Some(Formula::Constant(how.holds(&0, &0))),
        Formula::Compare(how, Expr::Constant(a), Expr::Constant(b)) => {
            Some(Formula::Constant(how.holds(a, b)))
        }
        _ => None,
    }
}

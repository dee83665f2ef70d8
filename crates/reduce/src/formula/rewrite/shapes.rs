//! Shapes that say nothing: empty, single, nested, repeated and constant operands, and atoms over numbers. They know no
//! temporal operators, so they are for path formulas and for CTL alike.

use std::collections::HashSet;

use fireset_net::{Expr, Formula};

use super::{Rule, combine, operands};
use crate::formula::{implies::excludes, normal::negated};

pub(in crate::formula) const RULES: &[Rule] = &[
    Rule { name: "few_operands", apply: few_operands },
    Rule { name: "nested_operands", apply: nested_operands },
    Rule { name: "constant_operands", apply: constant_operands },
    Rule { name: "repeated_operands", apply: repeated_operands },
    Rule { name: "decided_iff", apply: decided_iff },
    Rule { name: "decided_atom", apply: decided_atom },
];

/// `&[] = true`, `|[] = false`, `&[f] = f`.
fn few_operands(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    match fs {
        [] => Some(Formula::Constant(conjunction)),
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// `f & (g & h) = f & g & h`, and so for `|`.
fn nested_operands(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let inner = |f: &Formula| operands(f).filter(|(same, _)| *same == conjunction).is_some();
    if !fs.iter().any(inner) {
        return None;
    }
    let mut flat = Vec::new();
    for f in fs {
        match operands(f) {
            Some((same, inner)) if same == conjunction => flat.extend_from_slice(inner),
            _ => flat.push(f.clone()),
        }
    }
    Some(combine(conjunction, flat))
}

/// `f & true = f`, `f & false = false`, and so for `|`.
fn constant_operands(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    if fs.contains(&Formula::Constant(!conjunction)) {
        return Some(Formula::Constant(!conjunction));
    }
    let neutral = Formula::Constant(conjunction);
    fs.contains(&neutral)
        .then(|| combine(conjunction, fs.iter().filter(|f| **f != neutral).cloned().collect()))
}

/// `f & f = f`, and so for `|`.
fn repeated_operands(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let mut seen = HashSet::new();
    let kept: Vec<&Formula> = fs.iter().filter(|f| seen.insert(*f)).collect();
    (kept.len() < fs.len()).then(|| combine(conjunction, kept.into_iter().cloned().collect()))
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

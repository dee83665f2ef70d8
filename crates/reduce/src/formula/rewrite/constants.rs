//! Constants, and shapes that say nothing: empty, single, nested and repeated operands.

use std::collections::HashSet;

use fireset_net::{Expr, Formula};

use super::{Rule, combine, finally, globally, operands};
use crate::formula::{implies::excludes, normal::negated};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "few_operands", apply: few_operands },
    Rule { name: "nested_operands", apply: nested_operands },
    Rule { name: "constant_operands", apply: constant_operands },
    Rule { name: "repeated_operands", apply: repeated_operands },
    Rule { name: "constant_below_unary", apply: constant_below_unary },
    Rule { name: "constant_in_until", apply: constant_in_until },
    Rule { name: "constant_in_release", apply: constant_in_release },
    Rule { name: "constant_in_weak_until", apply: constant_in_weak_until },
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

/// `X c = F c = G c = c` for a constant `c`.
fn constant_below_unary(f: &Formula) -> Option<Formula> {
    match f {
        Formula::Next(c) | Formula::Finally(c) | Formula::Globally(c) => {
            matches!(**c, Formula::Constant(_)).then(|| (**c).clone())
        }
        _ => None,
    }
}

/// `f U true = true`, `f U false = false`, `true U g = F g`, `false U g = g`.
fn constant_in_until(f: &Formula) -> Option<Formula> {
    let Formula::Until(f, g) = f else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(_)) | (Formula::Constant(false), _) => Some((**g).clone()),
        (Formula::Constant(true), g) => Some(finally(g.clone())),
        _ => None,
    }
}

/// `f R true = true`, `f R false = false`, `true R g = g`, `false R g = G g`.
fn constant_in_release(f: &Formula) -> Option<Formula> {
    let Formula::Release(f, g) = f else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(_)) | (Formula::Constant(true), _) => Some((**g).clone()),
        (Formula::Constant(false), g) => Some(globally(g.clone())),
        _ => None,
    }
}

/// `f W true = true`, `f W false = G f`, `true W g = true`, `false W g = g`.
fn constant_in_weak_until(f: &Formula) -> Option<Formula> {
    let Formula::WeakUntil(f, g) = f else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(true)) | (Formula::Constant(true), _) => Some(Formula::Constant(true)),
        (Formula::Constant(false), g) => Some(g.clone()),
        (f, Formula::Constant(false)) => Some(globally(f.clone())),
        _ => None,
    }
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

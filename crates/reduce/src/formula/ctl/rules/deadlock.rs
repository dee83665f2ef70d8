//! What a deadlock decides: it has no next state, and before the last state of a path there is none.

use fireset_net::{Formula, Quantifier};

use super::{parts, whole};
use crate::formula::{
    ctl::{in_deadlock, quantified, quantify},
    implies::implies,
    rewrite::{Rule, binary, combine, join::pair, operands},
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "deadlock_on_the_left", apply: deadlock_on_the_left },
    Rule { name: "weak_until_in_a_deadlock", apply: weak_until_in_a_deadlock },
    Rule { name: "beside_deadlock", apply: beside_deadlock },
    Rule { name: "both_nexts", apply: both_nexts },
];

fn not_deadlock() -> Formula {
    Formula::Not(Box::new(Formula::Deadlock))
}

/// `Q[(f | d) U g] = Q[f U g]` and so for R, where `d` implies deadlock; `Q[(f & n) U g] = Q[f U g]` and so for R, where
/// `!deadlock` implies `n`. So `Q[deadlock U g] = g` and `Q[!deadlock U g] = QF g`.
fn deadlock_on_the_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (Formula::Until(left, g) | Formula::Release(left, g)) = path else { return None };
    for conjunction in [true, false] {
        let idle = |part: &&Formula| {
            if conjunction { implies(&not_deadlock(), part) } else { implies(part, &Formula::Deadlock) }
        };
        let all = parts(conjunction, left);
        let kept: Vec<Formula> = all.iter().filter(|part| !idle(part)).cloned().collect();
        // A constant has rules of its own.
        if kept.len() < all.len() && !matches!(**left, Formula::Constant(_)) {
            return Some(quantify(quantifier, binary(path, whole(conjunction, kept), (**g).clone())));
        }
    }
    None
}

/// `Q[d W g] = d | g` where `d` implies deadlock.
fn weak_until_in_a_deadlock(f: &Formula) -> Option<Formula> {
    let (_, Formula::WeakUntil(d, g)) = quantified(f)? else { return None };
    implies(d, &Formula::Deadlock).then(|| Formula::Or(vec![(**d).clone(), (**g).clone()]))
}

/// `deadlock & f = deadlock & g` and `!deadlock | f = !deadlock | g`, where `g` is what `f` says in a deadlock.
fn beside_deadlock(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let known = if conjunction { Formula::Deadlock } else { not_deadlock() };
    let at = fs.iter().position(|f| *f == known)?;
    let changes = |f: &Formula| {
        f.any(&|f| {
            matches!(f, Formula::Exists(_) | Formula::ForAll(_) | Formula::Deadlock | Formula::Fireable(_))
        })
    };
    if !fs.iter().enumerate().any(|(other, f)| other != at && changes(f)) {
        return None;
    }
    let said = |(other, f): (usize, &Formula)| if other == at { f.clone() } else { in_deadlock(f) };
    Some(combine(conjunction, fs.iter().enumerate().map(said).collect()))
}

/// `AX f | EX g = deadlock | EX g` and `AX f & EX g = AX f & !deadlock` where `f` implies `g`.
fn both_nexts(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    pair(fs, |a, b| match (quantified(a)?, quantified(b)?) {
        ((Quantifier::ForAll, Formula::Next(f)), (Quantifier::Exists, Formula::Next(g))) if implies(f, g) => {
            Some(if conjunction {
                Formula::And(vec![a.clone(), not_deadlock()])
            } else {
                Formula::Or(vec![Formula::Deadlock, b.clone()])
            })
        }
        _ => None,
    })
    .map(|fs| combine(conjunction, fs))
}

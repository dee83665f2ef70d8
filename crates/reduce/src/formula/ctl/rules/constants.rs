//! Constants below a quantifier and its operator.

use fireset_net::{Formula, Quantifier};

use crate::formula::{
    ctl::{quantified, quantify},
    rewrite::{Rule, finally, globally},
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "constant_next", apply: constant_next },
    Rule { name: "constant_below", apply: constant_below },
    Rule { name: "constant_in_until", apply: constant_in_until },
    Rule { name: "constant_in_release", apply: constant_in_release },
    Rule { name: "constant_in_weak_until", apply: constant_in_weak_until },
];

/// `EX false = false`, `AX true = true`, `EX true = !deadlock`, `AX false = deadlock`.
fn constant_next(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Next(c)) = quantified(f)? else { return None };
    let Formula::Constant(value) = **c else { return None };
    Some(match (quantifier, value) {
        (Quantifier::Exists, true) => Formula::Not(Box::new(Formula::Deadlock)),
        (Quantifier::ForAll, false) => Formula::Deadlock,
        _ => Formula::Constant(value),
    })
}

/// `EF c = AF c = EG c = AG c = c` for a constant `c`.
fn constant_below(f: &Formula) -> Option<Formula> {
    match quantified(f)?.1 {
        Formula::Finally(c) | Formula::Globally(c) => {
            matches!(**c, Formula::Constant(_)).then(|| (**c).clone())
        }
        _ => None,
    }
}

/// `Q[f U true] = true`, `Q[f U false] = false`, `Q[true U g] = QF g`, `Q[false U g] = g`.
fn constant_in_until(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Until(f, g)) = quantified(f)? else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(_)) | (Formula::Constant(false), _) => Some((**g).clone()),
        (Formula::Constant(true), g) => Some(quantify(quantifier, finally(g.clone()))),
        _ => None,
    }
}

/// `Q[f R true] = true`, `Q[f R false] = false`, `Q[true R g] = g`, `Q[false R g] = QG g`.
fn constant_in_release(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Release(f, g)) = quantified(f)? else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(_)) | (Formula::Constant(true), _) => Some((**g).clone()),
        (Formula::Constant(false), g) => Some(quantify(quantifier, globally(g.clone()))),
        _ => None,
    }
}

/// `Q[f W true] = true`, `Q[f W false] = QG f`, `Q[true W g] = true`, `Q[false W g] = g`.
fn constant_in_weak_until(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::WeakUntil(f, g)) = quantified(f)? else { return None };
    match (&**f, &**g) {
        (_, Formula::Constant(true)) | (Formula::Constant(true), _) => Some(Formula::Constant(true)),
        (Formula::Constant(false), g) => Some(g.clone()),
        (f, Formula::Constant(false)) => Some(quantify(quantifier, globally(f.clone()))),
        _ => None,
    }
}

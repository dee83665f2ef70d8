//! Constants below temporal operators.

use fireset_net::Formula;

use super::{Rule, finally, globally};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "constant_below_unary", apply: constant_below_unary },
    Rule { name: "constant_in_until", apply: constant_in_until },
    Rule { name: "constant_in_release", apply: constant_in_release },
    Rule { name: "constant_in_weak_until", apply: constant_in_weak_until },
];

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

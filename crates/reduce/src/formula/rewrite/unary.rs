//! Chains of X, F and G, and what they need not say below them.

use fireset_net::Formula;

use super::{Rule, combine, finally, globally, next, operands};
use crate::formula::classes::{is_eventual, is_stable, is_universal};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "next_of_stable", apply: next_of_stable },
    Rule { name: "finally_of_eventual", apply: finally_of_eventual },
    Rule { name: "globally_of_universal", apply: globally_of_universal },
    Rule { name: "finally_of_until", apply: finally_of_until },
    Rule { name: "globally_of_release", apply: globally_of_release },
    Rule { name: "globally_of_weak_until", apply: globally_of_weak_until },
    Rule { name: "finally_or_until", apply: finally_or_until },
    Rule { name: "globally_and_release", apply: globally_and_release },
    Rule { name: "next_outwards", apply: next_outwards },
    Rule { name: "next_in_the_long_run", apply: next_in_the_long_run },
];

/// `X s = s` where `s` is stable.
fn next_of_stable(f: &Formula) -> Option<Formula> {
    let Formula::Next(f) = f else { return None };
    is_stable(f).then(|| (**f).clone())
}

/// `F e = e` where `e` is eventual; so `F F f = F f` and `F G F f = G F f`.
fn finally_of_eventual(f: &Formula) -> Option<Formula> {
    let Formula::Finally(f) = f else { return None };
    is_eventual(f).then(|| (**f).clone())
}

/// `G u = u` where `u` is universal; so `G G f = G f` and `G F G f = F G f`.
fn globally_of_universal(f: &Formula) -> Option<Formula> {
    let Formula::Globally(f) = f else { return None };
    is_universal(f).then(|| (**f).clone())
}

/// `F(f U g) = F g`.
fn finally_of_until(f: &Formula) -> Option<Formula> {
    let Formula::Finally(f) = f else { return None };
    let Formula::Until(_, g) = &**f else { return None };
    Some(finally((**g).clone()))
}

/// `G(f R g) = G g`.
fn globally_of_release(f: &Formula) -> Option<Formula> {
    let Formula::Globally(f) = f else { return None };
    let Formula::Release(_, g) = &**f else { return None };
    Some(globally((**g).clone()))
}

/// `G(f W g) = G(f | g)`.
fn globally_of_weak_until(f: &Formula) -> Option<Formula> {
    let Formula::Globally(f) = f else { return None };
    let Formula::WeakUntil(f, g) = &**f else { return None };
    Some(globally(Formula::Or(vec![(**f).clone(), (**g).clone()])))
}

/// `F(h | F g) = F(h | f U g) = F(h | g)`.
fn finally_or_until(f: &Formula) -> Option<Formula> {
    let Formula::Finally(f) = f else { return None };
    let Formula::Or(fs) = &**f else { return None };
    let shorter = |f: &Formula| match f {
        Formula::Finally(g) | Formula::Until(_, g) => Some((**g).clone()),
        _ => None,
    };
    Some(finally(Formula::Or(shortened(fs, shorter)?)))
}

/// `G(h & G g) = G(h & f R g) = G(h & g)`, `G(h & f W g) = G(h & (f | g))`.
fn globally_and_release(f: &Formula) -> Option<Formula> {
    let Formula::Globally(f) = f else { return None };
    let Formula::And(fs) = &**f else { return None };
    let shorter = |f: &Formula| match f {
        Formula::Globally(g) | Formula::Release(_, g) => Some((**g).clone()),
        Formula::WeakUntil(f, g) => Some(Formula::Or(vec![(**f).clone(), (**g).clone()])),
        _ => None,
    };
    Some(globally(Formula::And(shortened(fs, shorter)?)))
}

/// `F X f = X F f`, `G X f = X G f`, and `X f U X g = X(f U g)` and so for R and W. The first two do not make the
/// formula smaller, but an X further out meets others, or a stable formula, and then it goes.
fn next_outwards(f: &Formula) -> Option<Formula> {
    match f {
        Formula::Finally(inner) | Formula::Globally(inner) => {
            let Formula::Next(g) = &**inner else { return None };
            let g = (**g).clone();
            Some(next(if matches!(f, Formula::Finally(_)) { finally(g) } else { globally(g) }))
        }
        Formula::Until(a, b) | Formula::Release(a, b) | Formula::WeakUntil(a, b) => match (&**a, &**b) {
            (Formula::Next(a), Formula::Next(b)) => {
                Some(next(super::binary(f, (**a).clone(), (**b).clone())))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `G F(h | X g) = G F(h | g)` and `F G(h & X g) = F G(h & g)`: when, does not matter there.
fn next_in_the_long_run(f: &Formula) -> Option<Formula> {
    let (inner, conjunction) = match f {
        Formula::Globally(inner) => match &**inner {
            Formula::Finally(inner) => (inner, false),
            _ => return None,
        },
        Formula::Finally(inner) => match &**inner {
            Formula::Globally(inner) => (inner, true),
            _ => return None,
        },
        _ => return None,
    };
    let (_, fs) = operands(inner).filter(|(same, _)| *same == conjunction)?;
    let shorter = |f: &Formula| match f {
        Formula::Next(g) => Some((**g).clone()),
        _ => None,
    };
    let inner = combine(conjunction, shortened(fs, shorter)?);
    Some(if conjunction { finally(globally(inner)) } else { globally(finally(inner)) })
}

/// The operands with those replaced that can be shorter; `None` when none can.
pub(in crate::formula) fn shortened(
    fs: &[Formula],
    shorter: impl Fn(&Formula) -> Option<Formula>,
) -> Option<Vec<Formula>> {
    let found: Vec<Option<Formula>> = fs.iter().map(shorter).collect();
    found.iter().any(Option::is_some).then(|| {
        let pairs = found.into_iter().zip(fs);
        pairs.map(|(short, f)| short.unwrap_or_else(|| f.clone())).collect()
    })
}

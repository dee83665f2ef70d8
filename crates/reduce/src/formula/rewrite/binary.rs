//! Until, release and weak until whose operands know each other.

use fireset_net::Formula;

use super::{Rule, binary, combine, finally, globally, operands};
use crate::formula::{
    classes::{is_eventual, is_universal},
    implies::{covers, excludes, implies},
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "until_of_eventual", apply: until_of_eventual },
    Rule { name: "release_of_universal", apply: release_of_universal },
    Rule { name: "weak_until_of_universal", apply: weak_until_of_universal },
    Rule { name: "idle_left", apply: idle_left },
    Rule { name: "unbounded_left", apply: unbounded_left },
    Rule { name: "nested_right", apply: nested_right },
    Rule { name: "nested_left", apply: nested_left },
    Rule { name: "implied_part_of_left", apply: implied_part_of_left },
    Rule { name: "release_as_weak_until", apply: release_as_weak_until },
];

/// `f U e = e` where `e` is eventual; so `f U F g = F g`.
fn until_of_eventual(f: &Formula) -> Option<Formula> {
    let Formula::Until(_, e) = f else { return None };
    is_eventual(e).then(|| (**e).clone())
}

/// `f R u = u` where `u` is universal; so `f R G g = G g`.
fn release_of_universal(f: &Formula) -> Option<Formula> {
    let Formula::Release(_, u) = f else { return None };
    is_universal(u).then(|| (**u).clone())
}

/// `u W g = u | g` where `u` is universal.
fn weak_until_of_universal(f: &Formula) -> Option<Formula> {
    let Formula::WeakUntil(u, g) = f else { return None };
    is_universal(u).then(|| Formula::Or(vec![(**u).clone(), (**g).clone()]))
}

/// `f U g = f W g = g` where `f` implies `g`, and `f R g = g` where `g` implies `f`.
fn idle_left(f: &Formula) -> Option<Formula> {
    match f {
        Formula::Until(f, g) | Formula::WeakUntil(f, g) => implies(f, g).then(|| (**g).clone()),
        Formula::Release(f, g) => implies(g, f).then(|| (**g).clone()),
        _ => None,
    }
}

/// `f U g = F g` and `f W g = true` where one of `f` and `g` always holds; `f R g = G g` where they exclude each
/// other.
fn unbounded_left(f: &Formula) -> Option<Formula> {
    match f {
        Formula::Until(f, g) => covers(f, g).then(|| finally((**g).clone())),
        Formula::WeakUntil(f, g) => covers(f, g).then_some(Formula::Constant(true)),
        Formula::Release(f, g) => excludes(f, g).then(|| globally((**g).clone())),
        _ => None,
    }
}

/// `f U (h U g) = h U g`, `f W (h W g) = f U (h W g) = h W g` where `f` implies `h`, and `f R (h R g) = h R g` where
/// `h` implies `f`.
fn nested_right(f: &Formula) -> Option<Formula> {
    match f {
        Formula::Until(f, inner) | Formula::WeakUntil(f, inner)
            if matches!(**inner, Formula::WeakUntil(..)) =>
        {
            let Formula::WeakUntil(h, _) = &**inner else { return None };
            implies(f, h).then(|| (**inner).clone())
        }
        Formula::Until(f, inner) => {
            let Formula::Until(h, _) = &**inner else { return None };
            implies(f, h).then(|| (**inner).clone())
        }
        Formula::Release(f, inner) => {
            let Formula::Release(h, _) = &**inner else { return None };
            implies(h, f).then(|| (**inner).clone())
        }
        _ => None,
    }
}

/// `(f U g) U g = (f W g) U g = (f U g) W g = f U g`, `(f W g) W g = f W g`, `(f R g) R g = f R g`.
fn nested_left(f: &Formula) -> Option<Formula> {
    let (inner, g) = match f {
        Formula::Until(inner, g) | Formula::WeakUntil(inner, g) | Formula::Release(inner, g) => (inner, g),
        _ => return None,
    };
    match (f, &**inner) {
        (Formula::Release(..), Formula::Release(_, h))
        | (Formula::Until(..) | Formula::WeakUntil(..), Formula::Until(_, h))
        | (Formula::WeakUntil(..), Formula::WeakUntil(_, h))
            if h == g =>
        {
            Some((**inner).clone())
        }
        (Formula::Until(..), Formula::WeakUntil(a, h)) if h == g => {
            Some(Formula::Until(a.clone(), g.clone()))
        }
        _ => None,
    }
}

/// `(f | h) U g = f U g` where `h` implies `g`, and so for W; `(f & h) R g = f R g` where `g` implies `h`.
fn implied_part_of_left(f: &Formula) -> Option<Formula> {
    let (left, g, release) = match f {
        Formula::Until(left, g) | Formula::WeakUntil(left, g) => (left, g, false),
        Formula::Release(left, g) => (left, g, true),
        _ => return None,
    };
    let (conjunction, parts) = operands(left).filter(|(conjunction, _)| *conjunction == release)?;
    let idle = |part: &&Formula| if release { implies(g, part) } else { implies(part, g) };
    let kept: Vec<Formula> = parts.iter().filter(|part| !idle(part)).cloned().collect();
    (kept.len() < parts.len()).then(|| {
        let left = if kept.is_empty() { Formula::Constant(conjunction) } else { combine(conjunction, kept) };
        binary(f, left, (**g).clone())
    })
}

/// `g R (f | g) = f W g`.
fn release_as_weak_until(f: &Formula) -> Option<Formula> {
    let Formula::Release(g, right) = f else { return None };
    let Formula::Or(parts) = &**right else { return None };
    let at = parts.iter().position(|part| part == &**g)?;
    let rest = super::without(parts, &[at]);
    (!rest.is_empty()).then(|| Formula::WeakUntil(Box::new(combine(false, rest)), g.clone()))
}

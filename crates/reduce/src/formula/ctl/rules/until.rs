//! Until, release and weak until whose operands know each other.

use fireset_net::{Formula, Quantifier};

use super::{chains::divided, parts, whole};
use crate::formula::{
    ctl::{
        classes::{is_eventual, is_universal},
        quantified, quantify,
    },
    implies::{covers, excludes, implies},
    rewrite::{Rule, binary, combine, finally, globally, unary::shortened},
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "until_of_eventual", apply: until_of_eventual },
    Rule { name: "release_of_universal", apply: release_of_universal },
    Rule { name: "weak_until_of_universal", apply: weak_until_of_universal },
    Rule { name: "eventual_out_of_until", apply: eventual_out_of_until },
    Rule { name: "universal_out_of_release", apply: universal_out_of_release },
    Rule { name: "idle_left", apply: idle_left },
    Rule { name: "unbounded_left", apply: unbounded_left },
    Rule { name: "nested_right", apply: nested_right },
    Rule { name: "nested_left", apply: nested_left },
    Rule { name: "nested_part_of_right", apply: nested_part_of_right },
    Rule { name: "idle_part_of_left", apply: idle_part_of_left },
    Rule { name: "implied_part_of_left", apply: implied_part_of_left },
];

/// `Q[f U e] = e` where `e` is eventual; so `A[f U EF g] = EF g`.
fn until_of_eventual(f: &Formula) -> Option<Formula> {
    let (_, Formula::Until(_, e)) = quantified(f)? else { return None };
    is_eventual(e).then(|| (**e).clone())
}

/// `Q[f R u] = u` where `u` is universal; so `E[f R AG g] = AG g`.
fn release_of_universal(f: &Formula) -> Option<Formula> {
    let (_, Formula::Release(_, u)) = quantified(f)? else { return None };
    is_universal(u).then(|| (**u).clone())
}

/// `Q[u W g] = u | g` where `u` is universal.
fn weak_until_of_universal(f: &Formula) -> Option<Formula> {
    let (_, Formula::WeakUntil(u, g)) = quantified(f)? else { return None };
    is_universal(u).then(|| Formula::Or(vec![(**u).clone(), (**g).clone()]))
}

/// `Q[f U (g | e)] = Q[f U g] | e` where `e` is eventual, and so for W.
fn eventual_out_of_until(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (Formula::Until(left, right) | Formula::WeakUntil(left, right)) = path else { return None };
    let (mut out, rest) = divided(false, right, is_eventual)?;
    out.push(quantify(quantifier, binary(path, (**left).clone(), rest)));
    Some(combine(false, out))
}

/// `Q[f R (g & u)] = Q[f R g] & u` where `u` is universal.
fn universal_out_of_release(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let Formula::Release(left, right) = path else { return None };
    let (mut out, rest) = divided(true, right, is_universal)?;
    out.push(quantify(quantifier, binary(path, (**left).clone(), rest)));
    Some(combine(true, out))
}

/// `Q[f U g] = Q[f W g] = g` where `f` implies `g`, and `Q[f R g] = g` where `g` implies `f`.
fn idle_left(f: &Formula) -> Option<Formula> {
    match quantified(f)?.1 {
        Formula::Until(f, g) | Formula::WeakUntil(f, g) => implies(f, g).then(|| (**g).clone()),
        Formula::Release(f, g) => implies(g, f).then(|| (**g).clone()),
        _ => None,
    }
}

/// `Q[f U g] = QF g` and `Q[f W g] = true` where one of `f` and `g` always holds; `Q[f R g] = QG g` where they exclude
/// each other.
fn unbounded_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    match path {
        Formula::Until(f, g) => covers(f, g).then(|| quantify(quantifier, finally((**g).clone()))),
        Formula::WeakUntil(f, g) => covers(f, g).then_some(Formula::Constant(true)),
        Formula::Release(f, g) => excludes(f, g).then(|| quantify(quantifier, globally((**g).clone()))),
        _ => None,
    }
}

/// With one quantifier: `f U (h U g) = h U g`, `f W (h W g) = f U (h W g) = h W g` where `f` implies `h`, and
/// `f R (h R g) = h R g` where `h` implies `f`. With `A` also `f U F g = F g`, with `E` also `f R G g = G g`.
fn nested_right(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (Formula::Until(left, right) | Formula::Release(left, right) | Formula::WeakUntil(left, right)) =
        path
    else {
        return None;
    };
    let (_, inner) = quantified(right).filter(|(same, _)| *same == quantifier)?;
    let idle = match (path, inner) {
        (Formula::Until(..), Formula::Finally(_)) => quantifier == Quantifier::ForAll,
        (Formula::Release(..), Formula::Globally(_)) => quantifier == Quantifier::Exists,
        (Formula::Until(..), Formula::Until(h, _) | Formula::WeakUntil(h, _))
        | (Formula::WeakUntil(..), Formula::WeakUntil(h, _)) => implies(left, h),
        (Formula::Release(..), Formula::Release(h, _)) => implies(h, left),
        _ => false,
    };
    idle.then(|| (**right).clone())
}

/// With one quantifier: `(f U g) U g = (f W g) U g = (f U g) W g = f U g`, `(f W g) W g = f W g`,
/// `(f R g) R g = f R g`.
fn nested_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (Formula::Until(left, g) | Formula::Release(left, g) | Formula::WeakUntil(left, g)) = path else {
        return None;
    };
    let (_, inner) = quantified(left).filter(|(same, _)| *same == quantifier)?;
    match (path, inner) {
        (Formula::Release(..), Formula::Release(_, h))
        | (Formula::Until(..) | Formula::WeakUntil(..), Formula::Until(_, h))
        | (Formula::WeakUntil(..), Formula::WeakUntil(_, h))
            if h == g =>
        {
            Some((**left).clone())
        }
        (Formula::Until(..), Formula::WeakUntil(a, h)) if h == g => {
            Some(quantify(quantifier, Formula::Until(a.clone(), g.clone())))
        }
        _ => None,
    }
}

/// With one quantifier: `f U (h | f U g) = f U (h | g)`, and `f R (h & f R g) = f R (h & g)`.
fn nested_part_of_right(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (left, right, conjunction) = match path {
        Formula::Until(left, right) => (left, right, false),
        Formula::Release(left, right) => (left, right, true),
        _ => return None,
    };
    let shorter = |f: &Formula| match (path, quantified(f).filter(|(same, _)| *same == quantifier)?.1) {
        (Formula::Until(..), Formula::Until(h, g)) | (Formula::Release(..), Formula::Release(h, g)) => {
            (h == left).then(|| (**g).clone())
        }
        _ => None,
    };
    let fs = shortened(parts(conjunction, right), shorter)?;
    Some(quantify(quantifier, binary(path, (**left).clone(), combine(conjunction, fs))))
}

/// `Q[(f | h) U g] = Q[f U g]` where `h` implies `g`, and so for W; `Q[(f & h) R g] = Q[f R g]` where `g` implies `h`.
fn idle_part_of_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (left, g, conjunction) = match path {
        Formula::Until(left, g) | Formula::WeakUntil(left, g) => (left, g, false),
        Formula::Release(left, g) => (left, g, true),
        _ => return None,
    };
    let idle = |part: &Formula| if conjunction { implies(g, part) } else { implies(part, g) };
    let left = fewer(conjunction, left, idle)?;
    Some(quantify(quantifier, binary(path, left, (**g).clone())))
}

/// `Q[(f & h) U g] = Q[f U g]` where `QF g` implies `h`: until `g` holds, it is still to come. `Q[(f | h) R g] = Q[f R g]`
/// where `h` implies `QG g`.
fn implied_part_of_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (left, g, conjunction) = match path {
        Formula::Until(left, g) => (left, g, true),
        Formula::Release(left, g) => (left, g, false),
        _ => return None,
    };
    let still = if conjunction { finally((**g).clone()) } else { globally((**g).clone()) };
    let still = quantify(quantifier, still);
    let idle = |part: &Formula| if conjunction { implies(&still, part) } else { implies(part, &still) };
    let left = fewer(conjunction, left, idle)?;
    Some(quantify(quantifier, binary(path, left, (**g).clone())))
}

/// A formula without some of its parts; `None` when all are kept. Constants have rules of their own.
fn fewer(conjunction: bool, f: &Formula, gone: impl Fn(&Formula) -> bool) -> Option<Formula> {
    let all = parts(conjunction, f);
    let kept: Vec<Formula> = all.iter().filter(|part| !gone(part)).cloned().collect();
    (kept.len() < all.len() && !matches!(f, Formula::Constant(_))).then(|| whole(conjunction, kept))
}

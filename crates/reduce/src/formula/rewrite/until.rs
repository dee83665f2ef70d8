//! Until, release and weak until whose operands are related.

use fireset_net::Formula;

use super::{RewriteRule, ctl_first, ltl_first, rule, shortened, without};
use crate::formula::{
    classes::{is_eventual, is_universal},
    implies::{covers, excludes, implies},
    view::{Connective, PathQuantifier, UnaryOperator, binary, finally, globally, temporal},
};

pub(super) const RULES: &[RewriteRule] = &[
    rule("until_of_eventual", until_of_eventual),
    rule("release_of_universal", release_of_universal),
    rule("weak_until_of_universal", weak_until_of_universal),
    ctl_first("eventual_out_of_until", eventual_out_of_until),
    ctl_first("universal_out_of_release", universal_out_of_release),
    rule("redundant_left", redundant_left),
    rule("unbounded_left", unbounded_left),
    rule("nested_right", nested_right),
    rule("nested_left", nested_left),
    ctl_first("nested_part_of_right", nested_part_of_right),
    rule("redundant_part_of_left", redundant_part_of_left),
    ctl_first("implied_part_of_left", implied_part_of_left),
    ltl_first("release_as_weak_until", release_as_weak_until),
];

/// The quantifier, the path formula and the operands of an until, release or weak until.
fn operands(f: &Formula) -> Option<(PathQuantifier, &Formula, [&Formula; 2])> {
    let (quantifier, path) = temporal(f)?;
    match path {
        Formula::Until(left, right) | Formula::Release(left, right) | Formula::WeakUntil(left, right) => {
            Some((quantifier, path, [left, right]))
        }
        _ => None,
    }
}

/// `Q[f U e] = e` where `e` is eventual; so `f U F g = F g` and `A[f U EF g] = EF g`.
fn until_of_eventual(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Until(_, e)) = temporal(f)? else { return None };
    is_eventual(quantifier.logic(), e).then(|| (**e).clone())
}

/// `Q[f R u] = u` where `u` is universal; so `f R G g = G g` and `E[f R AG g] = AG g`.
fn release_of_universal(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Release(_, u)) = temporal(f)? else { return None };
    is_universal(quantifier.logic(), u).then(|| (**u).clone())
}

/// `Q[u W g] = u | g` where `u` is universal.
fn weak_until_of_universal(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::WeakUntil(u, g)) = temporal(f)? else { return None };
    is_universal(quantifier.logic(), u).then(|| Formula::Or(vec![(**u).clone(), (**g).clone()]))
}

/// `Q[f U (g | e)] = Q[f U g] | e` where `e` is eventual, and so for W.
fn eventual_out_of_until(f: &Formula) -> Option<Formula> {
    let (quantifier, path @ (Formula::Until(..) | Formula::WeakUntil(..)), [left, right]) = operands(f)?
    else {
        return None;
    };
    let (mut out, rest) = Connective::Or.split(right, |e| is_eventual(quantifier.logic(), e))?;
    out.push(quantifier.over(binary(path, left.clone(), rest)));
    Some(Connective::Or.join(out))
}

/// `Q[f R (g & u)] = Q[f R g] & u` where `u` is universal.
fn universal_out_of_release(f: &Formula) -> Option<Formula> {
    let (quantifier, path @ Formula::Release(..), [left, right]) = operands(f)? else { return None };
    let (mut out, rest) = Connective::And.split(right, |u| is_universal(quantifier.logic(), u))?;
    out.push(quantifier.over(binary(path, left.clone(), rest)));
    Some(Connective::And.join(out))
}

/// `Q[f U g] = Q[f W g] = g` where `f` implies `g`, and `Q[f R g] = g` where `g` implies `f`.
fn redundant_left(f: &Formula) -> Option<Formula> {
    let (_, path, [left, right]) = operands(f)?;
    let redundant = match path {
        Formula::Release(..) => implies(right, left),
        _ => implies(left, right),
    };
    redundant.then(|| right.clone())
}

/// `Q[f U g] = QF g` and `Q[f W g] = true` where one of `f` and `g` always holds; `Q[f R g] = QG g` where they exclude
/// each other.
fn unbounded_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = temporal(f)?;
    match path {
        Formula::Until(f, g) => covers(f, g).then(|| quantifier.over(finally((**g).clone()))),
        Formula::WeakUntil(f, g) => covers(f, g).then_some(Formula::Constant(true)),
        Formula::Release(f, g) => excludes(f, g).then(|| quantifier.over(globally((**g).clone()))),
        _ => None,
    }
}

/// With one quantifier: `f U (h U g) = h U g`, `f W (h W g) = f U (h W g) = h W g` where `f` implies `h`, and
/// `f R (h R g) = h R g` where `h` implies `f`; `f U F g = F g` and `f R G g = G g`.
fn nested_right(f: &Formula) -> Option<Formula> {
    let (quantifier, path, [left, right]) = operands(f)?;
    let (_, inner) = temporal(right).filter(|(same, _)| *same == quantifier)?;
    let redundant = match (path, inner) {
        (Formula::Until(..), Formula::Finally(_)) | (Formula::Release(..), Formula::Globally(_)) => true,
        (Formula::Until(..), Formula::Until(h, _) | Formula::WeakUntil(h, _))
        | (Formula::WeakUntil(..), Formula::WeakUntil(h, _)) => implies(left, h),
        (Formula::Release(..), Formula::Release(h, _)) => implies(h, left),
        _ => false,
    };
    redundant.then(|| right.clone())
}

/// With one quantifier: `(f U g) U g = (f W g) U g = (f U g) W g = f U g`, `(f W g) W g = f W g`,
/// `(f R g) R g = f R g`.
fn nested_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path, [left, g]) = operands(f)?;
    let (_, inner) = temporal(left).filter(|(same, _)| *same == quantifier)?;
    match (path, inner) {
        (Formula::Release(..), Formula::Release(_, h))
        | (Formula::Until(..) | Formula::WeakUntil(..), Formula::Until(_, h))
        | (Formula::WeakUntil(..), Formula::WeakUntil(_, h))
            if **h == *g =>
        {
            Some(left.clone())
        }
        (Formula::Until(..), Formula::WeakUntil(a, h)) if **h == *g => {
            Some(quantifier.over(Formula::Until(a.clone(), h.clone())))
        }
        _ => None,
    }
}

/// With one quantifier: `f U (h | f U g) = f U (h | g)`, and `f R (h & f R g) = f R (h & g)`.
fn nested_part_of_right(f: &Formula) -> Option<Formula> {
    let (quantifier, path, [left, right]) = operands(f)?;
    let connective = match path {
        Formula::Until(..) => Connective::Or,
        Formula::Release(..) => Connective::And,
        _ => return None,
    };
    let shorter = |f: &Formula| match (path, temporal(f).filter(|(same, _)| *same == quantifier)?.1) {
        (Formula::Until(..), Formula::Until(h, g)) | (Formula::Release(..), Formula::Release(h, g)) => {
            (**h == *left).then(|| (**g).clone())
        }
        _ => None,
    };
    let fs = shortened(connective.operands(right), shorter)?;
    Some(quantifier.over(binary(path, left.clone(), connective.join(fs))))
}

/// `Q[(f | h) U g] = Q[f U g]` where `h` implies `g`, and so for W; `Q[(f & h) R g] = Q[f R g]` where `g` implies `h`.
fn redundant_part_of_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path, [left, g]) = operands(f)?;
    let left = match path {
        Formula::Release(..) => without_parts(Connective::And, left, |part| implies(g, part)),
        _ => without_parts(Connective::Or, left, |part| implies(part, g)),
    }?;
    Some(quantifier.over(binary(path, left, g.clone())))
}

/// `Q[(f & h) U g] = Q[f U g]` where `QF g` implies `h`: until `g` holds, it is still to come. `Q[(f | h) R g] = Q[f R g]`
/// where `h` implies `QG g`.
fn implied_part_of_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path, [left, g]) = operands(f)?;
    let left = match path {
        Formula::Until(..) => {
            let to_come = quantifier.apply(UnaryOperator::Finally, g.clone());
            without_parts(Connective::And, left, |part| implies(&to_come, part))
        }
        Formula::Release(..) => {
            let for_ever = quantifier.apply(UnaryOperator::Globally, g.clone());
            without_parts(Connective::Or, left, |part| implies(part, &for_ever))
        }
        _ => None,
    }?;
    Some(quantifier.over(binary(path, left, g.clone())))
}

/// `Q[g R (f | g)] = Q[f W g]`.
fn release_as_weak_until(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Release(..), [g, right]) = operands(f)? else { return None };
    let Formula::Or(parts) = right else { return None };
    let at = parts.iter().position(|part| part == g)?;
    let rest = without(parts, &[at]);
    (!rest.is_empty()).then(|| {
        let (rest, g) = (Box::new(Connective::Or.join(rest)), Box::new(g.clone()));
        quantifier.over(Formula::WeakUntil(rest, g))
    })
}

/// A formula without some of its parts; `None` when all are kept. Constants have rules of their own.
pub(super) fn without_parts(
    connective: Connective,
    f: &Formula,
    gone: impl Fn(&Formula) -> bool,
) -> Option<Formula> {
    let all = connective.operands(f);
    let kept: Vec<Formula> = all.iter().filter(|part| !gone(part)).cloned().collect();
    (kept.len() < all.len() && !matches!(f, Formula::Constant(_))).then(|| connective.join(kept))
}

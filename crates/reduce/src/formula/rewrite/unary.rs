//! Operands of X, F and G.

use fireset_net::Formula;

use super::{RewriteRule, ctl_first, ctl_rule, ltl_rule, rule, shortened};
use crate::formula::{
    classes::{is_eventual, is_stable, is_universal},
    view::{Connective, PathQuantifier, UnaryOperator, binary, connected, finally, globally, next, temporal},
};

pub(super) const RULES: &[RewriteRule] = &[
    ltl_rule("next_of_stable", next_of_stable),
    rule("finally_of_eventual", finally_of_eventual),
    rule("globally_of_universal", globally_of_universal),
    rule("finally_of_until", finally_of_until),
    rule("globally_of_release", globally_of_release),
    ctl_first("eventual_out_of_finally", eventual_out_of_finally),
    ctl_first("universal_out_of_globally", universal_out_of_globally),
    ctl_rule("next_inwards", next_inwards),
    ltl_rule("next_outwards", next_outwards),
    ltl_rule("next_in_the_long_run", next_in_the_long_run),
];

/// `X s = s` where `s` is stable. In CTL a deadlock has no next state, so `EX s` is `s & !deadlock`.
fn next_of_stable(f: &Formula) -> Option<Formula> {
    let (PathQuantifier::ThisPath, Formula::Next(s)) = temporal(f)? else { return None };
    is_stable(s).then(|| (**s).clone())
}

/// `QF e = e` where `e` is eventual; so `F F f = F f`, `F G F f = G F f`, `AF EF f = EF f` and `EF !deadlock = !deadlock`.
fn finally_of_eventual(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Finally(e)) = temporal(f)? else { return None };
    is_eventual(quantifier.logic(), e).then(|| (**e).clone())
}

/// `QG u = u` where `u` is universal; so `G G f = G f`, `G F G f = F G f`, `EG AG f = AG f` and `AG deadlock = deadlock`.
fn globally_of_universal(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Globally(u)) = temporal(f)? else { return None };
    is_universal(quantifier.logic(), u).then(|| (**u).clone())
}

/// `QF(h | QF g) = QF(h | Q[f U g]) = QF(h | g)`, and `EF` also over `A`.
fn finally_of_until(f: &Formula) -> Option<Formula> {
    let (outer, Formula::Finally(below)) = temporal(f)? else { return None };
    let shorter = |f: &Formula| match temporal(f)? {
        (PathQuantifier::Exists, _) if outer == PathQuantifier::ForAll => None,
        (_, Formula::Finally(g) | Formula::Until(_, g)) => Some((**g).clone()),
        _ => None,
    };
    let fs = shortened(Connective::Or.operands(below), shorter)?;
    Some(outer.over(finally(Connective::Or.join(fs))))
}

/// `QG(h & QG g) = QG(h & Q[f R g]) = QG(h & g)`, `QG(h & Q[f W g]) = QG(h & (f | g))`, and `AG` also over `E`.
fn globally_of_release(f: &Formula) -> Option<Formula> {
    let (outer, Formula::Globally(below)) = temporal(f)? else { return None };
    let shorter = |f: &Formula| match temporal(f)? {
        (PathQuantifier::ForAll, _) if outer == PathQuantifier::Exists => None,
        (_, Formula::Globally(g) | Formula::Release(_, g)) => Some((**g).clone()),
        (_, Formula::WeakUntil(f, g)) => Some(Formula::Or(vec![(**f).clone(), (**g).clone()])),
        _ => None,
    };
    let fs = shortened(Connective::And.operands(below), shorter)?;
    Some(outer.over(globally(Connective::And.join(fs))))
}

/// `QF(h | e) = QF h | e` where `e` is eventual.
fn eventual_out_of_finally(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Finally(below)) = temporal(f)? else { return None };
    let (mut out, rest) = Connective::Or.split(below, |e| is_eventual(quantifier.logic(), e))?;
    out.push(quantifier.over(finally(rest)));
    Some(Connective::Or.join(out))
}

/// `QG(h & u) = QG h & u` where `u` is universal.
fn universal_out_of_globally(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Globally(below)) = temporal(f)? else { return None };
    let (mut out, rest) = Connective::And.split(below, |u| is_universal(quantifier.logic(), u))?;
    out.push(quantifier.over(globally(rest)));
    Some(Connective::And.join(out))
}

/// `EX EF f = EF EX f` and `AX AG f = AG AX f`. In CTL `X` moves inwards, since `QX` of a state predicate is one.
fn next_inwards(f: &Formula) -> Option<Formula> {
    [(PathQuantifier::Exists, UnaryOperator::Finally), (PathQuantifier::ForAll, UnaryOperator::Globally)]
        .into_iter()
        .find_map(|(quantifier, operator)| {
            let below = quantifier.operand_of(UnaryOperator::Next, f)?;
            let operand = quantifier.operand_of(operator, below)?;
            let inner = quantifier.apply(UnaryOperator::Next, operand.clone());
            Some(quantifier.apply(operator, inner))
        })
}

/// `F X f = X F f`, `G X f = X G f`, and `X f U X g = X(f U g)` and so for R and W. The first two do not make the
/// formula smaller, but an X further out meets others, or a stable formula, and then it goes.
fn next_outwards(f: &Formula) -> Option<Formula> {
    let operand = |f: &Formula| PathQuantifier::ThisPath.operand_of(UnaryOperator::Next, f).cloned();
    match f {
        Formula::Finally(inner) => Some(next(finally(operand(inner)?))),
        Formula::Globally(inner) => Some(next(globally(operand(inner)?))),
        Formula::Until(a, b) | Formula::Release(a, b) | Formula::WeakUntil(a, b) => {
            Some(next(binary(f, operand(a)?, operand(b)?)))
        }
        _ => None,
    }
}

/// `G F(h | X g) = G F(h | g)` and `F G(h & X g) = F G(h & g)`: in the long run one step more or less does not matter.
fn next_in_the_long_run(f: &Formula) -> Option<Formula> {
    use UnaryOperator::{Finally, Globally, Next};
    let path = PathQuantifier::ThisPath;
    [(Globally, Finally, Connective::Or), (Finally, Globally, Connective::And)].into_iter().find_map(
        |(outer, inner, connective)| {
            let below = path.operand_of(inner, path.operand_of(outer, f)?)?;
            let (_, fs) = connected(below).filter(|(same, _)| *same == connective)?;
            let fs = shortened(fs, |f| path.operand_of(Next, f).cloned())?;
            Some(outer.apply(inner.apply(connective.join(fs))))
        },
    )
}

//! Several temporal operands of a conjunction or a disjunction become one.
//!
//! On one path temporal operators distribute as they are; `A` distributes over `&` and `E` over `|`
//! ([`PathQuantifier::distributes_over`]). State predicates below `EF` and `AG` are joined with each other and not with
//! temporal operands, because what they make together is a reachability query.

use fireset_net::Formula;

use super::{RewriteRule, ltl_rule, rule, without};
use crate::formula::view::{Connective, PathQuantifier, UnaryOperator, connected, quantified, temporal};

pub(super) const RULES: &[RewriteRule] = &[
    rule("joined_next", joined_next),
    rule("joined_finally", joined_finally),
    rule("joined_globally", joined_globally),
    ltl_rule("joined_infinitely_often", joined_infinitely_often),
    ltl_rule("joined_almost_always", joined_almost_always),
    rule("joined_left", joined_left),
    rule("joined_right", joined_right),
    rule("until_or_globally", until_or_globally),
    rule("weak_until_and_finally", weak_until_and_finally),
    rule("folded_globally", folded_globally),
    rule("folded_finally", folded_finally),
];

/// The quantifiers that distribute over a connective.
fn distributing(connective: Connective) -> impl Iterator<Item = PathQuantifier> {
    PathQuantifier::ALL.into_iter().filter(move |quantifier| quantifier.distributes_over(connective))
}

/// Joins the operands that `part` finds something in, when there are at least two.
fn join(
    f: &Formula,
    part: impl Fn(&Formula) -> Option<&Formula>,
    whole: impl Fn(Formula) -> Formula,
) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let found: Vec<usize> = (0..fs.len()).filter(|&at| part(&fs[at]).is_some()).collect();
    if found.len() < 2 {
        return None;
    }
    let parts = found.iter().filter_map(|&at| part(&fs[at]).cloned()).collect();
    let mut rest = without(fs, &found);
    rest.push(whole(connective.join(parts)));
    Some(connective.join(rest))
}

/// `QX f & QX g = QX(f & g)` and `QX f | QX g = QX(f | g)`, where `Q` distributes.
fn joined_next(f: &Formula) -> Option<Formula> {
    let (connective, _) = connected(f)?;
    distributing(connective).find_map(|quantifier| {
        let whole = |operand| quantifier.apply(UnaryOperator::Next, operand);
        join(f, |f| quantifier.operand_of(UnaryOperator::Next, f), whole)
    })
}

/// `QF f | QF g = QF(f | g)`, where `Q` distributes.
fn joined_finally(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    distributing(Connective::Or).find_map(|quantifier| join_alike(f, quantifier, UnaryOperator::Finally))
}

/// `QG f & QG g = QG(f & g)`, where `Q` distributes.
fn joined_globally(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    distributing(Connective::And).find_map(|quantifier| join_alike(f, quantifier, UnaryOperator::Globally))
}

/// Joins operands with an operator. In CTL those over state predicates are joined with each other, or else the others.
fn join_alike(f: &Formula, quantifier: PathQuantifier, operator: UnaryOperator) -> Option<Formula> {
    let joined = |is_alike: &dyn Fn(&Formula) -> bool| {
        let whole = |operand| quantifier.apply(operator, operand);
        join(f, |f| quantifier.operand_of(operator, f).filter(|operand| is_alike(operand)), whole)
    };
    match quantifier {
        PathQuantifier::ThisPath => joined(&|_| true),
        PathQuantifier::ForAll | PathQuantifier::Exists => {
            joined(&Formula::is_state_predicate).or_else(|| joined(&|f| !f.is_state_predicate()))
        }
    }
}

/// `G F f | G F g = G F(f | g)`.
fn joined_infinitely_often(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    join_chain(f, [UnaryOperator::Globally, UnaryOperator::Finally])
}

/// `F G f & F G g = F G(f & g)`.
fn joined_almost_always(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    join_chain(f, [UnaryOperator::Finally, UnaryOperator::Globally])
}

/// Joins operands that begin with two operators.
fn join_chain(f: &Formula, [outer, inner]: [UnaryOperator; 2]) -> Option<Formula> {
    let path = PathQuantifier::ThisPath;
    let whole = |operand| outer.apply(inner.apply(operand));
    join(f, |f| path.operand_of(inner, path.operand_of(outer, f)?), whole)
}

/// `Q[f U g] & Q[h U g] = Q[(f & h) U g]`, so for W, and `Q[f R g] | Q[h R g] = Q[(f | h) R g]`, where `Q` distributes.
fn joined_left(f: &Formula) -> Option<Formula> {
    let (connective, _) = connected(f)?;
    join_paths(f, |a, b| match (a, b, connective) {
        (Formula::Until(f, g), Formula::Until(h, i), Connective::And) if g == i => {
            Some(Formula::Until(both(connective, f, h), g.clone()))
        }
        (Formula::WeakUntil(f, g), Formula::WeakUntil(h, i), Connective::And) if g == i => {
            Some(Formula::WeakUntil(both(connective, f, h), g.clone()))
        }
        (Formula::Release(f, g), Formula::Release(h, i), Connective::Or) if g == i => {
            Some(Formula::Release(both(connective, f, h), g.clone()))
        }
        _ => None,
    })
}

/// `Q[f U g] | Q[f U h] = Q[f U (g | h)]`, so for W and for one of each, which gives W; and
/// `Q[f R g] & Q[f R h] = Q[f R (g & h)]`, where `Q` distributes.
fn joined_right(f: &Formula) -> Option<Formula> {
    let (connective, _) = connected(f)?;
    join_paths(f, |a, b| match (a, b, connective) {
        (Formula::Until(f, g), Formula::Until(h, i), Connective::Or) if f == h => {
            Some(Formula::Until(f.clone(), both(connective, g, i)))
        }
        (Formula::WeakUntil(f, g), Formula::WeakUntil(h, i) | Formula::Until(h, i), Connective::Or)
            if f == h =>
        {
            Some(Formula::WeakUntil(f.clone(), both(connective, g, i)))
        }
        (Formula::Release(f, g), Formula::Release(h, i), Connective::And) if f == h => {
            Some(Formula::Release(f.clone(), both(connective, g, i)))
        }
        _ => None,
    })
}

/// `Q[f U g] | QG f = Q[f W g]`, where `Q` distributes.
fn until_or_globally(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    join_paths(f, |a, b| match (a, b) {
        (Formula::Until(f, g), Formula::Globally(h)) if f == h => {
            Some(Formula::WeakUntil(f.clone(), g.clone()))
        }
        _ => None,
    })
}

/// `Q[f W g] & QF g = Q[f U g]`, where `Q` distributes.
fn weak_until_and_finally(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    join_paths(f, |a, b| match (a, b) {
        (Formula::WeakUntil(f, g), Formula::Finally(h)) if g == h => {
            Some(Formula::Until(f.clone(), g.clone()))
        }
        _ => None,
    })
}

/// `f & QX QG f = QG f`, where `Q` distributes.
fn folded_globally(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    folded(f, UnaryOperator::Globally)
}

/// `f | QX QF f = QF f`, where `Q` distributes.
fn folded_finally(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    folded(f, UnaryOperator::Finally)
}

/// Replaces an `f` and a `QX Qo f` by `Qo f` for an operator `o`.
fn folded(f: &Formula, operator: UnaryOperator) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    pair(connective, fs, |a, b| {
        distributing(connective).find_map(|quantifier| {
            let inner = quantifier.operand_of(UnaryOperator::Next, a)?;
            (quantifier.operand_of(operator, inner)? == b).then(|| inner.clone())
        })
    })
}

/// Replaces two operands with the same distributing quantifier whose path formulas `join` can join.
fn join_paths(f: &Formula, join: impl Fn(&Formula, &Formula) -> Option<Formula>) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    pair(connective, fs, |a, b| {
        let ((quantifier, a), (other, b)) = (temporal(a)?, temporal(b)?);
        let alike = quantifier == other && quantifier.distributes_over(connective);
        if alike { join(a, b).map(|joined| quantifier.over(joined)) } else { None }
    })
}

fn both(connective: Connective, f: &Formula, g: &Formula) -> Box<Formula> {
    Box::new(connective.join(vec![f.clone(), g.clone()]))
}

/// The operands with the first two replaced that `join` can join, in either order.
pub(super) fn pair(
    connective: Connective,
    fs: &[Formula],
    join: impl Fn(&Formula, &Formula) -> Option<Formula>,
) -> Option<Formula> {
    // Two state predicates are never joined here, and there may be many.
    let may_join = |f: &Formula| f.is_temporal() || connected(f).is_some() || quantified(f).is_some();
    for a in (0..fs.len()).filter(|&a| may_join(&fs[a])) {
        for b in (0..fs.len()).filter(|&b| b != a) {
            if let Some(joined) = join(&fs[a], &fs[b]) {
                let mut rest = without(fs, &[a, b]);
                rest.push(joined);
                return Some(connective.join(rest));
            }
        }
    }
    None
}

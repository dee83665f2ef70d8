//! Several temporal operands of a conjunction or a disjunction become one.

use fireset_net::Formula;

use super::{Rule, combine, finally, globally, next, operands, without};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "joined_next", apply: joined_next },
    Rule { name: "joined_finally", apply: joined_finally },
    Rule { name: "joined_globally", apply: joined_globally },
    Rule { name: "joined_infinitely_often", apply: joined_infinitely_often },
    Rule { name: "joined_almost_always", apply: joined_almost_always },
    Rule { name: "joined_left", apply: joined_left },
    Rule { name: "joined_right", apply: joined_right },
    Rule { name: "until_or_globally", apply: until_or_globally },
    Rule { name: "weak_until_and_finally", apply: weak_until_and_finally },
    Rule { name: "folded_globally", apply: folded_globally },
    Rule { name: "folded_finally", apply: folded_finally },
];

/// Joins the operands that `part` finds something in, when there are at least two.
pub(in crate::formula) fn join(
    f: &Formula,
    part: impl Fn(&Formula) -> Option<&Formula>,
    whole: impl Fn(Formula) -> Formula,
) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let found: Vec<usize> = (0..fs.len()).filter(|&at| part(&fs[at]).is_some()).collect();
    if found.len() < 2 {
        return None;
    }
    let parts = found.iter().filter_map(|&at| part(&fs[at]).cloned()).collect();
    let mut rest = without(fs, &found);
    rest.push(whole(combine(conjunction, parts)));
    Some(combine(conjunction, rest))
}

/// `X f & X g = X(f & g)`, `X f | X g = X(f | g)`.
fn joined_next(f: &Formula) -> Option<Formula> {
    join(f, |f| matches!(f, Formula::Next(_)).then(|| below(f)), next)
}

/// `F f | F g = F(f | g)`.
fn joined_finally(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    join(f, |f| matches!(f, Formula::Finally(_)).then(|| below(f)), finally)
}

/// `G f & G g = G(f & g)`.
fn joined_globally(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    join(f, |f| matches!(f, Formula::Globally(_)).then(|| below(f)), globally)
}

/// `G F f | G F g = G F(f | g)`.
fn joined_infinitely_often(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    let part = |f: &Formula| matches!(f, Formula::Globally(g) if matches!(**g, Formula::Finally(_)));
    join(f, |f| part(f).then(|| below(below(f))), |f| globally(finally(f)))
}

/// `F G f & F G g = F G(f & g)`.
fn joined_almost_always(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    let part = |f: &Formula| matches!(f, Formula::Finally(g) if matches!(**g, Formula::Globally(_)));
    join(f, |f| part(f).then(|| below(below(f))), |f| finally(globally(f)))
}

/// The first operand.
pub(in crate::formula) fn below(f: &Formula) -> &Formula {
    f.children().next().expect("a temporal operator has an operand")
}

/// `(f U g) & (h U g) = (f & h) U g`, so for W, and `(f R g) | (h R g) = (f | h) R g`.
fn joined_left(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    pair(fs, |a, b| match (a, b) {
        (Formula::Until(f, g), Formula::Until(h, i)) if conjunction && g == i => {
            Some(Formula::Until(both(conjunction, f, h), g.clone()))
        }
        (Formula::WeakUntil(f, g), Formula::WeakUntil(h, i)) if conjunction && g == i => {
            Some(Formula::WeakUntil(both(conjunction, f, h), g.clone()))
        }
        (Formula::Release(f, g), Formula::Release(h, i)) if !conjunction && g == i => {
            Some(Formula::Release(both(conjunction, f, h), g.clone()))
        }
        _ => None,
    })
    .map(|fs| combine(conjunction, fs))
}

/// `(f U g) | (f U h) = f U (g | h)`, so for W and for one of each, which gives W; and
/// `(f R g) & (f R h) = f R (g & h)`.
fn joined_right(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    pair(fs, |a, b| match (a, b) {
        (Formula::Until(f, g), Formula::Until(h, i)) if !conjunction && f == h => {
            Some(Formula::Until(f.clone(), both(conjunction, g, i)))
        }
        (Formula::WeakUntil(f, g), Formula::WeakUntil(h, i) | Formula::Until(h, i))
            if !conjunction && f == h =>
        {
            Some(Formula::WeakUntil(f.clone(), both(conjunction, g, i)))
        }
        (Formula::Release(f, g), Formula::Release(h, i)) if conjunction && f == h => {
            Some(Formula::Release(f.clone(), both(conjunction, g, i)))
        }
        _ => None,
    })
    .map(|fs| combine(conjunction, fs))
}

pub(in crate::formula) fn both(conjunction: bool, f: &Formula, g: &Formula) -> Box<Formula> {
    Box::new(combine(conjunction, vec![f.clone(), g.clone()]))
}

/// The operands with the first two replaced that `join` can join, in either order.
pub(in crate::formula) fn pair(
    fs: &[Formula],
    join: impl Fn(&Formula, &Formula) -> Option<Formula>,
) -> Option<Vec<Formula>> {
    // Two state predicates are never joined here, and there may be many.
    let looks = |f: &Formula| {
        f.is_temporal() || operands(f).is_some() || matches!(f, Formula::Exists(_) | Formula::ForAll(_))
    };
    for a in (0..fs.len()).filter(|&a| looks(&fs[a])) {
        for b in (0..fs.len()).filter(|&b| b != a) {
            if let Some(joined) = join(&fs[a], &fs[b]) {
                let mut rest = without(fs, &[a, b]);
                rest.push(joined);
                return Some(rest);
            }
        }
    }
    None
}

/// `(f U g) | G f = f W g`.
fn until_or_globally(f: &Formula) -> Option<Formula> {
    let Formula::Or(fs) = f else { return None };
    pair(fs, |a, b| match (a, b) {
        (Formula::Until(f, g), Formula::Globally(h)) if f == h => {
            Some(Formula::WeakUntil(f.clone(), g.clone()))
        }
        _ => None,
    })
    .map(|fs| combine(false, fs))
}

/// `(f W g) & F g = f U g`.
fn weak_until_and_finally(f: &Formula) -> Option<Formula> {
    let Formula::And(fs) = f else { return None };
    pair(fs, |a, b| match (a, b) {
        (Formula::WeakUntil(f, g), Formula::Finally(h)) if g == h => {
            Some(Formula::Until(f.clone(), g.clone()))
        }
        _ => None,
    })
    .map(|fs| combine(true, fs))
}

/// `f & X G f = G f`.
fn folded_globally(f: &Formula) -> Option<Formula> {
    let Formula::And(fs) = f else { return None };
    folded(fs, |f| matches!(f, Formula::Globally(_))).map(|fs| combine(true, fs))
}

/// `f | X F f = F f`.
fn folded_finally(f: &Formula) -> Option<Formula> {
    let Formula::Or(fs) = f else { return None };
    folded(fs, |f| matches!(f, Formula::Finally(_))).map(|fs| combine(false, fs))
}

/// The operands with an `f` and an `X o f` replaced by `o f`, where `is_operator` knows `o f`.
fn folded(fs: &[Formula], is_operator: impl Fn(&Formula) -> bool) -> Option<Vec<Formula>> {
    pair(fs, |a, b| match a {
        Formula::Next(inner) if is_operator(inner) && below(inner) == b => Some((**inner).clone()),
        _ => None,
    })
}

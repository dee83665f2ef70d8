//! Several temporal operands of a conjunction or a disjunction become one.
//!
//! `E` distributes over `|` and `A` over `&`. State predicates below `EF` and `AG` are joined with each other and not with
//! temporal operands, because what they make together is a reachability query.

use fireset_net::{Formula, Quantifier};

use crate::formula::{
    ctl::{quantified, quantify},
    rewrite::{
        Rule, combine,
        join::{below, both, join, pair},
        next, operands,
    },
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "joined_next", apply: joined_next },
    Rule { name: "joined_possibilities", apply: joined_possibilities },
    Rule { name: "joined_invariants", apply: joined_invariants },
    Rule { name: "joined_left", apply: joined_left },
    Rule { name: "joined_right", apply: joined_right },
    Rule { name: "until_or_globally", apply: until_or_globally },
    Rule { name: "weak_until_and_finally", apply: weak_until_and_finally },
    Rule { name: "folded_possibility", apply: folded_possibility },
    Rule { name: "folded_invariant", apply: folded_invariant },
];

/// The quantifier that distributes over a conjunction or a disjunction.
fn distributing(conjunction: bool) -> Quantifier {
    if conjunction { Quantifier::ForAll } else { Quantifier::Exists }
}

/// The path formula below a quantifier.
fn path(f: &Formula, quantifier: Quantifier) -> Option<&Formula> {
    quantified(f).filter(|(same, _)| *same == quantifier).map(|(_, path)| path)
}

/// `EX f | EX g = EX(f | g)`, `AX f & AX g = AX(f & g)`.
fn joined_next(f: &Formula) -> Option<Formula> {
    let quantifier = distributing(operands(f)?.0);
    let whole = |f| quantify(quantifier, next(f));
    join(f, |f| path(f, quantifier).filter(|p| matches!(p, Formula::Next(_))).map(below), whole)
}

/// `EF f | EF g = EF(f | g)` where `f` and `g` are state predicates, or both are not.
fn joined_possibilities(f: &Formula) -> Option<Formula> {
    let Formula::Or(_) = f else { return None };
    join_alike(f, Formula::possible, |f| match path(f, Quantifier::Exists)? {
        Formula::Finally(f) => Some(f),
        _ => None,
    })
}

/// `AG f & AG g = AG(f & g)` where `f` and `g` are state predicates, or both are not.
fn joined_invariants(f: &Formula) -> Option<Formula> {
    let Formula::And(_) = f else { return None };
    join_alike(f, Formula::invariant, |f| match path(f, Quantifier::ForAll)? {
        Formula::Globally(f) => Some(f),
        _ => None,
    })
}

/// Joins operands over state predicates with each other, or else operands over other formulas.
fn join_alike(
    f: &Formula,
    whole: fn(Formula) -> Formula,
    part: fn(&Formula) -> Option<&Formula>,
) -> Option<Formula> {
    let alike = |of_state| join(f, |f| part(f).filter(|p| p.is_state_predicate() == of_state), whole);
    alike(true).or_else(|| alike(false))
}

/// `A[f U g] & A[h U g] = A[(f & h) U g]`, so for W, and `E[f R g] | E[h R g] = E[(f | h) R g]`.
fn joined_left(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let quantifier = distributing(conjunction);
    pair(fs, |a, b| {
        let joined = match (path(a, quantifier)?, path(b, quantifier)?) {
            (Formula::Until(f, g), Formula::Until(h, i)) if conjunction && g == i => {
                Formula::Until(both(conjunction, f, h), g.clone())
            }
            (Formula::WeakUntil(f, g), Formula::WeakUntil(h, i)) if conjunction && g == i => {
                Formula::WeakUntil(both(conjunction, f, h), g.clone())
            }
            (Formula::Release(f, g), Formula::Release(h, i)) if !conjunction && g == i => {
                Formula::Release(both(conjunction, f, h), g.clone())
            }
            _ => return None,
        };
        Some(quantify(quantifier, joined))
    })
    .map(|fs| combine(conjunction, fs))
}

/// `E[f U g] | E[f U h] = E[f U (g | h)]`, so for W, and `A[f R g] & A[f R h] = A[f R (g & h)]`.
fn joined_right(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let quantifier = distributing(conjunction);
    pair(fs, |a, b| {
        let joined = match (path(a, quantifier)?, path(b, quantifier)?) {
            (Formula::Until(f, g), Formula::Until(h, i)) if !conjunction && f == h => {
                Formula::Until(f.clone(), both(conjunction, g, i))
            }
            (Formula::WeakUntil(f, g), Formula::WeakUntil(h, i) | Formula::Until(h, i))
                if !conjunction && f == h =>
            {
                Formula::WeakUntil(f.clone(), both(conjunction, g, i))
            }
            (Formula::Release(f, g), Formula::Release(h, i)) if conjunction && f == h => {
                Formula::Release(f.clone(), both(conjunction, g, i))
            }
            _ => return None,
        };
        Some(quantify(quantifier, joined))
    })
    .map(|fs| combine(conjunction, fs))
}

/// `E[f U g] | EG f = E[f W g]`.
fn until_or_globally(f: &Formula) -> Option<Formula> {
    let Formula::Or(fs) = f else { return None };
    pair(fs, |a, b| match (path(a, Quantifier::Exists)?, path(b, Quantifier::Exists)?) {
        (Formula::Until(f, g), Formula::Globally(h)) if f == h => {
            Some(quantify(Quantifier::Exists, Formula::WeakUntil(f.clone(), g.clone())))
        }
        _ => None,
    })
    .map(|fs| combine(false, fs))
}

/// `A[f W g] & AF g = A[f U g]`.
fn weak_until_and_finally(f: &Formula) -> Option<Formula> {
    let Formula::And(fs) = f else { return None };
    pair(fs, |a, b| match (path(a, Quantifier::ForAll)?, path(b, Quantifier::ForAll)?) {
        (Formula::WeakUntil(f, g), Formula::Finally(h)) if g == h => {
            Some(quantify(Quantifier::ForAll, Formula::Until(f.clone(), g.clone())))
        }
        _ => None,
    })
    .map(|fs| combine(true, fs))
}

/// `f | EX EF f = EF f`.
fn folded_possibility(f: &Formula) -> Option<Formula> {
    let Formula::Or(fs) = f else { return None };
    folded(fs, Quantifier::Exists, |path| matches!(path, Formula::Finally(_))).map(|fs| combine(false, fs))
}

/// `f & AX AG f = AG f`.
fn folded_invariant(f: &Formula) -> Option<Formula> {
    let Formula::And(fs) = f else { return None };
    folded(fs, Quantifier::ForAll, |path| matches!(path, Formula::Globally(_))).map(|fs| combine(true, fs))
}

/// The operands with an `f` and a `QX Qo f` replaced by `Qo f`, where `is_operator` knows `o f`.
fn folded(
    fs: &[Formula],
    quantifier: Quantifier,
    is_operator: impl Fn(&Formula) -> bool,
) -> Option<Vec<Formula>> {
    pair(fs, |a, b| match path(a, quantifier)? {
        Formula::Next(inner) => {
            let found = path(inner, quantifier).filter(|path| is_operator(path))?;
            (below(found) == b).then(|| (**inner).clone())
        }
        _ => None,
    })
}

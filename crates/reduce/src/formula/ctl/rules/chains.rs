//! Operands of EF, AF, EG and AG.

use fireset_net::{Formula, Quantifier};

use super::{parts, whole};
use crate::formula::{
    ctl::{
        classes::{is_eventual, is_universal},
        quantified, quantify,
    },
    rewrite::{Rule, combine, finally, globally, next, operands, unary::shortened},
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "finally_of_eventual", apply: finally_of_eventual },
    Rule { name: "globally_of_universal", apply: globally_of_universal },
    Rule { name: "finally_of_until", apply: finally_of_until },
    Rule { name: "globally_of_release", apply: globally_of_release },
    Rule { name: "eventual_out_of_finally", apply: eventual_out_of_finally },
    Rule { name: "universal_out_of_globally", apply: universal_out_of_globally },
    Rule { name: "next_of_finally", apply: next_of_finally },
];

/// `EF e = AF e = e` where `e` is eventual; so `AF EF f = EF f` and `EF !deadlock = !deadlock`.
fn finally_of_eventual(f: &Formula) -> Option<Formula> {
    let (_, Formula::Finally(e)) = quantified(f)? else { return None };
    is_eventual(e).then(|| (**e).clone())
}

/// `AG u = EG u = u` where `u` is universal; so `EG AG f = AG f` and `AG deadlock = deadlock`.
fn globally_of_universal(f: &Formula) -> Option<Formula> {
    let (_, Formula::Globally(u)) = quantified(f)? else { return None };
    is_universal(u).then(|| (**u).clone())
}

/// `EF(h | QF g) = EF(h | Q[f U g]) = EF(h | g)`, `AF(h | AF g) = AF(h | A[f U g]) = AF(h | g)`.
fn finally_of_until(f: &Formula) -> Option<Formula> {
    let (outer, Formula::Finally(below)) = quantified(f)? else { return None };
    let shorter = |f: &Formula| match quantified(f)? {
        (Quantifier::Exists, _) if outer == Quantifier::ForAll => None,
        (_, Formula::Finally(g) | Formula::Until(_, g)) => Some((**g).clone()),
        _ => None,
    };
    let fs = shortened(parts(false, below), shorter)?;
    Some(quantify(outer, finally(combine(false, fs))))
}

/// `AG(h & QG g) = AG(h & Q[f R g]) = AG(h & g)`, `AG(h & Q[f W g]) = AG(h & (f | g))`, and so for `EG` over `E`.
fn globally_of_release(f: &Formula) -> Option<Formula> {
    let (outer, Formula::Globally(below)) = quantified(f)? else { return None };
    let shorter = |f: &Formula| match quantified(f)? {
        (Quantifier::ForAll, _) if outer == Quantifier::Exists => None,
        (_, Formula::Globally(g) | Formula::Release(_, g)) => Some((**g).clone()),
        (_, Formula::WeakUntil(f, g)) => Some(Formula::Or(vec![(**f).clone(), (**g).clone()])),
        _ => None,
    };
    let fs = shortened(parts(true, below), shorter)?;
    Some(quantify(outer, globally(combine(true, fs))))
}

/// `QF(h | e) = QF h | e` where `e` is eventual.
fn eventual_out_of_finally(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Finally(below)) = quantified(f)? else { return None };
    let (mut out, rest) = divided(false, below, is_eventual)?;
    out.push(quantify(quantifier, finally(rest)));
    Some(combine(false, out))
}

/// `QG(h & u) = QG h & u` where `u` is universal.
fn universal_out_of_globally(f: &Formula) -> Option<Formula> {
    let (quantifier, Formula::Globally(below)) = quantified(f)? else { return None };
    let (mut out, rest) = divided(true, below, is_universal)?;
    out.push(quantify(quantifier, globally(rest)));
    Some(combine(true, out))
}

/// `EX EF f = EF EX f` and `AX AG f = AG AX f`, since `X` of a state predicate is one.
fn next_of_finally(f: &Formula) -> Option<Formula> {
    let (outer, Formula::Next(below)) = quantified(f)? else { return None };
    match (outer, quantified(below)?) {
        (Quantifier::Exists, (Quantifier::Exists, Formula::Finally(f))) => {
            Some(quantify(outer, next((**f).clone())).possible())
        }
        (Quantifier::ForAll, (Quantifier::ForAll, Formula::Globally(f))) => {
            Some(quantify(outer, next((**f).clone())).invariant())
        }
        _ => None,
    }
}

/// The operands of a class, and the others together, when there are some of each.
pub(super) fn divided(
    conjunction: bool,
    f: &Formula,
    class: impl Fn(&Formula) -> bool,
) -> Option<(Vec<Formula>, Formula)> {
    let (_, fs) = operands(f).filter(|(same, _)| *same == conjunction)?;
    let (of_class, rest): (Vec<Formula>, Vec<Formula>) = fs.iter().cloned().partition(class);
    (!of_class.is_empty() && !rest.is_empty()).then(|| (of_class, whole(conjunction, rest)))
}

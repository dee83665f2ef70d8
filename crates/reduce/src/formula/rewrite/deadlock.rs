//! What a deadlock decides in CTL: it has no next state, and before the last state of a path there is none.

use fireset_net::Formula;

use super::{RewriteRule, ctl_rule, join::pair, until::without_parts};
use crate::formula::{
    implies::implies,
    view::{
        Connective, PathQuantifier, UnaryOperator, binary, connected, in_deadlock, not_deadlock, quantified,
        quantify,
    },
};

pub(super) const RULES: &[RewriteRule] = &[
    ctl_rule("deadlock_on_the_left", deadlock_on_the_left),
    ctl_rule("weak_until_in_a_deadlock", weak_until_in_a_deadlock),
    ctl_rule("beside_deadlock", beside_deadlock),
    ctl_rule("both_nexts", both_nexts),
];

/// `Q[(f | d) U g] = Q[f U g]` and so for R, where `d` implies deadlock; `Q[(f & n) U g] = Q[f U g]` and so for R, where
/// `!deadlock` implies `n`. So `Q[deadlock U g] = g` and `Q[!deadlock U g] = QF g`.
fn deadlock_on_the_left(f: &Formula) -> Option<Formula> {
    let (quantifier, path) = quantified(f)?;
    let (Formula::Until(left, g) | Formula::Release(left, g)) = path else { return None };
    Connective::BOTH.into_iter().find_map(|connective| {
        let left = without_parts(connective, left, |part| is_decided(connective, part))?;
        Some(quantify(quantifier, binary(path, left, (**g).clone())))
    })
}

/// `Q[d W g] = d | g` where `d` implies deadlock.
fn weak_until_in_a_deadlock(f: &Formula) -> Option<Formula> {
    let (_, Formula::WeakUntil(d, g)) = quantified(f)? else { return None };
    implies(d, &Formula::Deadlock).then(|| Formula::Or(vec![(**d).clone(), (**g).clone()]))
}

/// Whether a conjunct is true where there is no deadlock, or a disjunct is true in a deadlock only.
fn is_decided(connective: Connective, part: &Formula) -> bool {
    match connective {
        Connective::And => implies(&not_deadlock(), part),
        Connective::Or => implies(part, &Formula::Deadlock),
    }
}

/// `deadlock & f = deadlock & g` and `!deadlock | f = !deadlock | g`, where `g` is what `f` says in a deadlock.
fn beside_deadlock(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let known = match connective {
        Connective::And => Formula::Deadlock,
        Connective::Or => not_deadlock(),
    };
    let at = fs.iter().position(|f| *f == known)?;
    let changes = |f: &Formula| {
        f.any(&|f| {
            let is_decided =
                matches!(f, Formula::Deadlock | Formula::Fireable(_) | Formula::BindingFireable(_));
            is_decided || quantified(f).is_some()
        })
    };
    if !fs.iter().enumerate().any(|(other, f)| other != at && changes(f)) {
        return None;
    }
    let said = |(other, f): (usize, &Formula)| if other == at { f.clone() } else { in_deadlock(f) };
    Some(connective.join(fs.iter().enumerate().map(said).collect()))
}

/// `AX f | EX g = deadlock | EX g` and `AX f & EX g = AX f & !deadlock` where `f` implies `g`.
fn both_nexts(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    pair(connective, fs, |a, b| {
        let f = PathQuantifier::ForAll.operand_of(UnaryOperator::Next, a)?;
        let g = PathQuantifier::Exists.operand_of(UnaryOperator::Next, b)?;
        implies(f, g).then(|| match connective {
            Connective::And => Formula::And(vec![a.clone(), not_deadlock()]),
            Connective::Or => Formula::Or(vec![Formula::Deadlock, b.clone()]),
        })
    })
}

//! Atoms that are true in every reachable marking, or in none.
//!
//! Why: a constant in a formula makes everything around it smaller, and an atom that is gone need not be watched.
//! Source: Table I of the paper on EnPAC, which knows `0 <= tokens`, 1-safe nets and nested units. We differ in what
//! we trust: nothing that a file claims, only the place invariants of [`MarkingBounds`], which cover 1-safe nets and units
//! as far as they prove them, and weighted sums as well. It is the cheap first stage; the state equation decides more.
//!
//! A comparison is brought to the form `sum of factors * tokens + constant` on one side and 0 on the other, and
//! decided by the least and the most that the sum can be. Firesets lose transitions that are never enabled.
//! Invariant: an atom and what replaces it have the same value in every reachable marking; where a number does not
//! fit, the atom stays.
//! Test: `tests/atoms.rs`, against all reachable markings of random nets.

use std::collections::HashSet;

use fireset_net::{Comparison, Formula, Linear, TransitionId};
use fireset_structure::{FormRange, MarkingBounds, gcd};

/// The same formula with its atoms decided where that is proven.
pub fn decide_atoms(formula: Formula, proven: &MarkingBounds<'_>) -> Formula {
    match formula {
        Formula::Deadlock => deadlock(proven),
        Formula::Fireable(ts) => fireable(ts, proven),
        Formula::Compare(how, a, b) => {
            let form = Linear::from_expr(&a).zip(Linear::from_expr(&b));
            let form = form.and_then(|(a, b)| a.plus(&b.scaled(-1)?));
            match form.and_then(|form| compare(how, &form, proven)) {
                Some(value) => Formula::Constant(value),
                None => Formula::Compare(how, a, b),
            }
        }
        Formula::Not(f) => decide_atoms(*f, proven).negate(),
        other => other.map_children(&mut |child| decide_atoms(child, proven)),
    }
}

/// Whether a linear form always or never compares so with 0.
fn compare(how: Comparison, form: &Linear, proven: &MarkingBounds<'_>) -> Option<bool> {
    within(how, form, proven.range(form))
}

/// The same for a form that stays within a range.
fn within(how: Comparison, form: &Linear, (least, most): FormRange) -> Option<bool> {
    let below = |bound: Option<i128>| bound.is_some_and(|b| b < 0);
    let above = |bound: Option<i128>| bound.is_some_and(|b| b > 0);
    let at_most = most.is_some_and(|b| b <= 0);
    let at_least = least.is_some_and(|b| b >= 0);
    let known = |always: bool, never: bool| match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match how {
        Comparison::Less => known(below(most), at_least),
        Comparison::LessEqual => known(at_most, above(least)),
        Comparison::GreaterEqual => known(at_least, below(most)),
        Comparison::Greater => known(above(least), at_most),
        Comparison::Equal => known(at_most && at_least, above(least) || below(most) || !divides(form)),
        Comparison::NotEqual => known(above(least) || below(most) || !divides(form), at_most && at_least),
    }
}

/// Whether the common divisor of the factors divides the constant: otherwise the form is never 0.
fn divides(form: &Linear) -> bool {
    let divisor = form.terms.iter().fold(0, |d, term| gcd(d, term.1.unsigned_abs()));
    if divisor == 0 { form.constant == 0 } else { form.constant.unsigned_abs().is_multiple_of(divisor) }
}

fn fireable(ts: Vec<TransitionId>, proven: &MarkingBounds<'_>) -> Formula {
    if ts.iter().any(|&t| proven.always_enabled(t)) {
        return Formula::Constant(true);
    }
    let mut seen = HashSet::new();
    let kept: Vec<TransitionId> =
        ts.into_iter().filter(|&t| seen.insert(t) && !proven.never_enabled(t)).collect();
    if kept.is_empty() { Formula::Constant(false) } else { Formula::Fireable(kept) }
}

fn deadlock(proven: &MarkingBounds<'_>) -> Formula {
    let mut all = TransitionId::first(proven.transition_count());
    if all.clone().any(|t| proven.always_enabled(t)) {
        return Formula::Constant(false);
    }
    if all.all(|t| proven.never_enabled(t)) {
        return Formula::Constant(true);
    }
    Formula::Deadlock
}

#[cfg(test)]
mod tests {
    use fireset_net::{Expr, PlaceId};
    use fireset_oracle::tiny;

    use super::*;

    /// Decides `sum of factors * tokens how number` on a net in a line.
    fn decide(net: &str, factors: &[(usize, i64)], how: Comparison, number: i64) -> Option<bool> {
        let net = tiny::net(net);
        let term = |&(at, factor): &(usize, i64)| {
            Expr::Product(vec![Expr::Constant(factor), Expr::Tokens(vec![PlaceId::new(at)])])
        };
        let sum = Expr::Sum(factors.iter().map(term).collect());
        match decide_atoms(Formula::Compare(how, sum, Expr::Constant(number)), &MarkingBounds::of(&net)) {
            Formula::Constant(value) => Some(value),
            _ => None,
        }
    }

    const RINGS: &str = "a:1 b c:2 d; t: a -> b; u: b -> a; v: c -> d; w: d -> c";

    #[test]
    fn sums_are_bounded_by_invariants_together() {
        use Comparison::{Equal, GreaterEqual, Less, LessEqual, NotEqual};
        assert_eq!(decide(RINGS, &[(0, 1)], GreaterEqual, 0), Some(true));
        assert_eq!(decide(RINGS, &[(0, 1), (1, 1)], LessEqual, 1), Some(true), "one invariant");
        assert_eq!(decide(RINGS, &[(0, 1), (1, 1)], Equal, 1), Some(true), "its value");
        assert_eq!(decide(RINGS, &[(0, 3), (1, 3), (2, -1), (3, -1)], Equal, 1), Some(true), "two of them");
        assert_eq!(decide(RINGS, &[(0, 1), (1, 1), (3, 2)], LessEqual, 5), Some(true));
        assert_eq!(decide(RINGS, &[(0, 1), (1, 1), (3, 2)], LessEqual, 4), None);
        assert_eq!(decide(RINGS, &[(0, 1), (3, -1)], Less, -2), Some(false));
        assert_eq!(decide(RINGS, &[(0, 2), (3, 4)], NotEqual, 3), Some(true), "odd");
    }

    #[test]
    fn claims_of_units_prove_nothing() {
        let net = "a:1 b; t: a -> 2*b";
        assert_eq!(decide(net, &[(1, 1)], Comparison::LessEqual, 1), None);
        assert_eq!(decide(net, &[(1, 1)], Comparison::LessEqual, 2), Some(true), "2a + b = 2");
    }

    #[test]
    fn firesets_lose_what_never_fires() {
        let net = tiny::net("a:1 b; t: a -> b; u: b -> a; v: 2*a -> 2*b; w: a, b -> a, b; x: a, !a -> b");
        let proven = MarkingBounds::of(&net);
        let id = TransitionId::new;
        let all = Formula::Fireable((0..5).chain(0..5).map(id).collect());
        assert_eq!(decide_atoms(all, &proven), Formula::Fireable(vec![id(0), id(1)]));
        let none = Formula::Not(Box::new(Formula::Fireable(vec![id(2), id(3), id(4)])));
        assert_eq!(decide_atoms(none, &proven), Formula::Constant(true));
    }

    #[test]
    fn sources_know_no_deadlock() {
        let net = tiny::net("a; t: -> a");
        assert_eq!(decide_atoms(Formula::Deadlock, &MarkingBounds::of(&net)), Formula::Constant(false));
        let inhibited = tiny::net("a:1 b; t: !a -> a; u: a -> b");
        assert_eq!(decide_atoms(Formula::Deadlock, &MarkingBounds::of(&inhibited)), Formula::Deadlock);
        let empty = tiny::net("a:1");
        assert_eq!(decide_atoms(Formula::Deadlock, &MarkingBounds::of(&empty)), Formula::Constant(true));
    }
}

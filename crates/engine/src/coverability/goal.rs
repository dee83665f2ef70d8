//! Upward-closed goals: conditions that more tokens never make false.
//!
//! They are the goals of coverability. A goal is met by a reachable marking if and only if a node of a complete
//! coverability tree meets it, where `ω` is more than any number.

use fireset_net::{BoolTree, Comparison, Linear, Net, StateAtom, StatePredicate, TransitionId};

use super::omega::{OMEGA, OmegaMarking};

/// Factors and constants below this cannot overflow a sum of 128 bits.
const MAX_NUMBER: i128 = 1 << 56;

/// An atom that stays true when tokens are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CoverAtom {
    /// The weighted sum of tokens is at least this. The factors and the number are positive.
    AtLeast(Box<[(usize, u64)]>, u64),
    /// The transition is enabled.
    Enabled(TransitionId),
}

/// A goal: conjunctions and disjunctions, without negations.
pub(super) type CoverGoal = BoolTree<CoverAtom>;

/// The goal that a predicate has a value; `None` if that is not upward closed, or not seen to be.
pub(super) fn upward_closed(net: &Net, predicate: &StatePredicate, value: bool) -> Option<CoverGoal> {
    let several = |trees: &[StatePredicate]| {
        trees.iter().map(|tree| upward_closed(net, tree, value)).collect::<Option<Vec<_>>>()
    };
    match predicate {
        BoolTree::Constant(constant) => Some(CoverGoal::Constant(*constant == value)),
        BoolTree::Not(tree) => upward_closed(net, tree, !value),
        BoolTree::And(trees) if value => several(trees).map(CoverGoal::And),
        BoolTree::And(trees) => several(trees).map(CoverGoal::Or),
        BoolTree::Or(trees) if value => several(trees).map(CoverGoal::Or),
        BoolTree::Or(trees) => several(trees).map(CoverGoal::And),
        BoolTree::Iff(_) => None,
        BoolTree::Atom(StateAtom::Fireable(ts)) if value => Some(any_enabled(ts.iter().copied())),
        BoolTree::Atom(StateAtom::Deadlock) if !value => Some(any_enabled(net.nodes().transition_ids())),
        BoolTree::Atom(StateAtom::Compare(how, a, b)) => {
            at_least(if value { *how } else { how.negate() }, &Linear::difference(a, b)?)
        }
        BoolTree::Atom(_) => None,
    }
}

fn any_enabled(transitions: impl Iterator<Item = TransitionId>) -> CoverGoal {
    CoverGoal::Or(transitions.map(|t| BoolTree::Atom(CoverAtom::Enabled(t))).collect())
}

/// The goal that a linear form compares so with zero.
fn at_least(how: Comparison, form: &Linear) -> Option<CoverGoal> {
    if form.terms.is_empty() {
        return Some(CoverGoal::Constant(how.holds(&form.constant, &0)));
    }
    let (form, least) = match how {
        Comparison::GreaterEqual => (form.clone(), 0),
        Comparison::Greater => (form.clone(), 1),
        Comparison::LessEqual => (form.scaled(-1)?, 0),
        Comparison::Less => (form.scaled(-1)?, 1),
        // A sum that is never negative differs from zero where it is at least one.
        Comparison::NotEqual if form.constant >= 0 => (form.clone(), 1),
        Comparison::NotEqual if form.constant <= 0 && form.terms.iter().all(|term| term.1 < 0) => {
            (form.scaled(-1)?, 1)
        }
        Comparison::NotEqual | Comparison::Equal => return None,
    };
    let number = form.constant.checked_neg()?.checked_add(least)?;
    let small = |&(place, factor): &(u32, i128)| {
        (0 < factor && factor < MAX_NUMBER).then_some((place as usize, factor as u64))
    };
    let terms = form.terms.iter().map(small).collect::<Option<Box<[_]>>>()?;
    if number <= 0 {
        return Some(CoverGoal::Constant(true));
    }
    (number < MAX_NUMBER).then_some(BoolTree::Atom(CoverAtom::AtLeast(terms, number as u64)))
}

/// Whether a marking meets a goal.
pub(super) fn is_met(goal: &CoverGoal, net: &Net, marking: &OmegaMarking) -> bool {
    goal.value(&mut |atom| match atom {
        CoverAtom::AtLeast(terms, number) => {
            let term = |&(place, factor): &(usize, u64)| match marking.0[place] {
                OMEGA => u128::from(u64::MAX),
                count => u128::from(count) * u128::from(factor),
            };
            terms.iter().map(term).fold(0, u128::saturating_add) >= u128::from(*number)
        }
        CoverAtom::Enabled(t) => marking.enables(net, *t),
    })
}

/// The tokens that suffice for a goal which a marking meets: its own counts, and enough where it has `ω`.
pub(super) fn demand(goal: &CoverGoal, net: &Net, marking: &OmegaMarking) -> Vec<u64> {
    let mut demand: Vec<u64> =
        marking.0.iter().map(|&count| if count == OMEGA { 0 } else { count }).collect();
    let mut open = vec![goal];
    while let Some(goal) = open.pop() {
        match goal {
            BoolTree::And(goals) => open.extend(goals),
            BoolTree::Or(goals) => open.extend(goals.iter().find(|goal| is_met(goal, net, marking))),
            BoolTree::Atom(CoverAtom::Enabled(t)) => {
                for arc in net.pre(*t) {
                    let tokens = &mut demand[arc.place.index()];
                    *tokens = (*tokens).max(arc.weight);
                }
            }
            BoolTree::Atom(CoverAtom::AtLeast(terms, number)) => {
                let finite = |term: &&(usize, u64)| marking.0[term.0] != OMEGA;
                let count = |&(place, factor): &(usize, u64)| u128::from(demand[place]) * u128::from(factor);
                let has: u128 = terms.iter().filter(finite).map(count).sum();
                let misses = u64::try_from(u128::from(*number).saturating_sub(has)).unwrap_or(0);
                if let Some(&(place, factor)) = terms.iter().find(|term| !finite(term)) {
                    demand[place] = demand[place].max(misses.div_ceil(factor));
                }
            }
            BoolTree::Constant(_) | BoolTree::Not(_) | BoolTree::Iff(_) => {}
        }
    }
    demand
}

/// The least markings of a goal and some that are not; `None` if they are too many.
pub(super) fn least_markings(goal: &CoverGoal, net: &Net, most: usize) -> Option<Vec<Box<[u64]>>> {
    let empty = || vec![0u64; net.nodes().places.len()].into_boxed_slice();
    match goal {
        BoolTree::Constant(true) => Some(vec![empty()]),
        BoolTree::Constant(false) => Some(Vec::new()),
        BoolTree::Atom(CoverAtom::Enabled(t)) => {
            let mut marking = empty();
            net.pre(*t).iter().for_each(|arc| marking[arc.place.index()] = arc.weight);
            Some(vec![marking])
        }
        BoolTree::Atom(CoverAtom::AtLeast(terms, number)) => {
            let mut all = Vec::new();
            distribute(terms, *number, &mut empty(), &mut |marking| {
                all.push(marking.into());
                all.len() <= most
            })
            .then_some(all)
        }
        BoolTree::Or(goals) => {
            let mut all = Vec::new();
            for goal in goals {
                all.extend(least_markings(goal, net, most)?);
                if all.len() > most {
                    return None;
                }
            }
            Some(all)
        }
        BoolTree::And(goals) => {
            let mut all = vec![empty()];
            for goal in goals {
                let more = least_markings(goal, net, most)?;
                if all.len() * more.len() > most {
                    return None;
                }
                let both = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| *a.max(b)).collect();
                all = all.iter().flat_map(|a| more.iter().map(move |b| both(a, b))).collect();
            }
            Some(all)
        }
        BoolTree::Not(_) | BoolTree::Iff(_) => None,
    }
}

/// Calls `visit` with the markings that spread a sum over places, as long as it wants more.
fn distribute(
    terms: &[(usize, u64)],
    number: u64,
    marking: &mut Box<[u64]>,
    visit: &mut dyn FnMut(&[u64]) -> bool,
) -> bool {
    let Some((&(place, factor), rest)) = terms.split_first() else { return true };
    let needs = number.div_ceil(factor);
    let least = if rest.is_empty() { needs } else { 0 };
    for count in least..=needs {
        marking[place] = count;
        let left = number.saturating_sub(count.saturating_mul(factor));
        let goes_on = if left == 0 { visit(marking) } else { distribute(rest, left, marking, visit) };
        if !goes_on {
            return false;
        }
    }
    marking[place] = 0;
    true
}

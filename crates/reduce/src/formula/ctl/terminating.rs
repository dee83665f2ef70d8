//! `AG f` and `EF f` that ask whether a terminating part of the net can always go on, as constants.
//!
//! Why: formulas like `EF AG fireable(t)` are common, and no search shows that no marking has the inner formula. Where `t` takes
//! a token that it does not give back, none has: `t` itself can fire until it is not enabled any more.
//!
//! Let `T` be transitions of which no infinite sequence can fire, from no marking. If `f` implies that some transition of `T` is enabled,
//! `AG f` is false in every marking, and `EF !f` is true. Proof: if `AG f` were true, some transition of `T` would be enabled; after it
//! `AG f` would be true again; and so on without end.
//!
//! `T` *terminates* if its transitions can be removed one after another: one that takes from a place to which no other that is left
//! gives. It fires finitely often between firings of those that were removed before it, which are finitely many.
//!
//! What an enabled transition is implied by, with `[f]` for such a set of a formula:
//!
//! | formula | set | formula | set |
//! |---|---|---|---|
//! | `fireable(ts)` | `ts` | `QG f`, `Q[g R f]` | `[f]` |
//! | `!deadlock`, `EX f` | all transitions | `Q[f U g]`, `Q[f W g]`, `f \| g` | `[f]` and `[g]` |
//! | `f & g` | `[f]` or `[g]` | others | none |
//!
//! Preserves the value in every marking, with weights and inhibitor arcs, whether the net is bounded or not. The operator at the root
//! stays, because a run shows its value. Cost: linear in the arcs of the sets, for each `AG` and `EF`. Test: below, in every state of
//! random nets.

use std::collections::{HashMap, HashSet};

use fireset_net::{Change, Formula, Net, PlaceId, Quantifier, TransitionId};

use crate::formula::view::{map_below_root, map_operands, quantified};

/// A formula with the same value in every marking of the net, without `AG` and `EF` that termination decides. Those at the root stay.
pub fn without_termination(f: Formula, net: &Net) -> Formula {
    map_below_root(f, &mut |operand| below_root(operand, net))
}

fn below_root(f: Formula, net: &Net) -> Formula {
    let decided = match quantified(&f) {
        Some((Quantifier::ForAll, Formula::Globally(g))) => ends(g, true, net).then_some(false),
        Some((Quantifier::Exists, Formula::Finally(g))) => ends(g, false, net).then_some(true),
        _ => None,
    };
    match decided {
        Some(value) => Formula::Constant(value),
        None => map_operands(f, &mut |operand| below_root(operand, net)),
    }
}

/// Whether a formula cannot keep a value for ever, since some transition of a terminating set is enabled wherever it has it.
fn ends(f: &Formula, value: bool, net: &Net) -> bool {
    enabled_where(f, value, net).is_some_and(|ts| terminates(&ts, net))
}

/// Transitions of which some are enabled in every marking where a formula has a value.
fn enabled_where(f: &Formula, value: bool, net: &Net) -> Option<HashSet<TransitionId>> {
    let some_of = |fs: &[&Formula]| {
        let mut all = HashSet::new();
        for f in fs {
            all.extend(enabled_where(f, value, net)?);
        }
        Some(all)
    };
    let any_of = |fs: &[Formula]| {
        let sets: Vec<_> = fs.iter().filter_map(|f| enabled_where(f, value, net)).collect();
        sets.into_iter().find(|ts| terminates(ts, net))
    };
    match f {
        Formula::Constant(constant) => (*constant != value).then(HashSet::new),
        Formula::Fireable(ts) if value => Some(ts.iter().copied().collect()),
        Formula::Deadlock if !value => Some(net.nodes().transition_ids().collect()),
        Formula::Not(f) => enabled_where(f, !value, net),
        Formula::And(fs) if value => any_of(fs),
        Formula::Or(fs) if !value => any_of(fs),
        Formula::And(fs) | Formula::Or(fs) => some_of(&fs.iter().collect::<Vec<_>>()),
        f => match (quantified(f)?, value) {
            ((Quantifier::Exists, Formula::Next(_)), true)
            | ((Quantifier::ForAll, Formula::Next(_)), false) => Some(net.nodes().transition_ids().collect()),
            ((_, Formula::Globally(f) | Formula::Release(_, f)), true)
            | ((_, Formula::Finally(f) | Formula::Until(_, f)), false) => enabled_where(f, value, net),
            ((_, Formula::Until(f, g) | Formula::WeakUntil(f, g)), true)
            | ((_, Formula::Release(f, g)), false) => some_of(&[f, g]),
            ((_, Formula::WeakUntil(_, g)), false) => enabled_where(g, value, net),
            _ => None,
        },
    }
}

/// Whether transitions can be removed one after another, each because it takes from a place to which none that is left gives.
fn terminates(ts: &HashSet<TransitionId>, net: &Net) -> bool {
    let mut takers: HashMap<PlaceId, Vec<TransitionId>> = HashMap::new();
    let mut givers: HashMap<PlaceId, usize> = HashMap::new();
    for &t in ts {
        for Change { place, takes, gives } in net.changes(t) {
            if takes > gives {
                takers.entry(place).or_default().push(t);
            } else {
                *givers.entry(place).or_default() += 1;
            }
        }
    }
    let mut drained: Vec<PlaceId> =
        takers.keys().copied().filter(|place| !givers.contains_key(place)).collect();
    let mut left = ts.clone();
    while let Some(place) = drained.pop() {
        for t in takers.remove(&place).into_iter().flatten() {
            if !left.remove(&t) {
                continue;
            }
            for Change { place, .. } in net.changes(t).filter(|change| change.gives > change.takes) {
                givers.entry(place).and_modify(|count| *count -= 1);
                if givers[&place] == 0 {
                    drained.push(place);
                }
            }
        }
    }
    left.is_empty()
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::formula::{
        every_state::EveryState,
        view::{finally, globally, quantify},
    };

    /// A predicate that is about enabled transitions more often than others are.
    fn operand(random: &mut TestRng, net: &Net) -> Formula {
        let ts: Vec<TransitionId> = net.nodes().transition_ids().collect();
        let fireable = Formula::Fireable(vec![*random.pick(&ts)]);
        let other = Formula::from(random::nested_ctl(random, net.nodes(), 1));
        match random.below(5) {
            0 => fireable,
            1 => Formula::And(vec![other, fireable]),
            2 => Formula::Or(vec![Formula::Fireable(vec![*random.pick(&ts)]), fireable]),
            3 => quantify(Quantifier::Exists, Formula::Until(Box::new(fireable.clone()), Box::new(fireable))),
            _ => other,
        }
    }

    #[test]
    fn values_stay_in_every_state() {
        let (mut compared, mut changed) = (0, 0);
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed % 3 == 0 { 25 } else { 0 };
            let shape = NetShape { places: 4, transitions: 4, tokens: 2, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let Some(states) = EveryState::of(&net, 60) else { continue };
            let f = operand(&mut random, &net);
            let inner = match random.below(2) {
                0 => quantify(Quantifier::ForAll, globally(f)),
                _ => quantify(Quantifier::Exists, finally(f.negate())),
            };
            let f = match random.below(3) {
                0 => quantify(Quantifier::Exists, finally(inner)),
                1 => quantify(Quantifier::ForAll, finally(inner)),
                _ => quantify(Quantifier::ForAll, globally(inner)),
            };
            let simpler = without_termination(f.clone(), &net);
            compared += 1;
            changed += usize::from(states.compare(&f, &simpler));
        }
        assert!(compared > 1_000 && changed * 4 > compared, "{changed} of {compared}");
    }
}

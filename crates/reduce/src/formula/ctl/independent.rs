//! Operators that ask what happens for ever, where another part of the net can go on without what they look at.
//!
//! Why: `AF p` is false wherever `p` is, if a process that `p` does not look at can run for ever by itself. Nets of many processes are
//! like that, and no search shows it in every marking.
//!
//! Let `p` be a state predicate, and let some transition that changes no place of `p` be enabled in every reachable marking. Then from each
//! reachable marking there is an infinite run along which `p` keeps its value: only such transitions fire. So in each:
//!
//! | formula | is |
//! |---|---|
//! | `EG p`, `E[f R p]` | `p` |
//! | `AF p`, `A[f U p]` | `p` |
//! | `E[p W f]` | `p \| f` |
//!
//! That such a transition is always enabled is shown by a trap, which never loses its last token: each of its places is all that one of
//! these transitions takes from, and only one token. Source: Murata, "Petri nets: properties, analysis and applications" (1989), section
//! V, for traps.
//!
//! Preserves the value in every reachable marking. The operator at the root stays, because a run shows its value. Cost: linear in the
//! net, for each operator. Test: below, in every state of random nets.

use fireset_net::{Formula, Net, Quantifier, TransitionId};
use fireset_structure::NetStructure;

use super::next::places_of;
use crate::formula::view::{map_below_root, map_operands, quantified};

/// A formula with the same value in every reachable marking of the net. The operators at the root stay.
pub fn beside_independent_parts(f: Formula, net: &Net) -> Formula {
    map_below_root(f, &mut |operand| below_root(operand, net))
}

fn below_root(f: Formula, net: &Net) -> Formula {
    let f = map_operands(f, &mut |operand| below_root(operand, net));
    let decided = match quantified(&f) {
        Some(
            (Quantifier::Exists, Formula::Globally(p) | Formula::Release(_, p))
            | (Quantifier::ForAll, Formula::Finally(p) | Formula::Until(_, p)),
        ) => goes_on_without(p, net).then(|| (**p).clone()),
        Some((Quantifier::Exists, Formula::WeakUntil(p, f))) => {
            goes_on_without(p, net).then(|| Formula::Or(vec![(**p).clone(), (**f).clone()]))
        }
        _ => None,
    };
    decided.unwrap_or(f)
}

/// Whether some transition that changes no place of a state predicate is enabled in every reachable marking, as far as a trap shows it.
fn goes_on_without(p: &Formula, net: &Net) -> bool {
    if !p.is_state_predicate() {
        return false;
    }
    let seen = places_of(p, net);
    let is_free =
        |t: TransitionId| net.inhibitors(t).is_empty() && net.changes(t).all(|c| !seen[c.place.index()]);
    let mut in_trap = vec![false; net.nodes().places.len()];
    for t in net.nodes().transition_ids().filter(|&t| net.pre(t).len() <= 1 && is_free(t)) {
        match net.pre(t) {
            [] => return true,
            [arc] => in_trap[arc.place.index()] |= arc.weight == 1,
            _ => {}
        }
    }
    NetStructure::of(net).marked_trap(in_trap).is_some()
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::formula::{
        every_state::EveryState,
        view::{finally, globally, quantify},
    };

    #[test]
    fn values_stay_in_every_state() {
        let (mut compared, mut changed) = (0, 0);
        for seed in 0..4_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed % 3 == 0 { 10 } else { 0 };
            let shape = NetShape { places: 6, transitions: 6, tokens: 3, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let Some(states) = EveryState::of(&net, 100) else { continue };
            let predicate = |random: &mut TestRng| Formula::from(random::predicate(random, net.nodes(), 0));
            let p = Box::new(predicate(&mut random));
            let f = Box::new(Formula::from(random::nested_ctl(&mut random, net.nodes(), 1)));
            let (quantifier, path) = match random.below(5) {
                0 => (Quantifier::Exists, Formula::Globally(p)),
                1 => (Quantifier::Exists, Formula::Release(f, p)),
                2 => (Quantifier::ForAll, Formula::Finally(p)),
                3 => (Quantifier::ForAll, Formula::Until(f, p)),
                _ => (Quantifier::Exists, Formula::WeakUntil(p, f)),
            };
            let inner = quantify(quantifier, path);
            let f = match random.below(2) {
                0 => quantify(Quantifier::Exists, finally(inner)),
                _ => quantify(Quantifier::ForAll, globally(inner)),
            };
            let simpler = beside_independent_parts(f.clone(), &net);
            compared += 1;
            changed += usize::from(states.compare(&f, &simpler));
        }
        assert!(compared > 1_000 && changed * 20 > compared, "{changed} of {compared}");
    }
}

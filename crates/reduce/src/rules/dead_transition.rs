//! Transitions that can never fire, and inhibitor arcs that never block, by the tokens of one place.
//!
//! What: if no transition adds tokens to a place, it never has more than initially: a transition that takes more is dead, and
//! an inhibitor arc that blocks at more never does. If none removes tokens, a transition that the place blocks initially is
//! dead. A transition that takes as many tokens as block it is dead anyway.
//! Sound for: everything. The same transitions are enabled in the same reachable markings; one that is removed is
//! enabled in none, so a query about its firing has the answer no.
//! Source: folklore; rule E (dead transitions) of TAPAAL, and its rules O and P for inhibitor arcs. Cost: the arcs of the place.
//! Test: `tests/rules.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::mutable_net::{Fate, MutableNet};

pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    let initial = net.initial(place);
    let never_more = net.producers(place).iter().all(|&t| net.effect(t, place) <= 0);
    let never_less = net.consumers(place).iter().all(|&t| net.effect(t, place) >= 0);
    let too_few = |&t: &TransitionId| never_more && net.takes(t, place) > initial;
    let limit = |t| net.blocked_at(t, place).unwrap_or(u64::MAX);
    let blocked = |&t: &TransitionId| {
        let limit = limit(t);
        limit <= net.takes(t, place) || never_less && limit <= initial
    };
    let free = |&t: &TransitionId| never_more && limit(t) > initial;
    let dead: Vec<TransitionId> = net
        .consumers(place)
        .iter()
        .copied()
        .filter(too_few)
        .chain(net.inhibited(place).iter().copied().filter(blocked))
        .collect();
    let released: Vec<TransitionId> = net.inhibited(place).iter().copied().filter(free).collect();
    for &t in &dead {
        if net.has_transition(t) {
            net.remove(t, Fate::Dead);
        }
    }
    for &t in &released {
        if net.has_transition(t) {
            net.remove_inhibitor(t, place);
        }
    }
    !dead.is_empty() || !released.is_empty()
}

//! Transitions that can never fire, and inhibitor arcs that never block, by the tokens of one place.
//!
//! What: if no transition makes a place's tokens more, it never has more than initially: whoever takes more is dead, and
//! an inhibitor arc that blocks at more never does. If none makes them less, whoever it blocks initially is dead. A
//! transition that takes as much as blocks it is dead anyway.
//! Sound for: everything. The same transitions are enabled in the same reachable markings; one that is removed is
//! enabled in none, so a query about its firing has the answer no.
//! Source: folklore; the literature has it for unmarked places. Cost: the arcs of the place.
//! Test: `tests/rules.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::draft::{Draft, Fate};

pub(super) fn apply(draft: &mut Draft, place: PlaceId) -> bool {
    let initial = draft.initial(place);
    let never_more = draft.producers(place).iter().all(|&t| draft.effect(t, place) <= 0);
    let never_less = draft.consumers(place).iter().all(|&t| draft.effect(t, place) >= 0);
    let too_few = |&t: &TransitionId| never_more && draft.takes(t, place) > initial;
    let limit = |t| draft.blocked_at(t, place).unwrap_or(u64::MAX);
    let blocked = |&t: &TransitionId| {
        let limit = limit(t);
        limit <= draft.takes(t, place) || never_less && limit <= initial
    };
    let free = |&t: &TransitionId| never_more && limit(t) > initial;
    let dead: Vec<TransitionId> = draft
        .consumers(place)
        .iter()
        .copied()
        .filter(too_few)
        .chain(draft.inhibited(place).iter().copied().filter(blocked))
        .collect();
    let released: Vec<TransitionId> = draft.inhibited(place).iter().copied().filter(free).collect();
    for &t in &dead {
        if draft.has_transition(t) {
            draft.remove(t, Fate::Dead);
        }
    }
    for &t in &released {
        if draft.has_transition(t) {
            draft.release(t, place);
        }
    }
    !dead.is_empty() || !released.is_empty()
}

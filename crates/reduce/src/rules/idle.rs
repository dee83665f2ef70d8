//! Transitions without effect that are never the only enabled one.
//!
//! What: a transition that changes nothing goes if another one is enabled whenever it is.
//! Sound for: reachability and deadlocks: the reachable markings stay, and so does which of them are dead. Not for runs:
//! it lets a run stand still for ever.
//! Source: folklore. Cost: the arcs of the transitions that take from the same places, if they are few.
//! Test: `tests/rules.rs`.

use fireset_net::TransitionId;

use super::{
    dominated_transition::is_weaker,
    draft::{Draft, Fate},
};

/// Consumers of a place that are looked at.
const MAX_TRIED: usize = 50;

pub(super) fn apply(draft: &mut Draft, transition: TransitionId) -> bool {
    let arcs = draft.arcs(transition);
    let mut others = arcs.pre.iter().flat_map(|arc| draft.consumers(arc.place).iter().take(MAX_TRIED));
    let idle = !draft.is_fixed(transition)
        && arcs.pre == arcs.post
        && others.any(|&other| other != transition && is_weaker(draft.arcs(other), arcs));
    if idle {
        draft.remove(transition, Fate::Replaced);
    }
    idle
}

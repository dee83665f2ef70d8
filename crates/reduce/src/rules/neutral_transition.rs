//! Neutral transitions, which have no effect, where they are never the only enabled ones.
//!
//! What: a transition that changes nothing goes if another one is enabled whenever it is.
//! Sound for: reachability and deadlocks: the reachable markings stay, and so does which of them are dead. Not for runs:
//! it lets a run stand still for ever.
//! Source: folklore. Cost: the arcs of the transitions that take from the same places, if they are few.
//! Test: `tests/rules.rs`.

use fireset_net::TransitionId;

use super::{
    dominated_transition::is_weaker,
    mutable_net::{Fate, MutableNet},
};

/// Consumers of a place that are looked at.
const MAX_TRIED: usize = 50;

pub(super) fn apply(net: &mut MutableNet, transition: TransitionId) -> bool {
    let arcs = net.arcs(transition);
    let mut others = arcs.pre.iter().flat_map(|arc| net.consumers(arc.place).iter().take(MAX_TRIED));
    let neutral = !net.is_fixed(transition)
        && arcs.pre == arcs.post
        && others.any(|&other| other != transition && is_weaker(net.arcs(other), arcs));
    if neutral {
        net.remove(transition, Fate::Replaced);
    }
    neutral
}

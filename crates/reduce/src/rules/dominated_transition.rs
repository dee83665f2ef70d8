//! Transitions that do what another does that can fire whenever they can: parallel transitions are the plainest case.
//!
//! What: transition `t` goes if another one changes all places in the same way, takes nowhere more, and is blocked nowhere
//! earlier. If `t` is asked about, the other one has to be enabled in exactly the same markings, and takes over.
//! Sound for: everything; steps have no names in any query, so the reachability graph stays the same.
//! Source: Berthelot's identical transitions; rule D (parallel transitions) of TAPAAL; the weaker guard is Bønneland et al.'s rule of 2019, and holds with weights.
//! Cost: sorting all transitions by what they change; pairs of the same change, `MAX_TRIED` a transition.
//! Test: `tests/rules.rs`.

use fireset_net::{Arc, PlaceId, TransitionId};

use super::{
    arcs::TransitionArcs,
    mutable_net::{Fate, MutableNet},
};

/// Transitions with the same effect that one is compared with.
const MAX_TRIED: usize = 50;

pub(super) fn apply(net: &mut MutableNet) -> usize {
    let mut all: Vec<(Vec<(PlaceId, i128)>, TransitionId)> =
        net.transitions().map(|t| (effect(net.arcs(t)), t)).collect();
    all.sort();
    let mut removed = 0;
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        for (at, &(_, t)) in group.iter().enumerate() {
            let near = group[at.saturating_sub(MAX_TRIED)..].iter().take(2 * MAX_TRIED);
            let other = near.map(|entry| entry.1).find(|&u| u != t && replaces(net, u, t));
            if let Some(other) = other {
                let same = is_weaker(net.arcs(t), net.arcs(other));
                net.remove(t, if same { Fate::SameAs(other) } else { Fate::Replaced });
                removed += 1;
            }
        }
    }
    removed
}

/// How a transition changes the places.
fn effect(arcs: &TransitionArcs) -> Vec<(PlaceId, i128)> {
    let taken = arcs.pre.iter().map(|arc| (arc.place, -i128::from(arc.weight)));
    let given = arcs.post.iter().map(|arc| (arc.place, i128::from(arc.weight)));
    let mut changes: Vec<(PlaceId, i128)> = taken.chain(given).collect();
    changes.sort_unstable_by_key(|change| change.0);
    changes.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    changes.retain(|change| change.1 != 0);
    changes
}

/// Whether `u`, which has the same effect, makes `t` superfluous.
fn replaces(net: &MutableNet, u: TransitionId, t: TransitionId) -> bool {
    net.has_transition(u)
        && is_weaker(net.arcs(u), net.arcs(t))
        && (!net.is_kept(t) || is_weaker(net.arcs(t), net.arcs(u)))
}

/// Whether every marking that `b` lets fire `a` lets fire too.
pub(super) fn is_weaker(a: &TransitionArcs, b: &TransitionArcs) -> bool {
    let at = |arcs: &[Arc], place| {
        arcs.binary_search_by_key(&place, |arc| arc.place).ok().map(|at| arcs[at].weight)
    };
    a.pre.iter().all(|arc| at(&b.pre, arc.place).is_some_and(|weight| arc.weight <= weight))
        && a.inhibitors
            .iter()
            .all(|arc| at(&b.inhibitors, arc.place).is_some_and(|weight| weight <= arc.weight))
}

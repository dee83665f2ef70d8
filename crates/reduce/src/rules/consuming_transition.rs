//! Consuming transitions, which only take tokens away.
//!
//! What: a transition goes if it makes no place fuller, changes no visible place, and takes from no place that inhibits
//! something. Transitions without any effect are such.
//! Sound for: reachability. Without its firings every run has at least as many tokens everywhere, and as many in the
//! visible places and those that inhibit, so all other steps can still be taken. It may be what keeps a marking from
//! being dead, or a run infinite, so it is not sound for more.
//! Source: folklore; rule G (loops and consumers) of TAPAAL. Taking away is as useless as a loop by the same argument.
//! Cost: the arcs of the transition. Test: `tests/rules.rs`.

use fireset_net::TransitionId;

use super::mutable_net::{Fate, MutableNet};

pub(super) fn apply(net: &mut MutableNet, transition: TransitionId) -> bool {
    let gives_back = |place| net.effect(transition, place);
    let harmless = |place| gives_back(place) == 0 || net.is_hidden(place);
    let consuming = !net.is_fixed(transition)
        && net.post(transition).iter().all(|arc| gives_back(arc.place) <= 0)
        && net.pre(transition).iter().all(|arc| harmless(arc.place));
    if consuming {
        net.remove(transition, Fate::Replaced);
    }
    consuming
}

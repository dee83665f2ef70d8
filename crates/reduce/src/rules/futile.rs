//! Transitions that only take away.
//!
//! What: a transition goes if it makes no place fuller, changes no visible place, and takes from no place that inhibits
//! something. Transitions without any effect are such.
//! Sound for: reachability. Without its firings every run has at least as many tokens everywhere, and as many in the
//! visible places and those that inhibit, so all other steps can still be taken. It may be what keeps a marking from
//! being dead, or a run infinite, so it is not sound for more.
//! Source: the self-loop is folklore; that taking away is as useless is seen by the same argument.
//! Cost: the arcs of the transition. Test: `tests/rules.rs`.

use fireset_net::TransitionId;

use super::draft::{Draft, Fate};

pub(super) fn apply(draft: &mut Draft, transition: TransitionId) -> bool {
    let gives_back = |place| draft.effect(transition, place);
    let harmless =
        |place| gives_back(place) == 0 || !draft.is_visible(place) && draft.inhibited(place).is_empty();
    let futile = !draft.is_fixed(transition)
        && draft.post(transition).iter().all(|arc| gives_back(arc.place) <= 0)
        && draft.pre(transition).iter().all(|arc| harmless(arc.place));
    if futile {
        draft.remove(transition, Fate::Replaced);
    }
    futile
}

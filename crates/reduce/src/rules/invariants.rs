//! Transitions that take more than place invariants let be there.
//!
//! Sound for: everything, as in `starved`: a transition that no reachable marking enables has no part in the net.
//! Source: Lautenbach's place invariants; see [`MarkingBounds`]. It asks them of the net as it was, so it comes first.
//! Cost: that of `MarkingBounds`, once. Test: `tests/rules.rs`.

use fireset_net::{Budget, Net, TransitionId};
use fireset_structure::MarkingBounds;

use super::draft::{Draft, Fate};

pub(super) fn apply(draft: &mut Draft, net: &Net, _: &Budget) -> usize {
    let proven = MarkingBounds::of(net);
    let never = |&t: &TransitionId| draft.has_transition(t) && proven.never_enabled(t);
    let dead: Vec<TransitionId> = net.nodes().transition_ids().filter(never).collect();
    dead.iter().for_each(|&t| draft.remove(t, Fate::Dead));
    dead.len()
}

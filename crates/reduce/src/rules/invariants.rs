//! Transitions that take more than place invariants let be there.
//!
//! Sound for: everything, as in `dead_transition`: a transition that no reachable marking enables has no part in the net.
//! Source: Lautenbach's place invariants; see [`MarkingBounds`]. It asks them of the net as it was, so it comes first.
//! Cost: that of `MarkingBounds`, once. Test: `tests/rules.rs`.

use fireset_net::{Budget, Net, TransitionId};
use fireset_structure::MarkingBounds;

use super::mutable_net::{Fate, MutableNet};

pub(super) fn apply(net: &mut MutableNet, original: &Net, _: &Budget) -> usize {
    let proven = MarkingBounds::of(original);
    let never = |&t: &TransitionId| net.has_transition(t) && proven.never_enabled(t);
    let dead: Vec<TransitionId> = original.nodes().transition_ids().filter(never).collect();
    dead.iter().for_each(|&t| net.remove(t, Fate::Dead));
    dead.len()
}

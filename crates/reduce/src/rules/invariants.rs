//! Transitions that take more than place invariants let be there.
//!
//! Sound for: everything, as in `starved`: a transition that no reachable marking enables has no part in the net.
//! Source: Lautenbach's place invariants; see [`Proven`]. It asks them of the net as it was, so it comes first.
//! Cost: that of `Proven`, once. Test: `tests/rules.rs`.

use fireset_net::{Budget, Net, TransitionId};

use super::draft::{Draft, Fate};
use crate::Proven;

pub(super) fn apply(draft: &mut Draft, net: &Net, _: &Budget) -> usize {
    let proven = Proven::of(net);
    let never = |&t: &TransitionId| draft.has_transition(t) && proven.never_enabled(t);
    let dead: Vec<TransitionId> = net.nodes().transition_ids().filter(never).collect();
    dead.iter().for_each(|&t| draft.remove(t, Fate::Dead));
    dead.len()
}

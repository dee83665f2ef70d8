//! Source transitions: the places that they fill can have tokens at any time.
//!
//! What: a transition that takes nothing and is never inhibited can fill the places that it gives to at any time. If these
//! are invisible and inhibit nothing they go, and only an empty transition is left of it.
//! Why: a step that needs tokens there can be preceded by as many firings of the transition as it takes, and more tokens
//! there do no harm. These firings change nothing that is seen, and markings that differ in these places only can do
//! the same after some of them; standing still for ever is possible before and after, since the transition stays.
//! Sound for: reachability and deadlocks (there is none). By the same argument it is for LTL and CTL without X, but it is
//! not used for them: such nets are unbounded, and the reference checker decides too few of their formulas to test it.
//! The lift is its firings before those of the consumer in the sequence of a step.
//! Source: the case of one place is in Thierry-Mieg 2020. Cost: the arcs of the places. Test: `tests/rules.rs`.

use fireset_net::{Arc, TransitionId};

use super::mutable_net::MutableNet;

pub(super) fn apply(net: &mut MutableNet, transition: TransitionId) -> bool {
    let filled = net.post(transition).to_vec();
    let hidden = |arc: &Arc| net.is_hidden(arc.place);
    let always = net.pre(transition).is_empty() && net.inhibitors(transition).is_empty();
    if !always || filled.is_empty() || !filled.iter().all(hidden) {
        return false;
    }
    let mut takers: Vec<TransitionId> =
        filled.iter().flat_map(|arc| net.consumers(arc.place)).copied().collect();
    takers.sort_unstable();
    takers.dedup();
    for taker in takers {
        let firings = filled.iter().map(|arc| net.takes(taker, arc.place).div_ceil(arc.weight));
        let count = firings.max().unwrap_or(0);
        let before = net.sequences.times(net.sequence(transition), count);
        let sequence = net.sequences.then(before, net.sequence(taker));
        net.set_sequence(taker, sequence);
    }
    filled.iter().for_each(|arc| net.remove_place(arc.place));
    true
}

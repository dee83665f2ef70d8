//! Liveness of free-choice nets.
//!
//! What: a net whose arcs have weight 1, without inhibitor arcs, in which transitions that share an input place have the
//! same input places, is live if and only if every siphon that something takes from contains a trap that is marked at the
//! start. A siphon is a set of places such that who gives to it takes from it; a trap, who takes from it gives to it.
//! Marked graphs and state machines are such nets.
//! Source: Commoner's theorem; Hack, "Analysis of production schemata by Petri nets" (1972); Desel and Esparza, "Free choice
//! Petri nets" (1995), theorem 4.21. There nets are connected, so that each place has a transition. A place without one
//! matters to nobody; the proofs need a transition that takes from the siphon, so it is asked for.
//! On the unfolding of a coloured net, that all transitions are live is more than what is asked, so only that answer counts.
//! Cost: the clauses of `state_equation::siphon_trap`, under its time limit. Test: `tests/divide.rs`.

use std::collections::HashMap;

use fireset_net::{Net, TransitionId};

use super::Scene;
use crate::state_equation::StateEquation;

/// Whether the net is live, if its structure tells.
pub(super) fn is_live(scene: &Scene<'_>, equation: &StateEquation<'_>) -> Option<bool> {
    let subjects = scene.subjects;
    if !is_free_choice(scene.net) || subjects.transitions.iter().any(Vec::is_empty) {
        return None;
    }
    let live = equation.siphons_keep_tokens()?;
    (live || subjects.are_all_transitions(scene.net)).then_some(live)
}

/// Whether transitions that share an input place have the same input places, and all arcs weight 1.
fn is_free_choice(net: &Net) -> bool {
    let ordinary = |t: TransitionId| net.pre(t).iter().chain(net.post(t)).all(|arc| arc.weight == 1);
    if net.has_inhibitors() || !net.nodes().transition_ids().all(ordinary) {
        return false;
    }
    let mut inputs = HashMap::new();
    let mut of_place = vec![None; net.nodes().places.len()];
    net.nodes().transition_ids().all(|t| {
        let next = inputs.len();
        let own = *inputs.entry(net.pre(t)).or_insert(next);
        net.pre(t).iter().all(|arc| *of_place[arc.place.index()].get_or_insert(own) == own)
    })
}

#[cfg(test)]
mod tests {
    use fireset_oracle::tiny;

    use super::*;

    #[test]
    fn choices_are_free_or_not() {
        assert!(is_free_choice(&tiny::net("p:1 q; t: p -> q; u: p -> p; v: q -> p")));
        assert!(is_free_choice(&tiny::net("p:1 q r; t: p, q -> r; u: p, q -> p; v: -> r")));
        assert!(!is_free_choice(&tiny::net("p:1 q r; t: p, q -> r; u: p -> q")));
        assert!(!is_free_choice(&tiny::net("p:1 q; t: p -> 2*q")));
        assert!(!is_free_choice(&tiny::net("p:1 q; t: p, !q -> q")));
    }
}

//! Liveness of free-choice nets.
//!
//! What: a net whose arcs have weight 1, without inhibitor arcs, in which transitions that share an input place have the
//! same input places, is live if and only if every siphon that some transition takes from contains a trap that is marked at the
//! start. Marked graphs and state machines are such nets.
//! Source: Commoner's theorem; Hack, "Analysis of production schemata by Petri nets" (1972); Desel and Esparza, "Free choice
//! Petri nets" (1995), theorem 4.21. There nets are connected, so that each place has a transition. A place without one
//! matters to no transition; the proofs need a transition that takes from the siphon, so the theorem here asks for it.
//! On the unfolding of a coloured net, liveness of all transitions is more than the property, so only that answer counts.
//! Cost: the clauses of `fireset_structure::siphon_trap`, under its time limit. Test: `tests.rs`.

use fireset_structure::{NetStructure, StateEquation};

use super::DecompositionContext;

/// Whether the net is live, if Commoner's theorem decides it.
pub(super) fn is_live(context: &DecompositionContext<'_>, equation: &StateEquation<'_>) -> Option<bool> {
    let scope = context.scope;
    let applies = !context.net.has_inhibitors()
        && NetStructure::of(context.net).classes().is_ordinary_free_choice()
        && !scope.transitions.iter().any(Vec::is_empty);
    if !applies {
        return None;
    }
    let live = equation.siphon_trap_property()?;
    (live || scope.are_all_transitions(context.net)).then_some(live)
}

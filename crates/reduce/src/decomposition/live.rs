//! Liveness: each transition can always fire again.
//!
//! A net is not live if a walk comes to a marking after which some transition never fires again ([`super::simulation`]), if
//! some transition can fire only finitely often (`repetitive` of `fireset_structure::state_equation`), or if one can never fire.
//! Commoner's theorem decides free-choice nets ([`free_choice`]). A reversible net (`fireset_structure::reversible`) is live if
//! each transition can fire. Otherwise the parts are: each transition that was not seen enabled can fire, there is no
//! deadlock, and, unless these are too many, each transition can always fire again. The first that fails decides.
//!
//! Sound for: everything; a deadlock disables all transitions, so it counts only where there is one.
//! Test: `tests/divide.rs`.

use std::time::Duration;

use fireset_net::{
    CtlAtom, CtlFormula, Quantifier, Query, StateAtom, StatePredicate, Temporal, TransitionId,
};
use fireset_structure::NetStructure;

use super::{Decomposition, DecompositionContext, free_choice, quasi_live, simulation::SimulationFacts};
use crate::join::VerdictJoin;

/// Transitions that get a query each whether they can always fire again; with more, none does.
const MAX_FIRE_AGAIN: usize = 200;
/// The most time of each proof by structure.
const MAX_TIME: Duration = Duration::from_secs(2);

pub(super) fn decompose(
    context: &DecompositionContext<'_>,
    simulate: impl FnOnce() -> SimulationFacts,
) -> Decomposition {
    let transitions = &context.scope.transitions;
    if transitions.is_empty() {
        return Decomposition::known(true);
    }
    if let Some(equation) = context.equation() {
        equation.grant(context.time(MAX_TIME));
        if equation.cannot_repeat(transitions) {
            return Decomposition::known(false);
        }
        equation.grant(context.time(MAX_TIME));
        if let Some(value) = free_choice::is_live(context, equation) {
            return Decomposition::known(value);
        }
    }
    let facts = simulate();
    if facts.is_not_live {
        return Decomposition::known(false);
    }
    let can_fire = quasi_live::decompose(context, &facts).limited();
    match can_fire.answer() {
        Some(false) => return can_fire,
        _ if NetStructure::of(context.net).is_reversible(context.budget) => return can_fire,
        _ => {}
    }
    // Parts that are known to hold are left out.
    let mut parts = if can_fire.answer() == Some(true) { Vec::new() } else { can_fire.parts };
    parts.push(Query::Invariant(StatePredicate::from(StateAtom::Deadlock).negate()));
    let asked = if transitions.len() > MAX_FIRE_AGAIN { &[] } else { &transitions[..] };
    parts.extend(asked.iter().map(|ts| Query::Ctl(can_always_fire_again(ts))));
    let unasked = can_fire.unasked + transitions.len() - asked.len();
    Decomposition { join: VerdictJoin::All, parts, unasked, witness: None }
}

/// `AG EF` that some of the transitions is enabled.
pub(super) fn can_always_fire_again(transitions: &[TransitionId]) -> CtlFormula {
    let quantified =
        |quantifier, operator| CtlFormula::Atom(CtlAtom::Temporal(quantifier, Box::new(operator)));
    let fireable = StatePredicate::from(StateAtom::Fireable(transitions.to_vec()));
    let again = quantified(Quantifier::Exists, Temporal::Finally(fireable.into()));
    quantified(Quantifier::ForAll, Temporal::Globally(again))
}

//! Quasi-liveness: each transition can fire at some time.
//!
//! It holds at once if walks have seen all enabled. Otherwise each transition that was not seen is a part; of those with the same
//! input and inhibitor arcs one is. Sound for: everything, it is the definition. Test: `tests/divide.rs`.

use std::collections::HashSet;

use fireset_net::{Query, StateAtom, TransitionId};

use super::{Decomposition, DecompositionContext, simulation::SimulationFacts};
use crate::join::VerdictJoin;

pub(super) fn decompose(context: &DecompositionContext<'_>, facts: &SimulationFacts) -> Decomposition {
    let mut asked = HashSet::new();
    let net = context.net;
    let mut is_new = |ts: &Vec<TransitionId>| match ts[..] {
        [t] => asked.insert((net.pre(t), net.inhibitors(t))),
        _ => true,
    };
    let unseen = context.scope.transitions.iter().filter(|ts| !facts.sees(ts) && is_new(ts));
    let can_fire = |ts: &Vec<TransitionId>| Query::Reachable(StateAtom::Fireable(ts.clone()).into());
    context.decide_parts(VerdictJoin::All, unseen.map(can_fire).collect())
}

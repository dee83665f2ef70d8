//! Stable marking: some place has its initial number of tokens in every reachable marking.
//!
//! It holds at once if no transition changes some place, and fails at once if walks have changed all of them. Otherwise the
//! places that walks did not change are candidates, and one is enough.
//! Sound for: everything, it is the definition. Test: `tests/divide.rs`.

use fireset_net::{Comparison, Expr, Net, Query, StateAtom};

use super::{Decomposition, DecompositionContext, PlaceSum, simulation::SimulationFacts};
use crate::join::VerdictJoin;

pub(super) fn decompose(
    context: &DecompositionContext<'_>,
    simulate: impl FnOnce() -> SimulationFacts,
) -> Decomposition {
    let sums = &context.scope.places;
    let touched = changed_places(context.net);
    if sums.iter().any(|sum| sum.places.iter().all(|place| !touched[place.index()])) {
        return Decomposition::known(true);
    }
    let facts = simulate();
    let stays = |sum: &PlaceSum| {
        let initial = Expr::count(sum.initial(context.net));
        Query::Invariant(StateAtom::Compare(Comparison::Equal, sum.tokens(), initial).into())
    };
    let unchanged = sums.iter().zip(&facts.changed).filter(|(_, changed)| !**changed);
    context.decide_parts(VerdictJoin::Some, unchanged.map(|(sum, _)| stays(sum)).collect())
}

/// For each place, whether some transition gives it another number of tokens than it takes.
fn changed_places(net: &Net) -> Vec<bool> {
    let mut changed = vec![false; net.nodes().places.len()];
    for t in net.nodes().transition_ids() {
        net.changes(t).for_each(|change| changed[change.place.index()] = true);
    }
    changed
}

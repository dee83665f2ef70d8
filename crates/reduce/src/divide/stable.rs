//! Stable marking: some place has its initial number of tokens in every reachable marking.
//!
//! It holds at once if no transition changes some place, and fails at once if walks have changed all of them. Otherwise the
//! places that walks did not change are candidates, and one is enough.
//! Sound for: everything, it is the definition. Test: `tests/divide.rs`.

use fireset_net::{Comparison, Formula, Net, Query};

use super::{Division, Pool, Scene, constant, survey::Survey};
use crate::join::Join;

pub(super) fn divide(scene: &Scene<'_>, survey: impl FnOnce() -> Survey) -> Division {
    let pools = &scene.subjects.places;
    let touched = changed_places(scene.net);
    if pools.iter().any(|pool| pool.places.iter().all(|place| !touched[place.index()])) {
        return Division::known(true);
    }
    let survey = survey();
    let stays = |pool: &Pool| {
        Query::Invariant(Formula::Compare(
            Comparison::Equal,
            pool.tokens(),
            constant(pool.initial(scene.net)),
        ))
    };
    let unchanged = pools.iter().zip(&survey.changed).filter(|(_, changed)| !**changed);
    scene.settle(Join::Some, unchanged.map(|(pool, _)| stays(pool)).collect())
}

/// For each place, whether some transition gives it another number of tokens than it takes.
fn changed_places(net: &Net) -> Vec<bool> {
    let mut changed = vec![false; net.nodes().places.len()];
    for t in net.nodes().transition_ids() {
        let (pre, post) = (net.pre(t), net.post(t));
        let differs = |arcs: &[fireset_net::Arc], arc: &fireset_net::Arc| arcs.binary_search(arc).is_err();
        pre.iter().filter(|arc| differs(post, arc)).for_each(|arc| changed[arc.place.index()] = true);
        post.iter().filter(|arc| differs(pre, arc)).for_each(|arc| changed[arc.place.index()] = true);
    }
    changed
}

//! Quasi-liveness: each transition can fire at some time.
//!
//! It holds at once if walks have seen all enabled. Otherwise the transitions that were not seen are asked about; of those
//! with the same conditions one is. Sound for: everything, it is the definition. Test: `tests/divide.rs`.

use std::collections::HashSet;

use fireset_net::{Formula, Query, TransitionId};

use super::{Division, Scene, survey::Survey};
use crate::join::Join;

pub(super) fn divide(scene: &Scene<'_>, survey: &Survey) -> Division {
    let mut asked = HashSet::new();
    let net = scene.net;
    let mut is_new = |ts: &Vec<TransitionId>| match ts[..] {
        [t] => asked.insert((net.pre(t), net.inhibitors(t))),
        _ => true,
    };
    let unseen = scene.subjects.transitions.iter().filter(|ts| !survey.sees(ts) && is_new(ts));
    let can_fire = |ts: &Vec<TransitionId>| Query::Reachable(Formula::Fireable(ts.clone()));
    scene.settle(Join::All, unseen.map(can_fire).collect())
}

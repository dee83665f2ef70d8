//! Some reachable markings, from random walks: a condition that one of them meets cannot be refuted.
//!
//! Invariant: the same markings in every run, since the walks are seeded by the number of transitions.
//! Cost: at most `MAX_LOOKS` arcs and `MAX_COUNTS` token counts. Test: `tests.rs`.

use fireset_kernel::random::Random;
use fireset_net::{Marking, Net, TransitionId};

const MAX_MARKINGS: usize = 400;
/// Steps of one walk.
const WALK_LENGTH: usize = 80;
/// Token counts that are kept, in all markings together.
const MAX_COUNTS: usize = 4_000_000;
/// Arcs that are looked at.
const MAX_LOOKS: usize = 20_000_000;

/// The first is the initial marking.
pub(super) fn sampled_markings(net: &Net) -> Vec<Marking> {
    let transitions = net.nodes().transitions.len();
    let most = MAX_MARKINGS.min(MAX_COUNTS / net.nodes().places.len().max(1)).max(1);
    let mut found = vec![net.initial_marking().clone()];
    let mut random = Random::new(transitions as u64);
    let mut looks = 0;
    while found.len() < most && transitions > 0 {
        let before = found.len();
        let mut now = net.initial_marking().clone();
        for _ in 0..WALK_LENGTH {
            let start = random.below(transitions);
            let enabled = (start..transitions).chain(0..start).map(TransitionId::new).find(|&t| {
                looks += 1 + net.pre(t).len();
                net.enabled(&now, t).is_ok()
            });
            let next = enabled.and_then(|t| net.fire_transition(&now, t).ok());
            let Some(next) = next.filter(|_| looks < MAX_LOOKS && found.len() < most) else { break };
            found.push(next.clone());
            now = next;
        }
        if found.len() == before {
            break;
        }
    }
    found
}

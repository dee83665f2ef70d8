//! Some reachable markings, from random walks: a condition that one of them meets need not be tried to be refuted.

use fireset_kernel::random::Random;
use fireset_net::{Marking, Net, TransitionId};

/// Markings that are wanted.
const MARKINGS: usize = 400;
/// Steps of one walk.
const LENGTH: usize = 80;
/// Counts that are kept, in all markings together.
const MAX_COUNTS: usize = 4_000_000;
/// Arcs that are looked at.
const MAX_LOOKS: usize = 20_000_000;

/// Reachable markings; the first is the initial one.
pub(super) fn some(net: &Net) -> Vec<Marking> {
    let transitions = net.nodes().transitions.len();
    let most = MARKINGS.min(MAX_COUNTS / net.nodes().places.len().max(1)).max(1);
    let mut found = vec![net.initial_marking().clone()];
    let mut random = Random::new(transitions as u64);
    let mut looks = 0;
    while found.len() < most && transitions > 0 {
        let before = found.len();
        let mut now = net.initial_marking().clone();
        for _ in 0..LENGTH {
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

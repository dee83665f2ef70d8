//! Places between which tokens move freely become one.
//!
//! What: a token move takes one token from a place and gives one to another, and does nothing else. Places that token moves connect
//! strongly, that no query sees and that inhibit nothing, are put into one, with all their tokens and arcs.
//! Why: tokens can be brought from any of these places to any other without being seen, so a transition can fire after some
//! moves exactly if the tokens of all of them together are enough. So markings with the same sum are alike, and like the one
//! in which the fused place has that sum. As long as there is a token it can go round for ever, and no marking is dead;
//! the moves stay as transitions that take the token and give it back.
//! Sound for: reachability, deadlocks, LTL and CTL without X.
//! Source: "free SCC" in Thierry-Mieg 2020, where it is for reachability; rule H (simple cycles) of TAPAAL is a case. Cost: the arcs of the net.
//! The lift brings tokens to where they are needed (`token_moves`). Test: `tests/rules.rs`.

use fireset_kernel::scc;
use fireset_net::{Arc, PlaceId, TransitionId};

use super::{mutable_net::MutableNet, token_moves::TokenMove};

/// Weights and counts past which sums might not fit.
const MAX_WEIGHT: u64 = 1 << 30;

pub(super) fn apply(net: &mut MutableNet) -> usize {
    let free = |place: PlaceId| {
        let light = |arcs: &[Arc]| arcs.iter().all(|arc| arc.weight < MAX_WEIGHT);
        net.is_hidden(place)
            && net.initial(place) < MAX_WEIGHT
            && net.consumers(place).iter().all(|&t| light(net.pre(t)))
            && net.producers(place).iter().all(|&t| light(net.post(t)))
    };
    let (count, _) = net.sizes();
    let mut moves: Vec<Vec<(u32, TransitionId)>> = vec![Vec::new(); count];
    for t in net.transitions() {
        if let ([Arc { place: from, weight: 1 }], [Arc { place: to, weight: 1 }], []) =
            (net.pre(t), net.post(t), net.inhibitors(t))
            && from != to
        {
            moves[from.index()].push((to.index() as u32, t));
        }
    }
    for place in PlaceId::first(count) {
        if !moves[place.index()].is_empty() && !free(place) {
            moves[place.index()].clear();
        }
    }
    // What is not free has no way out, so it is in no component with others.
    let components =
        scc::components(count, |place, to| to.extend(moves[place as usize].iter().map(|&(next, _)| next)));
    let mut component_of = vec![0; count];
    for at in 0..components.len() {
        components[at].iter().for_each(|&place| component_of[place as usize] = at);
    }
    let mut fused = 0;
    for at in 0..components.len() {
        let members = &components[at];
        if members.len() < 2 {
            continue;
        }
        for &place in members {
            for &(to, t) in moves[place as usize].iter().filter(|(to, _)| component_of[*to as usize] == at) {
                let [from, to] = [place, to].map(|place| PlaceId::new(place as usize));
                let sequence = net.sequence(t);
                net.token_moves.push(TokenMove { from, to, sequence });
            }
        }
        let mut members = members.iter().map(|&place| PlaceId::new(place as usize));
        let Some(into) = members.next() else { continue };
        for place in members {
            net.fuse(place, into);
            fused += 1;
        }
    }
    fused
}

//! Places between which tokens move freely become one.
//!
//! What: a mover takes one token from a place and gives one to another, and does nothing else. Places that movers connect
//! strongly, that nobody sees and that inhibit nothing, are put into one, with all their tokens and arcs.
//! Why: tokens can be brought from any of these places to any other without being seen, so a transition can fire after some
//! moves exactly if the tokens of all of them together are enough. So markings with the same sum are alike, and like the one
//! in which the fused place has that sum. As long as there is a token it can go round for ever, and no marking is dead;
//! movers stay as transitions that take the token and give it back.
//! Sound for: reachability, deadlocks, LTL and CTL without X.
//! Source: "free SCC" in Thierry-Mieg 2020, where it is for reachability. Cost: the arcs of the net.
//! The lift brings tokens to where they are needed (`movers`). Test: `tests/rules.rs`.

use fireset_kernel::scc;
use fireset_net::{Arc, PlaceId, TransitionId};

use super::{draft::Draft, movers::Mover};

/// Weights and counts past which sums might not fit.
const MAX_WEIGHT: u64 = 1 << 30;

pub(super) fn apply(draft: &mut Draft) -> usize {
    let free = |place: PlaceId| {
        let light = |arcs: &[Arc]| arcs.iter().all(|arc| arc.weight < MAX_WEIGHT);
        !draft.is_visible(place)
            && draft.inhibited(place).is_empty()
            && draft.initial(place) < MAX_WEIGHT
            && draft.consumers(place).iter().all(|&t| light(draft.pre(t)))
            && draft.producers(place).iter().all(|&t| light(draft.post(t)))
    };
    let (count, _) = draft.sizes();
    let mut moves: Vec<Vec<(u32, TransitionId)>> = vec![Vec::new(); count];
    for t in draft.transitions() {
        if let ([Arc { place: from, weight: 1 }], [Arc { place: to, weight: 1 }], []) =
            (draft.pre(t), draft.post(t), draft.inhibitors(t))
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
                let word = draft.word(t);
                draft.movers.push(Mover { from, to, word });
            }
        }
        let mut members = members.iter().map(|&place| PlaceId::new(place as usize));
        let Some(into) = members.next() else { continue };
        for place in members {
            draft.fuse(place, into);
            fused += 1;
        }
    }
    fused
}

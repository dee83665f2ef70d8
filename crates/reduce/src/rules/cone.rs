//! The cone of influence: what cannot act on the visible places goes.
//!
//! What: visible places are relevant; so are the transitions that change a relevant place, and the places that such a
//! transition takes from or is inhibited by. All other places and transitions go.
//! Sound for: reachability. Of a run the relevant steps alone are a run of the relevant part, with the same visible
//! tokens, and the other way round such a run is one of the whole net. Not for more: the irrelevant part may keep a
//! marking from being dead, and may go on for ever while the relevant part stands still.
//! Source: slicing (Rakow 2012); rule I of TAPAAL. Cost: the arcs of the net. Test: `tests/rules.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::mutable_net::{Fate, MutableNet};

pub(super) fn apply(net: &mut MutableNet) -> usize {
    let (places, transitions) = net.sizes();
    let (mut place_matters, mut matters) = (vec![false; places], vec![false; transitions]);
    let mut open: Vec<PlaceId> = net.places().filter(|&p| net.is_visible(p)).collect();
    open.iter().for_each(|p| place_matters[p.index()] = true);
    while let Some(place) = open.pop() {
        for &t in net.consumers(place).iter().chain(net.producers(place)) {
            if matters[t.index()] || net.effect(t, place) == 0 {
                continue;
            }
            matters[t.index()] = true;
            for arc in net.pre(t).iter().chain(net.inhibitors(t)) {
                if !std::mem::replace(&mut place_matters[arc.place.index()], true) {
                    open.push(arc.place);
                }
            }
        }
    }
    let useless = |&t: &TransitionId| !matters[t.index()] && !net.is_fixed(t);
    let useless: Vec<TransitionId> = net.transitions().filter(useless).collect();
    let irrelevant: Vec<PlaceId> = net.places().filter(|p| !place_matters[p.index()]).collect();
    useless.iter().for_each(|&t| net.remove(t, Fate::Replaced));
    irrelevant.iter().for_each(|&p| net.remove_place(p));
    useless.len() + irrelevant.len()
}

//! The cone of influence: what cannot act on the visible places goes.
//!
//! What: visible places are relevant; so are the transitions that change a relevant place, and the places that such a
//! transition takes from or is inhibited by. All other places and transitions go.
//! Sound for: reachability. Of a run the relevant steps alone are a run of the relevant part, with the same visible
//! tokens, and the other way round such a run is one of the whole net. Not for more: the irrelevant part may keep a
//! marking from being dead, and may go on for ever while the relevant part stands still.
//! Source: slicing (Rakow 2012). Cost: the arcs of the net. Test: `tests/rules.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::draft::{Draft, Fate};

pub(super) fn apply(draft: &mut Draft) -> usize {
    let (places, transitions) = draft.sizes();
    let (mut place_matters, mut matters) = (vec![false; places], vec![false; transitions]);
    let mut open: Vec<PlaceId> = draft.places().filter(|&p| draft.is_visible(p)).collect();
    open.iter().for_each(|p| place_matters[p.index()] = true);
    while let Some(place) = open.pop() {
        for &t in draft.consumers(place).iter().chain(draft.producers(place)) {
            if matters[t.index()] || draft.effect(t, place) == 0 {
                continue;
            }
            matters[t.index()] = true;
            for arc in draft.pre(t).iter().chain(draft.inhibitors(t)) {
                if !std::mem::replace(&mut place_matters[arc.place.index()], true) {
                    open.push(arc.place);
                }
            }
        }
    }
    let useless = |&t: &TransitionId| !matters[t.index()] && !draft.is_fixed(t);
    let useless: Vec<TransitionId> = draft.transitions().filter(useless).collect();
    let blind: Vec<PlaceId> = draft.places().filter(|p| !place_matters[p.index()]).collect();
    useless.iter().for_each(|&t| draft.remove(t, Fate::Replaced));
    blind.iter().for_each(|&p| draft.remove_place(p));
    useless.len() + blind.len()
}

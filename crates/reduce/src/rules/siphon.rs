//! Transitions that need a token where none can ever be.
//!
//! What: the largest set of places without initial tokens that only transitions fill which take from it (an empty siphon)
//! stays empty, so all transitions that take from it are dead.
//! Sound for: everything, as in `dead_transition`. The set is found from outside: a place can be marked if it is initially or a
//! transition that can fire fills it; a transition can fire if all places that it takes from can be marked. Weights and
//! inhibitor arcs only make fewer transitions fire, so that they are left out here makes fewer dead, not more.
//! Source: Commoner's siphons. Cost: the arcs of the net. Test: `tests/rules.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::mutable_net::{Fate, MutableNet};

pub(super) fn apply(net: &mut MutableNet) -> usize {
    let (places, transitions) = net.sizes();
    let mut missing = vec![0; transitions];
    let mut fires: Vec<TransitionId> = Vec::new();
    for t in net.transitions() {
        missing[t.index()] = net.pre(t).len();
        if net.pre(t).is_empty() {
            fires.push(t);
        }
    }
    let mut marked = vec![false; places];
    let mut open: Vec<PlaceId> = net.places().filter(|&p| net.initial(p) > 0).collect();
    open.iter().for_each(|p| marked[p.index()] = true);
    loop {
        if let Some(t) = fires.pop() {
            for arc in net.post(t) {
                if !std::mem::replace(&mut marked[arc.place.index()], true) {
                    open.push(arc.place);
                }
            }
        } else if let Some(p) = open.pop() {
            for &t in net.consumers(p) {
                missing[t.index()] -= 1;
                if missing[t.index()] == 0 {
                    fires.push(t);
                }
            }
        } else {
            break;
        }
    }
    let dead: Vec<TransitionId> = net.transitions().filter(|t| missing[t.index()] > 0).collect();
    dead.iter().for_each(|&t| net.remove(t, Fate::Dead));
    dead.len()
}

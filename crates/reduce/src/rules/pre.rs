//! Pre-agglomeration: a transition that only prepares waits until it is needed. Free agglomeration is the same with less to preserve.
//!
//! What: place `p` with producers `H` and consumers `F`. Every `h` gives `w` tokens to `p` and nothing else, takes from
//! invisible places that inhibit nothing, and has no inhibitor arcs; every `f` takes a multiple `k w`; `p` has
//! initially less than `w` tokens. Then `f` is replaced by `h^k f`. If there are several `h`, `k` is 1.
//! Pre-agglomeration also wants that every `h` takes something, and only from places that nothing outside `H` takes from.
//!
//! Why: `h` is not seen, and no other transition depends on when it fires. So in any run each `h` can be moved right
//! before its `f`, and those whose tokens are never used can be left out; more tokens stay in the places that `h` takes
//! from for longer, which disables nothing. That is enough for reachability: free agglomeration.
//!
//! With the conditions of pre-agglomeration dead markings and maximal runs stay too. Leaving out `h` puts tokens back that
//! only `H` can take. Let `m` be dead and `m'` be `m` with the unused firings of `H` undone. If `h^k f` were enabled in
//! `m'`, then `f` would be in `m` but for the tokens in `p`, so less than `k` firings of `h` would be unused, so `h` would
//! still be enabled in `m`; so `m'` is dead in the smaller net. If `m'` is dead there, firing `H` as long as it can (it
//! takes tokens that nothing else gives then, so this ends) leads to a marking in which no `f` is enabled, so to a dead one.
//! A run stays infinite without the unused `h`, since `H` alone fires only finitely often.
//! Sound for: free agglomeration for reachability. Pre-agglomeration for deadlocks and LTL without X too, and with a single
//! `h` for CTL without X: a marking then is like the one in which the unused `h` are undone, which is determined, and which
//! can do what it can do after firing `h` again. The lift of a deadlock fires `H` at the end.
//! Source: Berthelot 1987; free agglomeration: Thierry-Mieg 2020. Weights and several `h` by the proof above.
//! Cost: the arcs of `H`, `F` and of the places that `H` takes from. Test: `tests/rules.rs`.

use fireset_net::{Arc, PlaceId, TransitionId};

use super::{
    agglomerate::{Joint, Times, joint, packs},
    mutable_net::MutableNet,
};

/// Pre-agglomeration with one producer.
pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    let one = |joint: &Joint| joint.producers.len() == 1;
    preparing(net, place).filter(one).is_some_and(|joint| persistent(net, &joint) && join(net, &joint))
}

/// Pre-agglomeration with several producers.
pub(super) fn apply_join(net: &mut MutableNet, place: PlaceId) -> bool {
    let several = |joint: &Joint| joint.producers.len() > 1;
    preparing(net, place).filter(several).is_some_and(|joint| persistent(net, &joint) && join(net, &joint))
}

pub(super) fn apply_free(net: &mut MutableNet, place: PlaceId) -> bool {
    preparing(net, place).is_some_and(|joint| join(net, &joint))
}

/// The place with its neighbours, if its producers do nothing else.
fn preparing(net: &MutableNet, place: PlaceId) -> Option<Joint> {
    let joint = joint(net, place)?;
    let pack = net.gives(*joint.producers.first()?, place);
    let hidden = |arc: &Arc| net.is_hidden(arc.place);
    let prepares = |&h: &TransitionId| {
        net.gives(h, place) == pack
            && net.post(h).len() == 1
            && net.inhibitors(h).is_empty()
            && net.pre(h).iter().all(hidden)
    };
    let several = joint.producers.len() > 1;
    let fits =
        |&f: &TransitionId| packs(net.takes(f, place), pack).is_some_and(|packs| packs == 1 || !several);
    let fine =
        net.initial(place) < pack && joint.producers.iter().all(prepares) && joint.consumers.iter().all(fits);
    fine.then_some(joint)
}

/// Whether a producer that is enabled stays so until a producer fires.
fn persistent(net: &MutableNet, joint: &Joint) -> bool {
    let own = |arc: &Arc| net.consumers(arc.place).iter().all(|t| joint.producers.contains(t));
    joint.producers.iter().all(|&h| !net.pre(h).is_empty() && net.pre(h).iter().all(own))
}

fn join(net: &mut MutableNet, joint: &Joint) -> bool {
    let place = joint.place;
    joint.replace(net, |net, h, f| Times { producer: net.takes(f, place) / net.gives(h, place), consumer: 1 })
}

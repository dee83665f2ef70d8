//! Post-agglomeration: what follows unconditionally happens at once.
//!
//! What: place `p` with producers `H` and consumers `F`. Every `f` takes `w` tokens from `p` and nothing else, has no
//! inhibitor arcs, and gives to invisible places that inhibit nothing; every `h` gives a multiple `k w`. Then
//! `h` is replaced by `h f^k`. If there are several `f`, `k` is 1 and `p` has initially less than `w` tokens; if there is
//! one, it is fired first as often as it can.
//! Why: once `h` has fired, `f` can fire at any time, and nothing else needs those tokens of `p`. Firing `f` earlier only
//! adds tokens to places where more of them do no harm, and is not seen. So in any run each `f` can be moved to follow its
//! `h` at once; an `f` that never came can be added. The run stays infinite, since `f` alone fires only finitely
//! often. No marking with `w` tokens in `p` is dead; those with less are the markings of the smaller net, and `h f^k` is
//! enabled there where `h` is.
//! Sound for: reachability, deadlocks and LTL without X; with a single `f` also for CTL without X: a marking then is
//! like the one in which all `f` have fired, which it reaches without being seen, and whatever it can do, that can do too.
//! With several it is not, because `h` does not decide between them, but `h f` does.
//! Source: Berthelot 1987; Haddad and Pradat-Peyre 2006. Weights and initial tokens by the proof above.
//! Cost: the arcs of `H` and `F`. Test: `tests/rules.rs`.

use fireset_net::{Arc, PlaceId, TransitionId};

use super::{
    agglomerate::{Joint, Times, joint, packs},
    mutable_net::MutableNet,
};

/// Post-agglomeration with one consumer.
pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    let Some((joint, pack)) = following(net, place).filter(|(joint, _)| joint.consumers.len() == 1) else {
        return false;
    };
    let f = joint.consumers[0];
    let Some(initial) = initial_firings(net, f, net.initial(place) / pack) else { return false };
    let count = net.initial(place) / pack;
    let sequence = net.sequence(f);
    if !join(net, &joint, pack) {
        return false;
    }
    if count > 0 {
        let first = net.sequences.times(sequence, count);
        net.initial_sequences.push(first);
        initial.into_iter().for_each(|(place, tokens)| net.set_initial(place, tokens));
    }
    true
}

/// Post-agglomeration with several consumers.
pub(super) fn apply_fork(net: &mut MutableNet, place: PlaceId) -> bool {
    let Some((joint, pack)) = following(net, place) else { return false };
    let once = |&h: &TransitionId| net.gives(h, place) == pack;
    joint.consumers.len() > 1
        && net.initial(place) < pack
        && joint.producers.iter().all(once)
        && join(net, &joint, pack)
}

/// The place with its neighbours and the tokens that its consumers take, if these follow unconditionally.
fn following(net: &MutableNet, place: PlaceId) -> Option<(Joint, u64)> {
    let joint = joint(net, place)?;
    let pack = net.takes(joint.consumers[0], place);
    let hidden = |arc: &Arc| net.is_hidden(arc.place);
    let follows = |&f: &TransitionId| {
        net.takes(f, place) == pack
            && net.pre(f).len() == 1
            && net.inhibitors(f).is_empty()
            && net.post(f).iter().all(hidden)
    };
    let in_packs = |&h: &TransitionId| packs(net.gives(h, place), pack).is_some();
    (joint.consumers.iter().all(follows) && joint.producers.iter().all(in_packs)).then_some((joint, pack))
}

fn join(net: &mut MutableNet, joint: &Joint, pack: u64) -> bool {
    let place = joint.place;
    joint.replace(net, |net, h, _| Times { producer: 1, consumer: net.gives(h, place) / pack })
}

/// The initial tokens of the places that `f` gives to after `count` firings; `None` when they do not fit.
fn initial_firings(net: &MutableNet, f: TransitionId, count: u64) -> Option<Vec<(PlaceId, u64)>> {
    let more = |arc: &Arc| {
        let tokens = arc.weight.checked_mul(count)?.checked_add(net.initial(arc.place))?;
        Some((arc.place, tokens))
    };
    net.post(f).iter().map(more).collect()
}

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
    draft::Draft,
};

/// With one consumer.
pub(super) fn apply(draft: &mut Draft, place: PlaceId) -> bool {
    let Some((joint, pack)) = following(draft, place).filter(|(joint, _)| joint.consumers.len() == 1) else {
        return false;
    };
    let f = joint.consumers[0];
    let Some(initial) = initial_firings(draft, f, draft.initial(place) / pack) else { return false };
    let count = draft.initial(place) / pack;
    let word = draft.word(f);
    if !join(draft, &joint, pack) {
        return false;
    }
    if count > 0 {
        let first = draft.words.times(word, count);
        draft.begin.push(first);
        initial.into_iter().for_each(|(place, tokens)| draft.set_initial(place, tokens));
    }
    true
}

/// With several consumers.
pub(super) fn apply_fork(draft: &mut Draft, place: PlaceId) -> bool {
    let Some((joint, pack)) = following(draft, place) else { return false };
    let once = |&h: &TransitionId| draft.gives(h, place) == pack;
    joint.consumers.len() > 1
        && draft.initial(place) < pack
        && joint.producers.iter().all(once)
        && join(draft, &joint, pack)
}

/// The place with its neighbours and the tokens that its consumers take, if these follow unconditionally.
fn following(draft: &Draft, place: PlaceId) -> Option<(Joint, u64)> {
    let joint = joint(draft, place)?;
    let pack = draft.takes(joint.consumers[0], place);
    let hidden = |arc: &Arc| !draft.is_visible(arc.place) && draft.inhibited(arc.place).is_empty();
    let follows = |&f: &TransitionId| {
        draft.takes(f, place) == pack
            && draft.pre(f).len() == 1
            && draft.inhibitors(f).is_empty()
            && draft.post(f).iter().all(hidden)
    };
    let in_packs = |&h: &TransitionId| packs(draft.gives(h, place), pack).is_some();
    (joint.consumers.iter().all(follows) && joint.producers.iter().all(in_packs)).then_some((joint, pack))
}

fn join(draft: &mut Draft, joint: &Joint, pack: u64) -> bool {
    let place = joint.place;
    joint.replace(draft, |draft, h, _| Times { producer: 1, consumer: draft.gives(h, place) / pack })
}

/// The initial tokens of the places that `f` gives to after so many firings; `None` when they do not fit.
fn initial_firings(draft: &Draft, f: TransitionId, count: u64) -> Option<Vec<(PlaceId, u64)>> {
    let more = |arc: &Arc| {
        let tokens = arc.weight.checked_mul(count)?.checked_add(draft.initial(arc.place))?;
        Some((arc.place, tokens))
    };
    draft.post(f).iter().map(more).collect()
}

//! What the agglomerations share: a place with its producers and consumers, and the transitions that replace them.
//!
//! An agglomeration of place `p` replaces every producer `h` and consumer `f` by transitions `h f` that do both at
//! once, so that `p` is always empty and goes. The rules differ in why the other interleavings can be left out: after
//! `h`, `f` can come at once (`post`), or before `f`, `h` can have waited (`pre`, `free`).

use fireset_net::{Arc, PlaceId, TransitionId};

use super::{
    arcs::TransitionArcs,
    firing_sequences::SequenceId,
    mutable_net::{Fate, MutableNet},
};

/// Producers and consumers of a place that is agglomerated, together.
const MAX_NEIGHBOURS: usize = 200;

/// A place that no query sees, with its producers and consumers.
pub(super) struct Joint {
    pub(super) place: PlaceId,
    pub(super) producers: Vec<TransitionId>,
    pub(super) consumers: Vec<TransitionId>,
}

/// The place with its neighbours, unless it is visible, inhibits something, has a transition that both takes and gives
/// or that has to stay, or agglomerating it would make too many transitions.
pub(super) fn joint(net: &MutableNet, place: PlaceId) -> Option<Joint> {
    let (producers, consumers) = (net.producers(place), net.consumers(place));
    let (fills, empties) = (producers.len(), consumers.len());
    if !net.is_hidden(place)
        || empties == 0
        || fills + empties > MAX_NEIGHBOURS
        || !net.may_exchange(fills + empties, fills * empties)
        || producers.iter().chain(consumers).any(|&t| net.is_fixed(t))
        || producers.iter().any(|&t| net.takes(t, place) > 0)
    {
        return None;
    }
    Some(Joint { place, producers: producers.to_vec(), consumers: consumers.to_vec() })
}

/// How often the producer and the consumer of a pair fire.
pub(super) struct Times {
    pub(super) producer: u64,
    pub(super) consumer: u64,
}

impl Joint {
    /// Puts pairs in the place of the joint, as often as `times` says; `false` and nothing done when a weight does not
    /// fit or there are too many arcs.
    ///
    /// Needs: of a pair's two transitions, the first gives nothing but to the place, or the second takes nothing but
    /// from it; at most one of them has inhibitor arcs, and these are on places that the other does not fill or empty
    /// in a way that matters. Then the pair is enabled where both can fire in a row.
    pub(super) fn replace(
        &self,
        net: &mut MutableNet,
        times: impl Fn(&MutableNet, TransitionId, TransitionId) -> Times,
    ) -> bool {
        let mut pairs: Vec<(TransitionArcs, TransitionId, TransitionId, Times)> = Vec::new();
        let mut arcs = 0;
        for &h in &self.producers {
            for &f in &self.consumers {
                let times = times(net, h, f);
                let Some(pair) = self.pair(net, h, f, &times) else { return false };
                arcs += pair.pre.len() + pair.post.len() + pair.inhibitors.len();
                pairs.push((pair, h, f, times));
            }
        }
        if !net.has_room_for(arcs) {
            return false;
        }
        for (arcs, h, f, times) in pairs {
            let first = net.sequences.times(net.sequence(h), times.producer);
            let second = net.sequences.times(net.sequence(f), times.consumer);
            let sequence: SequenceId = net.sequences.then(first, second);
            net.add(arcs, sequence);
        }
        for &t in self.producers.iter().chain(&self.consumers) {
            net.remove(t, Fate::Replaced);
        }
        net.remove_place(self.place);
        true
    }

    fn pair(
        &self,
        net: &MutableNet,
        h: TransitionId,
        f: TransitionId,
        times: &Times,
    ) -> Option<TransitionArcs> {
        let (h, f) = (net.arcs(h), net.arcs(f));
        let inhibitors = h.inhibitors.iter().chain(&f.inhibitors).copied().collect();
        Some(TransitionArcs {
            pre: self.sum(&h.pre, &f.pre, times)?,
            post: self.sum(&h.post, &f.post, times)?,
            inhibitors,
        })
    }

    /// The arcs of both transitions added up, without those of the place.
    fn sum(&self, h: &[Arc], f: &[Arc], times: &Times) -> Option<Vec<Arc>> {
        let scaled = |arcs: &[Arc], by: u64| -> Option<Vec<Arc>> {
            let others = arcs.iter().filter(|arc| arc.place != self.place);
            others.map(|arc| Some(Arc { weight: arc.weight.checked_mul(by)?, ..*arc })).collect()
        };
        let mut all = scaled(h, times.producer)?;
        all.extend(scaled(f, times.consumer)?);
        all.sort_unstable_by_key(|arc| arc.place);
        let mut joined: Vec<Arc> = Vec::with_capacity(all.len());
        for arc in all {
            match joined.last_mut().filter(|last| last.place == arc.place) {
                Some(last) => last.weight = last.weight.checked_add(arc.weight)?,
                None => joined.push(arc),
            }
        }
        Some(joined)
    }
}

/// The common number of packs of a place's tokens; `None` if these are not multiples of `pack`.
pub(super) fn packs(tokens: u64, pack: u64) -> Option<u64> {
    (pack > 0 && tokens.is_multiple_of(pack)).then(|| tokens / pack)
}

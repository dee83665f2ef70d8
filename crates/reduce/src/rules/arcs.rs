//! The arcs of a transition, sorted by place.

use fireset_net::{Arc, PlaceId, TransitionId};

/// What a transition takes, gives and is blocked by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TransitionArcs {
    pub(super) pre: Vec<Arc>,
    pub(super) post: Vec<Arc>,
    pub(super) inhibitors: Vec<Arc>,
}

impl TransitionArcs {
    pub(super) fn count(&self) -> usize {
        self.pre.len() + self.post.len() + self.inhibitors.len()
    }
}

fn find(arcs: &[Arc], place: PlaceId) -> Option<usize> {
    arcs.binary_search_by_key(&place, |arc| arc.place).ok()
}

pub(super) fn weight(arcs: &[Arc], place: PlaceId) -> Option<u64> {
    find(arcs, place).map(|at| arcs[at].weight)
}

pub(super) fn drop_arc(arcs: &mut Vec<Arc>, place: PlaceId) {
    if let Some(at) = find(arcs, place) {
        arcs.remove(at);
    }
}

pub(super) fn reweigh_arc(arcs: &mut [Arc], place: PlaceId, new: &impl Fn(u64) -> u64) {
    if let Some(at) = find(arcs, place) {
        arcs[at].weight = new(arcs[at].weight);
    }
}

pub(super) fn remove_sorted(list: &mut Vec<TransitionId>, transition: TransitionId) {
    if let Ok(at) = list.binary_search(&transition) {
        list.remove(at);
    }
}

/// Moves the tokens of an arc to another place.
pub(super) fn redirect(arcs: &mut Vec<Arc>, from: PlaceId, to: PlaceId) {
    let Some(at) = find(arcs, from) else { return };
    let Arc { weight, .. } = arcs.remove(at);
    match arcs.binary_search_by_key(&to, |arc| arc.place) {
        Ok(at) => arcs[at].weight = arcs[at].weight.saturating_add(weight),
        Err(at) => arcs.insert(at, Arc { place: to, weight }),
    }
}

/// Adds a transition to a sorted list.
pub(super) fn insert_sorted(list: &mut Vec<TransitionId>, transition: TransitionId) {
    if let Err(at) = list.binary_search(&transition) {
        list.insert(at, transition);
    }
}

//! A net that rules take apart: arcs are found from both ends, and what changed is remembered for the rules to look at.
//!
//! Nodes keep their numbers; what a rule removes is marked, what it adds comes at the end. Invariants: 1. arcs of a
//! transition are sorted by place, with one arc a place and kind, and lead to places that stay; 2. a place lists exactly
//! the transitions that stay and have an arc of the kind, ascending.

use std::collections::{HashMap, VecDeque};

use fireset_net::{Arc, Net, PlaceId, TransitionId};

use super::{
    arcs::{TransitionArcs, drop_arc, insert_sorted, redirect, remove_sorted, reweigh_arc, weight},
    firing_sequences::{FiringSequences, SequenceId},
    preservation::Preservation,
    token_moves::TokenMove,
};

/// Differences between places past which their sums might not fit.
const MAX_OFFSET: u64 = 1 << 40;
/// Transitions that an agglomeration makes where it may make more than it removes.
const MAX_PAIRS: usize = 24;

#[derive(Clone, Debug, Default)]
struct MutablePlace {
    initial: u64,
    consumers: Vec<TransitionId>,
    producers: Vec<TransitionId>,
    inhibited: Vec<TransitionId>,
    counted: bool,
    summed: bool,
    tested: bool,
    gone: bool,
    queued: bool,
}

#[derive(Clone, Debug)]
struct MutableTransition {
    arcs: TransitionArcs,
    sequence: SequenceId,
    kept: bool,
    fate: Fate,
    queued: bool,
}

/// What has become of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    /// It is gone, because it never fires.
    Dead,
    /// It is gone, and another one fires exactly when it did.
    SameAs(TransitionId),
    /// It is gone, and others do what it did. If a query asks about it, its arcs are kept to say when it could fire.
    Replaced,
}

/// The tokens of a place that is gone and still counted: those of another place, if any, plus an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SubstitutedPlace {
    pub(super) place: Option<PlaceId>,
    pub(super) offset: i64,
}

/// A node that the rules have to look at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueuedNode {
    Place(PlaceId),
    Transition(TransitionId),
}

/// A net while rules are applied to it.
#[derive(Clone, Debug)]
pub(super) struct MutableNet {
    pub(super) sequences: FiringSequences,
    /// Fired before the initial marking of the reduced net.
    pub(super) initial_sequences: Vec<SequenceId>,
    /// Moves between places that were fused.
    pub(super) token_moves: Vec<TokenMove>,
    /// Places that are gone and still counted.
    pub(super) substituted: HashMap<PlaceId, SubstitutedPlace>,
    /// Whether agglomerations may make more transitions than they remove.
    pub(super) may_grow: bool,
    places: Vec<MutablePlace>,
    transitions: Vec<MutableTransition>,
    queue: VecDeque<QueuedNode>,
    arcs: usize,
    arc_limit: usize,
    /// The number of transitions now, and at the start.
    firing: usize,
    firing_limit: usize,
}

impl MutableNet {
    pub(super) fn new(net: &Net, preservation: &Preservation) -> Self {
        let mut mutable = Self {
            sequences: FiringSequences::default(),
            initial_sequences: Vec::new(),
            token_moves: Vec::new(),
            substituted: HashMap::new(),
            may_grow: false,
            places: Vec::new(),
            transitions: Vec::new(),
            queue: VecDeque::new(),
            arcs: 0,
            arc_limit: 2 * net.arc_count() + 100,
            firing: 0,
            firing_limit: net.nodes().transitions.len(),
        };
        for (at, place) in net.nodes().place_ids().enumerate() {
            let initial = net.initial_marking().tokens(place);
            let (counted, summed, tested) =
                (preservation.counted[at], preservation.summed[at], preservation.tested[at]);
            mutable.places.push(MutablePlace { initial, counted, summed, tested, ..MutablePlace::default() });
        }
        for t in net.nodes().transition_ids() {
            let sequence = mutable.sequences.fire(t);
            let arcs = TransitionArcs {
                pre: net.pre(t).to_vec(),
                post: net.post(t).to_vec(),
                inhibitors: net.inhibitors(t).to_vec(),
            };
            mutable.add(arcs, sequence);
            mutable.transitions[t.index()].kept = preservation.kept[t.index()];
        }
        mutable
    }

    /// The places that stay.
    pub(super) fn places(&self) -> impl Iterator<Item = PlaceId> {
        PlaceId::first(self.places.len()).filter(|&p| self.has_place(p))
    }

    /// The transitions that stay.
    pub(super) fn transitions(&self) -> impl Iterator<Item = TransitionId> {
        TransitionId::first(self.transitions.len()).filter(|&t| self.has_transition(t))
    }

    pub(super) fn has_place(&self, place: PlaceId) -> bool {
        !self.places[place.index()].gone
    }

    pub(super) fn has_transition(&self, transition: TransitionId) -> bool {
        self.fate(transition) == Fate::Stays
    }

    pub(super) fn fate(&self, transition: TransitionId) -> Fate {
        self.transitions[transition.index()].fate
    }

    /// How many places there ever were, and transitions.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.places.len(), self.transitions.len())
    }

    pub(super) fn initial(&self, place: PlaceId) -> u64 {
        self.places[place.index()].initial
    }

    /// The transitions that take from a place or test it.
    pub(super) fn consumers(&self, place: PlaceId) -> &[TransitionId] {
        &self.places[place.index()].consumers
    }

    /// The transitions that give to a place.
    pub(super) fn producers(&self, place: PlaceId) -> &[TransitionId] {
        &self.places[place.index()].producers
    }

    /// The transitions that a place can block.
    pub(super) fn inhibited(&self, place: PlaceId) -> &[TransitionId] {
        &self.places[place.index()].inhibited
    }

    /// Whether some query counts its tokens.
    pub(super) fn is_counted(&self, place: PlaceId) -> bool {
        self.places[place.index()].counted
    }

    /// Whether a place may go if its tokens are always those of the substitution.
    pub(super) fn may_substitute(&self, place: PlaceId, substitution: SubstitutedPlace) -> bool {
        let entry = &self.places[place.index()];
        !entry.counted || !entry.summed && substitution.offset.unsigned_abs() < MAX_OFFSET
    }

    /// Removes a place whose tokens are always those of the substitution.
    pub(super) fn substitute(&mut self, place: PlaceId, substitution: SubstitutedPlace) {
        if self.is_counted(place) {
            self.substituted.insert(place, substitution);
            if let Some(other) = substitution.place {
                self.places[other.index()].counted = true;
            }
        }
        self.remove_place(place);
    }

    /// Whether some query sees its tokens in any way.
    pub(super) fn is_visible(&self, place: PlaceId) -> bool {
        let place = &self.places[place.index()];
        place.counted || place.tested
    }

    /// Whether no query sees its tokens and it blocks no transition, so that more of them do no harm.
    pub(super) fn is_hidden(&self, place: PlaceId) -> bool {
        !self.is_visible(place) && self.inhibited(place).is_empty()
    }

    /// Whether some query asks if it can fire.
    pub(super) fn is_kept(&self, transition: TransitionId) -> bool {
        self.transitions[transition.index()].kept
    }

    /// Whether some query asks if it can fire, and that cannot be written with comparisons.
    pub(super) fn is_fixed(&self, transition: TransitionId) -> bool {
        let TransitionArcs { pre, inhibitors, .. } = self.arcs(transition);
        let fits = |arc: &Arc| i64::try_from(arc.weight).is_ok();
        self.is_kept(transition) && !pre.iter().chain(inhibitors).all(fits)
    }

    pub(super) fn arcs(&self, transition: TransitionId) -> &TransitionArcs {
        &self.transitions[transition.index()].arcs
    }

    pub(super) fn pre(&self, transition: TransitionId) -> &[Arc] {
        &self.arcs(transition).pre
    }

    pub(super) fn post(&self, transition: TransitionId) -> &[Arc] {
        &self.arcs(transition).post
    }

    pub(super) fn inhibitors(&self, transition: TransitionId) -> &[Arc] {
        &self.arcs(transition).inhibitors
    }

    pub(super) fn sequence(&self, transition: TransitionId) -> SequenceId {
        self.transitions[transition.index()].sequence
    }

    /// How many tokens a transition takes from a place.
    pub(super) fn takes(&self, transition: TransitionId, place: PlaceId) -> u64 {
        weight(self.pre(transition), place).unwrap_or(0)
    }

    /// How many tokens a transition gives to a place.
    pub(super) fn gives(&self, transition: TransitionId, place: PlaceId) -> u64 {
        weight(self.post(transition), place).unwrap_or(0)
    }

    /// At how many tokens of a place a transition is blocked.
    pub(super) fn blocked_at(&self, transition: TransitionId, place: PlaceId) -> Option<u64> {
        weight(self.inhibitors(transition), place)
    }

    /// How a transition changes a place.
    pub(super) fn effect(&self, transition: TransitionId, place: PlaceId) -> i128 {
        i128::from(self.gives(transition, place)) - i128::from(self.takes(transition, place))
    }

    /// Whether the net stays within its limit of arcs with `arcs` more of them.
    pub(super) fn has_room_for(&self, arcs: usize) -> bool {
        self.arcs.saturating_add(arcs) <= self.arc_limit
    }

    /// Whether `new` transitions may replace `old` ones.
    pub(super) fn may_exchange(&self, old: usize, new: usize) -> bool {
        new <= old || self.may_grow && new <= MAX_PAIRS && self.firing + new <= self.firing_limit + old
    }

    pub(super) fn next(&mut self) -> Option<QueuedNode> {
        loop {
            let node = self.queue.pop_front()?;
            let stays = match node {
                QueuedNode::Place(p) => {
                    self.places[p.index()].queued = false;
                    self.has_place(p)
                }
                QueuedNode::Transition(t) => {
                    self.transitions[t.index()].queued = false;
                    self.has_transition(t)
                }
            };
            if stays {
                return Some(node);
            }
        }
    }

    /// Queues all nodes for the rules.
    pub(super) fn touch_all(&mut self) {
        let transitions: Vec<TransitionId> = self.transitions().collect();
        transitions.into_iter().for_each(|t| self.queue_transition(t));
        let places: Vec<PlaceId> = self.places().collect();
        places.into_iter().for_each(|p| self.touch(p));
    }

    /// Queues a place for the rules.
    pub(super) fn touch(&mut self, place: PlaceId) {
        let entry = &mut self.places[place.index()];
        if !entry.queued && !entry.gone {
            entry.queued = true;
            self.queue.push_back(QueuedNode::Place(place));
        }
    }

    fn queue_transition(&mut self, transition: TransitionId) {
        let entry = &mut self.transitions[transition.index()];
        if !entry.queued {
            entry.queued = true;
            self.queue.push_back(QueuedNode::Transition(transition));
        }
    }

    /// Queues a transition and the places around it for the rules.
    fn touch_around(&mut self, transition: TransitionId) {
        self.queue_transition(transition);
        for place in self.around(transition) {
            self.touch(place);
        }
    }

    /// The places that a transition has arcs with; some twice.
    fn around(&self, transition: TransitionId) -> Vec<PlaceId> {
        let TransitionArcs { pre, post, inhibitors } = self.arcs(transition);
        pre.iter().chain(post).chain(inhibitors).map(|arc| arc.place).collect()
    }

    /// Adds a transition, whose arcs satisfy invariant 1.
    pub(super) fn add(&mut self, arcs: TransitionArcs, sequence: SequenceId) -> TransitionId {
        let id = TransitionId::new(self.transitions.len());
        self.arcs += arcs.count();
        self.firing += 1;
        // Ids ascend, so the lists stay sorted.
        arcs.pre.iter().for_each(|arc| self.places[arc.place.index()].consumers.push(id));
        arcs.post.iter().for_each(|arc| self.places[arc.place.index()].producers.push(id));
        arcs.inhibitors.iter().for_each(|arc| self.places[arc.place.index()].inhibited.push(id));
        self.transitions.push(MutableTransition {
            arcs,
            sequence,
            kept: false,
            fate: Fate::Stays,
            queued: false,
        });
        self.touch_around(id);
        id
    }

    /// Removes a transition. One that a query asks about is dead, or another takes its place, or it is not fixed: then the
    /// places that it depends on are counted from now on.
    pub(super) fn remove(&mut self, transition: TransitionId, fate: Fate) {
        self.touch_around(transition);
        let entry = &mut self.transitions[transition.index()];
        entry.fate = fate;
        let arcs = std::mem::take(&mut entry.arcs);
        if let Fate::SameAs(other) = fate {
            let kept = entry.kept;
            self.transitions[other.index()].kept |= kept;
        }
        self.arcs -= arcs.count();
        self.firing -= 1;
        let guards = fate == Fate::Replaced && self.is_kept(transition);
        for arc in &arcs.pre {
            self.places[arc.place.index()].counted |= guards;
            remove_sorted(&mut self.places[arc.place.index()].consumers, transition);
        }
        for arc in &arcs.post {
            remove_sorted(&mut self.places[arc.place.index()].producers, transition);
        }
        for arc in &arcs.inhibitors {
            self.places[arc.place.index()].counted |= guards;
            remove_sorted(&mut self.places[arc.place.index()].inhibited, transition);
        }
        if guards {
            self.transitions[transition.index()].arcs = arcs;
        }
    }

    pub(super) fn remove_place(&mut self, place: PlaceId) {
        let entry = &mut self.places[place.index()];
        entry.gone = true;
        let lists = [&mut entry.consumers, &mut entry.producers, &mut entry.inhibited].map(std::mem::take);
        let [consumers, producers, inhibited] = lists;
        self.arcs -= consumers.len() + producers.len() + inhibited.len();
        for t in consumers {
            drop_arc(&mut self.transitions[t.index()].arcs.pre, place);
            self.touch_around(t);
        }
        for t in producers {
            drop_arc(&mut self.transitions[t.index()].arcs.post, place);
            self.touch_around(t);
        }
        for t in inhibited {
            drop_arc(&mut self.transitions[t.index()].arcs.inhibitors, place);
            self.touch_around(t);
        }
    }

    pub(super) fn remove_inhibitor(&mut self, transition: TransitionId, place: PlaceId) {
        drop_arc(&mut self.transitions[transition.index()].arcs.inhibitors, place);
        remove_sorted(&mut self.places[place.index()].inhibited, transition);
        self.arcs -= 1;
        self.touch_around(transition);
        self.touch(place);
    }

    pub(super) fn set_initial(&mut self, place: PlaceId, tokens: u64) {
        self.places[place.index()].initial = tokens;
        self.touch(place);
    }

    pub(super) fn set_sequence(&mut self, transition: TransitionId, sequence: SequenceId) {
        self.transitions[transition.index()].sequence = sequence;
    }

    /// Puts a place, which inhibits nothing, into another one, with its tokens and arcs. Sums have to fit.
    pub(super) fn fuse(&mut self, from: PlaceId, into: PlaceId) {
        let MutablePlace { consumers, producers, initial, .. } =
            std::mem::take(&mut self.places[from.index()]);
        self.places[from.index()].gone = true;
        let mut around = [&consumers[..], &producers[..]].concat();
        around.sort_unstable();
        around.dedup();
        let count = |net: &Self| around.iter().map(|&t| net.arcs(t).count()).sum::<usize>();
        let before = count(self);
        for &t in &consumers {
            redirect(&mut self.transitions[t.index()].arcs.pre, from, into);
            insert_sorted(&mut self.places[into.index()].consumers, t);
        }
        for &t in &producers {
            redirect(&mut self.transitions[t.index()].arcs.post, from, into);
            insert_sorted(&mut self.places[into.index()].producers, t);
        }
        // Arcs to both places are one now.
        self.arcs -= before - count(self);
        self.set_initial(into, self.initial(into).saturating_add(initial));
        around.into_iter().for_each(|t| self.touch_around(t));
    }

    /// Changes the weights of all arcs of a place: of those that move tokens, and of inhibitor arcs.
    pub(super) fn reweigh(
        &mut self,
        place: PlaceId,
        moved: impl Fn(u64) -> u64,
        blocked: impl Fn(u64) -> u64,
    ) {
        let MutablePlace { consumers, producers, inhibited, .. } = &self.places[place.index()];
        for t in consumers {
            reweigh_arc(&mut self.transitions[t.index()].arcs.pre, place, &moved);
        }
        for t in producers {
            reweigh_arc(&mut self.transitions[t.index()].arcs.post, place, &moved);
        }
        for t in inhibited {
            reweigh_arc(&mut self.transitions[t.index()].arcs.inhibitors, place, &blocked);
        }
        self.touch(place);
    }
}

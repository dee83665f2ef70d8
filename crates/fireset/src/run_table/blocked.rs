//! Why a transition is not enabled: each place that lacks tokens for it or inhibits it.

use fireset_net::{
    Marking, Net, PlaceId, Semantics, TransitionId,
    coloured::{ColouredArc, ColouredMarking, ColouredNet},
};

/// Why a transition is not enabled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockedTransition {
    /// Which transition it is.
    pub transition: TransitionId,
    /// What is in its way; empty where every place has tokens enough, but no binding fits to them.
    pub places: Vec<BlockedPlace>,
}

/// A place that is in the way of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockedPlace {
    /// It has too few tokens.
    Lacks {
        /// An input place.
        place: PlaceId,
        /// How many tokens the transition takes.
        needs: u64,
        /// How many there are.
        has: u128,
    },
    /// It has too many tokens.
    Inhibits {
        /// At the other end of an inhibitor arc.
        place: PlaceId,
        /// How many tokens are too many.
        limit: u64,
        /// How many there are.
        has: u128,
    },
}

/// A net that can tell why a transition is not enabled.
pub trait BlockageSearch: Semantics {
    /// What is in the way of a transition that is not enabled.
    fn blocked_places(&self, state: &Self::State, transition: TransitionId) -> Vec<BlockedPlace>;
}

impl BlockageSearch for Net {
    fn blocked_places(&self, state: &Marking, transition: TransitionId) -> Vec<BlockedPlace> {
        let lacking = self.pre(transition).iter().filter_map(|arc| {
            let has = state.tokens(arc.place);
            let lacks = BlockedPlace::Lacks { place: arc.place, needs: arc.weight, has: has.into() };
            (has < arc.weight).then_some(lacks)
        });
        let inhibiting = self.inhibitors(transition).iter().filter_map(|arc| {
            let has = state.tokens(arc.place);
            let inhibits = BlockedPlace::Inhibits { place: arc.place, limit: arc.weight, has: has.into() };
            (has >= arc.weight).then_some(inhibits)
        });
        lacking.chain(inhibiting).collect()
    }
}

/// Colours are left aside: a place is in the way under every binding where it has fewer tokens than any binding takes.
impl BlockageSearch for ColouredNet {
    fn blocked_places(&self, state: &ColouredMarking, transition: TransitionId) -> Vec<BlockedPlace> {
        let lacking = |arc: &ColouredArc| {
            let (has, needs) = (self.tokens(state, arc.place).total, arc.term.cardinality(self.sorts())?);
            (has < needs.into()).then_some(BlockedPlace::Lacks { place: arc.place, needs, has })
        };
        self.transition(transition).pre.iter().filter_map(lacking).collect()
    }
}

/// Why each of the transitions is not enabled in a deadlock. Those first that lack least: they are what the others wait for.
pub(super) fn all<S: BlockageSearch>(net: &S, state: &S::State) -> Vec<BlockedTransition> {
    let blocked =
        |transition| BlockedTransition { transition, places: net.blocked_places(state, transition) };
    let mut all: Vec<BlockedTransition> = net.as_ref().transition_ids().map(blocked).collect();
    all.sort_by_key(|blocked| blocked.places.len());
    all
}

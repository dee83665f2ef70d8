//! Coverability graphs by the textbook: Karp and Miller, "Parallel program schemata" (1969), with equal markings joined.
//!
//! A [`CoverabilityNet`] is a net without inhibitor arcs whose places may hold `ω` tokens, more than any number. Its graph is
//! explored like that of any net, but a marking that covers one on the way to it gets `ω` where it has more tokens. The
//! graph is finite; each of its markings is a limit of reachable ones, and each reachable marking is below one of them.

use std::cmp::Ordering;

use super::{
    explore::GraphBuilder,
    graph::{GraphLimits, ReachabilityGraph},
};
use crate::{
    Budget, FireError, Net, Nodes, PlaceId, Semantics, Step, Tokens, TransitionId, coloured::PlaceColours,
    marking::pointwise,
};

/// A number of tokens, or `ω`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum LimitCount {
    Finite(u64),
    Omega,
}

/// A count or `ω` for each place: what a growing sequence of markings tends to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LimitMarking(pub Box<[LimitCount]>);

impl PartialOrd for LimitMarking {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        pointwise(self.0.iter().zip(&other.0))
    }
}

impl LimitMarking {
    /// Sets `ω` where it has more tokens than a marking below it. Whether that changes anything.
    fn accelerate(&mut self, below: &Self) -> bool {
        if below.partial_cmp(self) != Some(Ordering::Less) {
            return false;
        }
        let before = self.clone();
        for (count, below) in self.0.iter_mut().zip(&below.0) {
            if *count > *below {
                *count = LimitCount::Omega;
            }
        }
        *self != before
    }
}

/// A net without inhibitor arcs, on limits of markings.
#[derive(Debug)]
pub struct CoverabilityNet<'n>(&'n Net);

impl<'n> CoverabilityNet<'n> {
    /// The net with `ω`; `None` if it has inhibitor arcs, which more tokens block.
    pub fn new(net: &'n Net) -> Option<Self> {
        (!net.has_inhibitors()).then_some(Self(net))
    }

    /// Builds the coverability graph, as far as the limits allow.
    pub fn graph(&self, limits: GraphLimits, budget: &Budget) -> ReachabilityGraph<'_, Self> {
        GraphBuilder::new(self, limits).accelerated(LimitMarking::accelerate).explore(budget, &mut ())
    }
}

impl AsRef<Nodes> for CoverabilityNet<'_> {
    fn as_ref(&self) -> &Nodes {
        self.0.nodes()
    }
}

impl Semantics for CoverabilityNet<'_> {
    type State = LimitMarking;

    fn initial(&self) -> LimitMarking {
        LimitMarking(self.0.initial_marking().0.iter().map(|&count| LimitCount::Finite(count)).collect())
    }

    fn steps(&self, state: &LimitMarking) -> Vec<Step> {
        let enabled = |&t: &TransitionId| self.can_fire(state, t);
        self.0.nodes().transition_ids().filter(enabled).map(Step::plain).collect()
    }

    fn can_fire(&self, state: &LimitMarking, transition: TransitionId) -> bool {
        let arcs = self.0.pre(transition);
        arcs.iter().all(|arc| state.0[arc.place.index()] >= LimitCount::Finite(arc.weight))
    }

    fn fire(&self, state: &LimitMarking, step: &Step) -> Result<LimitMarking, FireError> {
        let mut next = state.clone();
        for arc in self.0.pre(step.transition) {
            if let LimitCount::Finite(count) = &mut next.0[arc.place.index()] {
                let (place, needs, has) = (arc.place, arc.weight, *count);
                *count =
                    count.checked_sub(needs).ok_or(FireError::TooFew { place, colour: None, needs, has })?;
            }
        }
        for arc in self.0.post(step.transition) {
            if let LimitCount::Finite(count) = &mut next.0[arc.place.index()] {
                *count = count.checked_add(arc.weight).ok_or(FireError::Overflow { place: arc.place })?;
            }
        }
        Ok(next)
    }

    /// `ω` counts as more than all numbers of 64 bits.
    fn tokens(&self, state: &LimitMarking, place: PlaceId) -> Tokens {
        match state.0[place.index()] {
            LimitCount::Finite(count) => Tokens { total: count.into(), largest: count },
            LimitCount::Omega => Tokens { total: 1 << 100, largest: u64::MAX },
        }
    }

    fn colour_tokens(&self, state: &LimitMarking, tokens: &PlaceColours) -> u128 {
        if tokens.is_plain() { self.tokens(state, tokens.place).total } else { 0 }
    }

    fn bytes(&self, state: &LimitMarking) -> usize {
        size_of::<LimitMarking>() + size_of_val(&*state.0)
    }
}

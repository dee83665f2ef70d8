//! Upper bounds of place sets, of all colours or of some, and the size of the state space, gathered while the states are visited.
//!
//! A covering pair makes every figure of the state space infinite, and the bound of each place set on which it
//! has more tokens; other bounds stay open on a net with infinitely many states.

use fireset_net::{
    Count, PlaceId, Semantics, StateSpaceSize, StopReason, Verdict,
    coloured::PlaceColours,
    reachability::{CoveringPair, ReachabilityGraph, StateView},
};

use crate::decide::{Explored, OpenQuery, OracleAnswer};

/// The bound of a place set.
pub(super) struct BoundQuery {
    places: Vec<PlaceId>,
    tokens: Vec<PlaceColours>,
    most: Option<u128>,
    at: usize,
}

impl BoundQuery {
    pub(super) fn new(places: Vec<PlaceId>, tokens: Vec<PlaceColours>) -> Self {
        Self { places, tokens, most: None, at: 0 }
    }

    fn sum<S: Semantics>(&self, net: &S, state: &S::State) -> u128 {
        let of_all_colours: u128 = self.places.iter().map(|&p| net.tokens(state, p).total).sum();
        let of_some: u128 = self.tokens.iter().map(|some| net.colour_tokens(state, some)).sum();
        of_all_colours + of_some
    }
}

impl<S: Semantics> OpenQuery<S> for BoundQuery {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let sum = self.sum(view.graph.net(), view.state());
        if self.most.is_none_or(|most| sum > most) {
            (self.most, self.at) = (Some(sum), view.at);
        }
        None
    }

    fn covering(&mut self, graph: &ReachabilityGraph<'_, S>, pair: CoveringPair) -> Option<OracleAnswer> {
        let sum = |at: usize| self.sum(graph.net(), &graph.states()[at]);
        (sum(pair.ancestor) < sum(pair.state)).then(|| OracleAnswer::bare(Verdict::Bound(Count::Infinite)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        let most = self.most.expect("a complete graph has its initial marking");
        Ok(OracleAnswer::traced(Verdict::Bound(most.into()), explored.graph.trace(self.at)))
    }
}

/// Counts what the state-space query asks for, state by state.
#[derive(Default)]
pub(super) struct SizeCounter {
    in_marking: u128,
    in_place: u64,
}

impl<S: Semantics> OpenQuery<S> for SizeCounter {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let net = view.graph.net();
        let mut total = 0;
        for place in net.as_ref().place_ids() {
            let tokens = net.tokens(view.state(), place);
            total += tokens.total;
            self.in_place = self.in_place.max(tokens.largest);
        }
        self.in_marking = self.in_marking.max(total);
        None
    }

    fn covering(&mut self, _: &ReachabilityGraph<'_, S>, _: CoveringPair) -> Option<OracleAnswer> {
        Some(OracleAnswer::bare(Verdict::StateSpace(StateSpaceSize::INFINITE)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        Ok(OracleAnswer::bare(Verdict::StateSpace(StateSpaceSize {
            states: explored.graph.states().len().into(),
            firings: explored.graph.firings().into(),
            max_in_marking: self.in_marking.into(),
            max_in_place: self.in_place.into(),
        })))
    }
}

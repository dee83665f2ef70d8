//! Upper bounds of place sets and the size of the state space, gathered while the states are visited.
//!
//! A covering pair makes every figure of the state space infinite, and the bound of each place set on which it
//! has more tokens; other bounds stay open on a net with infinitely many states.

use super::{Answer, Covering, Explored, Graph, View, Watch};
use crate::{Count, Figures, PlaceId, Semantics, StopReason, Verdict};

/// The bound of a place set.
pub(super) struct Bound {
    places: Vec<PlaceId>,
    most: Option<u128>,
    at: usize,
}

impl Bound {
    pub(super) fn new(places: Vec<PlaceId>) -> Self {
        Self { places, most: None, at: 0 }
    }

    fn sum<S: Semantics>(&self, net: &S, state: &S::State) -> u128 {
        self.places.iter().map(|&p| net.tokens(state, p).total).sum()
    }
}

impl<S: Semantics> Watch<S> for Bound {
    fn visit(&mut self, view: &View<'_, S>) -> Option<Answer> {
        let sum = self.sum(view.graph.net(), view.state());
        if self.most.is_none_or(|most| sum > most) {
            (self.most, self.at) = (Some(sum), view.at);
        }
        None
    }

    fn covering(&mut self, graph: &Graph<'_, S>, pair: Covering) -> Option<Answer> {
        let sum = |at: usize| self.sum(graph.net(), &graph.states()[at]);
        (sum(pair.ancestor) < sum(pair.state)).then(|| Answer::bare(Verdict::Bound(Count::Infinite)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<Answer, StopReason> {
        explored.graph.complete()?;
        let most = self.most.expect("a complete graph has its initial marking");
        Ok(Answer::traced(Verdict::Bound(most.into()), explored.graph.trace(self.at)))
    }
}

/// The size of the state space.
#[derive(Default)]
pub(super) struct Size {
    in_marking: u128,
    in_place: u64,
}

impl<S: Semantics> Watch<S> for Size {
    fn visit(&mut self, view: &View<'_, S>) -> Option<Answer> {
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

    fn covering(&mut self, _: &Graph<'_, S>, _: Covering) -> Option<Answer> {
        Some(Answer::bare(Verdict::StateSpace(Figures::INFINITE)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<Answer, StopReason> {
        explored.graph.complete()?;
        Ok(Answer::bare(Verdict::StateSpace(Figures {
            states: explored.graph.states().len().into(),
            firings: explored.graph.firings().into(),
            max_in_marking: self.in_marking.into(),
            max_in_place: self.in_place.into(),
        })))
    }
}

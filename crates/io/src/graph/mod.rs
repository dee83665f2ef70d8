//! Reachability graphs as files, for small nets: [`dot`] to look at, [`aut`] and
//! [`mod@json`] for other tools.
//!
//! A format writes a [`StateGraph`], which is never a part of a graph: a file does not say what is missing in
//! it. Names are those that queries use. Cost: linear in states and firings; nothing is held in memory beside
//! the graph. Test: beside each format, and `crates/cli/tests/graph.rs`.

pub mod aut;
pub mod dot;
pub mod json;

use fireset_net::{
    Model, Net, Nodes, PlaceId, Semantics, StopReason,
    coloured::SortKind,
    reachability::{ReachabilityEdge, ReachabilityGraph, TabulatedNet},
    replay,
};
use serde_json::{Value, json};

use crate::witness;

/// A net whose markings can be written, place by place.
pub trait Markings: Semantics {
    /// What a place holds, for people: `p`, `2*p`, `p{red, 2*blue}`; `None` when it is empty.
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String>;

    /// What a place holds, for programs: a count, or a list of colours with their counts; `None` when it is
    /// empty.
    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value>;
}

impl Markings for Net {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        times(state.tokens(place), self.nodes().place(place))
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        let count = state.tokens(place);
        (count > 0).then(|| count.to_string().into())
    }
}

impl Markings for TabulatedNet<'_> {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        let (bag, name) = (&state.0[place.index()], self.net().nodes().place(place));
        let (sorts, sort) = (self.net().sorts(), self.net().place(place).sort);
        if bag.is_empty() {
            return None;
        }
        if matches!(sorts[sort].kind, SortKind::Dot) {
            return times(bag.largest(), name);
        }
        let colours: Vec<String> =
            bag.iter().filter_map(|(colour, count)| times(count, &sorts.show(sort, colour))).collect();
        Some(format!("{name}{{{}}}", colours.join(", ")))
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        let (bag, sort) = (&state.0[place.index()], self.net().place(place).sort);
        let colours = bag.iter().map(|(colour, count)| {
            json!({ "color": witness::show_colour(self.net(), sort, colour), "count": count.to_string() })
        });
        (!bag.is_empty()).then(|| colours.collect())
    }
}

/// `what`, `2*what`; `None` for none of it.
fn times(count: u64, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(what.to_owned()),
        n => Some(format!("{n}*{what}")),
    }
}

/// A whole reachability graph with the names of its net. State 0 is the initial marking.
pub struct StateGraph<'a, S: Markings> {
    model: &'a Model,
    graph: &'a ReachabilityGraph<'a, S>,
}

impl<'a, S: Markings> StateGraph<'a, S> {
    /// The graph of `model`, which was explored with its edges kept; if it is not complete, why.
    pub fn new(model: &'a Model, graph: &'a ReachabilityGraph<'a, S>) -> Result<Self, StopReason> {
        graph.complete()?;
        let this = Self { model, graph };
        debug_assert_eq!(this.edges().count() as u64, graph.firings(), "edges are kept");
        Ok(this)
    }

    fn nodes(&self) -> &'a Nodes {
        self.model.nodes()
    }

    fn states(&self) -> &'a [S::State] {
        self.graph.states()
    }

    /// All edges with the states they leave, in the order of those.
    fn edges(&self) -> impl Iterator<Item = (usize, ReachabilityEdge)> {
        let graph = self.graph;
        (0..graph.states().len()).flat_map(|from| graph.edges(from).iter().map(move |&edge| (from, edge)))
    }

    /// What fires along an edge, for people: `t`, `t(x=1)`.
    fn label(&self, edge: ReachabilityEdge) -> String {
        replay::show_step(self.model, self.graph.step(edge))
    }
}

#[cfg(test)]
mod tests;

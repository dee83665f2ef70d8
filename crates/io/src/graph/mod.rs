//! Files of reachability graphs of small nets: [`dot`] for drawings, [`aut`] and [`mod@json`] for other tools.
//!
//! A format writes a [`StateGraph`], which is always complete, since a file could not say what is missing. Drawings name nodes
//! by their titles, the other formats by their ids. Cost: linear in states and firings; only the graph is held in memory. Test: beside each format, and `crates/cli/tests/graph.rs`.

pub mod aut;
pub mod dot;
pub mod json;

use fireset_net::{
    Model, Nodes, StopReason,
    reachability::{ReachabilityEdge, ReachabilityGraph},
    replay,
};

use crate::{marking_text::PrintableMarkings, query::quote_title};

/// A complete reachability graph with the names of its net. State 0 is the initial marking.
pub struct StateGraph<'a, S: PrintableMarkings> {
    model: &'a Model,
    graph: &'a ReachabilityGraph<'a, S>,
}

impl<'a, S: PrintableMarkings> StateGraph<'a, S> {
    /// Wraps the graph of `model`, which was explored with its edges kept; the error says why the graph is not complete.
    pub fn new(model: &'a Model, graph: &'a ReachabilityGraph<'a, S>) -> Result<Self, StopReason> {
        graph.complete()?;
        let this = Self { model, graph };
        debug_assert_eq!(this.edges().count() as u64, graph.firings(), "edges are kept");
        Ok(this)
    }

    /// What the graph is of.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states().len()
    }

    /// Whether it has no state, which no complete graph is.
    pub fn is_empty(&self) -> bool {
        self.states().is_empty()
    }

    /// Whether nothing is enabled in a state.
    pub fn is_deadlock(&self, state: usize) -> bool {
        self.graph.is_deadlock(state)
    }

    /// The tokens of the marked places of a state, place by place.
    pub fn marked_places(&self, state: usize) -> Vec<String> {
        let (net, state) = (self.graph.net(), &self.states()[state]);
        self.nodes().place_ids().filter_map(|place| net.text(state, place)).collect()
    }

    /// All firings in the order of their states: from where, to where, and the step for people.
    pub fn firings(&self) -> impl Iterator<Item = (usize, usize, String)> {
        self.edges().map(|(from, edge)| (from, edge.target(), self.title(edge)))
    }

    fn nodes(&self) -> &'a Nodes {
        self.model.nodes()
    }

    fn states(&self) -> &'a [S::State] {
        self.graph.states()
    }

    /// All edges with their source states, in the order of the states.
    fn edges(&self) -> impl Iterator<Item = (usize, ReachabilityEdge)> {
        let graph = self.graph;
        (0..graph.states().len()).flat_map(|from| graph.edges(from).iter().map(move |&edge| (from, edge)))
    }

    /// The label of an edge for programs: `t`, `t(x=1)`.
    fn label(&self, edge: ReachabilityEdge) -> String {
        replay::show_step(self.model, self.graph.step(edge))
    }

    /// The label of an edge for people.
    fn title(&self, edge: ReachabilityEdge) -> String {
        let step = self.graph.step(edge);
        quote_title(self.nodes().transition_title(step.transition)) + &replay::show_binding(self.model, step)
    }
}

#[cfg(test)]
mod tests;

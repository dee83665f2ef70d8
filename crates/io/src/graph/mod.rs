//! Files of reachability graphs of small nets: [`dot`] for drawings, [`aut`] and [`mod@json`] for other tools.
//!
//! A format writes a [`StateGraph`], which is always complete, since a file could not say what is missing. Drawings name nodes
//! by their titles, the other formats by their ids. Cost: linear in states and firings; only the graph is held in memory. Test: beside each format, and `crates/cli/tests/graph.rs`.

pub mod aut;
pub mod dot;
pub mod json;

use fireset_net::{
    Model, Net, Nodes, PlaceId, Semantics, StopReason,
    coloured::SortKind,
    reachability::{CoverabilityNet, LimitCount, ReachabilityEdge, ReachabilityGraph, TabulatedNet},
    replay,
};
use serde_json::{Value, json};

use crate::{query::quote_title, witness};

/// A net whose markings can be written, place by place.
pub trait PrintableMarkings: Semantics {
    /// The tokens of a place as text for people: `p`, `2*p`, `p{red, 2*blue}`; `None` if it is empty.
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String>;

    /// The tokens of a place as JSON: a count, or a list of colours with their counts; `None` if it is empty.
    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value>;
}

impl PrintableMarkings for Net {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        times(state.tokens(place), &quote_title(self.nodes().place_title(place)))
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        let count = state.tokens(place);
        (count > 0).then(|| count.to_string().into())
    }
}

/// `ω` is written as such for people, and as `omega` in JSON.
impl PrintableMarkings for CoverabilityNet<'_> {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        let name = quote_title(self.as_ref().place_title(place));
        match state.0[place.index()] {
            LimitCount::Finite(count) => times(count, &name),
            LimitCount::Omega => Some(format!("ω*{name}")),
        }
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        match state.0[place.index()] {
            LimitCount::Finite(count) => (count > 0).then(|| count.to_string().into()),
            LimitCount::Omega => Some("omega".into()),
        }
    }
}

impl PrintableMarkings for TabulatedNet<'_> {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        let bag = &state.0[place.index()];
        let (sorts, sort) = (self.net().sorts(), self.net().place(place).sort);
        if bag.is_empty() {
            return None;
        }
        let name = quote_title(self.net().nodes().place_title(place));
        if matches!(sorts[sort].kind, SortKind::Dot) {
            return times(bag.largest(), &name);
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

/// `name`, `2*name`; `None` for zero.
fn times(count: u64, name: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(name.to_owned()),
        n => Some(format!("{n}*{name}")),
    }
}

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

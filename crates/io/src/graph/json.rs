//! Reachability graphs as JSON, one line for each state and edge.
//!
//! ```json
//! { "model": "tiny", "initial": 0,
//!   "states": [
//!     { "id": 0, "marking": { "p": "1" }, "deadlock": false },
//!     { "id": 1, "marking": { "q": [{ "color": "2", "count": "1" }] }, "deadlock": true } ],
//!   "edges": [
//!     { "from": 0, "step": { "transition": "t", "binding": { "x": "2" } }, "to": 1 } ] }
//! ```
//!
//! A place of a place/transition net has a count, a place of a coloured net a list of colours; empty places are omitted.
//! Steps, colours and counts have the form of [witness files](crate::witness).

use std::io::{self, Write};

use fireset_net::PlaceId;
use serde_json::{Map, Value, json};

use super::StateGraph;
use crate::marking_text::PrintableMarkings;
use crate::witness;

/// Writes a graph as JSON.
pub fn write<S: PrintableMarkings>(graph: &StateGraph<'_, S>, out: &mut impl Write) -> io::Result<()> {
    let model = Value::from(graph.model.name());
    write!(out, "{{\"model\": {model}, \"initial\": 0,\n\"states\": [")?;
    let states = graph.states().iter().enumerate().map(|(at, state)| {
        let deadlock = graph.graph.is_deadlock(at);
        json!({ "id": at, "marking": marking(graph, state), "deadlock": deadlock })
    });
    list(states, out)?;
    write!(out, "],\n\"edges\": [")?;
    let edges = graph.edges().map(|(from, edge)| {
        let step = witness::show_step(graph.model, graph.graph.step(edge));
        json!({ "from": from, "step": step, "to": edge.target() })
    });
    list(edges, out)?;
    writeln!(out, "]}}")
}

/// Writes the entries of a list one by one, so that a large graph is never in memory as JSON.
fn list(entries: impl Iterator<Item = Value>, out: &mut impl Write) -> io::Result<()> {
    for (at, entry) in entries.enumerate() {
        let separator = if at == 0 { "" } else { "," };
        write!(out, "{separator}\n{entry}")?;
    }
    Ok(())
}

fn marking<S: PrintableMarkings>(graph: &StateGraph<'_, S>, state: &S::State) -> Map<String, Value> {
    let (nodes, net) = (graph.nodes(), graph.graph.net());
    let entry = |p: PlaceId| Some((nodes.place(p).to_owned(), net.json(state, p)?));
    nodes.place_ids().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::{pool, written, written_coloured};

    #[test]
    fn states_and_edges_are_written() {
        let text = written("p:1 q; t: p -> 2*q", write);
        let expected = json!({
            "model": "tiny", "initial": 0,
            "states": [
                { "id": 0, "marking": { "p": "1" }, "deadlock": false },
                { "id": 1, "marking": { "q": "2" }, "deadlock": true },
            ],
            "edges": [{ "from": 0, "step": "t", "to": 1 }],
        });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    }

    #[test]
    fn a_net_without_firings_has_an_empty_list() {
        let text = written("p;", write);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["states"], json!([{ "id": 0, "marking": {}, "deadlock": true }]));
        assert_eq!(value["edges"], json!([]));
    }

    #[test]
    fn colours_and_bindings_are_written() {
        let text = written_coloured(&pool(), write);
        let value: Value = serde_json::from_str(&text).unwrap();
        let pool = json!([{ "color": "1", "count": "1" }, { "color": "2", "count": "2" }]);
        assert_eq!(value["states"][0]["marking"]["pool"], pool);
        assert_eq!(value["states"][0]["marking"]["dots"], json!([{ "color": "dot", "count": "3" }]));
        assert_eq!(value["edges"][0]["step"], json!({ "transition": "take", "binding": { "x": "1" } }));
    }
}

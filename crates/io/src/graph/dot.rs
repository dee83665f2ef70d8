//! Reachability graphs for Graphviz: ellipses with the marked places, deadlocks as grey boxes, and an arrow to the initial
//! marking.

use std::io::{self, Write};

use super::{PrintableMarkings, StateGraph};
use crate::dot::quote;

/// Writes a graph in the DOT language.
pub fn write<S: PrintableMarkings>(graph: &StateGraph<'_, S>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quote(graph.model.name()))?;
    writeln!(out, "  start [shape=point]")?;
    for (at, state) in graph.states().iter().enumerate() {
        let deadlock = if graph.graph.is_deadlock(at) { "shape=box, style=filled, " } else { "" };
        writeln!(out, "  s{at} [{deadlock}label={}]", quote(&label(graph, state)))?;
    }
    writeln!(out, "  start -> s0")?;
    for (from, edge) in graph.edges() {
        writeln!(out, "  s{from} -> s{} [label={}]", edge.target(), quote(&graph.title(edge)))?;
    }
    writeln!(out, "}}")
}

/// The marked places of a marking; the empty marking is labelled as such, since an empty ellipse would look like a mistake.
fn label<S: PrintableMarkings>(graph: &StateGraph<'_, S>, state: &S::State) -> String {
    let net = graph.graph.net();
    let places: Vec<String> = graph.nodes().place_ids().filter_map(|p| net.text(state, p)).collect();
    if places.is_empty() { "(empty)".into() } else { places.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::{pool, written, written_coloured};

    #[test]
    fn states_show_their_tokens_and_deadlocks_differ() {
        let text = written("p:1 q r; t: p -> 2*q, r; u: 2*q, r -> ", write);
        let expected = "digraph \"tiny\" {\n  start [shape=point]\n  s0 [label=\"p\"]\n  s1 [label=\"2*q r\"]\n  \
            s2 [shape=box, style=filled, label=\"(empty)\"]\n  start -> s0\n  s0 -> s1 [label=\"t\"]\n  \
            s1 -> s2 [label=\"u\"]\n}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn colours_stand_behind_their_place() {
        let text = written_coloured(&pool(), write);
        for line in ["s0 [label=\"pool{1, 2*2} 3*dots\"]", "s0 -> s1 [label=\"take(x=1)\"]"] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn names_are_quoted() {
        let text = written("a\"b:1; t\\: a\"b ->", write);
        assert!(text.contains(r#"label="\"a\\\"b\"""#) && text.contains(r#"label="\"t\\\\\"""#), "{text}");
    }
}

//! Reachability graphs for Graphviz: ellipses with the marked places, deadlocks as grey boxes, and an arrow to the initial
//! marking.

use std::io::{self, Write};

use super::StateGraph;
use crate::marking_text::PrintableMarkings;

/// Writes a graph in the DOT language.
pub fn write<S: PrintableMarkings>(graph: &StateGraph<'_, S>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quote(graph.model.name()))?;
    writeln!(out, "  start [shape=point]")?;
    for at in 0..graph.len() {
        let deadlock = if graph.is_deadlock(at) { "shape=box, style=filled, " } else { "" };
        writeln!(out, "  s{at} [{deadlock}label={}]", quote(&label(graph, at)))?;
    }
    writeln!(out, "  start -> s0")?;
    for (from, to, title) in graph.firings() {
        writeln!(out, "  s{from} -> s{to} [label={}]", quote(&title))?;
    }
    writeln!(out, "}}")
}

/// The marked places of a marking; the empty marking is labelled as such, since an empty ellipse would look like a mistake.
fn label<S: PrintableMarkings>(graph: &StateGraph<'_, S>, state: usize) -> String {
    let places = graph.marked_places(state);
    if places.is_empty() { "(empty)".into() } else { places.join(" ") }
}

/// Quotes a text for DOT.
pub fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
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

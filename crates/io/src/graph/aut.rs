//! Reachability graphs as labelled transition systems in the Aldebaran format, which CADP, mCRL2 and others read.
//! The format has no markings.
//!
//! ```text
//! des (0, 2, 3)
//! (0, "take(x=1)", 1)
//! (1, "put(x=1)", 2)
//! ```
//!
//! Source: the manual page `aut` of CADP. The format allows printable ASCII only; other characters of a label are
//! escaped, as are quotes and backslashes. Tools read a label `i` (CADP) or `tau` (mCRL2) as a hidden action.

use std::io::{self, Write};

use super::StateGraph;
use crate::marking_text::PrintableMarkings;

/// Writes a graph in the Aldebaran format.
pub fn write<S: PrintableMarkings>(graph: &StateGraph<'_, S>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "des (0, {}, {})", graph.edges().count(), graph.states().len())?;
    for (from, edge) in graph.edges() {
        writeln!(out, "({from}, \"{}\", {})", escape(&graph.label(edge)), edge.target())?;
    }
    Ok(())
}

/// Escapes a label: `\"`, `\\`, `\n`, `\u{e9}`.
fn escape(label: &str) -> String {
    let mut escaped = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '\'' => escaped.push(c),
            _ => escaped.extend(c.escape_default()),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::{pool, written, written_coloured};

    #[test]
    fn the_header_counts_edges_and_states() {
        let text = written("p:1 q; t: p -> q; u: q -> p; v: q -> q; w: q ->", write);
        let expected = "des (0, 4, 3)\n(0, \"t\", 1)\n(1, \"u\", 0)\n(1, \"v\", 1)\n(1, \"w\", 2)\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn bindings_are_part_of_a_label() {
        let text = written_coloured(&pool(), write);
        assert!(text.contains("(0, \"take(x=2)\", 2)\n"), "{text}");
    }

    #[test]
    fn a_net_without_firings_is_one_state() {
        assert_eq!(written("p:1;", write), "des (0, 0, 1)\n");
    }

    #[test]
    fn labels_stay_printable_ascii_in_one_line() {
        assert_eq!(escape("a'b \"c\" \\ \n é"), r#"a'b \"c\" \\ \n \u{e9}"#);
    }
}

//! Diagrams of nets in the DOT language of Graphviz, with the texts of the pictures.

use std::io::{self, Write};

use fireset_io::graph::dot::quote;

use crate::diagram::{ArcHead, Diagram, DiagramArc, DiagramNode, DrawnTokens, NodeShape};

/// Attributes of nodes that stand out, and of arcs at them.
const FILLED: &str = ", style=filled, fillcolor=\"#ffd27f\"";
const STRONG: &str = ", color=\"#c05000\", penwidth=2";

/// Writes a diagram in the DOT language.
pub fn write(diagram: &Diagram, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quote(&diagram.title))?;
    if !diagram.caption.is_empty() {
        writeln!(out, "  label={}", quote(&diagram.caption))?;
    }
    diagram.nodes.iter().try_for_each(|node| write_node(node, out))?;
    let id = |node: usize| &diagram.nodes[node].id;
    diagram.arcs.iter().try_for_each(|arc| write_arc(arc, id(arc.from), id(arc.to), out))?;
    writeln!(out, "}}")
}

fn write_node(node: &DiagramNode, out: &mut impl Write) -> io::Result<()> {
    let shape = match node.shape {
        NodeShape::Place => "ellipse",
        NodeShape::Transition | NodeShape::Marking => "box",
    };
    let mut label = node.lines.join("\n");
    match &node.tokens {
        DrawnTokens::Count(0) => {}
        DrawnTokens::Count(count) => label += &format!("\n{count}"),
        DrawnTokens::Colours { text, .. } if text.is_empty() => {}
        DrawnTokens::Colours { text, .. } => label += &format!("\n{text}"),
    }
    let filled = if node.highlighted { FILLED } else { "" };
    writeln!(out, "  {} [shape={shape}, label={}{filled}]", node.id, quote(&label))
}

fn write_arc(arc: &DiagramArc, from: &str, to: &str, out: &mut impl Write) -> io::Result<()> {
    let label = if arc.label.is_empty() { String::new() } else { format!("label={}", quote(&arc.label)) };
    let head = match arc.head {
        ArcHead::Arrow => "",
        ArcHead::Both => "dir=both",
        ArcHead::Circle => "arrowhead=odot",
    };
    let strong = if arc.highlighted { STRONG.trim_start_matches(", ") } else { "" };
    let attributes: Vec<&str> = [head, &label, strong].into_iter().filter(|part| !part.is_empty()).collect();
    match attributes.is_empty() {
        true => writeln!(out, "  {from} -> {to}"),
        false => writeln!(out, "  {from} -> {to} [{}]", attributes.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::NetBuilder;
    use fireset_oracle::tiny;

    use super::*;
    use crate::net::place_transition_diagram;

    fn text(diagram: &Diagram) -> String {
        let mut out = Vec::new();
        write(diagram, &mut out).expect("memory takes it");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn nodes_have_their_labels_and_equal_labels_their_ids() {
        let mut net = NetBuilder::new("n");
        for (id, label) in [("p1", "waiting\nroom"), ("p2", "busy"), ("p3", "busy"), ("p4", "")] {
            let place = net.place(id, 0).unwrap();
            net.nodes_mut().places.set_label(place.index(), label);
        }
        net.transition("t1").unwrap();
        net.nodes_mut().transitions.set_label(0, "p1");
        let text = text(&place_transition_diagram(&net.build().unwrap()));
        for label in ["\"waiting\\nroom\"", "\"busy (p2)\"", "\"busy (p3)\"", "\"p4\""] {
            assert!(
                text.contains(&format!("[shape=ellipse, label={label}]")),
                "{label} is missing in\n{text}"
            );
        }
        assert!(text.contains("[shape=box, label=\"p1\"]"), "{text}");
    }

    #[test]
    fn highlighted_nodes_are_filled_and_their_arcs_strong() {
        let mut diagram = place_transition_diagram(&tiny::net("p:1 q; t: p -> q; u: q -> q"));
        diagram.highlight([0]);
        diagram.caption = "trap 1: \"p\"".into();
        let text = text(&diagram);
        assert!(text.contains("  label=\"trap 1: \\\"p\\\"\"\n"), "{text}");
        assert!(text.contains(&format!("p0 [shape=ellipse, label=\"p\\n1\"{FILLED}]")), "{text}");
        assert!(text.contains("p0 -> t0 [color=\"#c05000\", penwidth=2]"), "{text}");
        assert!(text.contains("t0 -> p1\n") && text.contains("p1 [shape=ellipse, label=\"q\"]"), "{text}");
        assert!(text.contains("p1 -> t1 [dir=both]\n"), "{text}");
    }

    #[test]
    fn every_node_and_arc_is_drawn() {
        let text = text(&place_transition_diagram(&tiny::net("p:2 q; t: p, 2*!q -> 3*q")));
        for line in [
            "p0 [shape=ellipse, label=\"p\\n2\"]",
            "p1 [shape=ellipse, label=\"q\"]",
            "t0 [shape=box, label=\"t\"]",
            "p0 -> t0\n",
            "t0 -> p1 [label=\"3\"]",
            "p1 -> t0 [arrowhead=odot, label=\"2\"]",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }
}

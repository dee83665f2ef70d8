//! Nets as Graphviz drawings: circles, boxes, and arcs with their inscriptions. Nodes have the titles that people know.

use std::io::{self, Write};

use fireset_net::{Arc, Model, Net, TransitionId, coloured::ColouredNet};

/// Writes a net in the DOT language.
pub fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    match model {
        Model::Plain(net) => {
            let nodes = net.nodes();
            Highlight::none(nodes.places.len(), nodes.transitions.len()).write(net, out)
        }
        Model::Coloured(net) => {
            writeln!(out, "digraph {} {{", quote(model.name()))?;
            coloured(net, out)?;
            writeln!(out, "}}")
        }
    }
}

/// Attributes of nodes that stand out, and of arcs at them.
const FILLED: &str = ", style=filled, fillcolor=\"#ffd27f\"";
const STRONG: &str = ", color=\"#c05000\", penwidth=2";

/// Nodes of a place/transition net that stand out in its drawing, with the arcs at them.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// For each place whether it stands out.
    pub places: Vec<bool>,
    /// For each transition whether it stands out.
    pub transitions: Vec<bool>,
    /// A line below the drawing; none if it is empty.
    pub caption: String,
}

impl Highlight {
    /// Nothing stands out, in a net with these numbers of places and transitions.
    pub fn none(places: usize, transitions: usize) -> Self {
        Self { places: vec![false; places], transitions: vec![false; transitions], caption: String::new() }
    }

    /// Writes the net in the DOT language.
    pub fn write(&self, net: &Net, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "digraph {} {{", quote(&net.name))?;
        if !self.caption.is_empty() {
            writeln!(out, "  label={}", quote(&self.caption))?;
        }
        plain(net, self, out)?;
        writeln!(out, "}}")
    }

    fn arc(&self, arc: &Arc, t: TransitionId) -> &'static str {
        let stands_out = self.places[arc.place.index()] || self.transitions[t.index()];
        if stands_out { STRONG } else { "" }
    }
}

fn filled(stands_out: bool) -> &'static str {
    if stands_out { FILLED } else { "" }
}

fn plain(net: &Net, highlight: &Highlight, out: &mut impl Write) -> io::Result<()> {
    let nodes = net.nodes();
    for p in nodes.place_ids() {
        let tokens = net.initial_marking().tokens(p);
        let note = if tokens == 0 { String::new() } else { format!("\n{tokens}") };
        let title = nodes.place_title(p).drawn();
        place(out, p.index(), &format!("{title}{note}"), filled(highlight.places[p.index()]))?;
    }
    for t in nodes.transition_ids() {
        let title = nodes.transition_title(t).drawn();
        transition(out, t.index(), &title, filled(highlight.transitions[t.index()]))?;
        let label = |arc: &Arc| if arc.weight == 1 { String::new() } else { arc.weight.to_string() };
        for arc in net.pre(t) {
            let (label, strong) = (quote(&label(arc)), highlight.arc(arc, t));
            writeln!(out, "  p{} -> t{} [label={label}{strong}]", arc.place.index(), t.index())?;
        }
        for arc in net.post(t) {
            let (label, strong) = (quote(&label(arc)), highlight.arc(arc, t));
            writeln!(out, "  t{} -> p{} [label={label}{strong}]", t.index(), arc.place.index())?;
        }
        for arc in net.inhibitors(t) {
            inhibitor(out, arc.place.index(), t, &label(arc))?;
        }
    }
    Ok(())
}

/// Arcs of a coloured net are drawn without their terms, which rarely fit into a picture.
fn coloured(net: &ColouredNet, out: &mut impl Write) -> io::Result<()> {
    let nodes = net.nodes();
    for p in nodes.place_ids() {
        let sort = &net.sorts()[net.place(p).sort].name;
        place(out, p.index(), &format!("{}\n{sort}", nodes.place_title(p).drawn()), "")?;
    }
    for t in nodes.transition_ids() {
        transition(out, t.index(), &nodes.transition_title(t).drawn(), "")?;
        let arcs = net.transition(t);
        for arc in &arcs.pre {
            writeln!(out, "  p{} -> t{}", arc.place.index(), t.index())?;
        }
        for arc in &arcs.post {
            writeln!(out, "  t{} -> p{}", t.index(), arc.place.index())?;
        }
        for arc in &arcs.inhibitors {
            inhibitor(out, arc.place.index(), t, "")?;
        }
    }
    Ok(())
}

fn place(out: &mut impl Write, index: usize, label: &str, more: &str) -> io::Result<()> {
    writeln!(out, "  p{index} [shape=ellipse, label={}{more}]", quote(label))
}

fn transition(out: &mut impl Write, index: usize, label: &str, more: &str) -> io::Result<()> {
    writeln!(out, "  t{index} [shape=box, label={}{more}]", quote(label))
}

fn inhibitor(out: &mut impl Write, place: usize, t: TransitionId, label: &str) -> io::Result<()> {
    writeln!(out, "  p{place} -> t{} [arrowhead=odot, label={}]", t.index(), quote(label))
}

/// Quotes a text for DOT.
pub(crate) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use fireset_net::NetBuilder;
    use fireset_oracle::tiny;

    use super::*;

    #[test]
    fn nodes_have_their_labels_and_equal_labels_their_ids() {
        let mut net = NetBuilder::new("n");
        for (id, label) in [("p1", "waiting\nroom"), ("p2", "busy"), ("p3", "busy"), ("p4", "")] {
            let place = net.place(id, 0).unwrap();
            net.nodes_mut().places.set_label(place.index(), label);
        }
        net.transition("t1").unwrap();
        net.nodes_mut().transitions.set_label(0, "p1");
        let mut out = Vec::new();
        write(&Model::Plain(net.build().unwrap()), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
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
        let net = tiny::net("p:1 q; t: p -> q; u: q -> q");
        let mut highlight = Highlight::none(2, 2);
        highlight.places[0] = true;
        highlight.caption = "trap 1: \"p\"".into();
        let mut out = Vec::new();
        highlight.write(&net, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("  label=\"trap 1: \\\"p\\\"\"\n"), "{text}");
        assert!(text.contains(&format!("p0 [shape=ellipse, label=\"p\\n1\"{FILLED}]")), "{text}");
        assert!(text.contains(&format!("p0 -> t0 [label=\"\"{STRONG}]")), "{text}");
        assert!(
            text.contains("t0 -> p1 [label=\"\"]") && text.contains("p1 [shape=ellipse, label=\"q\"]"),
            "{text}"
        );
    }

    #[test]
    fn every_node_and_arc_is_drawn() {
        let mut out = Vec::new();
        write(&Model::Plain(tiny::net("p:2 q; t: p, 2*!q -> 3*q")), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for line in [
            "p0 [shape=ellipse, label=\"p\\n2\"]",
            "p1 [shape=ellipse, label=\"q\"]",
            "t0 [shape=box, label=\"t\"]",
            "p0 -> t0 [label=\"\"]",
            "t0 -> p1 [label=\"3\"]",
            "p1 -> t0 [arrowhead=odot, label=\"2\"]",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }
}

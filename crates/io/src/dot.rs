//! Nets as Graphviz drawings: circles, boxes, and arcs with their inscriptions. Nodes have the titles that people know.

use std::io::{self, Write};

use fireset_net::{Arc, Model, Net, TransitionId, coloured::ColouredNet};

/// Writes a net in the DOT language.
pub fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quote(model.name()))?;
    match model {
        Model::Plain(net) => plain(net, out)?,
        Model::Coloured(net) => coloured(net, out)?,
    }
    writeln!(out, "}}")
}

fn plain(net: &Net, out: &mut impl Write) -> io::Result<()> {
    let nodes = net.nodes();
    for p in nodes.place_ids() {
        let tokens = net.initial_marking().tokens(p);
        let note = if tokens == 0 { String::new() } else { format!("\n{tokens}") };
        place(out, p.index(), &format!("{}{note}", nodes.place_title(p).drawn()))?;
    }
    for t in nodes.transition_ids() {
        transition(out, t.index(), &nodes.transition_title(t).drawn())?;
        let label = |arc: &Arc| if arc.weight == 1 { String::new() } else { arc.weight.to_string() };
        for arc in net.pre(t) {
            writeln!(out, "  p{} -> t{} [label={}]", arc.place.index(), t.index(), quote(&label(arc)))?;
        }
        for arc in net.post(t) {
            writeln!(out, "  t{} -> p{} [label={}]", t.index(), arc.place.index(), quote(&label(arc)))?;
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
        place(out, p.index(), &format!("{}\n{sort}", nodes.place_title(p).drawn()))?;
    }
    for t in nodes.transition_ids() {
        transition(out, t.index(), &nodes.transition_title(t).drawn())?;
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

fn place(out: &mut impl Write, index: usize, label: &str) -> io::Result<()> {
    writeln!(out, "  p{index} [shape=ellipse, label={}]", quote(label))
}

fn transition(out: &mut impl Write, index: usize, label: &str) -> io::Result<()> {
    writeln!(out, "  t{index} [shape=box, label={}]", quote(label))
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

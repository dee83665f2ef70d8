//! Reachability graphs as diagrams: markings in boxes with round corners, deadlocks highlighted.

use fireset_io::{graph::StateGraph, marking_text::PrintableMarkings};

use crate::{
    diagram::{ArcHead, Diagram, DiagramArc, DiagramNode, DrawnTokens, NodeShape},
    text,
};

/// Lines of a marking have about this many characters.
const LINE: usize = 24;
/// Lines of a marking that are drawn.
const LINES: usize = 8;

/// The diagram of a complete graph.
pub fn state_diagram<S: PrintableMarkings>(graph: &StateGraph<'_, S>) -> Diagram {
    let node = |state: usize| DiagramNode {
        id: format!("s{state}"),
        shape: NodeShape::Marking,
        tokens: DrawnTokens::Count(0),
        lines: lines(&graph.marked_places(state)),
        highlighted: graph.is_deadlock(state),
        is_start: state == 0,
        position: None,
    };
    // Steps between the same markings share an arc.
    let mut arcs: Vec<DiagramArc> = Vec::new();
    for (from, to, label) in graph.firings() {
        match arcs.iter_mut().rev().take_while(|arc| arc.from == from).find(|arc| arc.to == to) {
            Some(arc) => arc.label += &format!(", {label}"),
            None => {
                let (head, bends) = (ArcHead::Arrow, Vec::new());
                arcs.push(DiagramArc { from, to, label, head, bends, highlighted: false });
            }
        }
    }
    arcs.iter_mut().for_each(|arc| arc.label = text::cut(&arc.label, 2 * LINE));
    let deadlocks = (0..graph.len()).filter(|&state| graph.is_deadlock(state)).count();
    let caption = match deadlocks {
        0 => String::new(),
        1 => "The coloured marking is a deadlock.".into(),
        _ => "The coloured markings are deadlocks.".into(),
    };
    Diagram { title: graph.model().name().into(), caption, nodes: (0..graph.len()).map(node).collect(), arcs }
}

/// The marked places, several in a line.
fn lines(places: &[String]) -> Vec<String> {
    if places.is_empty() {
        return vec!["(empty)".into()];
    }
    let mut lines: Vec<String> = Vec::new();
    for place in places {
        match lines.last_mut() {
            Some(line) if line.chars().count() + place.chars().count() < LINE => {
                *line += &format!(" {place}")
            }
            _ => lines.push(text::cut(place, 2 * LINE)),
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…".into());
    }
    lines
}

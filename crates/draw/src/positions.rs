//! Where the file of a net has its nodes, and where it bends its arcs.

use fireset_io::pnml::{ArcEnds, Presentation};
use fireset_net::Model;

use crate::{
    diagram::{ArcHead, Diagram},
    geometry::Point,
};

/// Takes the positions of a file over into the diagram of its net. Nodes that the file does not place keep none.
pub fn take_positions(diagram: &mut Diagram, model: &Model, presentation: &Presentation) {
    let nodes = model.nodes();
    let places = nodes.places.iter().map(|id| presentation.place_position(id));
    let transitions = nodes.transitions.iter().map(|id| presentation.transition_position(id));
    for (node, position) in diagram.nodes.iter_mut().zip(places.chain(transitions)) {
        node.position = position.map(point);
    }
    let ids: Vec<&str> = nodes.places.iter().chain(nodes.transitions.iter()).collect();
    for arc in &mut diagram.arcs {
        let ends = ArcEnds { from: ids[arc.from], to: ids[arc.to], inhibits: arc.head == ArcHead::Circle };
        arc.bends = presentation.bends(ends).into_iter().map(point).collect();
    }
}

fn point([x, y]: [f64; 2]) -> Point {
    Point::new(x, y)
}

//! Where nodes stand: as their file has them, in layers, or, in large drawings, as forces between them have it.

mod force;
mod given;
mod layered;
mod pivots;

use crate::{
    diagram::Diagram,
    geometry::{BoxSize, Point},
    text,
};

/// Drawings with more nodes or arcs than this are not laid out in layers, which takes more than linear time and becomes wide.
const MOST_LAYERED: usize = 600;

/// Inscriptions up to this width stand beside their arcs; longer ones get room of their own.
const SHORT_INSCRIPTION: f64 = 36.0;

/// The places of nodes and the bends of arcs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NetLayout {
    /// The middle of each node.
    pub(crate) centres: Vec<Point>,
    /// The points that each arc goes through between its ends.
    pub(crate) bends: Vec<Vec<Point>>,
    /// The middle of each inscription that has room of its own.
    pub(crate) inscriptions: Vec<Option<Point>>,
}

impl NetLayout {
    /// Arcs go straight from node to node.
    fn straight(centres: Vec<Point>, arcs: usize) -> Self {
        Self { centres, bends: vec![Vec::new(); arcs], inscriptions: vec![None; arcs] }
    }
}

/// Lays a drawing out.
pub(crate) fn layout(diagram: &Diagram) -> NetLayout {
    let arcs: Vec<(usize, usize)> = diagram.arcs.iter().map(|arc| (arc.from, arc.to)).collect();
    let extents: Vec<BoxSize> = diagram.nodes.iter().map(|node| node.extent()).collect();
    if let Some(layout) = given::layout(diagram, &extents) {
        return layout;
    }
    if extents.len().max(arcs.len()) > MOST_LAYERED {
        return NetLayout::straight(force::layout(&extents, &arcs), arcs.len());
    }
    let starts: Vec<usize> = (0..extents.len()).filter(|&node| diagram.nodes[node].is_start).collect();
    let inscription = |label: &String| {
        let width = text::width(label);
        (width > SHORT_INSCRIPTION).then_some(BoxSize { width, height: text::LINE_HEIGHT })
    };
    let inscriptions: Vec<_> = diagram.arcs.iter().map(|arc| inscription(&arc.label)).collect();
    layered::layout(&extents, &arcs, &inscriptions, &starts)
}

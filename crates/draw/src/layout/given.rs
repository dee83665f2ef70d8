//! The layout of the file: its positions, scaled so that shapes and names of neighbours do not cover each other.
//!
//! Editors draw smaller shapes than ours and have names where people moved them to, so their coordinates alone are often too
//! narrow. One factor for all coordinates keeps what the drawing looks like. Cost: linear in the nodes a factor, as far as the drawing
//! is not crowded. Test: below.

use crate::{
    diagram::Diagram,
    geometry::{BoxSize, Point, Rectangle, RectangleIndex},
};

use super::NetLayout;

/// The factors that are tried, the smallest first.
const FACTORS: [f64; 8] = [1.0, 1.2, 1.5, 1.9, 2.4, 3.0, 4.0, 5.0];
/// In a layout of this number of nodes one may cover another one.
const COVERING: usize = 50;

/// The layout of the file, if it has a position for each node and nodes do not stand on each other.
pub(super) fn layout(diagram: &Diagram, extents: &[BoxSize]) -> Option<NetLayout> {
    let given: Vec<Point> = diagram.nodes.iter().map(|node| node.position).collect::<Option<_>>()?;
    if given.is_empty() {
        return None;
    }
    let factor = FACTORS.into_iter().find(|&factor| is_readable(&given, extents, factor))?;
    let scaled = |points: &[Point]| points.iter().map(|point| point.times(factor)).collect::<Vec<_>>();
    Some(NetLayout {
        centres: scaled(&given),
        bends: diagram.arcs.iter().map(|arc| scaled(&arc.bends)).collect(),
        inscriptions: vec![None; diagram.arcs.len()],
    })
}

/// Whether hardly a node covers another one.
fn is_readable(given: &[Point], extents: &[BoxSize], factor: f64) -> bool {
    let most = given.len() / COVERING;
    let (mut index, mut covering) = (RectangleIndex::default(), 0);
    for (&point, &extent) in given.iter().zip(extents) {
        let rectangle = Rectangle { centre: point.times(factor), extent };
        covering += usize::from(index.is_covered(&rectangle));
        if covering > most {
            return false;
        }
        index.add(rectangle);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::place_transition_diagram;

    /// The layout of `p -> t -> q` with these positions, and the room that a node needs.
    fn laid_out(positions: [Option<(f64, f64)>; 3]) -> (Option<NetLayout>, f64) {
        let mut diagram = place_transition_diagram(&fireset_oracle::tiny::net("p:1 q; t: p -> q"));
        for (node, position) in diagram.nodes.iter_mut().zip(positions) {
            node.position = position.map(|(x, y)| Point::new(x, y));
        }
        diagram.arcs[0].bends = vec![Point::new(10.0, 30.0)];
        let extents: Vec<BoxSize> = diagram.nodes.iter().map(|node| node.extent()).collect();
        (layout(&diagram, &extents), extents[0].height)
    }

    #[test]
    fn coordinates_are_those_of_the_file() {
        let (layout, _) = laid_out([Some((0.0, 0.0)), Some((300.0, 0.0)), Some((150.0, -20.0))]);
        let layout = layout.expect("nodes are apart");
        assert_eq!(layout.centres[1..], [Point::new(300.0, 0.0), Point::new(150.0, -20.0)]);
        assert_eq!(layout.bends[0], [Point::new(10.0, 30.0)]);
    }

    #[test]
    fn narrow_drawings_grow_and_crowded_ones_are_left() {
        let (layout, height) = laid_out([Some((0.0, 0.0)), Some((0.0, 40.0)), Some((100.0, 0.0))]);
        let layout = layout.expect("a factor is enough");
        let factor = layout.centres[1].y / 40.0;
        assert!(layout.centres[1].y >= height && layout.centres[2].x == 100.0 * factor);
        assert_eq!(layout.bends[0], [Point::new(10.0 * factor, 30.0 * factor)]);
        assert_eq!(laid_out([Some((0.0, 0.0)); 3]).0, None);
        assert_eq!(laid_out([Some((0.0, 0.0)), None, Some((100.0, 0.0))]).0, None);
    }
}

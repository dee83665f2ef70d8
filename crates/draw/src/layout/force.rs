//! Layout of large drawings by forces: nodes repel each other, arcs pull their ends together.
//!
//! Source: Fruchterman and Reingold, "Graph drawing by force-directed placement" (1991), with far nodes taken together after Barnes
//! and Hut; the simulation is that of the crate `fjadra`. Forces alone seldom untangle a large net, so nodes start where their
//! distances in the graph have them ([`pivots`]). Cost: a fixed number of rounds, each nearly linear. Test: below.

use fjadra::{Collide, Link, ManyBody, Node, PositionX, PositionY, SimulationBuilder};

use super::pivots;
use crate::geometry::{BoxSize, Point};

/// The distance between the ends of an arc.
const DISTANCE: f64 = 70.0;
/// How nodes repel each other.
const REPULSION: f64 = -260.0;
/// How much all nodes are drawn to the middle, so that unconnected parts stay near.
const GRAVITY: f64 = 0.03;
/// The number of rounds.
const ROUNDS: usize = 300;

pub(super) fn layout(extents: &[BoxSize], arcs: &[(usize, usize)]) -> Vec<Point> {
    let radii: Vec<f64> =
        extents.iter().map(|extent| extent.width.max(extent.height).min(90.0) / 2.0 + 4.0).collect();
    let links = arcs.iter().filter(|(from, to)| from != to).copied();
    let starts = pivots::starts(extents.len(), arcs);
    let start = |at: Point| Node::default().position(at.x * DISTANCE, at.y * DISTANCE);
    let mut simulation = SimulationBuilder::default()
        .build(starts.into_iter().map(start))
        .add_force("arcs", Link::new(links).distance(DISTANCE))
        .add_force("repulsion", ManyBody::new().strength(REPULSION))
        .add_force("x", PositionX::new().strength(GRAVITY))
        .add_force("y", PositionY::new().strength(GRAVITY))
        .add_force("overlap", Collide::new().radius(move |node| radii[node]));
    simulation.tick(ROUNDS);
    simulation.positions().map(|[x, y]| Point::new(x, y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_near_and_nodes_apart() {
        let extents = vec![BoxSize { width: 34.0, height: 34.0 }; 200];
        let arcs: Vec<(usize, usize)> = (0..200).map(|at| (at, (at + 1) % 200)).collect();
        let centres = layout(&extents, &arcs);
        assert_eq!(centres, layout(&extents, &arcs), "the same in every run");
        let distance = |a: usize, b: usize| centres[a].minus(centres[b]).length();
        for a in 0..200 {
            assert!(distance(a, (a + 1) % 200) < 250.0, "{a} is far from its neighbour");
            assert!((0..a).all(|b| distance(a, b) > 20.0), "{a} covers another node");
        }
    }
}

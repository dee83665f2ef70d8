//! Where the inscriptions of arcs stand: beside the arc, where they cover neither a node nor another inscription, and no other arc
//! goes through them if that can be avoided.

use crate::{
    diagram::Diagram,
    geometry::{BoxSize, Point, Rectangle, RectangleIndex},
    layout::NetLayout,
    routes::point_at,
    text,
};

/// Where on the arc an inscription may stand, the best first.
const FRACTIONS: [f64; 7] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
/// With more arcs than this, arcs that cross inscriptions are accepted.
const MOST_CROSSING: usize = 1_500;
/// The gap between an arc and its inscription.
const GAP: f64 = 3.0;

/// The middle of each arc's inscription; of an empty one it means nothing.
pub(crate) fn places(diagram: &Diagram, layout: &NetLayout, curves: &[Vec<Point>]) -> Vec<Point> {
    let mut taken = RectangleIndex::default();
    for (node, &centre) in diagram.nodes.iter().zip(&layout.centres) {
        taken.add(Rectangle { centre, extent: node.extent() });
    }
    let mut places = Vec::with_capacity(curves.len());
    for ((arc, route), given) in diagram.arcs.iter().zip(curves).zip(&layout.inscriptions) {
        if let (true, given) | (false, given @ Some(_)) = (arc.label.is_empty(), *given) {
            places.push(given.unwrap_or_default());
            continue;
        }
        let extent = BoxSize { width: text::width(&arc.label), height: text::LINE_HEIGHT };
        let label = |centre: Point| Rectangle { centre, extent };
        let candidates = candidates(route, extent);
        let is_free = |centre: Point| !taken.is_covered(&label(centre));
        let free: Vec<Point> = candidates.iter().copied().filter(|&centre| is_free(centre)).collect();
        let uncrossed = free.iter().find(|&&centre| !is_crossed(&label(centre), curves));
        let centre = *uncrossed.or(free.first()).unwrap_or(&candidates[0]);
        taken.add(label(centre));
        places.push(centre);
    }
    places
}

/// Whether some way goes through a rectangle.
fn is_crossed(rectangle: &Rectangle, curves: &[Vec<Point>]) -> bool {
    curves.len() <= MOST_CROSSING
        && curves.iter().any(|route| route.windows(2).any(|pair| rectangle.meets(pair[0], pair[1])))
}

/// The places beside a way.
fn candidates(route: &[Point], extent: BoxSize) -> Vec<Point> {
    let beside = |fraction: f64| {
        let at = point_at(route, fraction);
        let way =
            point_at(route, (fraction + 0.05).min(1.0)).minus(point_at(route, (fraction - 0.05).max(0.0)));
        let length = way.length().max(0.01);
        let across = Point::new(-way.y / length, way.x / length);
        // As far from the way as the text reaches in that direction.
        let reach = across.x.abs() * extent.width / 2.0 + across.y.abs() * extent.height / 2.0 + GAP;
        [at.plus(across.times(reach)), at.plus(across.times(-reach))]
    };
    FRACTIONS.into_iter().flat_map(beside).collect()
}

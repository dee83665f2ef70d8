//! The ways of arcs: from the border of one shape to that of the other, through the bends of the layout.

use crate::{
    diagram::{Diagram, DiagramNode, NodeShape, RADIUS},
    geometry::Point,
    layout::NetLayout,
};

/// How far arcs in both directions between two nodes stand apart in the middle.
const APART: f64 = 14.0;
/// How many straight pieces stand for the curve between two points of a way.
const PARTS: u32 = 6;
/// The size of a loop at a node.
const LOOP: f64 = 26.0;

/// The points of an arc, from border to border; its [`curve`] goes through all of them.
pub(crate) type Route = Vec<Point>;

/// The ways of all arcs.
pub(crate) fn routes(diagram: &Diagram, layout: &NetLayout) -> Vec<Route> {
    let mut count = std::collections::HashMap::new();
    for arc in &diagram.arcs {
        *count.entry((arc.from.min(arc.to), arc.from.max(arc.to))).or_insert(0usize) += 1;
    }
    let mut seen = std::collections::HashMap::new();
    let route = |(at, arc): (usize, &crate::DiagramArc)| {
        let pair = (arc.from.min(arc.to), arc.from.max(arc.to));
        let number = seen.entry(pair).or_insert(0usize);
        *number += 1;
        let (from, to) = (layout.centres[arc.from], layout.centres[arc.to]);
        let mut points = vec![from];
        if arc.from == arc.to {
            let reach = diagram.nodes[arc.from].shape_extent().width / 2.0 + LOOP * *number as f64;
            let corner = |y: f64| from.plus(Point::new(reach, y));
            points.extend([corner(-LOOP / 2.0), corner(LOOP / 2.0)]);
        } else {
            points.extend(&layout.bends[at]);
            // Of several arcs between two nodes each keeps to its side.
            let aside = (*number as f64 - (count[&pair] as f64 + 1.0) / 2.0) * APART;
            if aside != 0.0 {
                let sign = if arc.from < arc.to { 1.0 } else { -1.0 };
                shift(&mut points, to, sign * aside);
            }
        }
        points.push(to);
        clip(&mut points, &diagram.nodes[arc.from], &diagram.nodes[arc.to]);
        points
    };
    diagram.arcs.iter().enumerate().map(route).collect()
}

/// Moves the inner points of a way aside, or bends a straight one.
fn shift(points: &mut Vec<Point>, to: Point, aside: f64) {
    let way = to.minus(points[0]);
    let length = way.length().max(1.0);
    let across = Point::new(-way.y / length, way.x / length).times(aside);
    if points.len() == 1 {
        points.push(points[0].towards(to, 0.5));
    }
    points[1..].iter_mut().for_each(|point| *point = point.plus(across));
}

/// Lets a way between centres begin and end at the borders.
fn clip(points: &mut [Point], from: &DiagramNode, to: &DiagramNode) {
    let last = points.len() - 1;
    points[0] = border(from, points[0], points[1]);
    points[last] = border(to, points[last], points[last - 1]);
}

/// Where the line from the centre of a node to another point leaves its shape.
fn border(node: &DiagramNode, centre: Point, towards: Point) -> Point {
    let way = towards.minus(centre);
    let length = way.length();
    if length < 1.0 {
        return centre;
    }
    let fraction = match node.shape {
        NodeShape::Place => RADIUS / length,
        NodeShape::Transition | NodeShape::Marking => {
            let extent = node.shape_extent();
            let side = |half: f64, way: f64| if way == 0.0 { f64::MAX } else { half / way.abs() };
            side(extent.width / 2.0, way.x).min(side(extent.height / 2.0, way.y))
        }
    };
    centre.towards(towards, fraction.min(0.9))
}

/// The control points of the smooth curve from one point of a way to the next: its tangents follow the neighbours of its ends.
///
/// Source: Catmull and Rom, "A class of local interpolating splines" (1974), as cubic Bézier curves.
pub(crate) fn controls(route: &[Point], at: usize) -> (Point, Point) {
    let (a, b) = (route[at - 1], route[at]);
    let before = if at > 1 { route[at - 2] } else { a };
    let after = route.get(at + 1).copied().unwrap_or(b);
    (a.plus(b.minus(before).times(1.0 / 6.0)), b.minus(after.minus(a).times(1.0 / 6.0)))
}

/// Points along the curve of a way, near enough to each other to stand for it.
pub(crate) fn curve(route: &[Point]) -> Vec<Point> {
    if route.len() == 2 {
        return route.to_vec();
    }
    let mut points = vec![route[0]];
    for at in 1..route.len() {
        let (c, d) = controls(route, at);
        for part in 1..=PARTS {
            let t = f64::from(part) / f64::from(PARTS);
            let (u, a, b) = (1.0 - t, route[at - 1], route[at]);
            let shares = [(a, u * u * u), (c, 3.0 * u * u * t), (d, 3.0 * u * t * t), (b, t * t * t)];
            points.push(
                shares.iter().fold(Point::default(), |sum, &(point, share)| sum.plus(point.times(share))),
            );
        }
    }
    points
}

/// A point of a curve, at a fraction of the length of its points.
pub(crate) fn point_at(route: &[Point], fraction: f64) -> Point {
    let lengths: Vec<f64> = route.windows(2).map(|pair| pair[1].minus(pair[0]).length()).collect();
    let mut left = lengths.iter().sum::<f64>() * fraction;
    for (pair, &length) in route.windows(2).zip(&lengths) {
        if left <= length && length > 0.0 {
            return pair[0].towards(pair[1], left / length);
        }
        left -= length;
    }
    *route.last().expect("a way has its ends")
}

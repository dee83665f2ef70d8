//! Layered layout: arcs go downwards where cycles allow it, beginning with the nodes where something begins.
//!
//! Source: Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981); ranks after
//! Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs" (1993), and coordinates after Brandes and Köpf, "Fast and simple
//! horizontal coordinate assignment" (2001), by the crate `rust-sugiyama`. It is asked twice: the first answer tells the layers, and the second one has a
//! small node in each layer that an arc crosses, so that the arc bends round the other nodes.
//! Connected parts stand beside each other in rows. Test: below.

use std::collections::{BTreeMap, HashMap};

use rust_sugiyama::{configure::Config, from_vertices_and_edges};

use super::NetLayout;
use crate::geometry::{BoxSize, Point};

/// The distance between nodes of a layer, and between layers.
const SPACING: f64 = 26.0;
/// The width of an arc that crosses a layer.
const ARC_WIDTH: f64 = 8.0;
/// Rows of unconnected parts are at most about this wide.
const ROW_WIDTH: f64 = 1200.0;
/// With more nodes than this, neighbours are not exchanged one by one to save crossings.
const MOST_TRANSPOSED: usize = 400;

/// Lays nodes of these sizes out. Arcs may have inscriptions that need room of their own, each a node between the ends of its arc.
/// `starts` stand above the others if cycles leave a choice.
pub(super) fn layout(
    extents: &[BoxSize],
    arcs: &[(usize, usize)],
    inscriptions: &[Option<BoxSize>],
    starts: &[usize],
) -> NetLayout {
    let mut all = extents.to_vec();
    let mut inscribed = vec![None; arcs.len()];
    let mut halves = Vec::new();
    for (at, (&(from, to), inscription)) in arcs.iter().zip(inscriptions).enumerate() {
        match inscription.filter(|_| from != to) {
            Some(extent) => {
                inscribed[at] = Some(all.len());
                halves.extend([(from, all.len()), (all.len(), to)]);
                all.push(extent);
            }
            None => halves.push((from, to)),
        }
    }
    let (centres, crossings) = placed(all, &halves, starts);
    let between = |from: usize, to: usize| {
        let points = |between: &Vec<usize>| between.iter().map(|&at| centres[at]).collect::<Vec<_>>();
        match (crossings.get(&(from, to)), crossings.get(&(to, from))) {
            (Some(between), _) => points(between),
            (None, Some(between)) => points(between).into_iter().rev().collect(),
            (None, None) => Vec::new(),
        }
    };
    let bends = arcs.iter().zip(&inscribed).map(|(&(from, to), inscribed)| match *inscribed {
        None => between(from, to),
        Some(middle) => [between(from, middle), vec![centres[middle]], between(middle, to)].concat(),
    });
    let (bends, inscriptions) =
        (bends.collect(), inscribed.iter().map(|node| node.map(|at| centres[at])).collect());
    NetLayout { centres: centres[..extents.len()].to_vec(), bends, inscriptions }
}

/// Between the ends of an arc, from the upper to the lower one, the nodes that stand for it in the layers that it crosses.
type Crossings = HashMap<(usize, usize), Vec<usize>>;

/// The middle of each node, and of those that stand for arcs.
fn placed(extents: Vec<BoxSize>, arcs: &[(usize, usize)], starts: &[usize]) -> (Vec<Point>, Crossings) {
    let straight = distinct(&downwards(extents.len(), arcs, starts));
    let first = coordinates(&extents, &straight);
    let layers = layers(&first);
    let (mut all, mut pieces, mut crossings) = (extents, Vec::new(), Crossings::new());
    for &(from, to) in &straight {
        let (upper, lower) = if layers[from] <= layers[to] { (from, to) } else { (to, from) };
        let crossed = (layers[upper] + 1..layers[lower]).len();
        let between: Vec<usize> = (all.len()..all.len() + crossed).collect();
        all.extend(between.iter().map(|_| BoxSize { width: ARC_WIDTH, height: 1.0 }));
        let chain: Vec<usize> = [upper].into_iter().chain(between.iter().copied()).chain([lower]).collect();
        pieces.extend(chain.windows(2).map(|pair| (pair[0], pair[1])));
        crossings.insert((upper, lower), between);
    }
    let mut centres = if pieces.len() == straight.len() { first } else { coordinates(&all, &pieces) };
    pack(&mut centres, &all, &pieces);
    (centres, crossings)
}

/// The arcs without loops, turned round where they close a cycle in a depth-first search: first from nodes to which no arc leads, then
/// from the given ones.
fn downwards(nodes: usize, arcs: &[(usize, usize)], starts: &[usize]) -> Vec<(usize, usize)> {
    let (mut after, mut is_source) = (vec![Vec::new(); nodes], vec![true; nodes]);
    for &(from, to) in arcs.iter().filter(|(from, to)| from != to) {
        after[from].push(to);
        is_source[to] = false;
    }
    let sources = (0..nodes).filter(|&node| is_source[node]);
    let order: Vec<usize> = sources.chain(starts.iter().copied()).chain(0..nodes).collect();
    let (mut seen, mut on_path) = (vec![false; nodes], vec![false; nodes]);
    let mut turned = Vec::with_capacity(arcs.len());
    for start in order {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        on_path[start] = true;
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(&to) = after[node].get(*next) else {
                on_path[node] = false;
                path.pop();
                continue;
            };
            *next += 1;
            turned.push(if on_path[to] { (to, node) } else { (node, to) });
            if !std::mem::replace(&mut seen[to], true) {
                on_path[to] = true;
                path.push((to, 0));
            }
        }
    }
    turned
}

/// The arcs without loops, and one of several between the same nodes in whatever direction.
fn distinct(arcs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut seen = HashMap::new();
    let new = |&&(from, to): &&(usize, usize)| {
        from != to && seen.insert((from.min(to), from.max(to)), ()).is_none()
    };
    arcs.iter().filter(new).copied().collect()
}

/// Coordinates of each connected part for itself.
fn coordinates(extents: &[BoxSize], arcs: &[(usize, usize)]) -> Vec<Point> {
    let vertices: Vec<(u32, (f64, f64))> =
        (0..).zip(extents).map(|(at, extent)| (at, (extent.width, extent.height))).collect();
    let edges: Vec<(u32, u32)> = arcs.iter().map(|&(from, to)| (from as u32, to as u32)).collect();
    let config =
        Config { vertex_spacing: SPACING, transpose: extents.len() <= MOST_TRANSPOSED, ..Config::default() };
    let mut centres = vec![Point::default(); extents.len()];
    for (part, _, _) in from_vertices_and_edges(&vertices, &edges, &config) {
        for (node, (x, y)) in part {
            centres[node] = Point::new(x, y);
        }
    }
    centres
}

/// The layer of each node. Nodes of a connected part are in one layer if they are at the same height.
fn layers(centres: &[Point]) -> Vec<usize> {
    let key = |point: &Point| (point.y * 16.0).round() as i64;
    let heights: BTreeMap<i64, ()> = centres.iter().map(|point| (key(point), ())).collect();
    let numbers: BTreeMap<i64, usize> = heights.into_keys().zip(0..).collect();
    centres.iter().map(|point| numbers[&key(point)]).collect()
}

/// Moves the connected parts beside each other, in rows.
fn pack(centres: &mut [Point], extents: &[BoxSize], arcs: &[(usize, usize)]) {
    let (mut at, mut row_height) = (Point::default(), 0.0f64);
    for part in parts(extents.len(), arcs) {
        let left = part.iter().map(|&n| centres[n].x - extents[n].width / 2.0).fold(f64::MAX, f64::min);
        let right = part.iter().map(|&n| centres[n].x + extents[n].width / 2.0).fold(f64::MIN, f64::max);
        let top = part.iter().map(|&n| centres[n].y - extents[n].height / 2.0).fold(f64::MAX, f64::min);
        let bottom = part.iter().map(|&n| centres[n].y + extents[n].height / 2.0).fold(f64::MIN, f64::max);
        if at.x > 0.0 && at.x + right - left > ROW_WIDTH {
            at = Point::new(0.0, at.y + row_height + SPACING);
            row_height = 0.0;
        }
        let shift = at.minus(Point::new(left, top));
        part.iter().for_each(|&node| centres[node] = centres[node].plus(shift));
        at.x += right - left + SPACING;
        row_height = row_height.max(bottom - top);
    }
}

/// The nodes of each connected part, in ascending order.
fn parts(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); nodes];
    for &(from, to) in arcs {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let (mut seen, mut parts) = (vec![false; nodes], Vec::new());
    for start in 0..nodes {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let (mut open, mut part) = (vec![start], Vec::new());
        while let Some(node) = open.pop() {
            part.push(node);
            for &next in &neighbours[node] {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rectangle;

    fn rectangles(extents: &[BoxSize], layout: &NetLayout) -> Vec<Rectangle> {
        let pairs = layout.centres.iter().zip(extents);
        pairs.map(|(&centre, &extent)| Rectangle { centre, extent }).collect()
    }

    #[test]
    fn long_inscriptions_have_their_room() {
        let extents = vec![BoxSize { width: 60.0, height: 40.0 }; 3];
        let inscription = BoxSize { width: 90.0, height: 15.0 };
        let arcs = [(0, 1), (0, 1), (1, 2), (1, 1)];
        let layout = layout(&extents, &arcs, &[Some(inscription); 4], &[0]);
        let mut all = rectangles(&extents, &layout);
        assert_eq!(layout.inscriptions[3], None, "a loop has none");
        let room = |&centre| Rectangle { centre, extent: inscription };
        all.extend(layout.inscriptions.iter().flatten().map(room));
        assert_eq!(all.len(), 6);
        for (at, a) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|b| !a.overlaps(b)), "{layout:?}");
        }
        assert_ne!(layout.bends[0], layout.bends[1], "both arcs between two nodes have their way");
    }

    #[test]
    fn nodes_do_not_overlap_and_arcs_go_down() {
        let extents = vec![BoxSize { width: 60.0, height: 40.0 }; 7];
        let arcs = [(0, 1), (1, 2), (2, 3), (0, 3), (4, 5), (5, 4), (6, 6)];
        let layout = layout(&extents, &arcs, &[None; 7], &[5]);
        let all = rectangles(&extents, &layout);
        for (at, a) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|b| !a.overlaps(b)), "{layout:?}");
        }
        let y = |node: usize| layout.centres[node].y;
        assert!(y(0) < y(1) && y(1) < y(2) && y(2) < y(3), "{layout:?}");
        assert!(y(5) < y(4), "the cycle begins with the start");
        assert_eq!(layout.bends[3].len(), 2, "the long arc bends in two layers");
        for (a, b) in layout.bends[3].windows(2).map(|pair| (pair[0], pair[1])) {
            assert!(all[1..3].iter().all(|node| !node.meets(a, b)), "it goes round the nodes between");
        }
        assert_eq!(layout, super::layout(&extents, &arcs, &[None; 7], &[5]), "the same in every run");
    }
}

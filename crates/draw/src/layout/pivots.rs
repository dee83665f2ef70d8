//! First places for the nodes of a large drawing: such that distances in the plane are near those in the graph.
//!
//! Source: Brandes and Pich, "Eigensolver methods for progressive multidimensional scaling of large data" (2007). The squared
//! distances to a few nodes that are far from each other (*pivots*) are centred; the two strongest directions of what
//! results, found by power iteration, are the coordinates. Cost: a breadth-first search a pivot. Test: below.

use std::collections::VecDeque;

use crate::geometry::Point;

/// The most pivots.
const PIVOTS: usize = 40;
/// Rounds of the power iteration.
const ROUNDS: usize = 60;

/// A place for each node, in units of the length of an arc. Unconnected parts are as far from each other as the largest distance.
pub(super) fn starts(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Point> {
    if nodes == 0 {
        return Vec::new();
    }
    let mut neighbours = vec![Vec::new(); nodes];
    for &(from, to) in arcs {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let rows = centred(squared_distances(&neighbours));
    let first = direction(&rows, None);
    let second = direction(&rows, Some(&first));
    let (x, y) = (coordinates(&rows, &first), coordinates(&rows, &second));
    // Nodes with the same distances from all pivots would stand on each other.
    let aside = |at: usize| Point::new((at as f64 * 2.4).cos(), (at as f64 * 2.4).sin()).times(0.3);
    (0..nodes).map(|at| Point::new(x[at], y[at]).plus(aside(at))).collect()
}

/// For each pivot the squared distances from it to all nodes. Each pivot is as far as possible from those before it.
fn squared_distances(neighbours: &[Vec<usize>]) -> Vec<Vec<f64>> {
    let nodes = neighbours.len();
    let mut nearest = vec![usize::MAX; nodes];
    let (mut pivot, mut rows) = (0, Vec::new());
    while rows.len() < PIVOTS.min(nodes) {
        let distances = distances(neighbours, pivot);
        let longest = distances.iter().flatten().max().copied().unwrap_or(0) + 2;
        for (nearest, distance) in nearest.iter_mut().zip(&distances) {
            *nearest = (*nearest).min(distance.unwrap_or(usize::MAX));
        }
        rows.push(distances.iter().map(|d| (d.unwrap_or(longest) as f64).powi(2)).collect());
        pivot = (0..nodes).max_by_key(|&at| (nearest[at], nodes - at)).expect("there are nodes");
        if nearest[pivot] == 0 {
            break;
        }
    }
    rows
}

/// The distance from a node to each that is connected with it.
fn distances(neighbours: &[Vec<usize>], from: usize) -> Vec<Option<usize>> {
    let mut distances = vec![None; neighbours.len()];
    distances[from] = Some(0);
    let mut open = VecDeque::from([(from, 0)]);
    while let Some((node, distance)) = open.pop_front() {
        for &next in &neighbours[node] {
            if distances[next].is_none() {
                distances[next] = Some(distance + 1);
                open.push_back((next, distance + 1));
            }
        }
    }
    distances
}

/// Takes the means of rows and columns away, so that all sums are zero.
fn centred(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let (pivots, nodes) = (rows.len() as f64, rows[0].len());
    let columns: Vec<f64> =
        (0..nodes).map(|node| rows.iter().map(|row| row[node]).sum::<f64>() / pivots).collect();
    let all = columns.iter().sum::<f64>() / nodes as f64;
    for row in &mut rows {
        let mean = row.iter().sum::<f64>() / nodes as f64;
        row.iter_mut()
            .zip(&columns)
            .for_each(|(entry, column)| *entry = -(*entry - mean - column + all) / 2.0);
    }
    rows
}

/// The strongest direction of the rows, or the strongest across another one.
fn direction(rows: &[Vec<f64>], across: Option<&[f64]>) -> Vec<f64> {
    let mut direction: Vec<f64> = (0..rows.len()).map(|at| 1.0 + (at as f64).sin()).collect();
    for _ in 0..ROUNDS {
        if let Some(other) = across {
            let shared: f64 = direction.iter().zip(other).map(|(a, b)| a * b).sum();
            direction.iter_mut().zip(other).for_each(|(a, b)| *a -= shared * b);
        }
        let projected = projected(rows, &direction);
        direction = rows.iter().map(|row| row.iter().zip(&projected).map(|(a, b)| a * b).sum()).collect();
        let length = direction.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if length < 1e-9 {
            return vec![0.0; rows.len()];
        }
        direction.iter_mut().for_each(|entry| *entry /= length);
    }
    direction
}

/// How far each node goes in a direction.
fn projected(rows: &[Vec<f64>], direction: &[f64]) -> Vec<f64> {
    let mut projected = vec![0.0; rows[0].len()];
    for (row, &share) in rows.iter().zip(direction) {
        projected.iter_mut().zip(row).for_each(|(sum, entry)| *sum += share * entry);
    }
    projected
}

/// [`projected`], scaled to distances. With all nodes as pivots the square of the length would be the eigenvalue; with some of them the
/// singular value of the rows stands for it.
fn coordinates(rows: &[Vec<f64>], direction: &[f64]) -> Vec<f64> {
    let mut projected = projected(rows, direction);
    let singular = projected.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let eigenvalue = singular * (projected.len() as f64 / rows.len() as f64).sqrt();
    let scale = if singular < 1e-9 { 0.0 } else { eigenvalue.sqrt() / singular };
    projected.iter_mut().for_each(|entry| *entry *= scale);
    projected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_in_the_plane_are_near_those_in_a_grid() {
        let (side, node) = (20, |x: usize, y: usize| 20 * y + x);
        let across = (0..side).flat_map(|y| (1..side).map(move |x| (node(x - 1, y), node(x, y))));
        let down = (1..side).flat_map(|y| (0..side).map(move |x| (node(x, y - 1), node(x, y))));
        let arcs: Vec<_> = across.chain(down).collect();
        let places = starts(side * side, &arcs);
        let distance = |a: usize, b: usize| places[a].minus(places[b]).length();
        let (corner, next, far) = (node(0, 0), node(1, 1), node(19, 19));
        assert!(distance(corner, far) > 15.0 && distance(corner, far) < 60.0, "{}", distance(corner, far));
        assert!(distance(corner, next) * 5.0 < distance(corner, far));
        assert!(starts(0, &[]).is_empty() && starts(1, &[]).len() == 1);
    }
}

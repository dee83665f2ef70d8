//! Minimal P- and T-semiflows: those whose support contains the support of no other, divided by the common divisor.
//!
//! What: each minimal support belongs to one semiflow, and all semiflows are sums of these with factors that are not negative
//! (Colom and Silva, "Convex geometry and semiflows in P/T nets", 1991).
//! [`semi_positive`] finds them. Where it had to drop rows on the way, a semiflow is listed only if it is certain to be
//! minimal: the rows of its support then have only its multiples as solutions, so their rank is one below their number.
//!
//! Invariants: (1) each listed vector is a semiflow of minimal support; (2) unless the enumeration was cut off, each minimal
//! support is listed. Cost: that of Farkas' algorithm, which can take exponentially many rows. Test: below, against the
//! solutions of each support of random nets.

use std::collections::HashMap;

use crate::{
    Enumeration, EnumerationLimits, NetStructure, ReachedLimit, SparseVector,
    rank::rank_modulo_prime,
    semiflows::{FarkasLimits, semi_positive, transposed},
};

/// Rows that the search may hold for each semiflow that may be listed, and rows that it may hold in any case.
const ROWS: (usize, usize) = (4, 4_000);
/// Entries that the search may look at without a deadline: some seconds.
const MAX_WORK: usize = 400_000_000;

impl NetStructure<'_> {
    /// The minimal P-semiflows; each has the weights of its places.
    pub fn minimal_place_semiflows(self, limits: EnumerationLimits) -> Enumeration<SparseVector> {
        let columns = self.net().nodes().transitions.len() as u32;
        minimal(self.net().incidence(), columns, limits)
    }

    /// The minimal T-semiflows; each has how often its transitions fire.
    pub fn minimal_transition_semiflows(self, limits: EnumerationLimits) -> Enumeration<SparseVector> {
        let transitions = self.net().nodes().transitions.len();
        let matrix = self.net().incidence().map(|matrix| transposed(&matrix, transitions));
        minimal(matrix, self.net().nodes().places.len() as u32, limits)
    }
}

/// Without a matrix, whose numbers did not fit, nothing is listed.
fn minimal(
    matrix: Option<Vec<SparseVector>>,
    columns: u32,
    limits: EnumerationLimits,
) -> Enumeration<SparseVector> {
    let Some(matrix) = matrix else {
        return Enumeration { found: Vec::new(), cut_off: Some(ReachedLimit::Size) };
    };
    let rows = limits.number.saturating_mul(ROWS.0).max(ROWS.1);
    let farkas = FarkasLimits { rows, work: MAX_WORK, deadline: limits.deadline };
    let solutions = semi_positive(&matrix, columns, farkas);
    let mut found = solutions.vectors;
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    found.dedup();
    let mut cut_off = None;
    if solutions.is_cut_off || solutions.is_lossy {
        cut_off = Some(if limits.is_over() { ReachedLimit::Time } else { ReachedLimit::Size });
        found.retain(|semiflow| has_minimal_support(semiflow, &matrix));
    } else {
        found = without_larger_supports(found);
    }
    if found.len() > limits.number {
        found.truncate(limits.number);
        cut_off = Some(ReachedLimit::Number);
    }
    Enumeration { found, cut_off }
}

/// Whether the solutions over the support of a semiflow are its multiples. A rank that is too low errs on the safe side.
fn has_minimal_support(semiflow: &SparseVector, matrix: &[SparseVector]) -> bool {
    let rows: Vec<&SparseVector> = semiflow.iter().map(|&(at, _)| &matrix[at as usize]).collect();
    rank_modulo_prime(&rows, None).is_some_and(|rank| rank + 1 == rows.len())
}

/// Keeps the vectors whose support contains no other's; `vectors` has small supports first, and every minimal support.
fn without_larger_supports(vectors: Vec<SparseVector>) -> Vec<SparseVector> {
    let mut kept: Vec<SparseVector> = Vec::new();
    // The kept vectors by the first position of their support.
    let mut starting_at: HashMap<u32, Vec<usize>> = HashMap::new();
    for vector in vectors {
        let has = |at: u32| vector.binary_search_by_key(&at, |entry| entry.0).is_ok();
        let is_inside = |&other: &usize| kept[other].iter().all(|entry| has(entry.0));
        let mut starts = vector.iter().filter_map(|entry| starting_at.get(&entry.0));
        if !starts.any(|others| others.iter().any(is_inside)) {
            starting_at.entry(vector[0].0).or_default().push(kept.len());
            kept.push(vector);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use fireset_net::Net;
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    const ALL: EnumerationLimits = EnumerationLimits { number: usize::MAX, deadline: None };

    fn common_divisor(numbers: &[i128]) -> i128 {
        numbers.iter().fold(0u128, |d, v| crate::gcd(d, v.unsigned_abs())).max(1) as i128
    }

    /// Rational solutions of `x C = 0` over some rows by Gauss-Jordan elimination; `None` unless they are the multiples of one
    /// vector without zeros, which is returned with a positive first entry.
    fn only_solution(rows: &[Vec<i128>]) -> Option<Vec<i128>> {
        let unknowns = rows.len();
        let mut equations: Vec<Vec<i128>> =
            (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
        let mut pivots: Vec<(usize, usize)> = Vec::new();
        for unknown in 0..unknowns {
            let is_used = |at: usize| pivots.iter().any(|pivot| pivot.0 == at);
            let Some(at) = (0..equations.len()).find(|&at| !is_used(at) && equations[at][unknown] != 0)
            else {
                continue;
            };
            let pivot = equations[at].clone();
            for (_, equation) in equations.iter_mut().enumerate().filter(|(other, _)| *other != at) {
                let factor = equation[unknown];
                for (value, own) in equation.iter_mut().zip(&pivot) {
                    *value = *value * pivot[unknown] - factor * own;
                }
                let divisor = common_divisor(equation);
                equation.iter_mut().for_each(|value| *value /= divisor);
            }
            pivots.push((at, unknown));
        }
        let free: Vec<usize> = (0..unknowns).filter(|u| pivots.iter().all(|pivot| pivot.1 != *u)).collect();
        let [free] = free[..] else { return None };
        // The free unknown is a multiple of all pivots.
        let common = pivots.iter().fold(1i128, |common, &(at, unknown)| {
            let pivot = equations[at][unknown];
            common * (pivot / common_divisor(&[common, pivot]))
        });
        let mut solution = vec![common; unknowns];
        for &(at, unknown) in &pivots {
            solution[unknown] = -equations[at][free] * (common / equations[at][unknown]);
        }
        let divisor = common_divisor(&solution);
        let sign = if solution[0] < 0 { -1 } else { 1 };
        solution.iter_mut().for_each(|value| *value = *value / divisor * sign);
        solution.iter().all(|&value| value > 0).then_some(solution)
    }

    /// The semiflows of all supports whose solutions are the multiples of one positive vector.
    fn enumerated(matrix: &[SparseVector], columns: usize) -> Vec<SparseVector> {
        let dense = |row: &SparseVector| {
            let mut dense = vec![0i128; columns];
            row.iter().for_each(|&(at, value)| dense[at as usize] = value.into());
            dense
        };
        let rows: Vec<Vec<i128>> = matrix.iter().map(dense).collect();
        let mut found = Vec::new();
        for bits in 1..1usize << rows.len() {
            let support: Vec<usize> = (0..rows.len()).filter(|at| bits >> at & 1 == 1).collect();
            let chosen: Vec<Vec<i128>> = support.iter().map(|&at| rows[at].clone()).collect();
            let with_places = |solution: Vec<i128>| -> SparseVector {
                support.iter().zip(solution).map(|(&at, value)| (at as u32, value as i64)).collect()
            };
            found.extend(only_solution(&chosen).map(with_places));
        }
        found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        found
    }

    fn compare(net: &Net, seed: u64) -> [usize; 2] {
        let structure = NetStructure::of(net);
        let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
        let matrix = net.incidence().unwrap();
        let found = structure.minimal_place_semiflows(ALL);
        assert!(found.is_complete());
        assert_eq!(found.found, enumerated(&matrix, transitions), "seed {seed}: {net:?}");
        let firings = structure.minimal_transition_semiflows(ALL);
        let expected = enumerated(&transposed(&matrix, transitions), places);
        assert_eq!(firings.found, expected, "seed {seed}: {net:?}");
        [found.found.len(), firings.found.len()]
    }

    #[test]
    fn semiflows_are_those_of_the_definition() {
        let mut counts = [0; 2];
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let size = |by: u64| 2 + (seed / by % 6) as usize;
            let shape = NetShape { places: size(1), transitions: size(6), ..NetShape::default() };
            let is_small = |net: &Net| net.nodes().places.len().max(net.nodes().transitions.len()) <= 7;
            let has_small_weights = |net: &Net| {
                let matrix = net.incidence();
                matrix.is_some_and(|matrix| matrix.iter().flatten().all(|entry| entry.1.abs() < 100))
            };
            let net = random::structured(&mut random, seed).filter(is_small).filter(has_small_weights);
            let net = net.unwrap_or_else(|| random::net(&mut random, &shape));
            let found = compare(&net, seed);
            counts = [counts[0] + found[0], counts[1] + found[1]];
        }
        assert!(counts.iter().all(|&count| count > 2_000), "{counts:?}");
    }

    #[test]
    fn weights_are_divided_and_limits_are_told() {
        let net = tiny::net("p:2 q r s; t: 2*p -> 4*q; u: 4*q -> 2*p; v: r -> s; w: s -> r");
        let structure = NetStructure::of(&net);
        let all = structure.minimal_place_semiflows(ALL);
        assert_eq!(all.found, [vec![(0, 2), (1, 1)], vec![(2, 1), (3, 1)]]);
        let one = structure.minimal_place_semiflows(EnumerationLimits { number: 1, ..ALL });
        assert_eq!((one.found.len(), one.cut_off), (1, Some(ReachedLimit::Number)));
        let over = EnumerationLimits { number: 9, deadline: Some(std::time::Instant::now()) };
        assert_eq!(structure.minimal_place_semiflows(over).cut_off, Some(ReachedLimit::Time));
    }

    /// Rows that are dropped on the way leave only semiflows that are minimal all the same.
    #[test]
    fn a_cut_off_search_lists_no_larger_support() {
        let mut missing = 0;
        for seed in 0..300 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 12, transitions: 8, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let matrix = net.incidence().unwrap();
            let columns = net.nodes().transitions.len() as u32;
            let all = NetStructure::of(&net).minimal_place_semiflows(ALL);
            for rows in [6, 10] {
                let limits = FarkasLimits { rows, work: usize::MAX, deadline: None };
                let mut some = semi_positive(&matrix, columns, limits).vectors;
                some.retain(|semiflow| has_minimal_support(semiflow, &matrix));
                assert!(some.iter().all(|semiflow| all.found.contains(semiflow)), "seed {seed}");
                missing += all.found.len() - some.len();
            }
        }
        assert!(missing > 50, "{missing}");
    }
}

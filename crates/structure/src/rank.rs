//! The rank of an integer matrix, exactly.
//!
//! What: elimination modulo a prime gives a rank that is never too high, since a minor that is not 0 modulo the prime is not 0.
//! Linearly independent solutions of `x C = 0` in integers show that the rank is not higher. Where both meet, the rank is known.
//! Why not elimination in integers alone: its numbers grow, and a row that does not fit proves nothing.
//!
//! Invariants: (1) `rank_modulo_prime` is at most the rank; (2) [`rank`] is the rank or `None`.
//! Cost: that of sparse elimination, with the fill-in of its order. Test: below, against the largest minor that is not 0.

use std::{collections::BTreeMap, time::Instant};

use crate::{
    SparseVector,
    semiflows::{self, IntegerSolutions},
};

/// The Mersenne prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;
/// Entries that the search for independent solutions may write.
const MAX_WORK: usize = 40_000_000;

/// The rank of a matrix; `None` where the time or the numbers do not suffice to be sure.
pub fn rank(matrix: &[SparseVector], deadline: Option<Instant>) -> Option<usize> {
    let rows: Vec<&SparseVector> = matrix.iter().collect();
    let at_least = rank_modulo_prime(&rows, deadline)?;
    let IntegerSolutions { vectors, .. } = semiflows::basis(matrix, MAX_WORK);
    (at_least + vectors.len() == matrix.len()).then_some(at_least)
}

/// The rank of some rows modulo a large prime: at most their rank. `None` at the deadline.
pub(crate) fn rank_modulo_prime(rows: &[&SparseVector], deadline: Option<Instant>) -> Option<usize> {
    type ModularRow = Vec<(u32, u64)>;
    let residues = |row: &SparseVector| -> ModularRow {
        let residue = |v: i64| i128::from(v).rem_euclid(i128::from(PRIME)) as u64;
        row.iter().map(|&(at, value)| (at, residue(value))).filter(|entry| entry.1 != 0).collect()
    };
    let mut rows: Vec<ModularRow> = rows.iter().map(|row| residues(row)).collect();
    rows.sort_by_key(Vec::len);
    // The first entry of each pivot is 1.
    let mut pivots: BTreeMap<u32, ModularRow> = BTreeMap::new();
    for mut row in rows {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        while let Some(&(column, value)) = row.first() {
            let Some(pivot) = pivots.get(&column) else {
                let inverse = power(value, PRIME - 2);
                row.iter_mut().for_each(|entry| entry.1 = product(entry.1, inverse));
                pivots.insert(column, row);
                break;
            };
            row = without_first(&row, pivot, PRIME - value);
        }
    }
    Some(pivots.len())
}

/// `row + factor * pivot`, in which the first entries cancel out.
fn without_first(row: &[(u32, u64)], pivot: &[(u32, u64)], factor: u64) -> Vec<(u32, u64)> {
    let mut sum = Vec::with_capacity(row.len() + pivot.len());
    let (mut i, mut j) = (1, 1);
    while i < row.len() || j < pivot.len() {
        let at = match (row.get(i), pivot.get(j)) {
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(a), None) | (None, Some(a)) => a.0,
            (None, None) => break,
        };
        let mut value = 0;
        if let Some(entry) = row.get(i).filter(|entry| entry.0 == at) {
            value = entry.1;
            i += 1;
        }
        if let Some(entry) = pivot.get(j).filter(|entry| entry.0 == at) {
            value = (value + product(entry.1, factor)) % PRIME;
            j += 1;
        }
        if value != 0 {
            sum.push((at, value));
        }
    }
    sum
}

fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::TestRng;

    use super::*;

    /// The determinant by expansion along the first row.
    fn determinant(matrix: &[Vec<i64>]) -> i64 {
        let Some((first, rest)) = matrix.split_first() else { return 1 };
        let minor = |at: usize| -> Vec<Vec<i64>> {
            rest.iter().map(|row| [&row[..at], &row[at + 1..]].concat()).collect()
        };
        let term = |(at, value): (usize, &i64)| {
            let sign = if at % 2 == 0 { 1 } else { -1 };
            sign * value * determinant(&minor(at))
        };
        first.iter().enumerate().map(term).sum()
    }

    /// The size of the largest minor that is not 0.
    fn rank_by_minors(matrix: &[Vec<i64>], columns: usize) -> usize {
        let chosen = |bits: usize, len: usize| (0..len).filter(move |at| bits >> at & 1 == 1);
        let mut largest = 0;
        for rows in 0..1usize << matrix.len() {
            for cols in (0..1usize << columns).filter(|cols| cols.count_ones() == rows.count_ones()) {
                let row = |at: usize| chosen(cols, columns).map(|column| matrix[at][column]).collect();
                let minor: Vec<Vec<i64>> = chosen(rows, matrix.len()).map(row).collect();
                if determinant(&minor) != 0 {
                    largest = largest.max(minor.len());
                }
            }
        }
        largest
    }

    #[test]
    fn ranks_are_those_of_the_minors() {
        let mut seen = [0; 5];
        for seed in 0..1_000 {
            let mut random = TestRng::new(seed);
            let (rows, columns) = (random.within(1, 4) as usize, random.within(1, 4) as usize);
            let mut dense = vec![vec![0i64; columns]; rows];
            let scale = if seed % 5 == 0 { PRIME as i64 } else { 1 };
            dense.iter_mut().flatten().for_each(|value| *value = random.below(3) as i64 - 1);
            let entries = |row: &Vec<i64>| -> SparseVector {
                let entries = row.iter().enumerate().map(|(at, &value)| (at as u32, value * scale));
                entries.filter(|entry| entry.1 != 0).collect()
            };
            let sparse: Vec<SparseVector> = dense.iter().map(entries).collect();
            let expected = rank_by_minors(&dense, columns);
            match rank(&sparse, None) {
                Some(found) => assert_eq!(found, expected, "seed {seed}: {dense:?}"),
                None => assert!(scale > 1, "seed {seed}: only multiples of the prime are misjudged"),
            }
            seen[expected] += 1;
        }
        assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    }
}

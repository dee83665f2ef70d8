//! Integer solutions of `x C = 0` for a sparse matrix `C`: invariants and semiflows of a net.
//!
//! With places as rows and transitions as columns of `C` the solutions are the place invariants (P-invariants), and those of
//! the [`transposed`] matrix the transition invariants (T-invariants).
//!
//! Two searches: a *basis* of all solutions tells which entries follow from others ([`basis`], by fraction-free elimination).
//! *Semiflows*, the solutions without negative entries, bound entries from above ([`semi_positive`], by Farkas' algorithm:
//! Martinez and Silva, "A simple and fast algorithm to obtain all invariants of a generalised Petri net", 1982). How we
//! differ: the search is cut off before the number of rows explodes.
//!
//! Invariants: (1) every returned solution satisfies the equations exactly; arithmetic is checked, and a row
//! whose numbers grow past 64 bits is dropped, which loses solutions but never makes a wrong one; (2) solutions
//! are divided by the greatest common divisor of their entries; (3) a bound is above every count that steps of the
//! columns can reach while no count is below 0; (4) semiflows have minimal support, and unless something was cut off or did not
//! fit, every minimal support is there.
//! Cost: at most the given number of entries looked at; without limits exponential in the number of columns.
//! Test: below, by multiplying out and against an enumeration of small vectors.

use std::{collections::BTreeMap, time::Instant};

/// With more rows, rows without minimal support stay: among many, the search for them takes longer than it saves.
const MAX_MINIMISED: usize = 2_000;

/// A sparse vector: ascending positions, no zeros.
pub type SparseVector = Vec<(u32, i64)>;

/// The solutions that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerSolutions {
    /// The solutions, none of them 0.
    pub vectors: Vec<SparseVector>,
    /// Whether the work limit or the deadline ended the search, so that with more work there may be more solutions.
    pub is_cut_off: bool,
    /// Whether rows were dropped because there were too many or their numbers did not fit: solutions may be missing, and some
    /// may not have minimal support.
    pub is_lossy: bool,
}

/// How much the search for semiflows may hold and look at.
#[derive(Clone, Copy, Debug)]
pub struct FarkasLimits {
    /// Rows that it holds.
    pub rows: usize,
    /// Entries that it looks at.
    pub work: usize,
    /// When it ends at the latest.
    pub deadline: Option<Instant>,
}

#[derive(Clone, Debug)]
struct EliminationRow {
    /// The entries that are not eliminated yet.
    residue: SparseVector,
    /// The combination of the matrix's rows that has this residue.
    combination: SparseVector,
}

impl EliminationRow {
    fn all(matrix: &[SparseVector]) -> Vec<Self> {
        let row = |(at, row): (usize, &SparseVector)| Self {
            residue: row.clone(),
            combination: vec![(at as u32, 1)],
        };
        matrix.iter().enumerate().map(row).collect()
    }

    /// `a * self + b * other`, reduced; `None` when a number does not fit.
    fn combine(&self, a: i64, other: &Self, b: i64) -> Option<Self> {
        let mut row = Self {
            residue: join(&self.residue, a, &other.residue, b)?,
            combination: join(&self.combination, a, &other.combination, b)?,
        };
        let divisor = row
            .residue
            .iter()
            .chain(&row.combination)
            .fold(0, |d, &(_, v)| gcd_of_entries(d, v.unsigned_abs()));
        if divisor > 1 {
            let divisor = i64::try_from(divisor).ok()?;
            row.residue.iter_mut().chain(&mut row.combination).for_each(|(_, v)| *v /= divisor);
        }
        Some(row)
    }
}

/// The combination `a * x + b * y`, unless a number does not fit.
fn join(x: &SparseVector, a: i64, y: &SparseVector, b: i64) -> Option<SparseVector> {
    let mut sum = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let at = match (x.get(i), y.get(j)) {
            (Some(&(p, _)), Some(&(q, _))) => p.min(q),
            (Some(&(p, _)), None) | (None, Some(&(p, _))) => p,
            (None, None) => break,
        };
        let mut value = 0i64;
        if let Some(&(_, v)) = x.get(i).filter(|e| e.0 == at) {
            value = v.checked_mul(a)?;
            i += 1;
        }
        if let Some(&(_, v)) = y.get(j).filter(|e| e.0 == at) {
            value = value.checked_add(v.checked_mul(b)?)?;
            j += 1;
        }
        if value != 0 {
            sum.push((at, value));
        }
    }
    Some(sum)
}

fn gcd_of_entries(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor; of 0 and a number, the number.
pub fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The columns of a matrix as rows.
pub fn transposed(matrix: &[SparseVector], columns: usize) -> Vec<SparseVector> {
    let mut transposed = vec![SparseVector::new(); columns];
    for (at, row) in matrix.iter().enumerate() {
        row.iter().for_each(|&(column, value)| transposed[column as usize].push((at as u32, value)));
    }
    transposed
}

fn entry(row: &SparseVector, at: u32) -> i64 {
    row.binary_search_by_key(&at, |e| e.0).map_or(0, |i| row[i].1)
}

/// A basis of the solutions, as far as its numbers fit and the work stays below `max_work` entries written.
pub fn basis(matrix: &[SparseVector], max_work: usize) -> IntegerSolutions {
    let mut pivots: BTreeMap<u32, EliminationRow> = BTreeMap::new();
    let mut vectors = Vec::new();
    let (mut work, mut is_lossy) = (0, false);
    // Short rows first: they keep the others short.
    let mut rows = EliminationRow::all(matrix);
    rows.sort_by_key(|row| row.residue.len());
    'rows: for mut row in rows {
        while let Some(&(column, value)) = row.residue.first() {
            let Some(pivot) = pivots.get(&column) else {
                pivots.insert(column, row);
                continue 'rows;
            };
            let against = pivot.residue[0].1;
            let divisor = gcd_of_entries(value.unsigned_abs(), against.unsigned_abs()) as i64;
            let Some(next) = row.combine(against / divisor, pivot, -(value / divisor)) else {
                is_lossy = true;
                continue 'rows;
            };
            work += next.residue.len() + next.combination.len();
            if work > max_work {
                return IntegerSolutions { vectors, is_cut_off: true, is_lossy };
            }
            row = next;
        }
        vectors.push(row.combination);
    }
    IntegerSolutions { vectors, is_cut_off: false, is_lossy }
}

/// The solutions without negative entries that have minimal support. Some are missing if a limit is reached, but none is wrong.
pub fn semi_positive(matrix: &[SparseVector], columns: u32, limits: FarkasLimits) -> IntegerSolutions {
    let mut table = FarkasTable::new(matrix, columns, limits);
    let mut open: Vec<u32> = (0..columns).collect();
    while !table.is_over() {
        table.work += open.len();
        open.retain(|&c| table.signs[c as usize] != (0, 0));
        // The column that makes the fewest new rows.
        let cost = |&c: &u32| {
            let (plus, minus) = table.signs[c as usize];
            (plus * minus) as i64 - (plus + minus) as i64
        };
        let Some(at) = (0..open.len()).min_by_key(|&i| cost(&open[i])) else { break };
        table.eliminate(open.swap_remove(at));
    }
    let (is_cut_off, is_lossy) = (table.is_over(), table.is_lossy);
    // After a cut-off only the rows without a residue solve the equations.
    let solved = table.rows.into_iter().flatten().filter(|(row, _)| row.residue.is_empty());
    IntegerSolutions { vectors: solved.map(|(row, _)| row.combination).collect(), is_cut_off, is_lossy }
}

/// The rows of Farkas' algorithm, indexed by the columns of their residues.
struct FarkasTable {
    /// Each with its [`support_bits`].
    rows: Vec<Option<(EliminationRow, u64)>>,
    /// The rows of each column, and some that were removed.
    rows_of: Vec<Vec<u32>>,
    /// How many rows of each column are above 0 there, and how many below.
    signs: Vec<(usize, usize)>,
    live: usize,
    limits: FarkasLimits,
    /// How many entries were looked at.
    work: usize,
    is_lossy: bool,
}

impl FarkasTable {
    fn new(matrix: &[SparseVector], columns: u32, limits: FarkasLimits) -> Self {
        let columns = columns as usize;
        let (rows_of, signs) = (vec![Vec::new(); columns], vec![(0, 0); columns]);
        let mut table = Self { rows: Vec::new(), rows_of, signs, live: 0, limits, work: 0, is_lossy: false };
        EliminationRow::all(matrix).into_iter().for_each(|row| table.add(row));
        table
    }

    fn is_over(&self) -> bool {
        self.work > self.limits.work
            || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn add(&mut self, row: EliminationRow) {
        let id = self.rows.len() as u32;
        for &(column, value) in &row.residue {
            self.rows_of[column as usize].push(id);
            let (plus, minus) = &mut self.signs[column as usize];
            *(if value > 0 { plus } else { minus }) += 1;
        }
        self.work += row.residue.len();
        self.live += 1;
        let bits = support_bits(&row);
        self.rows.push(Some((row, bits)));
    }

    fn remove(&mut self, id: u32) -> Option<EliminationRow> {
        let (row, _) = self.rows[id as usize].take()?;
        for &(column, value) in &row.residue {
            let (plus, minus) = &mut self.signs[column as usize];
            *(if value > 0 { plus } else { minus }) -= 1;
        }
        self.work += row.residue.len();
        self.live -= 1;
        Some(row)
    }

    /// Replaces the rows of a column by sums of two in which it vanishes.
    fn eliminate(&mut self, column: u32) {
        let ids = std::mem::take(&mut self.rows_of[column as usize]);
        let with: Vec<EliminationRow> = ids.into_iter().filter_map(|id| self.remove(id)).collect();
        let (plus, minus): (Vec<&EliminationRow>, Vec<&EliminationRow>) =
            with.iter().partition(|r| entry(&r.residue, column) > 0);
        let mut new: Vec<EliminationRow> = Vec::new();
        'pairs: for p in &plus {
            for m in &minus {
                let (a, b) = (entry(&p.residue, column), -entry(&m.residue, column));
                let divisor = gcd_of_entries(a.unsigned_abs(), b.unsigned_abs()) as i64;
                self.work += p.residue.len() + p.combination.len() + m.residue.len() + m.combination.len();
                match p.combine(b / divisor, m, a / divisor) {
                    Some(row) => new.push(row),
                    None => self.is_lossy = true,
                }
                if self.live + new.len() > self.limits.rows || self.work > self.limits.work {
                    self.is_lossy = true;
                    break 'pairs;
                }
            }
            if self.is_over() {
                self.is_lossy = true;
                break;
            }
        }
        // The rows that stayed have minimal support still; a new one has not if its support contains another row's.
        new.sort_by_key(|row| row.combination.len());
        for row in new {
            if self.is_over() {
                self.is_lossy = true;
                break;
            }
            if self.live > MAX_MINIMISED || !self.contains_support(&row) {
                self.add(row);
            }
        }
        // Removed rows must not cost time for ever.
        if self.rows.len() > 64 && self.rows.len() > 4 * self.live {
            self.compact();
        }
    }

    /// Whether the support of `row` contains that of a row of the table.
    fn contains_support(&mut self, row: &EliminationRow) -> bool {
        // A comparison of bits is a fraction of a look at an entry.
        let (own, mut looks) = (support_bits(row), self.rows.len() / 8);
        let contained = |(other, bits): &(EliminationRow, u64)| {
            bits & !own == 0 && {
                looks += row.combination.len();
                let has = |at: u32| row.combination.binary_search_by_key(&at, |own| own.0).is_ok();
                other.combination.iter().all(|entry| has(entry.0))
            }
        };
        let contains = self.rows.iter().flatten().any(contained);
        self.work += looks;
        contains
    }

    /// Numbers the rows again.
    fn compact(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.rows_of.iter_mut().for_each(Vec::clear);
        self.signs.fill((0, 0));
        self.live = 0;
        rows.into_iter().flatten().for_each(|(row, _)| self.add(row));
    }
}

/// A bit for each entry of the combination, where some entries share theirs: a quick test for inclusion of supports.
fn support_bits(row: &EliminationRow) -> u64 {
    row.combination.iter().fold(0, |bits, e| bits | 1 << (e.0 % 64))
}

/// The product of an invariant with a marking, the same for all reachable ones; `None` when it does not fit.
pub fn total(invariant: &SparseVector, marking: &[u64]) -> Option<i128> {
    invariant.iter().try_fold(0i128, |sum, &(at, factor)| {
        sum.checked_add(i128::from(factor).checked_mul(i128::from(marking[at as usize]))?)
    })
}

/// For each place the most tokens that it can have, where one of these semiflows bounds it: with weight `f` in a semiflow
/// of total `n` it has at most `n / f`, because the others have at least 0.
pub fn bounds(semiflows: &[SparseVector], initial: &[u64]) -> Vec<Option<u64>> {
    let mut bounds: Vec<Option<u64>> = vec![None; initial.len()];
    for semiflow in semiflows {
        let Some(total) = total(semiflow, initial) else { continue };
        for &(at, factor) in semiflow {
            // A bound past 64 bits is none.
            let Ok(bound) = u64::try_from(total / i128::from(factor)) else { continue };
            let known = &mut bounds[at as usize];
            *known = Some(known.map_or(bound, |k| k.min(bound)));
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::TestRng;

    use super::*;

    fn limits(work: usize) -> FarkasLimits {
        FarkasLimits { rows: 1_000, work, deadline: None }
    }

    /// `x C` for a solution `x`.
    fn product(solution: &SparseVector, matrix: &[SparseVector]) -> SparseVector {
        solution
            .iter()
            .fold(Vec::new(), |sum, &(at, factor)| join(&sum, 1, &matrix[at as usize], factor).unwrap())
    }

    /// A ring of three places, and a place beside it that gains two tokens a round.
    fn ring() -> Vec<SparseVector> {
        vec![vec![(0, -1), (2, 1)], vec![(0, 1), (1, -1)], vec![(1, 1), (2, -1)], vec![(2, 2)]]
    }

    #[test]
    fn a_ring_has_one_invariant() {
        assert_eq!(semi_positive(&ring(), 3, limits(10_000)).vectors, [vec![(0, 1), (1, 1), (2, 1)]]);
        let basis = basis(&ring(), 1_000).vectors;
        assert_eq!(basis.len(), 1);
        assert_eq!(product(&basis[0], &ring()), []);
    }

    #[test]
    fn bounds_come_from_the_best_semiflow() {
        let semiflows = [vec![(0, 1), (1, 2)], vec![(1, 1), (2, 3)]];
        assert_eq!(bounds(&semiflows, &[5, 0, 2, 7]), [Some(5), Some(2), Some(2), None]);
        let huge = [vec![(0, i64::MAX), (1, 1)]];
        assert_eq!(bounds(&huge, &[u64::MAX, 0]), [Some(u64::MAX), None], "the second does not fit");
        assert_eq!(total(&vec![(0, i64::MAX), (1, i64::MAX), (2, i64::MAX)], &[u64::MAX; 3]), None);
    }

    #[test]
    fn solutions_solve() {
        for seed in 0..300u64 {
            let mut random = TestRng::new(seed);
            let (places, transitions) = (random.within(1, 6), random.within(1, 5));
            let matrix = drawn(&mut random, places, transitions);
            let work = if seed % 3 == 0 { 40 } else { 1_000_000 };
            let positive = semi_positive(&matrix, transitions as u32, limits(work)).vectors;
            let basis = basis(&matrix, 100_000).vectors;
            for solution in positive.iter().chain(&basis) {
                assert!(!solution.is_empty());
                assert_eq!(product(solution, &matrix), [], "seed {seed}");
            }
            assert!(positive.iter().flatten().all(|&(_, value)| value > 0));
            // Rank and basis fill the space.
            assert!(basis.len() >= (places as usize).saturating_sub(transitions as usize));
        }
    }
    /// A matrix of small numbers.
    fn drawn(random: &mut TestRng, rows: u64, columns: u64) -> Vec<SparseVector> {
        let mut row = || {
            let entries = (0..columns as u32).map(|column| (column, random.below(5) as i64 - 2));
            entries.filter(|entry| entry.1 != 0).collect()
        };
        (0..rows).map(|_| row()).collect()
    }

    #[test]
    fn semiflows_have_the_minimal_supports() {
        const MOST: i64 = 4;
        let mut found = 0;
        for seed in 0..300 {
            let mut random = TestRng::new(seed);
            let (rows, columns) = (random.within(1, 4), random.within(1, 3));
            let matrix = drawn(&mut random, rows, columns);
            let semiflows = semi_positive(&matrix, columns as u32, limits(1_000_000));
            assert!(!semiflows.is_cut_off && !semiflows.is_lossy);
            let support = |v: &SparseVector| -> Vec<u32> { v.iter().map(|entry| entry.0).collect() };
            let supports: Vec<Vec<u32>> = semiflows.vectors.iter().map(support).collect();
            found += supports.len();
            let contains = |a: &[u32], b: &[u32]| b.iter().all(|at| a.contains(at));
            for number in 1..(MOST + 1).pow(rows as u32) {
                let entry = |at: u32| (at, number / (MOST + 1).pow(at) % (MOST + 1));
                let vector: SparseVector = (0..rows as u32).map(entry).filter(|e| e.1 > 0).collect();
                if !product(&vector, &matrix).is_empty() {
                    continue;
                }
                let own = support(&vector);
                assert!(supports.iter().any(|s| contains(&own, s)), "seed {seed}: {own:?} of {matrix:?}");
                let is_smaller = |s: &Vec<u32>| contains(s, &own) && s.len() > own.len();
                assert!(!supports.iter().any(is_smaller), "seed {seed}: {own:?} is inside of one");
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let matrix = ring();
        assert_eq!(transposed(&transposed(&matrix, 3), 4), matrix);
    }
}

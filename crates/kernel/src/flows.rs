//! Integer solutions of `x C = 0`, for a sparse matrix `C`: the place invariants of a net, when the rows of `C`
//! are its places and the columns its transitions.
//!
//! Two kinds are wanted. A *basis* of all solutions tells which entries follow from others ([`basis`], by
//! fraction-free elimination). *Semi-positive* solutions bound entries from above ([`semi_positive`], by Farkas'
//! algorithm: Martinez and Silva, "A simple and fast algorithm to obtain all invariants of a generalised Petri
//! net", 1982, cut off before it explodes).
//!
//! Invariants: (1) every returned solution satisfies the equations exactly; arithmetic is checked, and a row
//! whose numbers grow past 64 bits is dropped, which loses solutions but never makes a wrong one; (2) solutions
//! are divided by the greatest common divisor of their entries; (3) a bound is above every count that steps of the
//! columns can reach while no count is below 0.
//! Test: below, by multiplying out.

use std::collections::BTreeMap;

/// With more rows those that are not minimal stay.
const THOROUGH: usize = 2_000;

/// A sparse vector: ascending positions, no zeros.
pub type Sparse = Vec<(u32, i64)>;

/// One row of the elimination: what is left of the equations, and the combination of rows that made it.
#[derive(Clone, Debug)]
struct Row {
    left: Sparse,
    made: Sparse,
}

impl Row {
    /// The rows of `matrix`, each made of itself once.
    fn all(matrix: &[Sparse]) -> Vec<Self> {
        let row = |(at, left): (usize, &Sparse)| Self { left: left.clone(), made: vec![(at as u32, 1)] };
        matrix.iter().enumerate().map(row).collect()
    }

    /// `a * self + b * other`, reduced; `None` when a number does not fit.
    fn combine(&self, a: i64, other: &Self, b: i64) -> Option<Self> {
        let mut row =
            Self { left: join(&self.left, a, &other.left, b)?, made: join(&self.made, a, &other.made, b)? };
        let divisor = row.left.iter().chain(&row.made).fold(0, |d, &(_, v)| gcd(d, v.unsigned_abs()));
        if divisor > 1 {
            let divisor = i64::try_from(divisor).ok()?;
            row.left.iter_mut().chain(&mut row.made).for_each(|(_, v)| *v /= divisor);
        }
        Some(row)
    }
}

/// `a * x + b * y`.
fn join(x: &Sparse, a: i64, y: &Sparse, b: i64) -> Option<Sparse> {
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

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The value of a sparse vector at a position.
fn entry(row: &Sparse, at: u32) -> i64 {
    row.binary_search_by_key(&at, |e| e.0).map_or(0, |i| row[i].1)
}

/// A basis of the solutions, as far as its numbers fit and the work stays below `max_work` entries written.
pub fn basis(matrix: &[Sparse], max_work: usize) -> Vec<Sparse> {
    let mut pivots: BTreeMap<u32, Row> = BTreeMap::new();
    let mut solutions = Vec::new();
    let mut work = 0;
    // Short rows first: they keep the others short.
    let mut rows = Row::all(matrix);
    rows.sort_by_key(|row| row.left.len());
    'rows: for mut row in rows {
        while let Some(&(column, value)) = row.left.first() {
            let Some(pivot) = pivots.get(&column) else {
                pivots.insert(column, row);
                continue 'rows;
            };
            let against = pivot.left[0].1;
            let divisor = gcd(value.unsigned_abs(), against.unsigned_abs()) as i64;
            let Some(next) = row.combine(against / divisor, pivot, -(value / divisor)) else {
                continue 'rows;
            };
            work += next.left.len() + next.made.len();
            if work > max_work {
                return solutions;
            }
            row = next;
        }
        solutions.push(row.made);
    }
    solutions
}

/// Solutions without negative entries: all minimal ones, unless there are more than `max_rows` rows on the way
/// or more than `max_work` entries are looked at. Then some are missing, but none is wrong.
pub fn semi_positive(matrix: &[Sparse], columns: u32, max_rows: usize, max_work: usize) -> Vec<Sparse> {
    let mut table = Table::new(matrix, columns);
    let mut open: Vec<u32> = (0..columns).collect();
    while table.work <= max_work {
        table.work += open.len();
        open.retain(|&c| table.signs[c as usize] != (0, 0));
        // The column that makes the fewest new rows.
        let cost = |&c: &u32| {
            let (plus, minus) = table.signs[c as usize];
            (plus * minus) as i64 - (plus + minus) as i64
        };
        let Some(at) = (0..open.len()).min_by_key(|&i| cost(&open[i])) else { break };
        table.eliminate(open.swap_remove(at), max_rows, max_work);
    }
    // With columns left open, only the rows without anything left solve the equations.
    let solved = table.rows.into_iter().flatten().filter(|(row, _)| row.left.is_empty());
    solved.map(|(row, _)| row.made).collect()
}

/// The rows of Farkas' algorithm, found by their columns.
struct Table {
    /// Each with the [`trace`] of what it is made of.
    rows: Vec<Option<(Row, u64)>>,
    /// The rows of each column, and some that are gone.
    rows_of: Vec<Vec<u32>>,
    /// How many rows of each column are above 0 there, and how many below.
    signs: Vec<(usize, usize)>,
    live: usize,
    /// Entries that were looked at.
    work: usize,
}

impl Table {
    fn new(matrix: &[Sparse], columns: u32) -> Self {
        let columns = columns as usize;
        let (rows_of, signs) = (vec![Vec::new(); columns], vec![(0, 0); columns]);
        let mut table = Self { rows: Vec::new(), rows_of, signs, live: 0, work: 0 };
        Row::all(matrix).into_iter().for_each(|row| table.add(row));
        table
    }

    fn add(&mut self, row: Row) {
        let id = self.rows.len() as u32;
        for &(column, value) in &row.left {
            self.rows_of[column as usize].push(id);
            let (plus, minus) = &mut self.signs[column as usize];
            *(if value > 0 { plus } else { minus }) += 1;
        }
        self.work += row.left.len();
        self.live += 1;
        let trace = trace(&row);
        self.rows.push(Some((row, trace)));
    }

    fn remove(&mut self, id: u32) -> Option<Row> {
        let (row, _) = self.rows[id as usize].take()?;
        for &(column, value) in &row.left {
            let (plus, minus) = &mut self.signs[column as usize];
            *(if value > 0 { plus } else { minus }) -= 1;
        }
        self.work += row.left.len();
        self.live -= 1;
        Some(row)
    }

    /// Replaces the rows of a column by sums of two in which it vanishes.
    fn eliminate(&mut self, column: u32, max_rows: usize, max_work: usize) {
        let ids = std::mem::take(&mut self.rows_of[column as usize]);
        let with: Vec<Row> = ids.into_iter().filter_map(|id| self.remove(id)).collect();
        let (plus, minus): (Vec<&Row>, Vec<&Row>) = with.iter().partition(|r| entry(&r.left, column) > 0);
        let mut new: Vec<Row> = Vec::new();
        'pairs: for p in &plus {
            for m in &minus {
                let (a, b) = (entry(&p.left, column), -entry(&m.left, column));
                let divisor = gcd(a.unsigned_abs(), b.unsigned_abs()) as i64;
                self.work += p.left.len() + p.made.len() + m.left.len() + m.made.len();
                new.extend(p.combine(b / divisor, m, a / divisor));
                if self.live + new.len() > max_rows || self.work > max_work {
                    break 'pairs;
                }
            }
        }
        // Those that stayed are minimal still; a new one is not if it is made of all that another one is made of.
        new.sort_by_key(|row| row.made.len());
        for row in new {
            if self.work > max_work {
                break;
            }
            // Among many rows the search for those that are not minimal takes longer than it saves.
            if self.live > THOROUGH || !self.covers(&row) {
                self.add(row);
            }
        }
        // Rows that are gone must not be looked at for ever.
        if self.rows.len() > 64 && self.rows.len() > 4 * self.live {
            self.compact();
        }
    }

    /// Whether a row is made of all that another one is made of.
    fn covers(&mut self, row: &Row) -> bool {
        // A comparison of traces is a fraction of a look at an entry.
        let (own, mut looks) = (trace(row), self.rows.len() / 8);
        let contained = |(other, trace): &(Row, u64)| {
            trace & !own == 0 && {
                looks += row.made.len();
                other.made.iter().all(|e| row.made.binary_search_by_key(&e.0, |own| own.0).is_ok())
            }
        };
        let covers = self.rows.iter().flatten().any(contained);
        self.work += looks;
        covers
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

/// A bit for each of the matrix's rows that a row is made of, where some share theirs: a quick test for inclusion.
fn trace(row: &Row) -> u64 {
    row.made.iter().fold(0, |bits, e| bits | 1 << (e.0 % 64))
}

/// The product of a solution with the initial counts, which stays the same for ever; `None` when it does not fit.
pub fn total(flow: &Sparse, initial: &[u64]) -> Option<i128> {
    flow.iter().try_fold(0i128, |sum, &(at, factor)| {
        sum.checked_add(i128::from(factor).checked_mul(i128::from(initial[at as usize]))?)
    })
}

/// For each entry the most that it can grow to from the initial counts, where one of these semi-positive solutions
/// tells: an entry with factor `f` in a solution with total `n` is at most `n / f`, because the others are at least 0.
pub fn bounds(flows: &[Sparse], initial: &[u64]) -> Vec<Option<u64>> {
    let mut bounds: Vec<Option<u64>> = vec![None; initial.len()];
    for flow in flows {
        let Some(total) = total(flow, initial) else { continue };
        for &(at, factor) in flow {
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
    use super::*;

    /// `x C` for a solution `x`.
    fn product(solution: &Sparse, matrix: &[Sparse]) -> Sparse {
        solution
            .iter()
            .fold(Vec::new(), |sum, &(at, factor)| join(&sum, 1, &matrix[at as usize], factor).unwrap())
    }

    /// A ring of three places, and a place beside it that gains two tokens a round.
    fn ring() -> Vec<Sparse> {
        vec![vec![(0, -1), (2, 1)], vec![(0, 1), (1, -1)], vec![(1, 1), (2, -1)], vec![(2, 2)]]
    }

    #[test]
    fn a_ring_has_one_invariant() {
        assert_eq!(semi_positive(&ring(), 3, 100, 10_000), [vec![(0, 1), (1, 1), (2, 1)]]);
        let basis = basis(&ring(), 1_000);
        assert_eq!(basis.len(), 1);
        assert_eq!(product(&basis[0], &ring()), []);
    }

    #[test]
    fn bounds_come_from_the_best_flow() {
        let flows = [vec![(0, 1), (1, 2)], vec![(1, 1), (2, 3)]];
        assert_eq!(bounds(&flows, &[5, 0, 2, 7]), [Some(5), Some(2), Some(2), None]);
        let huge = [vec![(0, i64::MAX), (1, 1)]];
        assert_eq!(bounds(&huge, &[u64::MAX, 0]), [Some(u64::MAX), None], "the second does not fit");
        assert_eq!(total(&vec![(0, i64::MAX), (1, i64::MAX), (2, i64::MAX)], &[u64::MAX; 3]), None);
    }

    #[test]
    fn solutions_solve() {
        for seed in 0..300u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut below = |n: u64| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                (state >> 33) % n
            };
            let (places, transitions) = (1 + below(6), 1 + below(5));
            let matrix: Vec<Sparse> = (0..places)
                .map(|_| {
                    (0..transitions as u32).map(|t| (t, below(5) as i64 - 2)).filter(|e| e.1 != 0).collect()
                })
                .collect();
            let positive =
                semi_positive(&matrix, transitions as u32, 1_000, if seed % 3 == 0 { 40 } else { 1_000_000 });
            for solution in positive.iter().chain(&basis(&matrix, 100_000)) {
                assert!(!solution.is_empty());
                assert_eq!(product(solution, &matrix), [], "seed {seed}");
            }
            assert!(positive.iter().flatten().all(|&(_, value)| value > 0));
            // Rank and basis fill the space.
            assert!(basis(&matrix, 100_000).len() >= (places as usize).saturating_sub(transitions as usize));
        }
    }
}

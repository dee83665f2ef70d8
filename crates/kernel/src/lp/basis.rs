//! A basis of a linear program as a sparse factorisation, and the linear systems that it solves.
//!
//! The matrix `B` of the basic columns is factored into triangles, `B = L U` up to the order of rows and columns. Rows and columns
//! with a single entry come first and cost nothing; the bases of nets consist mostly of those. The rest is eliminated with the
//! pivots of Markowitz (1957): in the column with the fewest entries the row with the fewest, among entries that are large enough
//! to be stable. A pivot of the simplex algorithm then appends the column that it changes (the product form of the inverse, Dantzig
//! and Orchard-Hays 1954), and a new row of the program appends itself, so that a factorisation serves many pivots.
//!
//! Vectors are dense. A position of the basis and the row with the same number share an index: the solution of `B x = a` replaces
//! `a` by position, that of `y B = e` replaces `e` by row.
//!
//! Invariants: (1) the factors and the updates, in their order, multiply to the inverse of the present basis, up to rounding
//! errors; (2) an update that appends a row has the number of the rows before it.
//! Cost: a system takes its rows and the entries of the factors and of the updates. Test: below, by multiplication.

/// Entries below this are dropped.
const NEGLIGIBLE: f64 = 1e-13;
/// A pivot is at least this part of the largest entry of its column.
const STABLE: f64 = 0.1;
/// The smallest pivot; a basis that needs a smaller one counts as singular.
const SMALLEST_PIVOT: f64 = 1e-9;
/// Updates after which the basis should be factored anew.
const MAX_UPDATES: usize = 100;

/// Entries of a row or column: an index and a number.
pub(super) type LpEntries = Vec<(u32, f64)>;

/// The inverse of a basis, as factors and updates.
#[derive(Clone, Debug, Default)]
pub(super) struct BasisFactors {
    /// In the order of elimination, a row and the multiples of it that were subtracted from others.
    lower: Vec<(u32, LpEntries)>,
    upper: Vec<UpperRow>,
    updates: Vec<BasisUpdate>,
    /// The entries of the factors, and of the updates.
    entries: [usize; 2],
    rows: usize,
}

/// A row of the upper triangle.
#[derive(Clone, Debug)]
struct UpperRow {
    row: u32,
    /// The position of the pivot.
    position: u32,
    pivot: f64,
    /// The entries at positions whose pivots come later.
    rest: LpEntries,
}

/// A change of the basis since it was factored.
#[derive(Clone, Debug)]
enum BasisUpdate {
    /// Another column at a position: that column times the inverse before it.
    Column { position: u32, pivot: f64, rest: LpEntries },
    /// Another row, whose slack is basic: its entries by position.
    Row { at: u32, terms: LpEntries },
}

impl BasisFactors {
    /// Factors a matrix, given by its columns in the order of the positions; `None` if it is singular.
    pub(super) fn new(columns: &[LpEntries]) -> Option<Self> {
        Elimination::new(columns).factors()
    }

    /// Whether so much was appended that the basis should be factored anew.
    pub(super) fn is_long(&self) -> bool {
        let [factored, appended] = self.entries;
        self.updates.len() >= MAX_UPDATES || appended > 2 * (factored + self.rows)
    }

    /// Whether the factors are those of the present basis.
    pub(super) fn is_fresh(&self) -> bool {
        self.updates.is_empty()
    }

    /// Appends a row with these entries by position; its slack is basic, with the entry -1.
    pub(super) fn push_row(&mut self, terms: LpEntries) {
        self.entries[1] += terms.len();
        self.updates.push(BasisUpdate::Row { at: self.rows as u32, terms });
        self.rows += 1;
    }

    /// Replaces the column at a position by one whose product with the inverse is given.
    pub(super) fn replace(&mut self, position: usize, product: &[f64]) {
        let is_rest = |&(at, value): &(usize, &f64)| at != position && value.abs() > NEGLIGIBLE;
        let entries = product.iter().enumerate().filter(is_rest);
        let rest: LpEntries = entries.map(|(at, &value)| (at as u32, value)).collect();
        self.entries[1] += rest.len();
        let (position, pivot) = (position as u32, product[position]);
        self.updates.push(BasisUpdate::Column { position, pivot, rest });
    }

    /// Solves `B x = a`: replaces `a`, by row, by `x`, by position.
    pub(super) fn solve(&self, vector: &mut [f64]) {
        for (row, multiples) in &self.lower {
            let by = vector[*row as usize];
            if by != 0.0 {
                multiples.iter().for_each(|&(at, multiple)| vector[at as usize] -= multiple * by);
            }
        }
        self.solve_upper(vector);
        for update in &self.updates {
            match update {
                BasisUpdate::Column { position, pivot, rest } => {
                    let by = vector[*position as usize];
                    if by != 0.0 {
                        let by = by / pivot;
                        rest.iter().for_each(|&(at, value)| vector[at as usize] -= value * by);
                        vector[*position as usize] = by;
                    }
                }
                BasisUpdate::Row { at, terms } => {
                    let own = &vector[*at as usize];
                    vector[*at as usize] = dot(terms, vector) - own;
                }
            }
        }
    }

    fn solve_upper(&self, vector: &mut [f64]) {
        let mut solved = vec![0.0; self.factored_rows()];
        for UpperRow { row, position, pivot, rest } in self.upper.iter().rev() {
            let value = vector[*row as usize] - dot(rest, &solved);
            if value != 0.0 {
                solved[*position as usize] = value / pivot;
            }
        }
        vector[..solved.len()].copy_from_slice(&solved);
    }

    /// Solves `y B = e`: replaces `e`, by position, by `y`, by row.
    pub(super) fn solve_transposed(&self, vector: &mut [f64]) {
        for update in self.updates.iter().rev() {
            match update {
                BasisUpdate::Column { position, pivot, rest } => {
                    let own = vector[*position as usize] - dot(rest, vector);
                    vector[*position as usize] = own / pivot;
                }
                BasisUpdate::Row { at, terms } => {
                    let by = vector[*at as usize];
                    if by != 0.0 {
                        terms.iter().for_each(|&(at, value)| vector[at as usize] += value * by);
                        vector[*at as usize] = -by;
                    }
                }
            }
        }
        let mut solved = vec![0.0; self.factored_rows()];
        for UpperRow { row, position, pivot, rest } in &self.upper {
            let value = vector[*position as usize];
            if value != 0.0 {
                let value = value / pivot;
                solved[*row as usize] = value;
                rest.iter().for_each(|&(at, entry)| vector[at as usize] -= entry * value);
            }
        }
        vector[..solved.len()].copy_from_slice(&solved);
        for (row, multiples) in self.lower.iter().rev() {
            vector[*row as usize] -= dot(multiples, vector);
        }
    }

    /// The rows of the matrix that was factored.
    fn factored_rows(&self) -> usize {
        self.upper.len()
    }
}

fn dot(entries: &[(u32, f64)], vector: &[f64]) -> f64 {
    entries.iter().map(|&(at, value)| value * vector[at as usize]).sum()
}

/// Gaussian elimination of a sparse matrix.
struct Elimination {
    /// The entries at positions without a pivot, for each row without one.
    rows: Vec<LpEntries>,
    /// The rows of each position: all of those that have an entry there, and perhaps others.
    rows_of: Vec<Vec<u32>>,
    /// The entries of each position in rows without a pivot.
    counts: Vec<u32>,
    is_row_done: Vec<bool>,
    is_position_done: Vec<bool>,
    /// The places of the entries of one row by position, while that row changes.
    index: Vec<Option<u32>>,
    factors: BasisFactors,
}

impl Elimination {
    fn new(columns: &[LpEntries]) -> Self {
        let size = columns.len();
        let mut rows = vec![Vec::new(); size];
        for (position, column) in columns.iter().enumerate() {
            column.iter().for_each(|&(row, value)| rows[row as usize].push((position as u32, value)));
        }
        Self {
            rows,
            rows_of: columns.iter().map(|column| column.iter().map(|entry| entry.0).collect()).collect(),
            counts: columns.iter().map(|column| column.len() as u32).collect(),
            is_row_done: vec![false; size],
            is_position_done: vec![false; size],
            index: vec![None; size],
            factors: BasisFactors { rows: size, ..BasisFactors::default() },
        }
    }

    fn factors(mut self) -> Option<BasisFactors> {
        self.take_singletons()?;
        while self.factors.upper.len() < self.rows.len() {
            let (row, position) = self.stable_pivot()?;
            self.eliminate(row, position);
            self.take_singletons()?;
        }
        let upper: usize = self.factors.upper.iter().map(|row| row.rest.len()).sum();
        let lower: usize = self.factors.lower.iter().map(|(_, multiples)| multiples.len()).sum();
        self.factors.entries = [upper + lower, 0];
        Some(self.factors)
    }

    /// Takes pivots that are alone in their column or row, until there are none; `None` if one is too small.
    fn take_singletons(&mut self) -> Option<()> {
        let size = self.rows.len() as u32;
        let mut positions: Vec<u32> = (0..size).filter(|&at| self.is_alone_in_column(at)).collect();
        let mut rows: Vec<u32> = (0..size).filter(|&at| self.is_alone_in_row(at)).collect();
        loop {
            let (row, position) = if let Some(position) = positions.pop() {
                if !self.is_alone_in_column(position) {
                    continue;
                }
                let is_open = |row: &&u32| !self.is_row_done[**row as usize];
                let holds = |row: &&u32| self.entry(**row, position).is_some();
                (*self.rows_of[position as usize].iter().filter(is_open).find(holds)?, position)
            } else if let Some(row) = rows.pop() {
                if !self.is_alone_in_row(row) {
                    continue;
                }
                (row, self.rows[row as usize][0].0)
            } else {
                return Some(());
            };
            if self.entry(row, position)?.abs() < SMALLEST_PIVOT {
                return None;
            }
            let touched: Vec<u32> = self.rows[row as usize].iter().map(|entry| entry.0).collect();
            let shortened = self.eliminate(row, position);
            positions.extend(touched.into_iter().filter(|&at| self.is_alone_in_column(at)));
            rows.extend(shortened.into_iter().filter(|&at| self.is_alone_in_row(at)));
        }
    }

    fn is_alone_in_column(&self, position: u32) -> bool {
        !self.is_position_done[position as usize] && self.counts[position as usize] == 1
    }

    fn is_alone_in_row(&self, row: u32) -> bool {
        !self.is_row_done[row as usize] && self.rows[row as usize].len() == 1
    }

    fn entry(&self, row: u32, position: u32) -> Option<f64> {
        self.rows[row as usize].iter().find(|entry| entry.0 == position).map(|entry| entry.1)
    }

    /// A pivot in a column with few entries: in the row with the fewest, among large entries. `None` if the column has none.
    fn stable_pivot(&self) -> Option<(u32, u32)> {
        let open = (0..self.rows.len() as u32).filter(|&at| !self.is_position_done[at as usize]);
        let position = open.min_by_key(|&at| self.counts[at as usize])?;
        let rows = self.rows_of[position as usize].iter().filter(|&&row| !self.is_row_done[row as usize]);
        let entries: Vec<(u32, f64)> =
            rows.filter_map(|&row| Some((row, self.entry(row, position)?.abs()))).collect();
        let largest = entries.iter().map(|entry| entry.1).fold(0.0, f64::max);
        let stable = entries.iter().filter(|entry| entry.1 >= (STABLE * largest).max(SMALLEST_PIVOT));
        let shortest = stable.min_by_key(|entry| self.rows[entry.0 as usize].len())?;
        Some((shortest.0, position))
    }

    /// Takes a pivot; returns the rows from which its position is gone.
    fn eliminate(&mut self, row: u32, position: u32) -> Vec<u32> {
        let mut rest = std::mem::take(&mut self.rows[row as usize]);
        self.is_row_done[row as usize] = true;
        self.is_position_done[position as usize] = true;
        rest.iter().for_each(|entry| self.counts[entry.0 as usize] -= 1);
        let own = rest.iter().position(|entry| entry.0 == position).expect("the pivot is an entry");
        let (_, pivot) = rest.swap_remove(own);
        let mut multiples = LpEntries::new();
        let mut below = std::mem::take(&mut self.rows_of[position as usize]);
        below.retain(|&at| !self.is_row_done[at as usize]);
        below.retain(|&at| {
            let other = &mut self.rows[at as usize];
            let Some(found) = other.iter().position(|entry| entry.0 == position) else { return false };
            let (_, value) = other.swap_remove(found);
            multiples.push((at, value / pivot));
            true
        });
        for &(at, multiple) in multiples.iter().filter(|_| !rest.is_empty()) {
            self.subtract(at, multiple, &rest);
        }
        self.factors.upper.push(UpperRow { row, position, pivot, rest });
        if !multiples.is_empty() {
            self.factors.lower.push((row, multiples));
        }
        below
    }

    /// Subtracts a multiple of entries from a row.
    fn subtract(&mut self, row: u32, multiple: f64, entries: &[(u32, f64)]) {
        let Self { rows, rows_of, counts, index, .. } = self;
        let own = &mut rows[row as usize];
        own.iter().enumerate().for_each(|(at, entry)| index[entry.0 as usize] = Some(at as u32));
        for &(position, value) in entries {
            let change = -multiple * value;
            if let Some(at) = index[position as usize] {
                own[at as usize].1 += change;
            } else {
                own.push((position, change));
                counts[position as usize] += 1;
                rows_of[position as usize].push(row);
            }
        }
        own.retain(|&(position, value)| {
            index[position as usize] = None;
            let is_kept = value.abs() >= NEGLIGIBLE;
            counts[position as usize] -= u32::from(!is_kept);
            is_kept
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A random matrix by columns, mostly of slacks and short columns.
    fn columns(random: &mut Random, size: usize) -> Vec<LpEntries> {
        let column = |at: usize, random: &mut Random| {
            let entries = 1 + random.below(4);
            let mut rows: Vec<u32> = (0..entries).map(|_| random.below(size) as u32).collect();
            rows.push(at as u32);
            rows.sort_unstable();
            rows.dedup();
            rows.into_iter().map(|row| (row, random.below(9) as f64 - 4.5)).collect()
        };
        (0..size)
            .map(|at| if random.below(3) == 0 { vec![(at as u32, -1.0)] } else { column(at, random) })
            .collect()
    }

    /// Whether `x` solves `B x = a` for the columns of `B`.
    fn is_solution(columns: &[LpEntries], x: &[f64], a: &[f64]) -> bool {
        let mut rest = a.to_vec();
        for (column, by) in columns.iter().zip(x) {
            column.iter().for_each(|&(row, value)| rest[row as usize] -= value * by);
        }
        rest.iter().all(|value| value.abs() < 1e-6)
    }

    fn is_transposed_solution(columns: &[LpEntries], y: &[f64], e: &[f64]) -> bool {
        columns.iter().zip(e).all(|(column, e)| (dot(column, y) - e).abs() < 1e-6)
    }

    fn check(factors: &BasisFactors, columns: &[LpEntries], random: &mut Random) {
        let given: Vec<f64> = columns.iter().map(|_| random.below(7) as f64 - 3.0).collect();
        let (mut x, mut y) = (given.clone(), given.clone());
        factors.solve(&mut x);
        factors.solve_transposed(&mut y);
        let largest = x.iter().chain(&y).fold(0.0, |most: f64, value| most.max(value.abs()));
        if largest < 1e4 {
            assert!(is_solution(columns, &x, &given), "{columns:?}");
            assert!(is_transposed_solution(columns, &y, &given), "{columns:?}");
        }
    }

    #[test]
    fn factors_and_their_updates_solve_both_systems() {
        let (mut regular, mut updated) = (0, 0);
        for seed in 0..2_000 {
            let random = &mut Random::new(seed);
            let size = 1 + random.below(12);
            let mut columns = columns(random, size);
            let Some(mut factors) = BasisFactors::new(&columns) else { continue };
            regular += 1;
            check(&factors, &columns, random);
            for _ in 0..6 {
                let size = columns.len();
                if random.below(3) == 0 {
                    let terms: LpEntries = (0..size as u32)
                        .filter(|at| at % 3 == 0)
                        .map(|at| (at, f64::from(at) - 1.5))
                        .collect();
                    factors.push_row(terms.clone());
                    terms.iter().for_each(|&(at, value)| columns[at as usize].push((size as u32, value)));
                    columns.push(vec![(size as u32, -1.0)]);
                } else {
                    let mut column: LpEntries =
                        (0..size as u32).map(|at| (at, random.below(5) as f64 - 2.0)).collect();
                    column.retain(|entry| entry.1 != 0.0);
                    let mut product = vec![0.0; size];
                    column.iter().for_each(|&(at, value)| product[at as usize] = value);
                    factors.solve(&mut product);
                    let at = random.below(size);
                    if product[at].abs() < 0.1 {
                        continue;
                    }
                    factors.replace(at, &product);
                    columns[at] = column;
                }
                updated += 1;
                check(&factors, &columns, random);
            }
        }
        assert!(regular > 1_000 && updated > 5_000, "{regular} {updated}");
    }

    #[test]
    fn singular_bases_are_noticed() {
        let twice = vec![(0, 1.0), (1, 2.0)];
        assert!(BasisFactors::new(&[twice.clone(), twice]).is_none());
        assert!(BasisFactors::new(&[vec![(0, 1.0)], vec![(0, 1.0)]]).is_none());
        assert!(BasisFactors::new(&[]).is_some());
    }
}

//! Feasibility of linear inequalities in floating point, and fractions near floating-point numbers.
//!
//! A [`LinearProgram`] grows row by row, `coefficients * unknowns >= bound` over unknowns that are at least 0, and after each
//! row decides whether it is still feasible. Why not a general solver: rows come one at a time and only where the last
//! solution violates them, so the program stays small and the last basis is nearly right; and when it is
//! infeasible, callers need the Farkas multipliers of the rows, to check them in integers.
//!
//! It is the dual simplex algorithm (Lemke 1954) over a sparse factorisation of the basis (`basis.rs`). The unknowns have arbitrary
//! costs above 0: so the empty program starts with an optimal basis, each new row keeps it dual feasible, and different
//! costs prevent stalling. A row leaves by its violation against the length of its row of the inverse (steepest edge; the lengths
//! are updated after Forrest and Goldfarb 1992). When no unknown can enter, that row of the inverse has the Farkas multipliers.
//!
//! Invariants: (1) the reduced costs are not negative; (2) each basic slack or unknown has the value that the rows
//! give it, up to a small difference; where rounding errors break that, the basis is factored again. An answer is a guess
//! all the same.
//! Cost: a pivot takes the rows, the entries of the factors, and the entries of the rows that it touches. Test: below, against
//! Fourier-Motzkin elimination of small programs.

mod basis;

use std::{collections::HashMap, rc::Rc};

use self::basis::{BasisFactors, LpEntries};

/// Smaller differences count as rounding errors.
const TOLERANCE: f64 = 1e-7;
/// Squared lengths of rows are at least this, whatever rounding errors say.
const SHORTEST: f64 = 1e-4;

/// The answer of [`LinearProgram::solve`], up to rounding errors.
#[derive(Clone, Debug, PartialEq)]
pub enum LpOutcome {
    /// [`LinearProgram::solution`] has a solution.
    Feasible,
    /// There is no solution: the sum of the rows with these Farkas multipliers, which are above 0, has no coefficient above 0 but a
    /// bound above 0. Rows have their numbers in the order of [`LinearProgram::push`].
    Infeasible(Vec<(u32, f64)>),
    /// The caller's check ended the search, or rounding errors made the basis singular.
    Interrupted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LpVariable {
    Unknown(usize),
    /// The amount by which a row exceeds its bound.
    Slack(usize),
}

/// Inequalities over unknowns that are at least 0. Callers name unknowns by numbers; unknowns in no row are 0.
#[derive(Clone, Debug, Default)]
pub struct LinearProgram {
    column_of: HashMap<u32, usize>,
    unknown_of: Vec<u32>,
    /// Shared by the programs that differ in later rows.
    columns: Vec<Rc<LpEntries>>,
    rows: Vec<Rc<LpEntries>>,
    bounds: Vec<f64>,
    /// Reduced costs of the unknowns and of the slacks.
    reduced: [Vec<f64>; 2],
    /// The basic variable of each row.
    basis: Vec<LpVariable>,
    /// The row in which each unknown and each slack is basic.
    basic_at: [Vec<Option<u32>>; 2],
    /// The matrix of the basic columns; a slack's column is -1 in its row.
    factors: BasisFactors,
    /// The values of the basic variables.
    values: Vec<f64>,
    /// The squared lengths of the rows of the inverse.
    lengths: Vec<f64>,
    pivots: usize,
}

/// A row of the tableau: the coefficients that are not 0, of the unknowns and of the slacks.
struct TableauRow {
    /// The row of the inverse.
    inverse: Vec<f64>,
    coefficients: [LpEntries; 2],
}

/// The cost of an unknown: arbitrary, but different for each.
fn cost(unknown: u32) -> f64 {
    1.0 + (f64::from(unknown) * 0.618_033_988_749_895).fract()
}

fn split(variable: LpVariable) -> (usize, usize) {
    match variable {
        LpVariable::Unknown(at) => (0, at),
        LpVariable::Slack(at) => (1, at),
    }
}

impl LinearProgram {
    /// The number of rows added so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no row has been added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of pivots of all calls of [`LinearProgram::solve`].
    pub fn pivots(&self) -> usize {
        self.pivots
    }

    /// Adds a row: the sum of the coefficients times the unknowns is at least `bound`.
    pub fn push(&mut self, terms: impl Iterator<Item = (u32, f64)>, bound: f64) {
        let row = self.rows.len();
        let terms: Vec<(u32, f64)> = terms
            .map(|(unknown, coefficient)| {
                let column = self.column(unknown);
                Rc::make_mut(&mut self.columns[column]).push((row as u32, coefficient));
                (column as u32, coefficient)
            })
            .collect();
        let basic =
            |&(column, coefficient): &(u32, f64)| Some((self.basic_at[0][column as usize]?, coefficient));
        let basic: LpEntries = terms.iter().filter_map(basic).collect();
        let value: f64 = basic.iter().map(|&(at, coefficient)| coefficient * self.values[at as usize]).sum();
        // The slack's column alone is -1 in the inverse of a row without basic unknowns.
        let is_apart = basic.is_empty();
        self.factors.push_row(basic);
        self.values.push(value - bound);
        self.rows.push(Rc::new(terms));
        self.bounds.push(bound);
        self.basis.push(LpVariable::Slack(row));
        self.basic_at[1].push(Some(row as u32));
        self.reduced[1].push(0.0);
        let length = if is_apart { 1.0 } else { self.inverse_row(row).iter().map(|v| v * v).sum() };
        self.lengths.push(length);
    }

    fn column(&mut self, unknown: u32) -> usize {
        let next = self.columns.len();
        let column = *self.column_of.entry(unknown).or_insert(next);
        if column == next {
            self.unknown_of.push(unknown);
            self.columns.push(Rc::default());
            self.reduced[0].push(cost(unknown));
            self.basic_at[0].push(None);
        }
        column
    }

    /// The unknowns that are not 0 in the solution of the last call of [`LinearProgram::solve`], with their values.
    pub fn solution(&self) -> impl Iterator<Item = (u32, f64)> {
        self.basis.iter().zip(&self.values).filter_map(|(&variable, &value)| match variable {
            LpVariable::Unknown(column) if value > TOLERANCE => Some((self.unknown_of[column], value)),
            _ => None,
        })
    }

    /// Searches for a solution while `go_on` returns true; it is called before each pivot.
    pub fn solve(&mut self, go_on: &mut impl FnMut() -> bool) -> LpOutcome {
        while go_on() {
            if self.factors.is_long() && !self.refactor() {
                return LpOutcome::Interrupted;
            }
            let Some(leaving) = self.leaving() else {
                if self.factors.is_fresh() || self.is_exact() {
                    return LpOutcome::Feasible;
                }
                // Invariant 2.
                if !self.refactor() {
                    return LpOutcome::Interrupted;
                }
                continue;
            };
            let row = self.tableau_row(leaving);
            let Some((entering, coefficient)) = self.entering(&row) else {
                let multipliers = row.inverse.iter().enumerate();
                let above = multipliers.map(|(row, value)| (row as u32, -value)).filter(|m| m.1 > 1e-9);
                return LpOutcome::Infeasible(above.collect());
            };
            self.pivots += 1;
            let is_stable = self.pivot(leaving, entering, coefficient, row);
            if !is_stable && (self.factors.is_fresh() || !self.refactor()) {
                return LpOutcome::Interrupted;
            }
        }
        LpOutcome::Interrupted
    }

    /// The row whose basic variable is below 0 the most, against the length of its row of the inverse.
    fn leaving(&self) -> Option<usize> {
        let below = self.values.iter().enumerate().filter(|(_, value)| **value < -TOLERANCE);
        let scored = below.map(|(at, value)| (value * value / self.lengths[at], at));
        scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }

    /// A row of the inverse of the basis.
    fn inverse_row(&self, at: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.rows.len()];
        row[at] = 1.0;
        self.factors.solve_transposed(&mut row);
        row
    }

    fn tableau_row(&self, at: usize) -> TableauRow {
        let inverse = self.inverse_row(at);
        let (mut unknowns, mut touched) = (vec![0.0; self.columns.len()], Vec::new());
        for (row, &multiplier) in inverse.iter().enumerate().filter(|e| e.1.abs() > 1e-12) {
            for &(column, coefficient) in &*self.rows[row] {
                let entry = &mut unknowns[column as usize];
                if *entry == 0.0 {
                    touched.push(column);
                }
                *entry += multiplier * coefficient;
            }
        }
        // A column whose entry was 0 for a while is there twice; the second time it is taken for 0.
        let unknowns =
            touched.into_iter().map(|column| (column, std::mem::take(&mut unknowns[column as usize])));
        let slacks = inverse.iter().enumerate().map(|(row, &value)| (row as u32, -value));
        let coefficients =
            [unknowns.filter(|e| e.1 != 0.0).collect(), slacks.filter(|e| e.1 != 0.0).collect()];
        TableauRow { inverse, coefficients }
    }

    /// The variable that keeps the reduced costs above 0 when the leaving one grows to 0, and its coefficient.
    fn entering(&self, row: &TableauRow) -> Option<(LpVariable, f64)> {
        let mut best: Option<(f64, f64, LpVariable)> = None;
        for (side, coefficients) in row.coefficients.iter().enumerate() {
            let is_candidate =
                |&&(at, f): &&(u32, f64)| f < -TOLERANCE && self.basic_at[side][at as usize].is_none();
            for &(at, coefficient) in coefficients.iter().filter(is_candidate) {
                let at = at as usize;
                let ratio = self.reduced[side][at] / -coefficient;
                let better =
                    best.is_none_or(|(r, f, _)| ratio < r - 1e-9 || (ratio < r + 1e-9 && coefficient < f));
                if better {
                    let variable = if side == 0 { LpVariable::Unknown(at) } else { LpVariable::Slack(at) };
                    best = Some((ratio, coefficient, variable));
                }
            }
        }
        best.map(|(_, coefficient, variable)| (variable, coefficient))
    }

    /// Exchanges two variables; false if rounding errors have changed the pivot.
    fn pivot(&mut self, leaving: usize, entering: LpVariable, coefficient: f64, row: TableauRow) -> bool {
        let column = self.tableau_column(entering);
        let pivot = column[leaving];
        if pivot.abs() < TOLERANCE || (pivot - coefficient).abs() > 1e-5 * (1.0 + coefficient.abs()) {
            return false;
        }
        let (side, at) = split(entering);
        let dual = self.reduced[side][at] / coefficient;
        for (side, coefficients) in row.coefficients.iter().enumerate() {
            for &(at, coefficient) in coefficients {
                if self.basic_at[side][at as usize].is_none() {
                    // Invariant 1, which rounding must not break.
                    let reduced = &mut self.reduced[side][at as usize];
                    *reduced = (*reduced - dual * coefficient).max(0.0);
                }
            }
        }
        let (gone_side, gone) = split(self.basis[leaving]);
        self.reduced[gone_side][gone] = (-dual).max(0.0);
        self.reduced[side][at] = 0.0;
        self.basic_at[gone_side][gone] = None;
        self.basic_at[side][at] = Some(leaving as u32);
        self.basis[leaving] = entering;
        let primal = self.values[leaving] / pivot;
        self.update_lengths(leaving, &column, row.inverse);
        for (value, by) in self.values.iter_mut().zip(&column) {
            *value -= primal * by;
        }
        self.values[leaving] = primal;
        self.factors.replace(leaving, &column);
        true
    }

    /// The lengths of the rows of the inverse after a pivot, from its column and its row of the inverse.
    fn update_lengths(&mut self, leaving: usize, column: &[f64], inverse: Vec<f64>) {
        let length: f64 = inverse.iter().map(|v| v * v).sum();
        let mut products = inverse;
        self.factors.solve(&mut products);
        let pivot = column[leaving];
        for ((own, &by), product) in self.lengths.iter_mut().zip(column).zip(&products) {
            if by != 0.0 {
                let by = by / pivot;
                *own = (*own - 2.0 * by * product + by * by * length).max(SHORTEST);
            }
        }
        self.lengths[leaving] = (length / (pivot * pivot)).max(SHORTEST);
    }

    /// The inverse times the column of a variable.
    fn tableau_column(&self, variable: LpVariable) -> Vec<f64> {
        let mut column = vec![0.0; self.rows.len()];
        match variable {
            LpVariable::Slack(at) => column[at] = -1.0,
            LpVariable::Unknown(at) => {
                self.columns[at].iter().for_each(|&(row, value)| column[row as usize] = value);
            }
        }
        self.factors.solve(&mut column);
        column
    }

    /// Whether the values solve the equations.
    fn is_exact(&self) -> bool {
        let value = |side: usize, at: usize| self.basic_at[side][at].map_or(0.0, |b| self.values[b as usize]);
        self.rows.iter().enumerate().all(|(at, row)| {
            let (mut sum, mut size) = (-self.bounds[at] - value(1, at), 1.0 + self.bounds[at].abs());
            for &(column, coefficient) in &**row {
                let part = coefficient * value(0, column as usize);
                sum += part;
                size += part.abs();
            }
            sum.abs() < TOLERANCE * size
        })
    }

    /// Calculates factors, values and reduced costs again from the basis; false when the basis is singular.
    fn refactor(&mut self) -> bool {
        let column = |&variable: &LpVariable| match variable {
            LpVariable::Slack(row) => vec![(row as u32, -1.0)],
            LpVariable::Unknown(column) => LpEntries::clone(&self.columns[column]),
        };
        let columns: Vec<LpEntries> = self.basis.iter().map(column).collect();
        let Some(factors) = BasisFactors::new(&columns) else { return false };
        self.factors = factors;
        self.values.clone_from(&self.bounds);
        self.factors.solve(&mut self.values);
        let paid = |&variable: &LpVariable| match variable {
            LpVariable::Slack(_) => 0.0,
            LpVariable::Unknown(column) => cost(self.unknown_of[column]),
        };
        let mut duals: Vec<f64> = self.basis.iter().map(paid).collect();
        self.factors.solve_transposed(&mut duals);
        for (column, entries) in self.columns.iter().enumerate() {
            let paid: f64 = entries.iter().map(|&(row, coefficient)| coefficient * duals[row as usize]).sum();
            let free = self.basic_at[0][column].is_none();
            self.reduced[0][column] =
                if free { (cost(self.unknown_of[column]) - paid).max(0.0) } else { 0.0 };
        }
        for (row, &dual) in duals.iter().enumerate() {
            self.reduced[1][row] = if self.basic_at[1][row].is_none() { dual.max(0.0) } else { 0.0 };
        }
        true
    }
}

/// The convergent of the continued fraction of `number` that is nearest to it, among those with a denominator of at most
/// `max_denominator`; numerator first.
pub fn fraction(number: f64, max_denominator: i64) -> Option<(i64, i64)> {
    const TOLERANCE: f64 = 1e-9;
    if number.is_nan() || number.abs() > 1e15 {
        return None;
    }
    let (mut before, mut now) = ((1i64, 0i64), (number.floor() as i64, 1i64));
    let mut rest = number - number.floor();
    while rest > TOLERANCE && (number - now.0 as f64 / now.1 as f64).abs() > TOLERANCE {
        let inverse = 1.0 / rest;
        let digit = inverse.floor() as i64;
        let next = |now: i64, before: i64| digit.checked_mul(now)?.checked_add(before);
        let (up, down) = (next(now.0, before.0)?, next(now.1, before.1)?);
        if down > max_denominator {
            break;
        }
        (before, now) = (now, (up, down));
        rest = inverse - inverse.floor();
    }
    Some(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_recovered() {
        for down in 1..200 {
            for up in -300..300 {
                let (a, b) = fraction(f64::from(up) / f64::from(down), 10_000).unwrap();
                assert_eq!(a * i64::from(down), b * i64::from(up), "{up}/{down}");
            }
        }
        assert_eq!(fraction(f64::NAN, 10), None);
        assert_eq!(fraction(f64::INFINITY, 10), None);
    }

    #[test]
    fn rows_can_be_added_until_the_program_is_infeasible() {
        let mut program = LinearProgram::default();
        assert_eq!(program.solve(&mut || true), LpOutcome::Feasible);
        // x - y >= 1, y >= 2, -x >= -2.
        program.push([(7, 1.0), (3, -1.0)].into_iter(), 1.0);
        assert_eq!(program.solve(&mut || true), LpOutcome::Feasible);
        program.push([(3, 1.0)].into_iter(), 2.0);
        assert_eq!(program.solve(&mut || true), LpOutcome::Feasible);
        let found: HashMap<u32, f64> = program.solution().collect();
        assert!((found[&7] - 3.0).abs() < TOLERANCE && (found[&3] - 2.0).abs() < TOLERANCE, "{found:?}");
        assert_eq!(program.clone().solve(&mut || false), LpOutcome::Interrupted);
        program.push([(7, -1.0)].into_iter(), -2.0);
        let LpOutcome::Infeasible(multipliers) = program.solve(&mut || true) else {
            panic!("x is at least 3")
        };
        assert_eq!(multipliers.iter().map(|m| m.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(multipliers.iter().all(|m| (m.1 - multipliers[0].1).abs() < TOLERANCE));
    }

    /// Whether the inequalities have a solution, by Fourier-Motzkin elimination.
    fn has_solution(mut rows: Vec<(Vec<i64>, i64)>, unknowns: usize) -> bool {
        for at in 0..unknowns {
            let unit = |i: usize| i64::from(i == at);
            rows.push(((0..unknowns).map(unit).collect(), 0));
        }
        for at in 0..unknowns {
            let (with, mut rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.0[at] != 0);
            let (plus, minus): (Vec<_>, Vec<_>) = with.into_iter().partition(|row| row.0[at] > 0);
            for p in &plus {
                for m in &minus {
                    let (a, b) = (-m.0[at], p.0[at]);
                    let sum = p.0.iter().zip(&m.0).map(|(x, y)| a * x + b * y).collect();
                    rest.push((sum, a * p.1 + b * m.1));
                }
            }
            rows = rest;
        }
        rows.iter().all(|row| row.1 <= 0)
    }

    #[test]
    fn small_programs_are_decided() {
        let mut seen = [0; 2];
        for seed in 0..3_000u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut below = |n: u64| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                ((state >> 33) % n) as i64
            };
            let unknowns = 1 + below(3) as usize;
            let rows: Vec<(Vec<i64>, i64)> = (0..1 + below(5))
                .map(|_| ((0..unknowns).map(|_| below(7) - 3).collect(), below(9) - 4))
                .collect();
            let mut program = LinearProgram::default();
            let mut answer = LpOutcome::Feasible;
            for (coefficients, bound) in &rows {
                let terms = coefficients.iter().enumerate().filter(|e| *e.1 != 0);
                program.push(terms.map(|(at, &f)| (at as u32, f as f64)), *bound as f64);
                answer = program.solve(&mut || true);
                if matches!(answer, LpOutcome::Infeasible(_)) {
                    break;
                }
            }
            let expected = has_solution(rows.clone(), unknowns);
            assert_eq!(answer == LpOutcome::Feasible, expected, "seed {seed}: {rows:?}");
            seen[usize::from(expected)] += 1;
            if let LpOutcome::Infeasible(multipliers) = answer {
                let sum = |at: usize| -> f64 {
                    multipliers.iter().map(|&(row, by)| by * rows[row as usize].0[at] as f64).sum()
                };
                assert!((0..unknowns).all(|at| sum(at) < TOLERANCE), "seed {seed}");
                let bound: f64 = multipliers.iter().map(|&(row, by)| by * rows[row as usize].1 as f64).sum();
                assert!(bound > TOLERANCE, "seed {seed}");
            }
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}

//! Systems of linear inequalities in floating point, and fractions near its numbers.
//!
//! A [`System`] grows row by row, `factors * unknowns >= least` over unknowns that are at least 0, and tells after each
//! row whether it still has a solution. Why not a general solver: rows come one at a time and only where the last
//! solution breaks them, so what is solved stays small and the last basis is nearly right; and when there is no
//! solution, the multipliers of the rows that say so are wanted, to be checked in integers by whoever needs a proof.
//!
//! It is the dual simplex algorithm (Lemke 1954) with an explicit inverse of the basis. The unknowns have arbitrary
//! costs above 0: so the empty system starts with an optimal basis, each new row keeps it dual feasible, and different
//! costs keep it from standing still. A row leaves by its violation against the length of its row of the inverse
//! (steepest edge). When no unknown can enter, that row of the inverse has the multipliers.
//!
//! Invariants: (1) the reduced costs are not negative; (2) each basic slack or unknown has the value that the rows
//! give it, up to a small difference; where rounding has spoilt that, the inverse is calculated again. An answer is a guess
//! all the same.
//! Cost: a step, the square of the number of rows and the entries of the rows that it touches.
//! Test: below, against elimination in small systems.

use std::collections::HashMap;

/// Differences below this are none.
const NEAR: f64 = 1e-7;
/// Steps after which the values are compared with the rows.
const STEPS_BETWEEN_LOOKS: usize = 50;

/// What is known of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It has a solution.
    Solution,
    /// It has none: the sum of its rows with these multipliers, which are above 0, has no factor above 0 but must be.
    None(Vec<(u32, f64)>),
    /// There was not time enough.
    Open,
}

/// A variable of the simplex algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Unknown(usize),
    /// What a row has too much.
    Slack(usize),
}

/// Inequalities over unknowns that are at least 0. Unknowns have numbers; those in no row are 0.
#[derive(Clone, Debug, Default)]
pub struct System {
    column_of: HashMap<u32, usize>,
    names: Vec<u32>,
    columns: Vec<Vec<(u32, f64)>>,
    rows: Vec<Vec<(u32, f64)>>,
    least: Vec<f64>,
    /// Reduced costs of the unknowns and of the slacks.
    reduced: [Vec<f64>; 2],
    /// The basic variable of each row, and where a variable is basic.
    basis: Vec<Variable>,
    basic_at: [Vec<Option<u32>>; 2],
    /// The inverse of the matrix of the basic columns; a slack's column is -1 in its row.
    inverse: Vec<Vec<f64>>,
    /// The values of the basic variables.
    values: Vec<f64>,
    steps: usize,
}

/// The cost of an unknown: any number, but different ones.
fn cost(name: u32) -> f64 {
    1.0 + (f64::from(name) * 0.618_033_988_749_895).fract()
}

fn split(variable: Variable) -> (usize, usize) {
    match variable {
        Variable::Unknown(at) => (0, at),
        Variable::Slack(at) => (1, at),
    }
}

impl System {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many steps the simplex algorithm has made.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Adds a row: the sum of the factors times the unknowns is at least `least`.
    pub fn push(&mut self, terms: impl Iterator<Item = (u32, f64)>, least: f64) {
        let row = self.rows.len();
        let terms: Vec<(u32, f64)> = terms
            .map(|(name, factor)| {
                let column = self.column(name);
                self.columns[column].push((row as u32, factor));
                (column as u32, factor)
            })
            .collect();
        let mut inverse = vec![0.0; row + 1];
        let mut value = -least;
        for &(column, factor) in &terms {
            if let Some(at) = self.basic_at[0][column as usize] {
                value += factor * self.values[at as usize];
                add(&mut inverse, factor, &self.inverse[at as usize]);
            }
        }
        inverse[row] = -1.0;
        self.inverse.iter_mut().for_each(|row| row.push(0.0));
        self.inverse.push(inverse);
        self.values.push(value);
        self.rows.push(terms);
        self.least.push(least);
        self.basis.push(Variable::Slack(row));
        self.basic_at[1].push(Some(row as u32));
        self.reduced[1].push(0.0);
    }

    fn column(&mut self, name: u32) -> usize {
        let next = self.columns.len();
        let column = *self.column_of.entry(name).or_insert(next);
        if column == next {
            self.names.push(name);
            self.columns.push(Vec::new());
            self.reduced[0].push(cost(name));
            self.basic_at[0].push(None);
        }
        column
    }

    /// The unknowns that are not 0 in the solution that was found.
    pub fn solution(&self) -> impl Iterator<Item = (u32, f64)> {
        self.basis.iter().zip(&self.values).filter_map(|(&variable, &value)| match variable {
            Variable::Unknown(column) if value > NEAR => Some((self.names[column], value)),
            _ => None,
        })
    }

    /// Looks for a solution, as long as `go_on` says so; it is asked before each step.
    pub fn solve(&mut self, go_on: &mut impl FnMut() -> bool) -> Answer {
        let mut fresh = false;
        while go_on() {
            if self.steps % STEPS_BETWEEN_LOOKS == STEPS_BETWEEN_LOOKS - 1 && !fresh && !self.is_exact() {
                // Invariant 2.
                if !self.refresh() {
                    return Answer::Open;
                }
                fresh = true;
            }
            let Some(leaving) = self.leaving() else {
                if fresh || self.is_exact() {
                    return Answer::Solution;
                }
                if !self.refresh() {
                    return Answer::Open;
                }
                fresh = true;
                continue;
            };
            let (unknowns, slacks) = self.pivot_row(leaving);
            let Some((entering, factor)) = self.entering(&unknowns, &slacks) else {
                let multipliers = self.inverse[leaving].iter().enumerate();
                let above = multipliers.map(|(row, value)| (row as u32, -value)).filter(|m| m.1 > 1e-9);
                return Answer::None(above.collect());
            };
            self.steps += 1;
            fresh = false;
            if !self.step(leaving, entering, factor, [&unknowns, &slacks]) && !self.refresh() {
                return Answer::Open;
            }
        }
        Answer::Open
    }

    /// The row whose basic variable is below 0 the most, against the length of its row of the inverse.
    fn leaving(&self) -> Option<usize> {
        let weight = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>();
        let score = |(at, value): (usize, &f64)| (value * value / weight(&self.inverse[at]).max(NEAR), at);
        let below = self.values.iter().enumerate().filter(|(_, value)| **value < -NEAR);
        below.map(score).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }

    /// The row of the tableau: the factors of the unknowns and of the slacks.
    fn pivot_row(&self, at: usize) -> (Vec<f64>, Vec<f64>) {
        let inverse = &self.inverse[at];
        let mut unknowns = vec![0.0; self.columns.len()];
        for (row, &multiplier) in inverse.iter().enumerate().filter(|e| e.1.abs() > 1e-12) {
            for &(column, factor) in &self.rows[row] {
                unknowns[column as usize] += multiplier * factor;
            }
        }
        (unknowns, inverse.iter().map(|v| -v).collect())
    }

    /// The variable that keeps the reduced costs above 0 when the leaving one grows to 0, and its factor.
    fn entering(&self, unknowns: &[f64], slacks: &[f64]) -> Option<(Variable, f64)> {
        let mut best: Option<(f64, f64, Variable)> = None;
        let sides = [unknowns, slacks];
        for (side, factors) in sides.into_iter().enumerate() {
            let candidates = factors.iter().enumerate();
            for (at, &factor) in candidates.filter(|&(at, f)| *f < -NEAR && self.basic_at[side][at].is_none())
            {
                let ratio = self.reduced[side][at] / -factor;
                let better =
                    best.is_none_or(|(r, f, _)| ratio < r - 1e-9 || (ratio < r + 1e-9 && factor < f));
                if better {
                    let variable = if side == 0 { Variable::Unknown(at) } else { Variable::Slack(at) };
                    best = Some((ratio, factor, variable));
                }
            }
        }
        best.map(|(_, factor, variable)| (variable, factor))
    }

    /// Exchanges two variables; whether the pivot was as expected.
    fn step(&mut self, leaving: usize, entering: Variable, factor: f64, row: [&[f64]; 2]) -> bool {
        let column = self.tableau_column(entering);
        let pivot = column[leaving];
        if pivot.abs() < NEAR || (pivot - factor).abs() > 1e-5 * (1.0 + factor.abs()) {
            return false;
        }
        let (side, at) = split(entering);
        let dual = self.reduced[side][at] / factor;
        for (side, factors) in row.into_iter().enumerate() {
            for (at, &factor) in factors.iter().enumerate().filter(|e| *e.1 != 0.0) {
                if self.basic_at[side][at].is_none() {
                    // Invariant 1, which rounding must not break.
                    self.reduced[side][at] = (self.reduced[side][at] - dual * factor).max(0.0);
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
        let mut row = std::mem::take(&mut self.inverse[leaving]);
        row.iter_mut().for_each(|v| *v /= pivot);
        for (at, &by) in column.iter().enumerate() {
            if at != leaving && by.abs() > 1e-12 {
                self.values[at] -= primal * by;
                add(&mut self.inverse[at], -by, &row);
            }
        }
        self.values[leaving] = primal;
        self.inverse[leaving] = row;
        true
    }

    /// The inverse times the column of a variable.
    fn tableau_column(&self, variable: Variable) -> Vec<f64> {
        match variable {
            Variable::Slack(at) => self.inverse.iter().map(|row| -row[at]).collect(),
            Variable::Unknown(at) => {
                let entries = &self.columns[at];
                let product = |row: &Vec<f64>| entries.iter().map(|&(r, f)| row[r as usize] * f).sum();
                self.inverse.iter().map(product).collect()
            }
        }
    }

    /// Whether the values solve the equations.
    fn is_exact(&self) -> bool {
        let value = |side: usize, at: usize| self.basic_at[side][at].map_or(0.0, |b| self.values[b as usize]);
        self.rows.iter().enumerate().all(|(at, row)| {
            let (mut sum, mut size) = (-self.least[at] - value(1, at), 1.0 + self.least[at].abs());
            for &(column, factor) in row {
                let part = factor * value(0, column as usize);
                sum += part;
                size += part.abs();
            }
            sum.abs() < NEAR * size
        })
    }

    /// Calculates inverse, values and reduced costs again from the basis; false when it cannot be inverted.
    fn refresh(&mut self) -> bool {
        let size = self.rows.len();
        let mut left = vec![vec![0.0; size]; size];
        for (at, &variable) in self.basis.iter().enumerate() {
            match variable {
                Variable::Slack(row) => left[row][at] = -1.0,
                Variable::Unknown(column) => {
                    self.columns[column].iter().for_each(|&(row, factor)| left[row as usize][at] = factor)
                }
            }
        }
        let Some(inverse) = inverted(left) else { return false };
        self.inverse = inverse;
        let product = |row: &Vec<f64>| row.iter().zip(&self.least).map(|(a, b)| a * b).sum();
        self.values = self.inverse.iter().map(product).collect();
        let mut duals = vec![0.0; size];
        for (at, &variable) in self.basis.iter().enumerate() {
            if let Variable::Unknown(column) = variable {
                add(&mut duals, cost(self.names[column]), &self.inverse[at]);
            }
        }
        for (column, entries) in self.columns.iter().enumerate() {
            let paid: f64 = entries.iter().map(|&(row, factor)| factor * duals[row as usize]).sum();
            let free = self.basic_at[0][column].is_none();
            self.reduced[0][column] = if free { (cost(self.names[column]) - paid).max(0.0) } else { 0.0 };
        }
        for (row, &dual) in duals.iter().enumerate() {
            self.reduced[1][row] = if self.basic_at[1][row].is_none() { dual.max(0.0) } else { 0.0 };
        }
        true
    }
}

/// Adds a multiple of a row to the front of another.
fn add(to: &mut [f64], by: f64, row: &[f64]) {
    to.iter_mut().zip(row).for_each(|(to, from)| *to += by * from);
}

/// The inverse of a matrix, by Gauss and Jordan.
fn inverted(mut left: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = left.len();
    let mut right: Vec<Vec<f64>> = (0..size).map(|_| vec![0.0; size]).collect();
    (0..size).for_each(|at| right[at][at] = 1.0);
    for at in 0..size {
        let best = (at..size).max_by(|&a, &b| left[a][at].abs().total_cmp(&left[b][at].abs()))?;
        left.swap(at, best);
        right.swap(at, best);
        let pivot = left[at][at];
        if pivot.abs() < 1e-9 {
            return None;
        }
        left[at].iter_mut().chain(&mut right[at]).for_each(|v| *v /= pivot);
        let (own_left, own_right) = (std::mem::take(&mut left[at]), std::mem::take(&mut right[at]));
        for row in (0..size).filter(|&row| row != at) {
            let by = left[row][at];
            if by != 0.0 {
                add(&mut left[row], -by, &own_left);
                add(&mut right[row], -by, &own_right);
            }
        }
        (left[at], right[at]) = (own_left, own_right);
    }
    Some(right)
}

/// The fraction nearest to a number among those that its continued fraction gives with a denominator of at most
/// `most`.
pub fn fraction(number: f64, most: i64) -> Option<(i64, i64)> {
    /// Nearer than this is equal.
    const NEAR: f64 = 1e-9;
    if number.is_nan() || number.abs() > 1e15 {
        return None;
    }
    let (mut before, mut now) = ((1i64, 0i64), (number.floor() as i64, 1i64));
    let mut rest = number - number.floor();
    while rest > NEAR && (number - now.0 as f64 / now.1 as f64).abs() > NEAR {
        let inverse = 1.0 / rest;
        let digit = inverse.floor() as i64;
        let next = |now: i64, before: i64| digit.checked_mul(now)?.checked_add(before);
        let (up, down) = (next(now.0, before.0)?, next(now.1, before.1)?);
        if down > most {
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
    fn fractions_are_found_again() {
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
    fn rows_are_added_until_there_is_no_solution() {
        let mut system = System::default();
        assert_eq!(system.solve(&mut || true), Answer::Solution);
        // x - y >= 1, y >= 2, -x >= -2.
        system.push([(7, 1.0), (3, -1.0)].into_iter(), 1.0);
        assert_eq!(system.solve(&mut || true), Answer::Solution);
        system.push([(3, 1.0)].into_iter(), 2.0);
        assert_eq!(system.solve(&mut || true), Answer::Solution);
        let found: HashMap<u32, f64> = system.solution().collect();
        assert!((found[&7] - 3.0).abs() < NEAR && (found[&3] - 2.0).abs() < NEAR, "{found:?}");
        assert_eq!(system.clone().solve(&mut || false), Answer::Open);
        system.push([(7, -1.0)].into_iter(), -2.0);
        let Answer::None(multipliers) = system.solve(&mut || true) else { panic!("a contradiction") };
        assert_eq!(multipliers.iter().map(|m| m.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(multipliers.iter().all(|m| (m.1 - multipliers[0].1).abs() < NEAR));
    }

    /// Whether the inequalities have a solution, by Fourier and Motzkin's elimination.
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
    fn small_systems_are_decided() {
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
            let mut system = System::default();
            let mut answer = Answer::Solution;
            for (factors, least) in &rows {
                let terms = factors.iter().enumerate().filter(|e| *e.1 != 0);
                system.push(terms.map(|(at, &f)| (at as u32, f as f64)), *least as f64);
                answer = system.solve(&mut || true);
                if matches!(answer, Answer::None(_)) {
                    break;
                }
            }
            let expected = has_solution(rows.clone(), unknowns);
            assert_eq!(answer == Answer::Solution, expected, "seed {seed}: {rows:?}");
            seen[usize::from(expected)] += 1;
            if let Answer::None(multipliers) = answer {
                let sum = |at: usize| -> f64 {
                    multipliers.iter().map(|&(row, by)| by * rows[row as usize].0[at] as f64).sum()
                };
                assert!((0..unknowns).all(|at| sum(at) < NEAR), "seed {seed}");
                let least: f64 = multipliers.iter().map(|&(row, by)| by * rows[row as usize].1 as f64).sum();
                assert!(least > NEAR, "seed {seed}");
            }
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}

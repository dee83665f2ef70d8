//! Positive weights whose sums are 0, or not negative: conservative, consistent, structurally bounded and repetitive nets.
//!
//! What: whether some `x > 0` has `A x = 0`, or `A x >= 0`. With the incidence matrix `C`, firing counts `x > 0` with `C x = 0`
//! make the net *consistent* and with `C x >= 0` *repetitive*; weights of places `y > 0` with `y C = 0` make it *conservative*
//! and with `y C <= 0` *structurally bounded*. Otherwise a sum of the lines of `A`, with factors of any sign or not
//! negative, has no coefficient above 0 and some below (Stiemke, Farkas); then the unknowns with a coefficient below 0 are 0
//! in every `x >= 0` with such sums.
//! Source: Murata, "Petri nets: properties, analysis and applications" (1989), section VIII and table 5.
//! Why: coverage by semiflows tells the same where all of them are found; linear programs tell it where they are too many.
//!
//! Lines are added to the program as solutions break them. Both answers are checked in integers, so rounding errors
//! only make the answer `None`. Cost: the deadline, and at most `MAX_LINES` lines. Test: below, against semiflows.

use std::{collections::HashMap, time::Instant};

use fireset_kernel::lp::{LinearProgram, LpOutcome};

use crate::{
    SparseVector,
    state_equation::constraint::{FiringConstraint, contradict, integers, summed},
};

const MAX_LINES: usize = 8_000;
/// Lines that are added for one solution, or this part of those that are there.
const LINES_PER_SOLUTION: usize = 40;
const LINES_PART: usize = 8;
/// Differences below this are rounding errors.
const NEAR: f64 = 1e-6;

/// What the sum of each line must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSum {
    /// Terms above and below 0 cancel out.
    Zero,
    /// The sum is 0 or more.
    NotNegative,
}

/// Whether there are positive numbers with the sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositiveVector {
    /// There are, and these are some.
    Exists(Vec<i128>),
    /// There are not: these unknowns, at least one, are 0 in all numbers with the sums that are not negative.
    Refuted(Vec<u32>),
}

/// Searches for a positive vector; `None` at the deadline, or where numbers do not fit.
pub fn positive_vector(
    lines: &[SparseVector],
    unknowns: usize,
    sum: LineSum,
    deadline: Option<Instant>,
) -> Option<PositiveVector> {
    let constraints = constraints(lines, sum)?;
    let mut is_there = vec![false; constraints.len()];
    let mut pushed: Vec<usize> = Vec::new();
    let mut system = LinearProgram::default();
    let mut beyond_one: HashMap<u32, f64> = HashMap::new();
    loop {
        let mut broken = broken(&constraints, &is_there, &beyond_one);
        if broken.is_empty() {
            return exact(&constraints, unknowns, &beyond_one).map(PositiveVector::Exists);
        }
        broken.truncate(LINES_PER_SOLUTION.max(pushed.len() / LINES_PART));
        for at in broken {
            is_there[at] = true;
            pushed.push(at);
            let FiringConstraint { terms, least } = &constraints[at];
            system.push(terms.iter().map(|&(unknown, factor)| (unknown, factor as f64)), *least as f64);
        }
        if pushed.len() > MAX_LINES {
            return None;
        }
        match system.solve(&mut || deadline.is_none_or(|deadline| Instant::now() < deadline)) {
            LpOutcome::Interrupted => return None,
            LpOutcome::Feasible => beyond_one = system.solution().collect(),
            LpOutcome::Infeasible(multipliers) => {
                return refuted(|at| &constraints[pushed[at as usize]], &integers(&multipliers)?);
            }
        }
    }
}

/// The sums as constraints on how much the unknowns exceed 1: positive numbers can be scaled to be at least 1.
fn constraints(lines: &[SparseVector], sum: LineSum) -> Option<Vec<FiringConstraint>> {
    let constraint = |line: &SparseVector, sign: i128| {
        let terms: Vec<(u32, i128)> =
            line.iter().map(|&(at, factor)| (at, sign * i128::from(factor))).collect();
        let of_ones = terms.iter().try_fold(0i128, |sum, term| sum.checked_add(term.1))?;
        Some(FiringConstraint { terms, least: of_ones.checked_neg()? })
    };
    let signs: &[i128] = if sum == LineSum::Zero { &[1, -1] } else { &[1] };
    lines.iter().flat_map(|line| signs.iter().map(move |&sign| constraint(line, sign))).collect()
}

/// The constraints that a solution breaks and that are not in the program yet, the most broken first.
fn broken(constraints: &[FiringConstraint], is_there: &[bool], solution: &HashMap<u32, f64>) -> Vec<usize> {
    let value = |constraint: &FiringConstraint| {
        let term = |&(at, factor): &(u32, i128)| solution.get(&at).map_or(0.0, |value| factor as f64 * value);
        constraint.terms.iter().map(term).sum::<f64>() - constraint.least as f64
    };
    let open = (0..constraints.len()).filter(|&at| !is_there[at]).map(|at| (at, value(&constraints[at])));
    let mut broken: Vec<(usize, f64)> = open.filter(|(_, value)| *value < -NEAR).collect();
    broken.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    broken.into_iter().map(|(at, _)| at).collect()
}

/// The solution in integers, if it meets all constraints exactly.
fn exact(
    constraints: &[FiringConstraint],
    unknowns: usize,
    beyond_one: &HashMap<u32, f64>,
) -> Option<Vec<i128>> {
    let value = |at: u32| (at, 1.0 + beyond_one.get(&at).copied().unwrap_or(0.0));
    let numbers: Vec<(u32, f64)> = (0..unknowns as u32).map(value).collect();
    let vector: Vec<i128> = integers(&numbers)?.into_iter().map(|(_, value)| value).collect();
    let sum = |constraint: &FiringConstraint| {
        constraint
            .terms
            .iter()
            .try_fold(0i128, |sum, &(at, factor)| sum.checked_add(factor.checked_mul(vector[at as usize])?))
    };
    let is_exact = constraints.iter().all(|constraint| sum(constraint).is_some_and(|sum| sum >= 0));
    (is_exact && vector.iter().all(|&value| value > 0)).then_some(vector)
}

fn refuted<'a>(
    constraint: impl Fn(u32) -> &'a FiringConstraint + Copy,
    multipliers: &[(u32, i128)],
) -> Option<PositiveVector> {
    if !contradict(constraint, multipliers) {
        return None;
    }
    let (factors, _) = summed(constraint, multipliers)?;
    let mut zero: Vec<u32> =
        factors.into_iter().filter(|(_, factor)| *factor < 0).map(|(at, _)| at).collect();
    zero.sort_unstable();
    Some(PositiveVector::Refuted(zero))
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::semiflows::{FarkasLimits, semi_positive, transposed};

    /// The unknowns of some solution without negative entries; those of inequalities have slacks behind them.
    fn covered(lines: &[SparseVector], unknowns: usize, sum: LineSum) -> Vec<bool> {
        let mut rows = transposed(lines, unknowns);
        if sum == LineSum::NotNegative {
            rows.extend((0..lines.len() as u32).map(|line| vec![(line, -1)]));
        }
        let limits = FarkasLimits { rows: usize::MAX, work: usize::MAX, deadline: None };
        let found = semi_positive(&rows, lines.len() as u32, limits);
        assert!(!found.is_cut_off && !found.is_lossy);
        let is_covered = |at: u32| found.vectors.iter().flatten().any(|entry| entry.0 == at);
        (0..unknowns as u32).map(is_covered).collect()
    }

    #[test]
    fn answers_are_those_of_the_semiflows() {
        let (mut exist, mut refuted) = (0, 0);
        for seed in 0..2_000 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 6, transitions: 6, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
            let by_place = net.incidence().unwrap();
            let by_transition = transposed(&by_place, transitions);
            let negated = |line: &SparseVector| line.iter().map(|&(at, value)| (at, -value)).collect();
            let falling: Vec<SparseVector> = by_transition.iter().map(negated).collect();
            for (lines, unknowns, sum) in [
                (&by_place, transitions, LineSum::Zero),
                (&by_place, transitions, LineSum::NotNegative),
                (&by_transition, places, LineSum::Zero),
                (&falling, places, LineSum::NotNegative),
            ] {
                let covered = covered(lines, unknowns, sum);
                match positive_vector(lines, unknowns, sum, None).expect("small numbers") {
                    PositiveVector::Exists(_) => {
                        exist += 1;
                        assert!(covered.iter().all(|&covered| covered), "seed {seed}: {net:?}");
                    }
                    PositiveVector::Refuted(zero) => {
                        refuted += 1;
                        assert!(!zero.is_empty());
                        assert!(zero.iter().all(|&at| !covered[at as usize]), "seed {seed}: {net:?}");
                    }
                }
            }
        }
        assert!(exist > 500 && refuted > 500, "{exist} {refuted}");
    }
}

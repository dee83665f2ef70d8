//! Linear programs in floating point, and fractions near its numbers.
//!
//! What comes out is a guess: whoever needs a proof turns it into fractions and checks them.

use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem};

/// Minimises `objective` over points that are at least `least` and on which no row is positive. `None` when there is
/// no best point or the time is not enough.
pub fn minimize(
    objective: &[f64],
    least: &[f64],
    rows: &[Vec<(u32, f64)>],
    time: Duration,
) -> Option<Vec<f64>> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    problem.set_time_limit(time);
    let variables: Vec<_> =
        objective.iter().zip(least).map(|(&o, &l)| problem.add_var(o, (l, f64::INFINITY))).collect();
    for row in rows {
        let terms: Vec<_> = row.iter().map(|&(at, factor)| (variables[at as usize], factor)).collect();
        problem.add_constraint(&terms, ComparisonOp::Le, 0.0);
    }
    let solution = problem.solve().ok()?.into_solution().ok()?;
    Some(variables.into_iter().map(|variable| solution.var_value(variable)).collect())
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
    fn a_small_program() {
        // At least 1 of the first, at most as much as half of the second.
        let rows = [vec![(0, 2.0), (1, -1.0)]];
        let best = minimize(&[0.0, 3.0], &[1.0, 0.0], &rows, Duration::from_secs(1)).unwrap();
        assert!((best[1] - 2.0).abs() < 1e-6, "{best:?}");
        let endless = minimize(&[-1.0], &[0.0], &[], Duration::from_secs(1));
        assert_eq!(endless, None);
    }
}

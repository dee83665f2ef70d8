//! Linear constraints over firing counts in integers, and the check of a contradiction among them.
//!
//! A contradiction is a sum of constraints, with multipliers above 0, that has no factor above 0 and yet must be above 0: no
//! firing counts, which are not negative, satisfy all of them (Farkas). The multipliers come from floating
//! point; here they are made integers and the sum is calculated. Numbers that do not fit prove nothing.
//! Cost: linear in the entries. Test: below, and `tests.rs`.

use std::collections::HashMap;

use fireset_kernel::lp;

use crate::gcd;

/// The largest denominator of a multiplier.
const MAX_DENOMINATOR: i64 = 1_000_000;

/// The sum of factors times firing counts is at least a number. Columns ascend, and there are no zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FiringConstraint {
    /// Columns and their factors.
    pub terms: Vec<(u32, i128)>,
    /// The number that the sum is not below.
    pub least: i128,
}

impl FiringConstraint {
    /// The same solutions in integers: divided by the common divisor of the factors, and the number rounded up.
    pub(crate) fn strengthened(mut self) -> Self {
        let divisor = self.terms.iter().fold(0, |d, term| gcd(d, term.1.unsigned_abs()));
        let Some(divisor) = i128::try_from(divisor).ok().filter(|&d| d > 1) else { return self };
        self.terms.iter_mut().for_each(|term| term.1 /= divisor);
        self.least = self.least.div_euclid(divisor) + i128::from(self.least.rem_euclid(divisor) != 0);
        self
    }

    /// The complement among integral counts; `None` when a number does not fit.
    pub fn negated(&self) -> Option<Self> {
        let terms = self.terms.iter().map(|&(column, factor)| Some((column, factor.checked_neg()?)));
        Some(Self { terms: terms.collect::<Option<_>>()?, least: 1i128.checked_sub(self.least)? })
    }
}

/// Whether the constraints, each as often as its multiplier says, contradict each other.
pub(crate) fn contradict<'a>(
    constraint: impl Fn(u32) -> &'a FiringConstraint,
    multipliers: &[(u32, i128)],
) -> bool {
    summed(constraint, multipliers)
        .is_some_and(|(factors, least)| least > 0 && factors.values().all(|&f| f <= 0))
}

/// The sum of the constraints; `None` where a number does not fit or a multiplier is negative.
pub(crate) fn summed<'a>(
    constraint: impl Fn(u32) -> &'a FiringConstraint,
    multipliers: &[(u32, i128)],
) -> Option<(HashMap<u32, i128>, i128)> {
    let (mut factors, mut least) = (HashMap::new(), 0i128);
    for &(at, by) in multipliers {
        if by < 0 {
            return None;
        }
        let constraint = constraint(at);
        for &(column, factor) in &constraint.terms {
            let sum: &mut i128 = factors.entry(column).or_default();
            *sum = sum.checked_add(factor.checked_mul(by)?)?;
        }
        least = least.checked_add(constraint.least.checked_mul(by)?)?;
    }
    Some((factors, least))
}

/// Numbers as integers in the same proportion; `None` where one is not near a fraction or does not fit.
pub(crate) fn integers(numbers: &[(u32, f64)]) -> Option<Vec<(u32, i128)>> {
    let fractions: Vec<(u32, (i64, i64))> = numbers
        .iter()
        .map(|&(at, number)| Some((at, lp::fraction(number, MAX_DENOMINATOR)?)))
        .collect::<Option<_>>()?;
    let common = fractions.iter().try_fold(1i128, |common, &(_, (_, down))| {
        let down = i128::from(down);
        let divisor = gcd(common.unsigned_abs(), down.unsigned_abs()) as i128;
        common.checked_mul(down / divisor)
    })?;
    let scaled = |&(at, (up, down)): &(u32, (i64, i64))| {
        Some((at, i128::from(up).checked_mul(common / i128::from(down))?))
    };
    fractions.iter().map(scaled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falsified_contradictions_are_refused() {
        // x - y >= 1, 2y >= 3, -x >= -2: from the first and the third, y <= 1.
        let row = |terms: &[(u32, i128)], least| FiringConstraint { terms: terms.to_vec(), least };
        let rows = [row(&[(0, 1), (1, -1)], 1), row(&[(1, 2)], 3), row(&[(0, -1)], -2)];
        let check = |multipliers: &[(u32, i128)]| contradict(|at| &rows[at as usize], multipliers);
        assert!(check(&[(0, 2), (1, 1), (2, 2)]));
        assert!(!check(&[(0, 2), (1, 1), (2, 1)]), "x is left");
        assert!(!check(&[(0, 2), (1, 2), (2, 2)]), "y is left");
        assert!(!check(&[(0, 1), (2, 1)]), "no contradiction");
        assert!(!check(&[(0, 2), (1, 1), (2, 3)]), "too much of the last");
        assert!(!check(&[(0, -2), (1, -1), (2, -2)]), "negative");
        assert!(!check(&[]));
        assert!(!check(&[(0, i128::MAX), (1, i128::MAX / 2), (2, i128::MAX)]), "does not fit");
    }

    #[test]
    fn integers_keep_the_proportion() {
        assert_eq!(integers(&[(4, 0.5), (9, 1.0 / 3.0)]), Some(vec![(4, 3), (9, 2)]));
        assert_eq!(integers(&[(4, f64::NAN)]), None);
    }

    #[test]
    fn numbers_are_rounded_up() {
        let row = FiringConstraint { terms: vec![(0, 4), (2, -6)], least: -3 };
        assert_eq!(row.strengthened(), FiringConstraint { terms: vec![(0, 2), (2, -3)], least: -1 });
        let row = FiringConstraint { terms: vec![(0, 4)], least: 5 };
        assert_eq!(row.strengthened(), FiringConstraint { terms: vec![(0, 1)], least: 2 });
    }
}

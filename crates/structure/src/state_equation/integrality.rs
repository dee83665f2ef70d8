//! Firing counts of floating-point solutions as integers.

use super::{constraint::FiringConstraint, region::FiringCounts};

/// Counts past this are not taken for integers: floating point does not have them all.
const MAX_COUNT: f64 = 1e12;

/// That the count which is nearest to an integer, among those that are none, is that integer or beyond it.
pub(super) fn nearest_integer(counts: &[(u32, f64)]) -> Option<FiringConstraint> {
    let fractions = counts.iter().filter(|count| is_fraction(count.1));
    let away = |count: f64| (count - count.round()).abs();
    let nearest = fractions.min_by(|a, b| away(a.1).total_cmp(&away(b.1)).then(a.0.cmp(&b.0)));
    let &(column, count) = nearest?;
    let integer = count.round() as i128;
    Some(if count.round() > count {
        FiringConstraint { terms: vec![(column, 1)], least: integer }
    } else {
        FiringConstraint { terms: vec![(column, -1)], least: -integer }
    })
}

pub(super) fn is_fraction(number: f64) -> bool {
    (number - number.round()).abs() > 1e-4
}

/// The counts as integers; `None` where one is a fraction, or too large.
pub(super) fn integral_counts(counts: &[(u32, f64)]) -> Option<FiringCounts> {
    let integer = |&(column, count): &(u32, f64)| {
        let fits = !is_fraction(count) && (0.0..MAX_COUNT).contains(&count.round());
        fits.then(|| (column, count.round() as u64))
    };
    let mut found: FiringCounts = counts.iter().map(integer).collect::<Option<_>>()?;
    found.retain(|count| count.1 > 0);
    found.sort_unstable();
    Some(found)
}

//! A heuristic distance from a marking to a state predicate: about how many tokens are in the wrong place.
//!
//! The distance is zero exactly where the predicate holds, adds up over conjunctions and takes the minimum of
//! alternatives; only the order in which states are visited depends on it. A deadlock is counted as one
//! step away, since counting the enabled transitions costs more than it helps.

use fireset_net::{Comparison, Expr, Formula, Net, PlaceId, TransitionId};

/// The distance of an unreachable predicate, far from overflow when added up.
pub(crate) const FAR: u64 = 1 << 40;

/// Whether any transition is enabled in a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    Enabled,
    Deadlock,
}

/// The distance to where `formula` has the value `want`.
pub(crate) fn distance(
    net: &Net,
    formula: &Formula,
    want: bool,
    tokens: &impl Fn(PlaceId) -> u64,
    activity: Activity,
) -> u64 {
    let to = |f: &Formula, want: bool| distance(net, f, want, tokens, activity);
    let sum = |fs: &[Formula]| fs.iter().fold(0, |sum: u64, f| sum.saturating_add(to(f, want)).min(FAR));
    let least = |fs: &[Formula]| fs.iter().map(|f| to(f, want)).min().unwrap_or(FAR);
    match formula {
        Formula::Constant(value) => {
            if *value == want {
                0
            } else {
                FAR
            }
        }
        Formula::Deadlock => u64::from((activity == Activity::Deadlock) != want),
        Formula::Fireable(ts) if want => ts.iter().map(|&t| missing(net, t, tokens)).min().unwrap_or(FAR),
        Formula::Fireable(ts) => ts.iter().filter(|&&t| missing(net, t, tokens) == 0).count() as u64,
        Formula::Compare(how, a, b) => gap(*how, a, b, want, tokens),
        Formula::Not(f) => to(f, !want),
        Formula::And(fs) => {
            if want {
                sum(fs)
            } else {
                least(fs)
            }
        }
        Formula::Or(fs) => {
            if want {
                least(fs)
            } else {
                sum(fs)
            }
        }
        Formula::Iff(f, g) => {
            let both = |a: bool, b: bool| to(f, a).saturating_add(to(g, b)).min(FAR);
            both(true, want).min(both(false, !want))
        }
        _ => panic!("only state predicates have a distance"),
    }
}

/// The number of tokens that a transition lacks, or that block it.
pub(crate) fn missing(net: &Net, t: TransitionId, tokens: &impl Fn(PlaceId) -> u64) -> u64 {
    let lacks = net.pre(t).iter().map(|a| a.weight.saturating_sub(tokens(a.place)));
    let blocks = net.inhibitors(t).iter().map(|a| match a.weight {
        0 => FAR,
        limit => tokens(a.place).saturating_sub(limit - 1),
    });
    lacks.chain(blocks).fold(0, |sum: u64, n| sum.saturating_add(n).min(FAR))
}

/// The distance of two expressions from where a comparison has the value `want`.
pub(crate) fn gap(how: Comparison, a: &Expr, b: &Expr, want: bool, tokens: &impl Fn(PlaceId) -> u64) -> u64 {
    let count = |p: PlaceId| u128::from(tokens(p));
    match (a.small_value(&count), b.small_value(&count)) {
        (Some(a), Some(b)) => gap_between(how, a, b, want),
        // Numbers too large for a difference still have distance zero exactly where the comparison holds.
        _ if a.compare(how, b, &count) == want => 0,
        _ => FAR,
    }
}

/// The distance of two numbers from where a comparison has the value `want`.
pub(crate) fn gap_between(how: Comparison, a: i128, b: i128, want: bool) -> u64 {
    let above = |by: i128| u64::try_from(by.max(0)).unwrap_or(FAR).min(FAR);
    let less_equal = |a: i128, b: i128| above(a.saturating_sub(b));
    let less = |a: i128, b: i128| above(a.saturating_sub(b).saturating_add(1));
    match (how, want) {
        (Comparison::Less, true) | (Comparison::GreaterEqual, false) => less(a, b),
        (Comparison::LessEqual, true) | (Comparison::Greater, false) => less_equal(a, b),
        (Comparison::Greater, true) | (Comparison::LessEqual, false) => less(b, a),
        (Comparison::GreaterEqual, true) | (Comparison::Less, false) => less_equal(b, a),
        (Comparison::Equal, true) | (Comparison::NotEqual, false) => less_equal(a, b).max(less_equal(b, a)),
        (Comparison::NotEqual, true) | (Comparison::Equal, false) => u64::from(a == b),
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Semantics, replay};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    /// Zero is the distance exactly where the predicate holds.
    #[test]
    fn zero_means_there() {
        for seed in 0..2_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if random.percent(30) { 50 } else { 0 };
            let net = random::net(&mut random, &NetShape { inhibitors, ..NetShape::default() });
            let predicate = random::predicate(&mut random, net.nodes(), 3);
            let marking = net.initial_marking();
            let stuck = net.steps(marking).is_empty();
            let activity = if stuck { Activity::Deadlock } else { Activity::Enabled };
            let far = distance(&net, &predicate, true, &|p| marking.tokens(p), activity);
            assert_eq!(far == 0, replay::holds_in(&net, marking, &predicate), "seed {seed}: {predicate:?}");
        }
    }
}

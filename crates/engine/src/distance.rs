//! A heuristic distance from a marking to a state predicate: about how many tokens are in the wrong place.
//!
//! The distance is zero exactly where the predicate holds, adds up over conjunctions and takes the minimum of
//! alternatives; only the order in which states are visited depends on it. A deadlock is counted as one
//! step away, since counting the enabled transitions costs more than it helps; so are bindings of a coloured net, here and where
//! they are enabled.

use fireset_net::{BoolTree, Comparison, Expr, Net, PlaceId, TokenCounts, TransitionId};

use crate::search::{Predicate, PredicateAtom, sum};

/// The distance of an unreachable predicate, far from overflow when added up.
pub(crate) const FAR: u64 = 1 << 40;

/// Whether any transition is enabled in a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    Enabled,
    Deadlock,
}

/// The distance to where `predicate` has the value `want`.
pub(crate) fn distance(
    net: &Net,
    predicate: &Predicate,
    want: bool,
    counts: &impl TokenCounts,
    activity: Activity,
) -> u64 {
    let tokens = &|place: PlaceId| u64::try_from(counts.tokens(place)).unwrap_or(u64::MAX);
    tree_distance(predicate, want, &|atom: &PredicateAtom, want| match atom {
        PredicateAtom::Deadlock => u64::from((activity == Activity::Deadlock) != want),
        PredicateAtom::Fireable(ts) if want => {
            ts.iter().map(|&t| missing(net, t, tokens)).min().unwrap_or(FAR)
        }
        PredicateAtom::Fireable(ts) => ts.iter().filter(|&&t| missing(net, t, tokens) == 0).count() as u64,
        PredicateAtom::Linear(how, terms, constant) => {
            gap_between(*how, sum(terms, *constant, tokens), 0, want)
        }
        PredicateAtom::BindingFireable(_) => 1,
        PredicateAtom::Nonlinear(how, sides) => gap(*how, &sides.0, &sides.1, want, counts),
    })
}

/// The distance to where a Boolean combination has the value `want`, from those of its atoms.
pub(crate) fn tree_distance<A>(tree: &BoolTree<A>, want: bool, atom: &impl Fn(&A, bool) -> u64) -> u64 {
    let to = |tree: &BoolTree<A>, want: bool| tree_distance(tree, want, atom);
    match tree {
        BoolTree::Constant(value) if *value == want => 0,
        BoolTree::Constant(_) => FAR,
        BoolTree::Atom(leaf) => atom(leaf, want),
        BoolTree::Not(tree) => to(tree, !want),
        BoolTree::And(trees) | BoolTree::Or(trees) if matches!(tree, BoolTree::And(_)) == want => {
            trees.iter().fold(0, |sum: u64, tree| sum.saturating_add(to(tree, want)).min(FAR))
        }
        BoolTree::And(trees) | BoolTree::Or(trees) => {
            trees.iter().map(|tree| to(tree, want)).min().unwrap_or(FAR)
        }
        BoolTree::Iff(sides) => {
            let both = |a: bool, b: bool| to(&sides.0, a).saturating_add(to(&sides.1, b)).min(FAR);
            both(true, want).min(both(false, !want))
        }
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
pub(crate) fn gap(how: Comparison, a: &Expr, b: &Expr, want: bool, counts: &impl TokenCounts) -> u64 {
    match (a.small_value(counts), b.small_value(counts)) {
        (Some(a), Some(b)) => gap_between(how, a, b, want),
        // Numbers too large for a difference still have distance zero exactly where the comparison holds.
        _ if a.compare(how, b, counts) == want => 0,
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
    use crate::search::compile;

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
            let far =
                distance(&net, &compile(&predicate), true, &|p| u128::from(marking.tokens(p)), activity);
            assert_eq!(far == 0, replay::holds_in(&net, marking, &predicate), "seed {seed}: {predicate:?}");
        }
    }
}

//! Bounds on token counts that imply the value of a predicate, from a marking in which it has that value.
//!
//! A comparison is implied by bounds on each of its places, with the slack of the marking given to the first ones. Of a
//! disjunction one operand is implied, of a transition that is not enabled one place. Test: below.

use fireset_net::{BoolTree, Comparison, Net, PlaceId, TransitionId};

use super::token_bounds::{OutOfBounds, TokenBounds};
use crate::search::{Predicate, PredicateAtom, sum};

/// The most tokens that a place may gain.
const MAX_SLACK: u64 = 1 << 60;

/// Adds bounds that imply that a predicate has a value, which it has in a marking within them; the bounds may be spoilt if there are
/// none that are simple.
pub(super) fn imply(
    bounds: &mut TokenBounds,
    net: &Net,
    (predicate, value): (&Predicate, bool),
    tokens: &impl Fn(PlaceId) -> u64,
) -> Result<(), OutOfBounds> {
    let mut also = |predicate: &Predicate, value: bool| imply(bounds, net, (predicate, value), tokens);
    match predicate {
        BoolTree::Constant(constant) if *constant == value => Ok(()),
        BoolTree::Constant(_) => Err(OutOfBounds),
        BoolTree::Not(predicate) => also(predicate, !value),
        BoolTree::And(all) | BoolTree::Or(all) if matches!(predicate, BoolTree::And(_)) == value => {
            all.iter().try_for_each(|predicate| also(predicate, value))
        }
        BoolTree::And(all) | BoolTree::Or(all) => {
            let mut given = all.iter().filter(|predicate| holds(predicate, net, tokens) == Some(value));
            also(given.next().ok_or(OutOfBounds)?, value)
        }
        BoolTree::Iff(sides) => {
            let left = holds(&sides.0, net, tokens).ok_or(OutOfBounds)?;
            also(&sides.0, left)?;
            also(&sides.1, left == value)
        }
        BoolTree::Atom(PredicateAtom::Fireable(transitions)) if value => {
            let mut enabled = transitions.iter().filter(|&&t| is_enabled(net, t, tokens));
            bounds.demand_enabled(net, *enabled.next().ok_or(OutOfBounds)?)
        }
        BoolTree::Atom(PredicateAtom::Fireable(transitions)) => {
            transitions.iter().try_for_each(|&t| disable(bounds, net, t, tokens))
        }
        BoolTree::Atom(PredicateAtom::Linear(how, terms, constant)) => {
            compare(bounds, (*how, value), (terms, *constant), tokens)
        }
        BoolTree::Atom(_) => Err(OutOfBounds),
    }
}

/// The value of a predicate; `None` if it has an atom for which there are no bounds.
fn holds(predicate: &Predicate, net: &Net, tokens: &impl Fn(PlaceId) -> u64) -> Option<bool> {
    let unknown =
        |atom: &PredicateAtom| !matches!(atom, PredicateAtom::Fireable(_) | PredicateAtom::Linear(..));
    if predicate.any_atom(&unknown) {
        return None;
    }
    Some(predicate.value(&mut |atom| match atom {
        PredicateAtom::Fireable(transitions) => transitions.iter().any(|&t| is_enabled(net, t, tokens)),
        PredicateAtom::Linear(how, terms, constant) => how.holds(&sum(terms, *constant, tokens), &0),
        _ => unreachable!("there is no other atom"),
    }))
}

fn is_enabled(net: &Net, transition: TransitionId, tokens: &impl Fn(PlaceId) -> u64) -> bool {
    net.pre(transition).iter().all(|arc| tokens(arc.place) >= arc.weight)
        && net.inhibitors(transition).iter().all(|arc| tokens(arc.place) < arc.weight)
}

fn disable(
    bounds: &mut TokenBounds,
    net: &Net,
    transition: TransitionId,
    tokens: &impl Fn(PlaceId) -> u64,
) -> Result<(), OutOfBounds> {
    if let Some(arc) = net.pre(transition).iter().find(|arc| tokens(arc.place) < arc.weight) {
        return bounds.limit(arc.place, arc.weight - 1);
    }
    let blocks = net.inhibitors(transition).iter().find(|arc| tokens(arc.place) >= arc.weight);
    let arc = blocks.ok_or(OutOfBounds)?;
    bounds.demand(arc.place, arc.weight)
}

/// Implies that a sum compares with zero as it does.
fn compare(
    bounds: &mut TokenBounds,
    (how, value): (Comparison, bool),
    (terms, constant): (&[(PlaceId, i64)], i128),
    tokens: &impl Fn(PlaceId) -> u64,
) -> Result<(), OutOfBounds> {
    let sum = sum(terms, constant, tokens);
    if how.holds(&sum, &0) != value {
        return Err(OutOfBounds);
    }
    let how = if value { how } else { how.negate() };
    // The sum stays at its side of zero, and there is some slack.
    let (side, mut slack) = match how {
        Comparison::Equal => return keep(bounds, terms, tokens),
        Comparison::GreaterEqual => (1, sum),
        Comparison::LessEqual => (-1, -sum),
        Comparison::Greater | Comparison::Less | Comparison::NotEqual => (sum.signum(), sum.abs() - 1),
    };
    for &(place, factor) in terms.iter().filter(|(_, factor)| *factor != 0) {
        let (size, count) = (i128::from(factor).abs(), tokens(place));
        let room = u64::try_from(slack / size).unwrap_or(u64::MAX);
        let used = if i128::from(factor) * side > 0 {
            let used = room.min(count);
            bounds.demand(place, count - used)?;
            used
        } else {
            let used = room.min(MAX_SLACK);
            bounds.limit(place, count.checked_add(used).ok_or(OutOfBounds)?)?;
            used
        };
        slack -= i128::from(used) * size;
    }
    Ok(())
}

/// Keeps the token counts as they are.
fn keep(
    bounds: &mut TokenBounds,
    terms: &[(PlaceId, i64)],
    tokens: &impl Fn(PlaceId) -> u64,
) -> Result<(), OutOfBounds> {
    terms.iter().try_for_each(|&(place, _)| {
        bounds.demand(place, tokens(place))?;
        bounds.limit(place, tokens(place))
    })
}

#[cfg(test)]
mod tests {
    use fireset_net::{Marking, replay};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::search::compile;

    #[test]
    fn markings_within_the_bounds_have_the_value() {
        let mut counts = [0; 2];
        for seed in 0..6_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if random.percent(30) { 50 } else { 0 };
            let net = random::net(&mut random, &NetShape { inhibitors, ..NetShape::default() });
            let formula = random::predicate(&mut random, net.nodes(), 2);
            let marking = |random: &mut TestRng| {
                Marking(net.nodes().place_ids().map(|_| random.below(4) as u64).collect())
            };
            let from = marking(&mut random);
            let value = replay::holds_in(&net, &from, &formula);
            let mut bounds = TokenBounds::default();
            let tokens = |place| from.tokens(place);
            if imply(&mut bounds, &net, (&compile(&formula), value), &tokens).is_err() {
                continue;
            }
            assert!(bounds.contain(tokens), "seed {seed}: {formula:?} {from:?} {bounds:?}");
            for _ in 0..20 {
                let other = marking(&mut random);
                let within = bounds.contain(|place| other.tokens(place));
                counts[usize::from(within)] += 1;
                let same = replay::holds_in(&net, &other, &formula) == value;
                assert!(!within || same, "seed {seed}: {formula:?} {from:?} {other:?} {bounds:?}");
            }
        }
        assert!(counts.iter().all(|&count| count > 10_000), "{counts:?}");
    }
}

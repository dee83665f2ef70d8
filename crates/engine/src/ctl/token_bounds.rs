//! Bounds on the token counts of some places, and their weakest precondition under a firing.
//!
//! Invariant: a marking within the bounds before a firing enables the transition, and leads to one within the bounds after it.

use fireset_net::{Net, PlaceId, TransitionId};

/// The most places that are bounded: sets of markings that need more are too special.
const MAX_PLACES: usize = 64;
/// Stands for no upper bound.
const UNBOUNDED: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TokenBound {
    place: PlaceId,
    least: u64,
    most: u64,
}

/// The bounds do not fit, or are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfBounds;

/// A set of markings: those whose token counts are within the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenBounds {
    /// Sorted by place, at most one for each.
    bounds: Vec<TokenBound>,
}

impl TokenBounds {
    /// Whether a marking is within the bounds.
    #[inline]
    pub(super) fn contain(&self, tokens: impl Fn(PlaceId) -> u64) -> bool {
        self.bounds.iter().all(|bound| (bound.least..=bound.most).contains(&tokens(bound.place)))
    }

    /// Demands at least this many tokens.
    pub(super) fn demand(&mut self, place: PlaceId, least: u64) -> Result<(), OutOfBounds> {
        if least > 0 {
            let bound = self.bound(place)?;
            bound.least = bound.least.max(least);
        }
        Ok(())
    }

    /// Allows at most this many tokens.
    pub(super) fn limit(&mut self, place: PlaceId, most: u64) -> Result<(), OutOfBounds> {
        let bound = self.bound(place)?;
        bound.most = bound.most.min(most);
        Ok(())
    }

    fn bound(&mut self, place: PlaceId) -> Result<&mut TokenBound, OutOfBounds> {
        let at = match self.bounds.binary_search_by_key(&place, |bound| bound.place) {
            Ok(at) => at,
            Err(_) if self.bounds.len() == MAX_PLACES => return Err(OutOfBounds),
            Err(at) => {
                self.bounds.insert(at, TokenBound { place, least: 0, most: UNBOUNDED });
                at
            }
        };
        Ok(&mut self.bounds[at])
    }

    /// Demands what enables a transition.
    pub(super) fn demand_enabled(&mut self, net: &Net, transition: TransitionId) -> Result<(), OutOfBounds> {
        for arc in net.pre(transition) {
            self.demand(arc.place, arc.weight)?;
        }
        for arc in net.inhibitors(transition) {
            self.limit(arc.place, arc.weight.checked_sub(1).ok_or(OutOfBounds)?)?;
        }
        Ok(())
    }

    /// Adds other bounds.
    pub(super) fn intersect(&mut self, other: &Self) -> Result<(), OutOfBounds> {
        other.bounds.iter().try_for_each(|bound| {
            self.demand(bound.place, bound.least)?;
            if bound.most < UNBOUNDED { self.limit(bound.place, bound.most) } else { Ok(()) }
        })
    }

    /// Makes them the bounds before a firing, if they are those after it.
    pub(super) fn move_before(&mut self, net: &Net, transition: TransitionId) -> Result<(), OutOfBounds> {
        for change in net.changes(transition) {
            let Ok(at) = self.bounds.binary_search_by_key(&change.place, |bound| bound.place) else {
                continue;
            };
            let bound = &mut self.bounds[at];
            let least = bound.least.saturating_sub(change.gives);
            bound.least = least.checked_add(change.takes).ok_or(OutOfBounds)?;
            if bound.most < UNBOUNDED {
                let most = bound.most.checked_add(change.takes).filter(|&most| most < UNBOUNDED);
                bound.most = most.and_then(|most| most.checked_sub(change.gives)).ok_or(OutOfBounds)?;
            }
        }
        self.demand_enabled(net, transition)
    }

    /// The bytes that they hold.
    pub(super) fn bytes(&self) -> usize {
        self.bounds.capacity() * size_of::<TokenBound>()
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::Marking;
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    /// Before a firing are exactly the markings that enable it and lead to one after it.
    #[test]
    fn the_precondition_is_the_weakest() {
        let mut counts = [0; 2];
        for seed in 0..2_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if random.percent(50) { 30 } else { 0 };
            let net = random::net(&mut random, &NetShape { inhibitors, ..NetShape::default() });
            let mut after = TokenBounds::default();
            for place in net.nodes().place_ids() {
                if random.percent(40) {
                    after.demand(place, random.below(3) as u64).unwrap();
                }
                if random.percent(30) {
                    after.limit(place, 1 + random.below(3) as u64).unwrap();
                }
            }
            let transitions: Vec<_> = net.nodes().transition_ids().collect();
            let transition = *random.pick(&transitions);
            let mut before = after.clone();
            let moved = before.move_before(&net, transition);
            for _ in 0..20 {
                let tokens = net.nodes().place_ids().map(|_| random.below(4) as u64).collect();
                let marking = Marking(tokens);
                let next = net.fire_transition(&marking, transition);
                let expected = next.is_ok_and(|next| after.contain(|place| next.tokens(place)));
                let given = moved.is_ok() && before.contain(|place| marking.tokens(place));
                assert_eq!(given, expected, "seed {seed}");
                counts[usize::from(given)] += 1;
            }
        }
        assert!(counts[1] > 1_000 && counts[0] > 1_000, "{counts:?}");
    }
}

//! Markings with `ω`: limits of markings that some places fill without bound.

use fireset_net::{Arc, Net, StopReason, TransitionId};

/// More tokens than any number. It is the largest value, so that comparisons need no case for it.
pub(super) const OMEGA: u64 = u64::MAX;
/// The largest count that is a number. What comes near the end of 64 bits is an overflow, never `ω`.
const MAX_COUNT: u64 = 1 << 62;

/// A count of tokens or `ω` for each place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OmegaMarking(pub(super) Box<[u64]>);

impl OmegaMarking {
    /// The initial marking of a net.
    pub(super) fn initial(net: &Net) -> Result<Self, StopReason> {
        let counts = &net.initial_marking().0;
        if counts.iter().any(|&count| count > MAX_COUNT) {
            return Err(StopReason::Overflow);
        }
        Ok(Self(counts.clone()))
    }

    /// Whether it has at least as many tokens as another marking on every place.
    pub(super) fn covers(&self, other: &[u64]) -> bool {
        self.0.iter().zip(other).all(|(mine, others)| mine >= others)
    }

    pub(super) fn enables(&self, net: &Net, transition: TransitionId) -> bool {
        net.pre(transition).iter().all(|arc| self.0[arc.place.index()] >= arc.weight)
    }

    /// The marking after a transition that it enables.
    pub(super) fn fired(&self, net: &Net, transition: TransitionId) -> Result<Self, StopReason> {
        let mut next = self.clone();
        let finite = |counts: &[u64], arc: &Arc| counts[arc.place.index()] != OMEGA;
        for arc in net.pre(transition) {
            if finite(&next.0, arc) {
                next.0[arc.place.index()] -= arc.weight;
            }
        }
        for arc in net.post(transition) {
            if finite(&next.0, arc) {
                let sum = next.0[arc.place.index()].checked_add(arc.weight);
                next.0[arc.place.index()] =
                    sum.filter(|&sum| sum <= MAX_COUNT).ok_or(StopReason::Overflow)?;
            }
        }
        Ok(next)
    }

    /// Sets `ω` where it has more tokens than an ancestor that it covers. Whether that changes anything.
    pub(super) fn accelerate(&mut self, ancestor: &Self) -> bool {
        let mut grows = false;
        for (mine, below) in self.0.iter_mut().zip(&ancestor.0) {
            if *mine > *below && *mine != OMEGA {
                *mine = OMEGA;
                grows = true;
            }
        }
        grows
    }

    /// The sum of the tokens on some places, `None` for `ω`.
    pub(super) fn sum(&self, places: impl Iterator<Item = usize>) -> Option<u128> {
        let mut sum = 0u128;
        for place in places {
            match self.0[place] {
                OMEGA => return None,
                count => sum += u128::from(count),
            }
        }
        Some(sum)
    }
}

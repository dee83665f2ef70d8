//! Markings of place/transition nets.

use std::cmp::Ordering;

use crate::PlaceId;

/// Token counts, one for each place.
///
/// The order is pointwise: `m < n` says that `n` covers `m` and has more tokens somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Marking(pub Box<[u64]>);

impl Marking {
    /// The tokens on a place.
    pub fn tokens(&self, place: PlaceId) -> u64 {
        self.0[place.index()]
    }
}

impl PartialOrd for Marking {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        pointwise(self.0.iter().zip(&other.0))
    }
}

/// The order in which all of `pairs` agree; `None` when they do not.
pub(crate) fn pointwise<T: Ord>(pairs: impl IntoIterator<Item = (T, T)>) -> Option<Ordering> {
    pairs.into_iter().try_fold(Ordering::Equal, |so_far, (a, b)| match (so_far, a.cmp(&b)) {
        (Ordering::Equal, next) => Some(next),
        (so_far, Ordering::Equal) => Some(so_far),
        (so_far, next) => (so_far == next).then_some(so_far),
    })
}

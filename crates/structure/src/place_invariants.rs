//! The place invariants of a net, and the bounds that follow from them.
//!
//! What: weights `y` of places with `y C = 0` keep the weighted sum of tokens, so `y m = y m0` in every reachable marking `m`
//! (Lautenbach 1973). Without negative weights they are a P-semiflow, and since `m >= 0` each place of `y` is bounded:
//! `m(p) <= y m0 / y(p)`.
//! Why two types: all that decides about markings needs [`PlaceSemiflows`]; layouts and encodings also need a basis of all
//! place invariants, with negative weights, so they have [`PlaceInvariants`].
//!
//! Invariants: (1) each semiflow and each vector of the basis is a place invariant; (2) a bound is above every count that runs
//! reach; (3) a semiflow whose total does not fit into 128 bits is left out.
//! Cost: the searches of [`semiflows`](crate::semiflows), each at most `MAX_WORK` entries, and less where time is short.
//! Test: below, against the reachable markings of random nets, and minimality by enumeration.

use std::sync::Arc;

use fireset_net::{Budget, Net};

use crate::semiflows::{self, SparseVector};

/// Rows that the search for semiflows may hold.
pub(crate) const MAX_ROWS: usize = 4_000;
/// Entries that a search may look at: a fraction of a second. Without a time limit the same in every run.
const MAX_WORK: usize = 40_000_000;
/// Entries for each second of the time that is left: a few per cent of the time.
const WORK_PER_SECOND: usize = 10_000_000;

/// How many entries a search for invariants may look at under a budget.
pub(crate) fn work_limit(budget: &Budget) -> usize {
    budget.time_left().map_or(MAX_WORK, |time| {
        let by_time = (time.as_secs_f64() * WORK_PER_SECOND as f64) as usize;
        MAX_WORK.min(by_time)
    })
}

/// A P-semiflow: a place invariant without negative weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semiflow {
    /// The places with a weight above 0.
    pub weights: SparseVector,
    /// The weighted sum of tokens in the initial marking, and so in every reachable one.
    pub total: i128,
}

/// The P-semiflows of a net that were found, and the bounds of places by them.
#[derive(Clone, Debug)]
pub struct PlaceSemiflows {
    semiflows: Vec<Semiflow>,
    of_place: Vec<Vec<u32>>,
    bounds: Vec<Option<u64>>,
}

impl PlaceSemiflows {
    pub(crate) fn new(net: &Net, found: Vec<SparseVector>) -> Self {
        let initial = &net.initial_marking().0;
        let bounds = semiflows::bounds(&found, initial);
        let with_total = |weights: SparseVector| {
            semiflows::total(&weights, initial).map(|total| Semiflow { weights, total })
        };
        let semiflows: Vec<Semiflow> = found.into_iter().filter_map(with_total).collect();
        let mut of_place = vec![Vec::new(); initial.len()];
        for (at, semiflow) in semiflows.iter().enumerate() {
            semiflow.weights.iter().for_each(|&(place, _)| of_place[place as usize].push(at as u32));
        }
        Self { semiflows, of_place, bounds }
    }

    /// No semiflow, for a net with this number of places.
    pub fn none(places: usize) -> Self {
        Self { semiflows: Vec::new(), of_place: vec![Vec::new(); places], bounds: vec![None; places] }
    }

    /// The semiflows: all minimal ones, unless the search was cut off.
    pub fn semiflows(&self) -> &[Semiflow] {
        &self.semiflows
    }

    /// The positions of the semiflows that have a weight for a place.
    pub fn of_place(&self, place: usize) -> &[u32] {
        &self.of_place[place]
    }

    /// For each place the most tokens that it can have, where a semiflow bounds it.
    pub fn bounds(&self) -> &[Option<u64>] {
        &self.bounds
    }
}

/// The semiflows of a net and a basis of all its place invariants.
#[derive(Clone, Debug)]
pub struct PlaceInvariants {
    pub(crate) semiflows: Arc<PlaceSemiflows>,
    pub(crate) basis: Arc<Vec<SparseVector>>,
}

impl PlaceInvariants {
    /// No invariant at all, for a net whose arcs do not tell the token counts.
    pub fn none(net: &Net) -> Self {
        Self { semiflows: Arc::new(PlaceSemiflows::none(net.nodes().places.len())), basis: Arc::default() }
    }

    /// The place invariants without negative weights.
    pub fn semiflows(&self) -> &[Semiflow] {
        self.semiflows.semiflows()
    }

    /// For each place the most tokens that it can have, where a semiflow bounds it.
    pub fn bounds(&self) -> &[Option<u64>] {
        self.semiflows.bounds()
    }

    /// Linearly independent place invariants, also with negative weights: a basis, unless the search was cut off.
    pub fn basis(&self) -> &[SparseVector] {
        &self.basis
    }

    /// Whether semiflows show that no place ever has two tokens.
    pub fn is_one_safe(&self) -> bool {
        self.bounds().iter().all(|bound| bound.is_some_and(|bound| bound <= 1))
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{reachability::GraphLimits, reachability::ReachabilityGraph};
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;
    use crate::NetStructure;

    fn invariants(net: &Net) -> PlaceInvariants {
        NetStructure::of(net).place_invariants(&Budget::unlimited())
    }

    #[test]
    fn a_semiflow_bounds_its_places() {
        let found = invariants(&tiny::net("p:3 q r; t: 2*p -> q; u: q -> 2*p; v: -> r"));
        assert_eq!(found.semiflows(), [Semiflow { weights: vec![(0, 1), (1, 2)], total: 3 }]);
        assert_eq!(found.bounds(), [Some(3), Some(1), None]);
        assert_eq!(found.basis().len(), 1);
        assert!(!found.is_one_safe());
        assert!(invariants(&tiny::net("p:1 q; t: p -> q; u: q -> p")).is_one_safe());
    }

    #[test]
    fn little_time_is_little_work() {
        let second = Budget::unlimited().with_timeout(std::time::Duration::from_secs(1));
        assert!(work_limit(&second) <= WORK_PER_SECOND);
        assert_eq!(work_limit(&Budget::unlimited()), MAX_WORK);
    }

    #[test]
    fn invariants_hold_in_every_reachable_marking() {
        let mut bounded = 0;
        for seed in 0..600 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape { inhibitors: 10, ..NetShape::default() });
            let found = invariants(&net);
            let limits = GraphLimits { states: 100, edges: false };
            let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
            for marking in graph.states() {
                for semiflow in found.semiflows() {
                    assert_eq!(semiflows::total(&semiflow.weights, &marking.0), Some(semiflow.total));
                }
                for vector in found.basis() {
                    let initial = semiflows::total(vector, &net.initial_marking().0);
                    assert_eq!(semiflows::total(vector, &marking.0), initial, "seed {seed}");
                }
                let within = |(&tokens, bound): (&u64, &Option<u64>)| bound.is_none_or(|most| tokens <= most);
                assert!(marking.0.iter().zip(found.bounds()).all(within), "seed {seed}");
            }
            bounded += found.bounds().iter().flatten().count();
        }
        assert!(bounded > 200, "{bounded}");
    }
}

//! The facts of one net, computed on demand and kept beside the net.
//!
//! Invariants: (1) a fact that is kept is true whatever limits later callers have; (2) a search that was cut off by time is
//! not kept; one that was cut off by its work limit is kept with that limit.
//! Cost: that of each fact, once for a net. Test: below.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Instant,
};

use fireset_net::{Budget, Net};

use crate::{
    Incidence, NetClasses, PlaceInvariants, PlaceSemiflows, SparseVector, TransitionColumns,
    place_invariants::{MAX_ROWS, work_limit},
    reversible::undoes_every_firing,
    semiflows::{self, FarkasLimits},
    siphon_trap::{self, Trap},
};

/// Arcs of a net whose incidence matrix is kept.
const MAX_KEPT_ARCS: usize = 2_000_000;

/// A handle on the facts of a net. Handles on the same net, or on clones of it, share them.
#[derive(Clone, Copy, Debug)]
pub struct NetStructure<'n> {
    net: &'n Net,
    facts: &'n StructuralFacts,
}

#[derive(Debug, Default)]
struct StructuralFacts {
    classes: OnceLock<NetClasses>,
    columns: OnceLock<TransitionColumns>,
    incidence: OnceLock<Option<Arc<Incidence>>>,
    place_semiflows: WorkLimited<PlaceSemiflows>,
    place_basis: WorkLimited<Vec<SparseVector>>,
    deadlock_traps: OnceLock<Option<Vec<Trap>>>,
    siphon_trap: OnceLock<bool>,
    reversible: OnceLock<bool>,
}

impl<'n> NetStructure<'n> {
    /// The facts of a net; none is computed yet.
    pub fn of(net: &'n Net) -> Self {
        let facts = net.derived(StructuralFacts::default);
        Self { net, facts: facts.expect("no other crate keeps facts beside nets") }
    }

    /// The net that the facts are about.
    pub fn net(self) -> &'n Net {
        self.net
    }

    /// The classes of the literature that the net belongs to.
    pub fn classes(self) -> &'n NetClasses {
        self.facts.classes.get_or_init(|| NetClasses::of(self.net))
    }

    /// The transitions with an effect, grouped by their arcs.
    pub fn columns(self) -> &'n TransitionColumns {
        self.facts.columns.get_or_init(|| TransitionColumns::of(self.net))
    }

    /// The incidence matrix over the columns; `None` where a weight does not fit. The matrix of a net with more than
    /// `MAX_KEPT_ARCS` arcs is not kept: it is larger than the net, and as cheap to compute as to read.
    pub fn incidence(self) -> Option<Arc<Incidence>> {
        let matrix = || Incidence::of(self.net, self.columns()).map(Arc::new);
        if self.net.arc_count() > MAX_KEPT_ARCS {
            return matrix();
        }
        self.facts.incidence.get_or_init(matrix).clone()
    }

    /// The P-semiflows of the net, as far as they are found in a small part of the time.
    pub fn place_semiflows(self, budget: &Budget) -> Arc<PlaceSemiflows> {
        self.facts.place_semiflows.within(work_limit(budget), |max_work| {
            let matrix = self.net.incidence().unwrap_or_default();
            let transitions = self.net.nodes().transitions.len() as u32;
            // Without a matrix there are no rows, and no semiflows.
            let found = semiflows::semi_positive(&matrix, transitions, farkas_limits(max_work));
            (PlaceSemiflows::new(self.net, found.vectors), found.is_cut_off)
        })
    }

    /// The P-semiflows and a basis of all place invariants, each as far as it is found in a small part of the time.
    pub fn place_invariants(self, budget: &Budget) -> PlaceInvariants {
        let semiflows = self.place_semiflows(budget);
        let basis = self.facts.place_basis.within(work_limit(budget), |max_work| {
            let found = semiflows::basis(&self.net.incidence().unwrap_or_default(), max_work);
            (found.vectors, found.is_cut_off)
        });
        PlaceInvariants { semiflows, basis }
    }

    /// The T-semiflows: counts of firings, not all 0, that together change nothing. Not kept.
    pub fn transition_semiflows(self, budget: &Budget) -> Vec<SparseVector> {
        let Some(matrix) = self.net.incidence() else { return Vec::new() };
        let transposed = semiflows::transposed(&matrix, self.net.nodes().transitions.len());
        let limits = farkas_limits(work_limit(budget));
        semiflows::semi_positive(&transposed, matrix.len() as u32, limits).vectors
    }

    /// Traps that are marked at the start and show that no reachable marking is a deadlock; `None` if there are no such
    /// traps, or they are not found until the deadline.
    pub fn traps_against_deadlock(self, deadline: Option<Instant>) -> Option<&'n [Trap]> {
        if let Some(known) = self.facts.deadlock_traps.get() {
            return known.as_deref();
        }
        let found = siphon_trap::traps_against_deadlock(self, deadline)?;
        self.facts.deadlock_traps.get_or_init(|| found).as_deref()
    }

    /// Whether every siphon that some transition takes from contains a trap that is marked at the start; `None` if that is not
    /// known until the deadline.
    pub fn siphon_trap_property(self, deadline: Option<Instant>) -> Option<bool> {
        if let Some(&known) = self.facts.siphon_trap.get() {
            return Some(known);
        }
        let holds = siphon_trap::siphons_contain_marked_traps(self, deadline)?;
        Some(*self.facts.siphon_trap.get_or_init(|| holds))
    }

    /// Whether each firing can be undone by the tokens that it gives, as far as a short search tells: then every reachable
    /// marking leads back to the initial one.
    pub fn is_reversible(self, budget: &Budget) -> bool {
        if let Some(&known) = self.facts.reversible.get() {
            return known;
        }
        let found = undoes_every_firing(self.net, budget);
        found.is_some_and(|holds| *self.facts.reversible.get_or_init(|| holds))
    }
}

fn farkas_limits(work: usize) -> FarkasLimits {
    FarkasLimits { rows: MAX_ROWS, work, deadline: None }
}

/// A fact that a search under a work limit finds. It is searched again only with a higher limit than the one that cut it off.
#[derive(Debug)]
struct WorkLimited<T>(Mutex<Option<SearchedFact<T>>>);

#[derive(Debug)]
struct SearchedFact<T> {
    value: Arc<T>,
    /// The limit that ended the search early.
    cut_off_at: Option<usize>,
}

impl<T> Default for WorkLimited<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> WorkLimited<T> {
    /// The fact, where `search` gives it for a work limit and says whether the limit cut it off. Others who ask meanwhile wait:
    /// they would search just as long.
    fn within(&self, max_work: usize, search: impl FnOnce(usize) -> (T, bool)) -> Arc<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fact) = kept.as_ref().filter(|fact| fact.cut_off_at.is_none_or(|at| at >= max_work)) {
            return fact.value.clone();
        }
        let (value, is_cut_off) = search(max_work);
        let value = Arc::new(value);
        *kept = Some(SearchedFact { value: value.clone(), cut_off_at: is_cut_off.then_some(max_work) });
        value
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fireset_oracle::tiny;

    use super::*;

    #[test]
    fn handles_share_their_facts() {
        let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
        let clone = net.clone();
        let (a, b) = (NetStructure::of(&net), NetStructure::of(&clone));
        assert!(std::ptr::eq(a.columns(), b.columns()));
        let unlimited = Budget::unlimited();
        assert!(Arc::ptr_eq(&a.place_semiflows(&unlimited), &b.place_semiflows(&unlimited)));
        let short = Budget::unlimited().with_timeout(Duration::from_millis(1));
        assert!(Arc::ptr_eq(&a.place_semiflows(&unlimited), &b.place_semiflows(&short)));
    }

    #[test]
    fn more_work_is_done_only_where_it_was_cut_off() {
        let searched = |fact: &WorkLimited<usize>, limit, is_cut_off| {
            let mut calls = 0;
            let value = fact.within(limit, |limit| {
                calls += 1;
                (limit, is_cut_off)
            });
            (*value, calls)
        };
        let fact = WorkLimited::default();
        assert_eq!(searched(&fact, 10, true), (10, 1));
        assert_eq!(searched(&fact, 5, true), (10, 0), "the value of more work is there");
        assert_eq!(searched(&fact, 20, false), (20, 1));
        assert_eq!(searched(&fact, 40, true), (20, 0), "that search came to its end");
    }

    #[test]
    fn nothing_is_kept_when_time_is_up() {
        let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
        let structure = NetStructure::of(&net);
        let over = Budget::unlimited().with_timeout(Duration::ZERO);
        assert!(!structure.is_reversible(&over));
        assert!(structure.is_reversible(&Budget::unlimited()));
        assert!(structure.is_reversible(&over), "it is known now");
    }

    #[test]
    fn cycles_of_firings_are_transition_semiflows() {
        let net = tiny::net("p:2 q r; t: 2*p -> q; u: q -> 2*p; v: p -> r");
        let found = NetStructure::of(&net).transition_semiflows(&Budget::unlimited());
        assert_eq!(found, [vec![(0, 1), (1, 1)]]);
    }
}

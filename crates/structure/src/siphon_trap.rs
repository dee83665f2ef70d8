//! The siphon-trap property, and freedom of deadlocks by it.
//!
//! In a deadlock each transition lacks a token on some input place. Where its input arcs have weight 1 and it has no
//! inhibitor arcs, that place is empty; so the empty places meet the inputs of all such transitions. A trap that is marked
//! at the start stays marked, so the empty places contain none. If no set of places does both, there is no deadlock.
//! Source: Commoner, "Deadlocks in Petri nets" (1972), where the sets are siphons: one that meets all inputs is one.
//!
//! A set that meets all inputs is a solution of clauses. While its greatest trap is marked at the start, a small marked
//! trap inside becomes another clause, which says that some place of it is not empty. Needs nothing: transitions with
//! weights or inhibitor arcs make no clause. For the siphon-trap property the clauses say that the set is a siphon and that some
//! transition takes from it. Cost: a time limit; on contest nets a few milliseconds and at most
//! a few hundred solutions. Test: below, by all sets of places; `state_equation/tests.rs`, against the deadlocks of random
//! nets; `decomposition/tests.rs` of `fireset-reduce`, against the liveness of free-choice nets.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use fireset_kernel::sat::{DefaultSatSolver, Literal, SatSolver};

use crate::{NetStructure, traps::FiringColumns};

/// A search takes no longer, whatever its deadline.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Traps that become clauses for one solution.
const TRAPS_PER_SOLUTION: usize = 8;

/// The places of a trap, ascending.
pub type Trap = Arc<[u32]>;

/// What a search for marked traps found: traps of which each set that solves the clauses contains one, or that some set contains
/// none.
pub(crate) type MarkedTraps = Option<Vec<Trap>>;

/// Marked traps that meet each set of places which a deadlock could leave empty; `None` at the deadline.
pub(crate) fn traps_against_deadlock(
    structure: NetStructure<'_>,
    deadline: Option<Instant>,
) -> Option<MarkedTraps> {
    let net = structure.net();
    let mut clauses = DefaultSatSolver::default();
    for t in net.nodes().transition_ids() {
        let inputs = net.pre(t);
        if inputs.iter().all(|arc| arc.weight == 1) && net.inhibitors(t).is_empty() {
            clauses.add_clause(inputs.iter().map(|arc| -outside(arc.place.index() as u32)));
        }
    }
    marked_traps(structure, clauses, deadline)
}

/// Whether every siphon that some transition takes from contains a trap that is marked at the start; `None` at the deadline.
pub(crate) fn siphons_contain_marked_traps(
    structure: NetStructure<'_>,
    deadline: Option<Instant>,
) -> Option<bool> {
    let net = structure.net();
    let mut clauses = DefaultSatSolver::default();
    // A transition without effect gives to a set only if it takes from the set: it needs no clause.
    for column in 0..structure.columns().len() as u32 {
        for given in structure.outputs(column) {
            let taken = structure.inputs(column).map(|place| -outside(place));
            clauses.add_clause(taken.chain([outside(given)]));
        }
    }
    let taken = net.nodes().transition_ids().flat_map(|t| net.pre(t));
    let mut taken: Vec<u32> = taken.map(|arc| arc.place.index() as u32).collect();
    taken.sort_unstable();
    taken.dedup();
    clauses.add_clause(taken.into_iter().map(|place| -outside(place)));
    marked_traps(structure, clauses, deadline).map(|traps| traps.is_some())
}

/// Adds clauses for marked traps until there is no set of places left, or one without a marked trap inside; `None` at the
/// deadline.
fn marked_traps(
    structure: NetStructure<'_>,
    mut clauses: DefaultSatSolver,
    deadline: Option<Instant>,
) -> Option<MarkedTraps> {
    let latest = Instant::now() + MAX_TIME;
    let deadline = deadline.map_or(latest, |deadline| deadline.min(latest));
    let initial = &structure.net().initial_marking().0;
    let mut traps = Vec::new();
    while clauses.solve(Some(deadline))? {
        let set: Vec<bool> = (0..initial.len() as u32).map(|place| !clauses.value(outside(place))).collect();
        let greatest = structure.greatest_trap(set, FiringColumns::All);
        let marked = (0..greatest.len()).filter(|&place| greatest[place] && initial[place] > 0);
        let starts: Vec<usize> = marked.take(TRAPS_PER_SOLUTION).collect();
        if starts.is_empty() {
            return Some(None);
        }
        for start in starts {
            let places = structure.trap_around(start as u32, &greatest, FiringColumns::All);
            let mut trap: Vec<u32> = places.into_iter().collect();
            trap.sort_unstable();
            clauses.add_clause(trap.iter().copied().map(outside));
            traps.push(trap.into());
        }
    }
    Some(Some(traps))
}

/// The variable that is true if a place is not in the set. Solvers try true first, so that sets are small.
fn outside(place: u32) -> Literal {
    place as Literal + 1
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;
    use crate::traps::{is_siphon, is_trap};

    #[test]
    fn a_ring_never_stops() {
        let net = tiny::net("a:1 b; t: a -> b; u: b -> a");
        let structure = NetStructure::of(&net);
        assert_eq!(structure.traps_against_deadlock(None), Some(&[Trap::from([0, 1])][..]));
        assert_eq!(structure.siphon_trap_property(None), Some(true));
        let net = tiny::net("a:1 b; t: a -> b");
        assert_eq!(NetStructure::of(&net).traps_against_deadlock(None), None);
        assert_eq!(NetStructure::of(&net).siphon_trap_property(None), Some(false));
    }

    #[test]
    fn the_property_is_that_of_the_definition() {
        let (mut with, mut without) = (0, 0);
        for seed in 0..1_000 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 4, transitions: 4, tokens: 1, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let places = net.nodes().places.len();
            let sets = || {
                (1..1 << places)
                    .map(|bits: u32| -> Vec<bool> { (0..places).map(|at| bits >> at & 1 == 1).collect() })
            };
            let is_taken_from = |set: &[bool]| {
                let mut ts = net.nodes().transition_ids();
                ts.any(|t| net.pre(t).iter().any(|arc| set[arc.place.index()]))
            };
            let is_marked = |set: &[bool]| {
                set.iter().zip(&net.initial_marking().0).any(|(inside, tokens)| *inside && *tokens > 0)
            };
            let contains_marked_trap = |siphon: &[bool]| {
                let inside = |set: &Vec<bool>| set.iter().zip(siphon).all(|(a, b)| *b || !*a);
                sets().filter(inside).any(|set| is_trap(&net, &set) && is_marked(&set))
            };
            let mut siphons = sets().filter(|set| is_siphon(&net, set) && is_taken_from(set));
            let holds = siphons.all(|siphon| contains_marked_trap(&siphon));
            assert_eq!(
                NetStructure::of(&net).siphon_trap_property(None),
                Some(holds),
                "seed {seed}: {net:?}"
            );
            *(if holds { &mut with } else { &mut without }) += 1;
        }
        assert!(with > 50 && without > 50, "{with} {without}");
    }
}

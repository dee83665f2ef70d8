//! Freedom of deadlocks from siphons and traps.
//!
//! In a deadlock each transition lacks a token on some input place. Where its input arcs have weight 1 and it has no
//! inhibitor arcs, that place is empty; so the empty places meet the inputs of all such transitions. A trap that is marked
//! at the start stays marked, so the empty places contain none. If no set of places does both, there is no deadlock.
//! Source: Commoner, "Deadlocks in Petri nets" (1972), where the sets are siphons: one that meets all inputs is one.
//!
//! A set that meets all inputs is a solution of clauses. While its greatest trap is marked at the start, a small marked
//! trap inside becomes another clause, which says that some place of it is not empty. Needs nothing: of transitions with
//! weights or inhibitor arcs no clause is made. Cost: a time limit; on contest nets a few milliseconds and at most
//! a few hundred solutions. Test: `tests/equation.rs`, against the deadlocks of random nets.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use fireset_kernel::sat::{DefaultSatSolver, Literal, SatSolver};

use super::{
    StateEquation,
    cuts::{Point, ascending},
};

/// What it may take.
const TIME: Duration = Duration::from_secs(2);
/// Traps that become clauses for one solution.
const TRAPS_AT_ONCE: usize = 8;

type Traps = Vec<Rc<[u32]>>;

impl StateEquation<'_> {
    /// Traps, marked at the start, that show with the siphons that there is no deadlock.
    pub(super) fn never_dead(&self) -> Option<&[Rc<[u32]>]> {
        if let Some(known) = self.never_dead.get() {
            return known.as_deref();
        }
        let own = Instant::now() + TIME;
        let deadline = self.deadline.get().map_or(own, |deadline| deadline.min(own));
        // With more time another answer may be found.
        let found = self.find_never_dead(deadline)?;
        self.never_dead.get_or_init(|| found).as_deref()
    }

    /// The traps, or that there are none; `None` when the time is up.
    fn find_never_dead(&self, deadline: Instant) -> Option<Option<Traps>> {
        let mut clauses = DefaultSatSolver::default();
        for t in self.net.nodes().transition_ids() {
            let inputs = self.net.pre(t);
            if inputs.iter().all(|arc| arc.weight == 1) && self.net.inhibitors(t).is_empty() {
                clauses.add_clause(inputs.iter().map(|arc| -marked(arc.place.index() as u32)));
            }
        }
        self.keeps_tokens(clauses, deadline)
    }

    /// Whether every siphon that something takes from contains a trap that is marked at the start; `None` when there is not
    /// time enough. Transitions without effect belong to no such question: they take and give.
    pub(crate) fn siphons_keep_tokens(&self) -> Option<bool> {
        let own = Instant::now() + TIME;
        let mut clauses = DefaultSatSolver::default();
        for &t in &self.columns {
            let inputs = || self.net.pre(t).iter().map(|arc| -marked(arc.place.index() as u32));
            for arc in self.net.post(t) {
                clauses.add_clause(inputs().chain([marked(arc.place.index() as u32)]));
            }
        }
        let taken = self.net.nodes().transition_ids().flat_map(|t| self.net.pre(t));
        let mut taken: Vec<u32> = taken.map(|arc| arc.place.index() as u32).collect();
        taken.sort_unstable();
        taken.dedup();
        clauses.add_clause(taken.into_iter().map(|place| -marked(place)));
        let deadline = self.deadline.get().map_or(own, |deadline| deadline.min(own));
        self.keeps_tokens(clauses, deadline).map(|traps| traps.is_some())
    }

    /// Traps, marked at the start, of which each set of places that solves the clauses contains one; none where a set has none
    /// inside. `None` when the time is up.
    fn keeps_tokens(&self, mut clauses: DefaultSatSolver, deadline: Instant) -> Option<Option<Traps>> {
        let mut traps = Traps::new();
        let columns: Vec<u32> = (0..self.columns.len() as u32).collect();
        while clauses.solve(Some(deadline))? {
            let is_empty = |place: u32| !clauses.value(marked(place));
            let trap = self.greatest_trap(&Point { is_empty: &is_empty, fired: &[] }, &columns);
            let places = 0..trap.len() as u32;
            let starts = places.filter(|&place| trap[place as usize] && self.initial(place) > 0);
            let starts: Vec<u32> = starts.take(TRAPS_AT_ONCE).collect();
            if starts.is_empty() {
                return Some(None);
            }
            for start in starts {
                let trap = ascending(&self.trap_around(start, &trap, &columns));
                clauses.add_clause(trap.iter().copied().map(marked));
                traps.push(trap);
            }
        }
        Some(Some(traps))
    }
}

/// That a place is marked, or not in the set that is looked for, is a variable: solvers try true first, so that sets are
/// small.
fn marked(place: u32) -> Literal {
    place as Literal + 1
}

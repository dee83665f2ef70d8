//! What the state equation of a net refutes.
//!
//! Every reachable marking is `m = m0 + C x` for counts `x >= 0` of firings, and `m >= 0`. A [`Condition`] that no
//! solution of this meets is met in no reachable marking. Source: Murata, "Petri nets: properties, analysis and
//! applications" (1989), for the equation; Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL formulae
//! for efficient model checking of Petri nets" (2018), for sets of linear programs that are made one at a time.
//!
//! How we differ: programs are not listed and solved one by one. A [`search`] keeps one growing system of inequalities
//! over the counts and decides what to add by its last solution: a place that the solution makes negative, a part of a
//! union that it does not meet, a trap or siphon that it breaks ([`cuts`]), a count that is not whole. And no answer of
//! the solver is believed: a system is contradictory when the sum of its rows says so in integers ([`row`]).
//!
//! The other way round, whole solutions ([`solutions`]) propose runs: [`realise`] looks for an order of their firings, and
//! [`refine`] goes on to others where there is none.
//!
//! Inhibitor arcs only take runs away, so all of this holds with them.
//! Cost: bounded by the time that is [granted](StateEquation::grant), by [`search::Limits`], and in memory by the square
//! of the rows of a system. Test: `tests/equation.rs`, against all reachable markings of random nets.

pub(crate) mod certificate;
mod condition;
mod cuts;
mod detour;
mod realise;
mod refine;
mod repetitive;
mod row;
mod samples;
mod search;
mod siphon_trap;
mod solutions;
#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant},
};

use fireset_kernel::flows::Sparse;
use fireset_net::{Budget, Linear, Marking, Net, TransitionId};

pub(crate) use condition::Condition;
use cuts::Neighbours;
pub use refine::{Equation, Finding, Parikh};
use row::Row;
use search::{Limits, Proof, Search, Tree};
use solutions::Region;

/// Steps by which a bound is looked for; one that is farther away is of no use.
const MAX_STEP: i128 = 1 << 24;

/// The state equation of a net.
#[derive(Clone, Debug)]
pub(crate) struct StateEquation<'a> {
    net: &'a Net,
    /// A transition for each different effect: those with the same arcs are one column, those without any are none.
    columns: Vec<TransitionId>,
    /// All transitions of a column; they may differ in their inhibitor arcs.
    alike: Vec<Vec<TransitionId>>,
    /// For each column, how it changes places; for each place, how columns change it.
    effects: Vec<Sparse>,
    changes: Vec<Sparse>,
    neighbours: Neighbours,
    /// Some reachable markings, looked for when first asked.
    samples: OnceCell<Vec<Marking>>,
    deadline: Cell<Option<Instant>>,
    /// Marked traps that show that there is no deadlock, if there are, once that is known.
    never_dead: OnceCell<Option<Vec<Rc<[u32]>>>>,
    known: RefCell<HashMap<Condition, Option<Proof>>>,
}

impl<'a> StateEquation<'a> {
    /// Of a net; `None` where a number does not fit.
    pub(crate) fn of(net: &'a Net) -> Option<Self> {
        let incidence = net.incidence()?;
        let mut by_arcs: HashMap<_, u32> = HashMap::new();
        let mut columns = Vec::new();
        let mut alike: Vec<Vec<TransitionId>> = Vec::new();
        let mut column_of: Vec<Option<u32>> = Vec::new();
        for t in net.nodes().transition_ids() {
            let next = columns.len() as u32;
            if net.pre(t) == net.post(t) {
                column_of.push(None);
                continue;
            }
            let column = *by_arcs.entry((net.pre(t), net.post(t))).or_insert(next);
            let is_new = column == next;
            column_of.push(is_new.then_some(next));
            if is_new {
                columns.push(t);
                alike.push(Vec::new());
            }
            alike[column as usize].push(t);
        }
        let mut effects = vec![Sparse::new(); columns.len()];
        let mut changes = vec![Sparse::new(); incidence.len()];
        for (place, row) in incidence.iter().enumerate() {
            for &(t, change) in row {
                if let Some(column) = column_of[t as usize] {
                    effects[column as usize].push((place as u32, change));
                    changes[place].push((column, change));
                }
            }
        }
        let neighbours = Neighbours::of(net, &columns);
        Some(Self {
            net,
            columns,
            alike,
            effects,
            changes,
            neighbours,
            samples: OnceCell::new(),
            deadline: Cell::new(None),
            never_dead: OnceCell::new(),
            known: RefCell::default(),
        })
    }

    /// Lets questions take this time from now on, all together.
    pub(crate) fn grant(&self, time: Duration) {
        self.deadline.set(Instant::now().checked_add(time));
    }

    /// Whether that time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What is left of that time.
    fn budget(&self) -> Budget {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let unlimited = Budget::unlimited();
        self.deadline.get().map_or(unlimited.clone(), |deadline| unlimited.with_timeout(left(deadline)))
    }

    /// The net.
    pub(crate) fn net(&self) -> &'a Net {
        self.net
    }

    fn initial(&self, place: u32) -> u64 {
        self.net.initial_marking().0[place as usize]
    }

    /// That a form is at least 0, as a row over the columns; `None` when a number does not fit.
    fn row(&self, form: &Linear) -> Option<Row> {
        let mut terms: Vec<(u32, i128)> = Vec::new();
        let mut least = form.constant.checked_neg()?;
        for &(place, factor) in &form.terms {
            least = least.checked_sub(factor.checked_mul(self.initial(place).into())?)?;
            for &(column, change) in &self.changes[place as usize] {
                terms.push((column, factor.checked_mul(change.into())?));
            }
        }
        let joined = Linear::of(terms, 0)?;
        Some(Row { terms: joined.terms, least }.strengthened())
    }

    /// The most that a form can be in a reachable marking, as far as that can be proven in the time that is left; not
    /// worse than what is known already.
    pub(crate) fn most(&self, form: &Linear, known: Option<i128>) -> Option<i128> {
        // Some marking has this value, or nobody can refute that one has.
        let values = self.samples().iter().filter_map(|marking| condition::value(form, marking));
        let (Some(mut reached), mut most) = (values.max(), known) else { return known };
        let exceeds = |least: i128| -> Option<bool> {
            let constant = form.constant.checked_sub(least)?;
            let condition = Condition::AtLeast(Linear { terms: form.terms.clone(), constant });
            Some(self.refutes(&condition).is_none())
        };
        // Larger and larger steps up to a value that is refuted, then halves.
        let mut step = 1;
        while step <= MAX_STEP && most.is_none_or(|most| reached < most) && !self.is_over() {
            let tried = match most {
                Some(most) => (reached.checked_add(step)?).min(most - (most - reached) / 2),
                None => reached.checked_add(step)?,
            };
            if exceeds(tried)? {
                reached = tried;
                step *= 2;
            } else {
                most = Some(tried - 1);
                step = 1;
            }
        }
        most
    }

    fn samples(&self) -> &[Marking] {
        self.samples.get_or_init(|| samples::some(self.net))
    }

    /// Whether no reachable marking meets the condition, as far as this can be proven in the time that is left.
    pub(crate) fn refutes(&self, condition: &Condition) -> Option<Proof> {
        if self.is_over() {
            return None;
        }
        if condition.needs_deadlock(self.net) && self.never_dead().is_some() {
            return Some(Proof::default());
        }
        if let Some(known) = self.known.borrow().get(condition) {
            return *known;
        }
        let proof = if self.samples().iter().any(|marking| condition.holds(self.net, marking)) {
            None
        } else {
            self.search(condition).map(|(proof, _)| proof)
        };
        // What was cut short may be tried again with more time.
        if proof.is_some() || !self.is_over() {
            self.known.borrow_mut().insert(condition.clone(), proof);
        }
        proof
    }

    fn search(&self, condition: &Condition) -> Option<(Proof, Tree)> {
        Search::new(self, &Region::default(), Limits::of(&self.budget())).refutes(condition)
    }
}

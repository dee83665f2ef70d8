//! The state equation of a net: refutations and integral solutions by linear programs.
//!
//! Every reachable marking is `m = m0 + C x` for firing counts `x >= 0`, and `m >= 0`. A [`MarkingCondition`] that no
//! solution of this meets is met in no reachable marking. Source: Murata, "Petri nets: properties, analysis and
//! applications" (1989), for the equation; Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL formulae
//! for efficient model checking of Petri nets" (2018), for sets of linear programs that are made one at a time.
//!
//! How we differ: programs are not listed and solved one by one. A branch-and-cut search ([`branch_and_cut`]) keeps one growing
//! system of constraints over the counts and decides by the last solution what to add: a place that the solution makes
//! negative, a part of a union that it does not meet, a trap or siphon that it breaks ([`cuts`]), a count that is not integral.
//! And no answer of the solver is believed: a system is contradictory when the sum of its constraints says so in integers
//! ([`constraint`]).
//!
//! The other way round, integral solutions ([`region`]) propose runs; `parikh` of `fireset-reduce` looks for an order of their
//! firings.
//!
//! Inhibitor arcs only take runs away, so all of this holds with them.
//! Cost: bounded by the time that is [granted](StateEquation::grant), by [`BranchLimits`], and in
//! memory by the square of the constraints of a system. Test: `tests.rs`, and `tests/equation.rs` of `fireset-reduce`, against
//! all reachable markings of random nets.

pub mod branch_and_cut;
mod condition;
pub mod constraint;
pub mod cuts;
mod integrality;
pub mod refutation;
pub mod region;
mod repetitive;
mod samples;
#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use fireset_net::{Budget, Linear, Marking, Net};

pub use condition::MarkingCondition;

use self::{
    branch_and_cut::{BranchAndCut, BranchLimits},
    constraint::FiringConstraint,
    refutation::{ProofSize, RefutationTree},
    region::CountRegion,
};
use crate::{Incidence, NetStructure, TransitionColumns, siphon_trap::Trap};

/// Steps by which a bound is looked for; one that is farther away is of no use.
const MAX_STEP: i128 = 1 << 24;

/// What a refutation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RefutationEffort {
    /// A linear program, without branches and cuts.
    Relaxed,
    Full,
}

/// The state equation of a net, with the answers that it gave so far. The matrix is shared with all others of the net.
#[derive(Clone, Debug)]
pub struct StateEquation<'n> {
    structure: NetStructure<'n>,
    columns: &'n TransitionColumns,
    incidence: Arc<Incidence>,
    samples: OnceCell<Vec<Marking>>,
    deadline: Cell<Option<Instant>>,
    known: RefCell<HashMap<MarkingCondition, Option<ProofSize>>>,
}

impl<'n> StateEquation<'n> {
    /// The equation of a net, without a time limit; `None` where a weight does not fit.
    pub fn of(net: &'n Net) -> Option<Self> {
        let structure = NetStructure::of(net);
        Some(Self {
            structure,
            columns: structure.columns(),
            incidence: structure.incidence()?,
            samples: OnceCell::new(),
            deadline: Cell::new(None),
            known: RefCell::default(),
        })
    }

    /// Lets all calls together take this time from now on.
    pub fn grant(&self, time: Duration) {
        self.deadline.set(Instant::now().checked_add(time));
    }

    /// Whether the granted time is used up.
    pub fn is_over(&self) -> bool {
        self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The rest of the granted time.
    fn budget(&self) -> Budget {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let unlimited = Budget::unlimited();
        self.deadline.get().map_or(unlimited.clone(), |deadline| unlimited.with_timeout(left(deadline)))
    }

    /// The net whose markings solve the equation.
    pub fn net(&self) -> &'n Net {
        self.structure.net()
    }

    /// The unknowns of the equation: how often each of these fires.
    pub fn columns(&self) -> &'n TransitionColumns {
        self.columns
    }

    /// The matrix of the equation.
    pub fn incidence(&self) -> &Incidence {
        &self.incidence
    }

    /// The initial tokens of a place.
    pub fn initial(&self, place: u32) -> u64 {
        self.net().initial_marking().0[place as usize]
    }

    /// That a form is at least 0, as a constraint on firing counts; `None` when a number does not fit.
    fn constraint(&self, form: &Linear) -> Option<FiringConstraint> {
        let mut terms: Vec<(u32, i128)> = Vec::new();
        let mut least = form.constant.checked_neg()?;
        for &(place, factor) in &form.terms {
            least = least.checked_sub(factor.checked_mul(self.initial(place).into())?)?;
            for &(column, change) in self.incidence.changes(place) {
                terms.push((column, factor.checked_mul(change.into())?));
            }
        }
        let joined = Linear::of(terms, 0)?;
        Some(FiringConstraint { terms: joined.terms, least }.strengthened())
    }

    /// The most that a form can be in a reachable marking, as far as that is proven in the granted time; not worse than the
    /// bound that is known already.
    pub fn most(&self, form: &Linear, known: Option<i128>) -> Option<i128> {
        let values = self.samples().iter().filter_map(|marking| condition::value(form, marking));
        let (Some(reached), mut most) = (values.max(), known) else { return known };
        // Linear programs alone first: they are cheap, and most bounds follow from them.
        for effort in [RefutationEffort::Relaxed, RefutationEffort::Full] {
            let exceeds = |least: i128| -> Option<bool> {
                let constant = form.constant.checked_sub(least)?;
                let condition = MarkingCondition::AtLeast(Linear { terms: form.terms.clone(), constant });
                Some(!self.excludes(&condition, effort))
            };
            // Larger and larger steps up to a value that is refuted, then halves.
            let (mut open, mut step) = (reached, 1);
            while step <= MAX_STEP && most.is_none_or(|most| open < most) && !self.is_over() {
                let tried = match most {
                    Some(most) => (open.checked_add(step)?).min(most - (most - open) / 2),
                    None => open.checked_add(step)?,
                };
                if exceeds(tried)? {
                    open = tried;
                    step *= 2;
                } else {
                    most = Some(tried - 1);
                    step = 1;
                }
            }
        }
        most
    }

    /// Whether no reachable marking meets the condition, as far as this effort shows it.
    fn excludes(&self, condition: &MarkingCondition, effort: RefutationEffort) -> bool {
        match effort {
            RefutationEffort::Relaxed => {
                let limits = BranchLimits::of(&self.budget()).relaxed();
                BranchAndCut::new(self, &CountRegion::default(), limits).refutes(condition).is_some()
            }
            RefutationEffort::Full => self.refutes(condition).is_some(),
        }
    }

    fn samples(&self) -> &[Marking] {
        self.samples.get_or_init(|| samples::sampled_markings(self.net()))
    }

    /// Marked traps that show that no reachable marking is a deadlock, if they are found in the granted time.
    pub fn traps_against_deadlock(&self) -> Option<&'n [Trap]> {
        self.structure.traps_against_deadlock(self.deadline.get())
    }

    /// Whether the net has the siphon-trap property; `None` if that is not known in the granted time.
    pub fn siphon_trap_property(&self) -> Option<bool> {
        self.structure.siphon_trap_property(self.deadline.get())
    }

    /// A proof that no reachable marking meets the condition, if one is found in the granted time.
    pub fn refutes(&self, condition: &MarkingCondition) -> Option<ProofSize> {
        if self.is_over() {
            return None;
        }
        if condition.needs_deadlock(self.net()) && self.traps_against_deadlock().is_some() {
            return Some(ProofSize::default());
        }
        if let Some(known) = self.known.borrow().get(condition) {
            return *known;
        }
        let proof = if self.samples().iter().any(|marking| condition.holds(self.net(), marking)) {
            None
        } else {
            self.refutation(condition).map(|(proof, _)| proof)
        };
        // A search that was cut short may be tried again with more time.
        if proof.is_some() || !self.is_over() {
            self.known.borrow_mut().insert(condition.clone(), proof);
        }
        proof
    }

    /// Whether it is proven in the granted time that no run with counts in a region leads to a marking that meets the condition.
    pub fn refutes_within(&self, region: &CountRegion, condition: &MarkingCondition) -> bool {
        if self.is_over() {
            return false;
        }
        let limits = BranchLimits::of(&self.budget());
        condition.needs_deadlock(self.net()) && self.traps_against_deadlock().is_some()
            || BranchAndCut::new(self, region, limits).refutes(condition).is_some()
    }

    /// The tree of a refutation, if one is found in the granted time.
    pub fn refutation(&self, condition: &MarkingCondition) -> Option<(ProofSize, RefutationTree)> {
        BranchAndCut::new(self, &CountRegion::default(), BranchLimits::of(&self.budget())).refutes(condition)
    }
}

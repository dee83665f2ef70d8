//! k-induction: if no goal is met within k - 1 steps, and no run of k single steps anywhere goes through other markings to
//! the goal, then the goal is not reachable.
//!
//! After Sheeran, Singh, Stålmarck, "Checking safety properties using induction and a SAT-solver" (2000). The caller shows
//! the base case by bounded model checking; here is the step. The clauses contain what is known of reachable markings. Loops
//! are not excluded: the pairs of markings would take more clauses than the steps.
//!
//! Test: `tests/induction.rs`, each method alone.

use fireset_net::{Budget, StopReason};

use super::{
    bmc::Unrolling,
    encoding::{SatEncoding, ask},
    nnf::NnfPredicate,
    transition_relation::StepSemantics,
};

/// The step of k-induction, with a growing k.
pub(super) struct InductionStep<'g> {
    unrolling: Unrolling,
    goal: &'g NnfPredicate,
    /// May hold where the goal does not.
    other: &'g NnfPredicate,
}

impl<'g> InductionStep<'g> {
    pub(super) fn new(encoding: &SatEncoding<'_>, goal: &'g NnfPredicate, other: &'g NnfPredicate) -> Self {
        Self { unrolling: Unrolling::from_anywhere(encoding, StepSemantics::Interleaving), goal, other }
    }

    pub(super) fn length(&self) -> usize {
        self.unrolling.firing.len()
    }

    /// Adds a step: whether no run of the new length meets the goal only at its end.
    pub(super) fn next_holds(
        &mut self,
        encoding: &SatEncoding<'_>,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        let unrolling = &mut self.unrolling;
        let last = unrolling.state(unrolling.firing.len(), encoding);
        unrolling.cnf.require(self.other, &[], &last).map_err(|_| StopReason::Memory)?;
        unrolling.extend(encoding, budget)?;
        if let Some(firing) = unrolling.firing.last() {
            unrolling.cnf.add(firing.iter().copied());
        }
        let is_met = unrolling.cnf.fresh();
        let state = unrolling.state(unrolling.firing.len(), encoding);
        unrolling.cnf.require(self.goal, &[is_met], &state).map_err(|_| StopReason::Memory)?;
        Ok(!ask(&mut unrolling.cnf, &[is_met], budget)?)
    }
}

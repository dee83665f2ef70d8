//! Bounded model checking: a number of steps in a row as clauses.
//!
//! After Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs" (1999): a run from the initial marking to the
//! goal within a number of parallel steps. A step may be empty, so that a run that is shorter than the bound is found too, and
//! not every number has to be tried. The clauses contain what is known of reachable markings.
//!
//! Invariant: a run of the net is one of the unrolling, so "no solution" is right on every net; a solution is fired by the caller.
//! Cost: each step has a copy of the net. Test: `tests/induction.rs`, each method alone.

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, StopReason, TransitionId};

use super::{
    cnf::{CnfEncoder, StateVariables},
    encoding::{SatEncoding, ask},
    nnf::NnfPredicate,
    transition_relation::StepSemantics,
};

/// Literals that an unrolling may have.
const MAX_SIZE: usize = 12_000_000;

/// A sequence of markings, each with the step to the next, as clauses.
pub(super) struct Unrolling {
    pub(super) cnf: CnfEncoder,
    /// The offset of the variables of each marking.
    offsets: Vec<Literal>,
    /// By step, the variables that say which transitions fire.
    pub(super) firing: Vec<Vec<Literal>>,
    steps: StepSemantics,
}

impl Unrolling {
    /// Runs from the initial marking.
    pub(super) fn from_start(encoding: &SatEncoding<'_>) -> Self {
        let mut unrolling = Self::from_anywhere(encoding, StepSemantics::Parallel);
        // The offset of the first marking is 0.
        encoding.initial_literals().for_each(|literal| unrolling.cnf.add([literal]));
        unrolling
    }

    /// Runs from any marking.
    pub(super) fn from_anywhere(encoding: &SatEncoding<'_>, steps: StepSemantics) -> Self {
        let mut cnf = CnfEncoder::default();
        let offset = encoding.encode_reachable(&mut cnf).offset;
        Self { cnf, offsets: vec![offset], firing: Vec::new(), steps }
    }

    pub(super) fn state<'e>(&self, at: usize, encoding: &'e SatEncoding<'_>) -> StateVariables<'e> {
        StateVariables { order: &encoding.order, offset: self.offsets[at] }
    }

    pub(super) fn extend(&mut self, encoding: &SatEncoding<'_>, budget: &Budget) -> Result<(), StopReason> {
        budget.go_on()?;
        if self.cnf.size() + encoding.relation.size() > MAX_SIZE {
            return Err(StopReason::Memory);
        }
        let now = self.state(self.firing.len(), encoding);
        // A run from the initial marking meets only reachable markings in any case.
        let next = match self.steps {
            StepSemantics::Parallel => encoding.encode_marking(&mut self.cnf),
            StepSemantics::Interleaving => encoding.encode_reachable(&mut self.cnf),
        };
        let firing = encoding.relation.encode(&mut self.cnf, &now, &next, self.steps);
        self.offsets.push(next.offset);
        self.firing.push(firing);
        Ok(())
    }

    /// A run of at most `steps` parallel steps to the goal.
    pub(super) fn run_within(
        &mut self,
        steps: usize,
        goal: &NnfPredicate,
        encoding: &SatEncoding<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<TransitionId>>, StopReason> {
        while self.firing.len() < steps {
            self.extend(encoding, budget)?;
        }
        let is_met = self.cnf.fresh();
        let state = self.state(steps, encoding);
        self.cnf.require(goal, &[is_met], &state).map_err(|_| StopReason::Memory)?;
        let found = ask(&mut self.cnf, &[is_met], budget)?;
        let run = found.then(|| {
            let fired = |firing: &Vec<Literal>| -> Vec<TransitionId> {
                let pairs = firing.iter().zip(&encoding.relation.transitions);
                pairs.filter(|(fires, _)| self.cnf.is_true(**fires)).map(|(_, c)| c.transition).collect()
            };
            self.firing[..steps].iter().flat_map(fired).collect()
        });
        self.cnf.add([-is_met]);
        Ok(run)
    }
}

//! So many steps in a row as clauses: bounded model checking and k-induction.
//!
//! *Bounded model checking* (Biere, Cimatti, Clarke, Zhu, 1999): a run from the initial marking to the goal within a number
//! of parallel steps. A step may be empty, so that a run that is shorter than the bound is found too, and not every number
//! has to be tried. *k-induction* (Sheeran, Singh, Stålmarck, 2000): if no goal is met within k - 1 steps, and no run of k
//! single steps anywhere goes through other markings to the goal, then the goal is not reachable. Both know what is known of
//! reachable markings. Loops are not excluded: the pairs of markings would take more clauses than the steps.
//!
//! Invariant: a run of the net is one of the unrolling, so "no solution" is right on every net; a solution is fired by the caller.
//! Cost: each step has a copy of the net. Test: `tests/induction.rs`, each alone.

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, StopReason, TransitionId};

use super::{
    columns::Steps,
    encoding::{Encoding, ask},
    goal::Goal,
    writer::{Frame, Writer},
};

/// Literals that an unrolling may have.
const MAX_SIZE: usize = 12_000_000;

/// Markings in a row, as clauses.
pub(super) struct Unrolling {
    writer: Writer,
    /// What is added to the variables of each marking.
    offsets: Vec<Literal>,
    /// The variables of each step.
    firing: Vec<Vec<Literal>>,
    steps: Steps,
}

impl Unrolling {
    /// Runs from the initial marking.
    pub(super) fn from_start(encoding: &Encoding<'_>) -> Self {
        let mut unrolling = Self::anywhere(encoding, Steps::Parallel);
        // The first variables.
        encoding.initial_literals().for_each(|literal| unrolling.writer.add([literal]));
        unrolling
    }

    /// Runs from any marking.
    fn anywhere(encoding: &Encoding<'_>, steps: Steps) -> Self {
        let mut writer = Writer::default();
        let offset = encoding.write_frame(&mut writer).offset;
        Self { writer, offsets: vec![offset], firing: Vec::new(), steps }
    }

    fn frame<'e>(&self, at: usize, encoding: &'e Encoding<'_>) -> Frame<'e> {
        Frame { thresholds: &encoding.thresholds, offset: self.offsets[at] }
    }

    /// One step more.
    fn extend(&mut self, encoding: &Encoding<'_>, budget: &Budget) -> Result<(), StopReason> {
        budget.go_on()?;
        if self.writer.size() + encoding.columns.size() > MAX_SIZE {
            return Err(StopReason::Memory);
        }
        let now = self.frame(self.firing.len(), encoding);
        // From the start on, only what is reachable is met in any case.
        let next = match self.steps {
            Steps::Parallel => encoding.write_marking(&mut self.writer),
            Steps::Single => encoding.write_frame(&mut self.writer),
        };
        let firing = encoding.columns.write(&mut self.writer, &now, &next, self.steps);
        self.offsets.push(next.offset);
        self.firing.push(firing);
        Ok(())
    }

    /// A run of at most so many parallel steps to the goal.
    pub(super) fn run_within(
        &mut self,
        steps: usize,
        goal: &Goal,
        encoding: &Encoding<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<TransitionId>>, StopReason> {
        while self.firing.len() < steps {
            self.extend(encoding, budget)?;
        }
        let is_met = self.writer.fresh();
        let frame = self.frame(steps, encoding);
        self.writer.require(goal, &[is_met], &frame).map_err(|_| StopReason::Memory)?;
        let found = ask(&mut self.writer, &[is_met], budget)?;
        let run = found.then(|| {
            let fired = |firing: &Vec<Literal>| -> Vec<TransitionId> {
                let pairs = firing.iter().zip(&encoding.columns.all);
                pairs.filter(|(fires, _)| self.writer.is_true(**fires)).map(|(_, c)| c.transition).collect()
            };
            self.firing[..steps].iter().flat_map(fired).collect()
        });
        self.writer.add([-is_met]);
        Ok(run)
    }
}

/// The step of k-induction, with a growing k.
pub(super) struct Step<'g> {
    unrolling: Unrolling,
    goal: &'g Goal,
    /// May hold where the goal does not.
    other: &'g Goal,
}

impl<'g> Step<'g> {
    pub(super) fn new(encoding: &Encoding<'_>, goal: &'g Goal, other: &'g Goal) -> Self {
        Self { unrolling: Unrolling::anywhere(encoding, Steps::Single), goal, other }
    }

    /// How many steps there are.
    pub(super) fn length(&self) -> usize {
        self.unrolling.firing.len()
    }

    /// One step more: whether no run of that length meets the goal only at its end.
    pub(super) fn next_holds(
        &mut self,
        encoding: &Encoding<'_>,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        let unrolling = &mut self.unrolling;
        let last = unrolling.frame(unrolling.firing.len(), encoding);
        unrolling.writer.require(self.other, &[], &last).map_err(|_| StopReason::Memory)?;
        unrolling.extend(encoding, budget)?;
        if let Some(firing) = unrolling.firing.last() {
            unrolling.writer.add(firing.iter().copied());
        }
        let is_met = unrolling.writer.fresh();
        let frame = unrolling.frame(unrolling.firing.len(), encoding);
        unrolling.writer.require(self.goal, &[is_met], &frame).map_err(|_| StopReason::Memory)?;
        Ok(!ask(&mut unrolling.writer, &[is_met], budget)?)
    }
}

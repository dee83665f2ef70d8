//! Sweeps: walks on coloured nets that fire one transition under all its enabled bindings before they fire another.
//!
//! Why: many goals say that all processes of a kind are in a state, or that none can go on. A uniform walk hardly ever comes
//! there, because others leave the state meanwhile; a sweep does in as many steps as there are processes. Bindings are fired in
//! their total order, so what a process gives its neighbour goes around a ring in one sweep.
//!
//! A sweep consists of phases. The transition of a phase is drawn at random; it fires until it is disabled, or a few times. Goals
//! are evaluated after the first steps of a phase, then in steps as rare as rows are long, and after its last step.
//! Sound, as every walk, since each step fires and the run is replayed. Cost: a copied row a step, and an evaluation of the goals for as
//! many words. Test: `sweeps_reach_what_all_processes_do_together` and the comparisons with the oracle in `tests/walk.rs`.

use fireset_net::TransitionId;

use super::{coloured::WalkOnSpace, luby};
use crate::search::{ActionCursor, MarkingSpace, PollTimer, SearchStop};

/// The percentage of phases that end after at most `FEW` steps.
const SHORT: usize = 25;
const FEW: usize = 4;
/// The most steps of a sweep.
const LONGEST: usize = 1 << 18;
/// Goals are evaluated once for this many words of rows that are copied, but in the first steps of a phase at each.
const WORDS: usize = 1 << 8;
const FIRST: usize = 16;

/// What a sweep has done.
struct SweepRun<N> {
    row: Vec<u64>,
    next: Vec<u64>,
    actions: Vec<N>,
}

impl WalkOnSpace<'_, '_, '_> {
    /// One sweep, with a number of phases that depends on the round.
    pub(super) fn sweep<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        pace: &mut PollTimer,
    ) -> Result<(), SearchStop<S::ActionId>> {
        let transitions = self.walker.net.nodes().transitions.len();
        let phases = luby(self.walker.round).saturating_mul(2 * transitions as u64);
        let mut run = SweepRun { row: self.initial.clone(), next: self.initial.clone(), actions: Vec::new() };
        for _ in 0..phases {
            let transition = TransitionId::new(self.walker.random.below(transitions));
            let most = match self.walker.random.percent(SHORT) {
                true => 1 + self.walker.random.below(FEW),
                false => LONGEST,
            };
            self.phase(space, transition, most, (&mut run, pace))?;
            if run.actions.len() >= LONGEST {
                break;
            }
        }
        Ok(())
    }

    /// Fires a transition until it is disabled, or `most` times.
    fn phase<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        transition: TransitionId,
        most: usize,
        (run, pace): (&mut SweepRun<S::ActionId>, &mut PollTimer),
    ) -> Result<(), SearchStop<S::ActionId>> {
        let stride = 1 + run.row.len() / WORDS;
        let mut last = None;
        for fired in 0..most.min(LONGEST.saturating_sub(run.actions.len())) {
            if self.walker.open.is_empty() || self.walker.limits.are_reached(self.walker.steps, pace) {
                return Err(SearchStop::Enough);
            }
            self.walker.steps += 1;
            let after = space.next_binding(&run.row, transition, last);
            let found = if last.is_some() {
                after.or_else(|| space.next_binding(&run.row, transition, None))
            } else {
                after
            };
            let Some(action) = found else { break };
            if !space.fire(&run.row, action, &mut run.next) {
                return Err(SearchStop::overflow(&run.row, action));
            }
            run.actions.push(action);
            std::mem::swap(&mut run.row, &mut run.next);
            last = Some(action);
            if fired < FIRST || fired.is_multiple_of(stride) {
                self.evaluate(space, run);
            }
        }
        if last.is_some() {
            self.evaluate(space, run);
        }
        Ok(())
    }

    fn evaluate<S: MarkingSpace>(&mut self, space: &mut S, run: &SweepRun<S::ActionId>) {
        let deadlock = space.next(&run.row, ActionCursor::default()).is_none();
        self.report(space, &run.row, deadlock, &run.actions);
    }
}

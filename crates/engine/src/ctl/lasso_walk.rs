//! Random walks that close a cycle on which the goal of an `AU` never holds, or run into a deadlock without it: they show that the `AU` is
//! false, so that `EG`, `ER` and `EW` hold.
//!
//! Why: a depth-first search for `EG f` follows one path, which in a large net may see millions of new markings before it comes back
//! to one of its own, above all where `f` itself has to be searched for. Cycles of a few steps are often near. As in the random walks for LTL
//! ([`crate::walk::lasso`]), the enabled transition of the highest priority fires, and priorities are drawn for each walk, so that the
//! walk repeats itself soon; every other walk goes some way by chance first.
//!
//! Sound: each marking of the run was shown to be without the goal, and its next marking is a successor. Where the last one
//! has no successor, has a successor on the run or one in which the `AU` is false, or is without the operand that has to hold until the
//! goal, the path that the run begins never meets the goal in time. Cost: all successors of each marking of a walk, and a search of limited
//! effort for the goal. Test: `tests/ctl.rs`, against the reference checker.

use std::collections::HashSet;

use fireset_kernel::{random::Random, store::RowId};
use fireset_net::Budget;

use super::{evaluate::Evaluation, operators::OperatorId, random_walk::CtlWalk, status::Status};
use crate::search::{ActionCursor, MarkingSpace, PendingSuccessors, SearchStop};

/// Successors that are tried before a walk ends.
const TRIES: usize = 6;

/// A successor of a marking, with the transition that leads to it.
type WalkStep = (u32, RowId);

/// How a walk without a goal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LassoWalkEnd {
    /// The operator is false in all markings of the run.
    Refuted,
    /// The walk has its length, or cannot go on without the goal.
    Over,
    /// The effort was too little for the value of the goal in the first marking.
    TooLittle,
}

impl<S: MarkingSpace> Evaluation<'_, S> {
    /// Walks from a marking through markings without the goal of an `AU`.
    pub(super) fn walk_round(
        &mut self,
        (id, start): (OperatorId, RowId),
        walk: CtlWalk,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<LassoWalkEnd, SearchStop<S::ActionId>> {
        let operators = self.operators;
        let operator = &operators.all[id as usize];
        match self.value_by_walks(&operator.goal, start, walk, random, budget)? {
            None => return Ok(LassoWalkEnd::TooLittle),
            Some(true) => return Ok(LassoWalkEnd::Over),
            Some(false) => {}
        }
        let priorities = random.bits();
        let way_out = if walk.guided { 0 } else { random.below(walk.length as usize) };
        let (mut run, mut on_run) = (vec![start], HashSet::from([start]));
        while run.len() as u64 <= walk.length {
            self.check(budget)?;
            let now = *run.last().expect("it begins somewhere");
            let mut steps = self.steps_from(now)?;
            let leaves = self.at(now).term(&operator.hold) == Ok(false);
            let ends = |&(_, next): &WalkStep| {
                on_run.contains(&next) || self.values[id as usize].get(next) == Status::Decided(false)
            };
            if leaves || steps.is_empty() || steps.iter().any(ends) {
                run.iter().for_each(|&at| self.values[id as usize].set(at, Status::Decided(false)));
                return Ok(LassoWalkEnd::Refuted);
            }
            let by_chance = random.bits();
            let seed = if run.len() <= way_out { by_chance } else { priorities };
            steps.sort_by_key(|&(transition, _)| Random::new(seed ^ u64::from(transition)).bits());
            match self.first_without(id, &steps, walk, random, budget)? {
                Some(next) => {
                    on_run.insert(next);
                    run.push(next);
                }
                None => return Ok(LassoWalkEnd::Over),
            }
        }
        Ok(LassoWalkEnd::Over)
    }

    /// The first of some successors that is found to be without an operator's goal.
    fn first_without(
        &mut self,
        id: OperatorId,
        steps: &[WalkStep],
        walk: CtlWalk,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<Option<RowId>, SearchStop<S::ActionId>> {
        let operators = self.operators;
        let goal = &operators.all[id as usize].goal;
        let mut tries = 0;
        for &(_, next) in steps {
            let known = match self.values[id as usize].get(next) {
                Status::Decided(_) => continue,
                _ => self.at(next).term(goal),
            };
            let value = match known {
                Ok(value) => Some(value),
                Err(_) if tries == TRIES => continue,
                Err(_) => {
                    tries += 1;
                    self.value_by_walks(goal, next, walk, random, budget)?
                }
            };
            if value == Some(false) {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// All successors of a marking, with their transitions.
    fn steps_from(&mut self, marking: RowId) -> Result<Vec<WalkStep>, SearchStop<S::ActionId>> {
        let (mut cursor, mut pending) = (ActionCursor::default(), PendingSuccessors::default());
        let mut steps = Vec::new();
        while let Some((next, action)) = self.markings.next(marking, &mut cursor, &mut pending)? {
            steps.push((self.markings.space.transition(action), next));
        }
        Ok(steps)
    }
}

//! Passes before a strategy: it runs on the problem that they make, and the lifts bring its verdicts back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use fireset_net::{Budget, Event, Outcome, Size, StopReason};
use fireset_reduce::{Pass, Reduced};

use super::{Scheduler, Task};
use crate::{
    panic,
    recorder::{CutOff, Limit},
    results::{QueryId, Results},
    strategy::{PassKind, Strategy},
};

/// What passes made of a task. The queries that they made are retired with it.
pub(super) struct DerivedTask<'r, 'c> {
    results: &'r Results<'c>,
    pub(super) task: Task,
    /// For each query of the task, the query that the first pass was given.
    sources: Vec<QueryId>,
    /// The queries that each pass made, in the order of the passes.
    generations: Vec<Vec<QueryId>>,
}

impl Drop for DerivedTask<'_, '_> {
    fn drop(&mut self) {
        self.generations.iter().rev().for_each(|ids| self.results.retire(ids));
    }
}

impl DerivedTask<'_, '_> {
    /// The cut-off queries that the first pass was given.
    pub(super) fn of_sources(&self, cut_off: &[CutOff]) -> Vec<CutOff> {
        let source = |id: QueryId| {
            let at = self.task.ids.iter().position(|other| *other == id);
            self.sources[at.expect("the queries of a run are those of its task")]
        };
        cut_off.iter().map(|cut| CutOff { id: source(cut.id), ..*cut }).collect()
    }

    /// Takes over what a pass made.
    fn push(&mut self, pass: &'static str, start: Instant, reduced: Reduced) {
        let Reduced { problem, asked_for, lift } = reduced;
        let elapsed = start.elapsed();
        let mut after: Vec<Option<Size>> = vec![None; self.task.ids.len()];
        for (query, &at) in problem.queries.iter().zip(&asked_for) {
            let size = Size::of(&problem.model, query);
            let formula = size.formula + after[at].map_or(0, |others| others.formula);
            after[at] = Some(Size { formula, ..size });
        }
        for (at, after) in after.into_iter().enumerate() {
            let Some(after) = after else { continue };
            let before = Size::of(&self.task.problem.model, &self.task.problem.queries[at]);
            let event = Event::Applied { pass, began: start, elapsed, before, after };
            self.results.record(self.task.ids[at], &event);
        }
        let parents: Vec<QueryId> = asked_for.iter().map(|&at| self.task.ids[at]).collect();
        let ids = self.results.derive(&parents, lift);
        self.sources = asked_for.iter().map(|&at| self.sources[at]).collect();
        self.generations.push(ids.clone());
        self.task = Task { problem, ids };
    }
}

impl<'s, 'c> Scheduler<'s, 'c> {
    pub(super) fn run_with_passes(
        &self,
        kinds: &[PassKind],
        strategy: &Strategy,
        task: &Task,
        budget: &Budget,
    ) -> Vec<CutOff> {
        let passes: Vec<Box<dyn Pass>> = kinds.iter().map(|kind| kind.pass()).collect();
        match self.derive(&passes, task, budget) {
            Ok(derived) => derived.of_sources(&self.run(strategy, &derived.task, budget)),
            Err(reason) => self.give_up(task, &reason),
        }
    }

    /// Applies passes. One that panics is left out and reported: that costs the reduction, not the answers.
    pub(super) fn derive(
        &self,
        passes: &[Box<dyn Pass>],
        task: &Task,
        budget: &Budget,
    ) -> Result<DerivedTask<'s, 'c>, StopReason> {
        let (results, sources) = (self.results, task.ids.clone());
        let mut derived = DerivedTask { results, task: task.clone(), sources, generations: Vec::new() };
        for pass in passes {
            let start = Instant::now();
            match catch_unwind(AssertUnwindSafe(|| pass.apply(&derived.task.problem, budget))) {
                Ok(applied) => {
                    if let Some(reduced) = applied? {
                        derived.push(pass.name(), start, reduced);
                    }
                }
                Err(panic) => {
                    self.results.warn(format!("pass {}: {}", pass.name(), panic::message(&*panic)));
                }
            }
        }
        Ok(derived)
    }

    /// Leaves queries open for a reason that has to do with none of them.
    pub(super) fn give_up(&self, task: &Task, reason: &StopReason) -> Vec<CutOff> {
        task.ids.iter().for_each(|&id| self.results.report(id, Outcome::unknown(reason.clone())));
        let limit = match reason {
            StopReason::Time => Limit::Time,
            StopReason::Memory => Limit::Memory,
            _ => return Vec::new(),
        };
        task.ids.iter().map(|&id| CutOff { id, limit }).collect()
    }
}

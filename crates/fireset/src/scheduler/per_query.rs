//! Queries one at a time, each on a net that is reduced for it alone: what one query looks at need not be kept for another. An
//! exploration that queries share comes first where it may be enough, and queries for which the net stays as it is stay together.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use fireset_engine::turns::{TIME_SHARES, Turn};
use fireset_net::{Budget, StopReason};
use fireset_reduce::Pass;

use super::{Scheduler, Task, passes::DerivedTask};
use crate::{
    recorder::{CutOff, Limit},
    results::QueryId,
    strategy::{PassKind, PerQuery, Strategy},
};

/// A query with the net that was reduced for it.
type QueryWithNet<'s, 'c> = (QueryId, DerivedTask<'s, 'c>);

impl<'s, 'c> Scheduler<'s, 'c> {
    pub(super) fn run_per_query(
        &self,
        how: PerQuery,
        strategy: &Strategy,
        task: &Task,
        budget: &Budget,
    ) -> Vec<CutOff> {
        let passes = [PassKind::QuickReduction.pass()];
        if task.ids.len() > self.tuning.many_queries {
            return self.run_many(how, &passes, strategy, task, budget);
        }
        let mut cut_off = Vec::new();
        let (mut reduced, mut same) = (Vec::new(), Vec::new());
        let part = &budget.part(task.ids.len() as u32);
        for &id in &task.ids {
            match self.derive(&passes, &task.only(id), part) {
                Ok(derived) => {
                    if Arc::ptr_eq(&derived.task.problem.model, &task.problem.model) {
                        same.push(id);
                    }
                    reduced.push((id, derived));
                }
                Err(reason) => {
                    same.push(id);
                    cut_off.extend(self.give_up(&task.only(id), &reason));
                }
            }
        }
        if same.len() == task.ids.len() {
            drop(reduced);
            return self.run(strategy, task, budget);
        }
        // Queries that gain nothing by being alone are together in any case, in their share of the time.
        let (joint, share) = match how.joint {
            0.0 => (task.filter(|id, _| same.contains(&id)), same.len() as f64 / task.ids.len() as f64),
            share => (task.clone(), share),
        };
        if joint.ids.len() > 1 {
            self.run(strategy, &joint, &budget.share(share));
        }
        reduced.retain(|(id, _)| self.results.is_open(*id));
        cut_off.extend(self.run_in_turns(how.parallel, strategy, &reduced, budget));
        cut_off
    }

    /// Each query alone, several at a time: at first all in a small part of the time, then those that it cut off in the rest.
    fn run_in_turns(
        &self,
        parallel: usize,
        strategy: &Strategy,
        reduced: &[QueryWithNet<'s, 'c>],
        budget: &Budget,
    ) -> Vec<CutOff> {
        if let [(id, derived)] = reduced {
            let signal = &self.results.signals(&[*id])[0];
            return derived.of_sources(&self.run(strategy, &derived.task, &budget.heeding(signal)));
        }
        let mut open: Vec<usize> = (0..reduced.len()).collect();
        let mut ended = Vec::new();
        for (turn, part) in TIME_SHARES {
            let workers = parallel.clamp(1, open.len().max(1));
            let queue =
                Queue { part, workers, open: &open, next: AtomicUsize::new(0), cut_off: Mutex::default() };
            let work = || self.work_off(&queue, strategy, reduced, budget);
            if workers == 1 {
                work();
            } else {
                thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
            }
            let cut_off = queue.cut_off.into_inner().unwrap_or_else(PoisonError::into_inner);
            let again = |at: &usize| cut_off.iter().any(|(other, _)| other == at);
            let again: Vec<usize> = (0..reduced.len()).filter(again).collect();
            if turn == Turn::Second || budget.go_on().is_err() {
                ended = cut_off.into_iter().map(|(_, cut)| cut).collect();
                break;
            }
            open = again;
        }
        ended
    }

    /// Takes one query after another from the queue.
    fn work_off(
        &self,
        queue: &Queue<'_>,
        strategy: &Strategy,
        reduced: &[QueryWithNet<'s, 'c>],
        budget: &Budget,
    ) {
        loop {
            let done = queue.next.fetch_add(1, Ordering::Relaxed);
            let Some(&at) = queue.open.get(done) else { return };
            let (id, derived) = &reduced[at];
            let signal = &self.results.signals(&[*id])[0];
            let left = queue.open.len() - done;
            let at_a_time = queue.workers.min(left);
            let part = budget.share(at_a_time as f64 / (f64::from(queue.part) * left as f64));
            let memory = part.memory().map(|bytes| bytes / at_a_time as u64);
            let part = memory.map_or(part.clone(), |bytes| part.clone().with_memory(bytes));
            let cut_off = self.run(strategy, &derived.task, &part.heeding(signal));
            let counts = |cut: &CutOff| cut.limit == Limit::Time || at_a_time > 1;
            let cut_off = derived.of_sources(&cut_off).into_iter().filter(counts);
            let mut all = queue.cut_off.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(cut_off.map(|cut| (at, cut)));
        }
    }

    /// Many queries, such as the parts of a global property: a net is reduced for each when its turn comes, and each gets
    /// enough time for that or none.
    fn run_many(
        &self,
        how: PerQuery,
        passes: &[Box<dyn Pass>],
        strategy: &Strategy,
        task: &Task,
        budget: &Budget,
    ) -> Vec<CutOff> {
        if how.joint > 0.0 {
            self.run(strategy, task, &budget.share(how.joint));
        }
        let open = task.filter(|id, _| self.results.is_open(id)).ids;
        let mut cut_off = Vec::new();
        for (done, &id) in open.iter().enumerate() {
            if !self.results.is_open(id) {
                continue;
            }
            let left = (open.len() - done) as u32;
            let time = budget.time_left().map(|time| (time / left).max(self.tuning.shortest_turn));
            let part = time.map_or_else(|| budget.clone(), |time| budget.within(time));
            let part = part.heeding(&self.results.signals(&[id])[0]);
            let task = task.only(id);
            match part.go_on().and_then(|()| self.derive(passes, &task, &part)) {
                Ok(derived) => {
                    cut_off.extend(derived.of_sources(&self.run(strategy, &derived.task, &part)));
                }
                Err(StopReason::Cancelled) => {}
                Err(reason) => cut_off.extend(self.give_up(&task, &reason)),
            }
        }
        cut_off
    }
}

/// The queries of one turn.
struct Queue<'q> {
    /// The turn divides one such part of the remaining time among its queries.
    part: u32,
    /// Threads that take queries from it.
    workers: usize,
    open: &'q [usize],
    next: AtomicUsize,
    cut_off: Mutex<Vec<(usize, CutOff)>>,
}

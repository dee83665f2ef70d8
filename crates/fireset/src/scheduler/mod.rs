//! Interprets a [`Strategy`]: decides the open queries of a task within a budget, and reports to the [`Results`].
//!
//! Each combinator is one method: it chooses queries and shares of time and memory, and runs its members. A run gives the queries
//! that were cut off by a limit of a stage, because more time or memory may decide those.
//!
//! Without a time limit the whole strategy runs in rounds that grow, so that every share is a share of something, and no query
//! and no portfolio member starves. With one thread the members of a portfolio run in sequence.

mod parallel;
mod passes;
mod per_query;
#[cfg(test)]
mod resume_tests;
mod task;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_shares;

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Mutex,
};

use fireset_engine::Engine;
use fireset_net::{Budget, Problem, StopReason};

use self::task::Task;
use crate::{
    Tuning,
    evidence_search::EvidenceSearch,
    panic,
    recorder::{CutOff, Limit, Recorder},
    results::{QueryId, Results},
    strategy::{Member, Stage, Strategy},
};

/// Makes the engine of a stage; tests put scripted engines here.
pub(crate) type Engines<'e> = dyn Fn(Stage) -> Box<dyn Engine> + Sync + 'e;

pub(crate) struct Scheduler<'s, 'c> {
    pub(crate) results: &'s Results<'c>,
    pub(crate) engines: &'s Engines<'s>,
    /// With one thread the members of a portfolio run in sequence.
    pub(crate) threads: usize,
    pub(crate) tuning: Tuning,
    /// Where no thread of its own searches for evidence, the search takes place between stages.
    pub(crate) evidence_search: Option<Mutex<EvidenceSearch<'c>>>,
}

impl Scheduler<'_, '_> {
    /// Decides the queries of a problem. When the scheduler itself panics, only the open queries are lost.
    pub(crate) fn decide(&self, strategy: &Strategy, problem: &Problem, budget: &Budget) {
        let ended = catch_unwind(AssertUnwindSafe(|| self.run_whole(strategy, problem, budget)));
        if let Err(panic) = ended {
            self.results.fail(&StopReason::Fault(panic::message(&*panic).to_owned()));
        }
    }

    /// One run within the time limit, or rounds that grow.
    fn run_whole(&self, strategy: &Strategy, problem: &Problem, budget: &Budget) {
        let task = Task { problem: problem.clone(), ids: self.results.written() };
        if budget.time_left().is_some() {
            self.run(strategy, &task, budget);
            return;
        }
        let (mut strategy, mut length) = (Cow::Borrowed(strategy), self.tuning.first_round);
        loop {
            let round = budget.within(length);
            let cut_off = self.run(&strategy, &task, &round);
            let is_over = round.go_on() == Err(StopReason::Time);
            if budget.go_on().is_err() || !self.is_worth_another_round(&task, &cut_off, is_over) {
                return;
            }
            length = length.saturating_mul(self.tuning.round_growth);
            strategy = Cow::Owned(strategy.without_pre_check());
        }
    }

    /// Whether more time could decide an open query: it ran out of time, and of nothing else.
    fn is_worth_another_round(&self, task: &Task, cut_off: &[CutOff], is_over: bool) -> bool {
        let was_cut = |id: QueryId, limit: Limit| cut_off.contains(&CutOff { id, limit });
        let mut open = task.ids.iter().filter(|id| self.results.is_open(**id));
        open.any(|&id| (is_over || was_cut(id, Limit::Time)) && !was_cut(id, Limit::Memory))
    }

    /// Runs a strategy on the queries of a task that are open and that it accepts.
    fn run(&self, strategy: &Strategy, task: &Task, budget: &Budget) -> Vec<CutOff> {
        let task = &self.accepted(strategy, task);
        match budget.go_on() {
            _ if task.ids.is_empty() => return Vec::new(),
            Err(reason) => return self.give_up(task, &reason),
            Ok(()) => {}
        }
        match strategy {
            Strategy::Stage(stage) => self.run_stage(*stage, task, budget),
            Strategy::Sequence(members) => {
                let run = |(share, member): &(f64, Strategy)| self.run(member, task, &budget.share(*share));
                members.iter().flat_map(run).collect()
            }
            Strategy::SharedSequence(members) => self.run_shared(members, task, budget),
            Strategy::Parallel(members) if self.threads == 1 => {
                let left = |done: usize| 1.0 / (members.len() - done) as f64;
                let members = members.iter().enumerate();
                let run = |(done, member): (usize, &Member)| {
                    self.run(&member.strategy, task, &budget.share(left(done)))
                };
                members.flat_map(run).collect()
            }
            Strategy::Parallel(members) => self.run_parallel(members, task, budget),
            Strategy::WithPasses(kinds, _, strategy) => self.run_with_passes(kinds, strategy, task, budget),
            Strategy::PerQuery(how, strategy) => self.run_per_query(*how, strategy, task, budget),
            Strategy::PreCheck(strategy) => {
                let little = budget.share(self.tuning.pre_check).within(self.tuning.pre_check_limit);
                self.run(strategy, task, &little);
                // What it leaves open is decided by what comes after it.
                Vec::new()
            }
        }
    }

    fn accepted(&self, strategy: &Strategy, task: &Task) -> Task {
        task.filter(|id, query| {
            self.results.is_open(id) && strategy.accepts(&task.problem.model, query, self.engines)
        })
    }

    /// Gives each member a share of the time as large as its share of the open queries, so that none uses up what another needs
    /// for its own; then a second round to the queries that ran out of their share.
    fn run_shared(&self, members: &[Strategy], task: &Task, budget: &Budget) -> Vec<CutOff> {
        let mut cut_off = Vec::new();
        for member in members {
            cut_off.extend(self.run_with_its_share(member, task, budget));
        }
        let ran_out = |id: QueryId| cut_off.contains(&CutOff { id, limit: Limit::Time });
        let again = task.filter(|id, _| ran_out(id));
        if again.ids.is_empty() || budget.go_on().is_err() {
            return cut_off;
        }
        members.iter().flat_map(|member| self.run_with_its_share(member, &again, budget)).collect()
    }

    fn run_with_its_share(&self, member: &Strategy, task: &Task, budget: &Budget) -> Vec<CutOff> {
        let open = task.filter(|id, _| self.results.is_open(id)).ids.len();
        let accepted = self.accepted(member, task).ids.len();
        self.run(member, task, &budget.share(accepted as f64 / open.max(1) as f64))
    }

    /// Runs one engine. When it panics only the queries that it has not answered are lost.
    fn run_stage(&self, stage: Stage, task: &Task, budget: &Budget) -> Vec<CutOff> {
        let engine = (self.engines)(stage);
        let group = self.results.group(&task.ids);
        let budget = &budget.heeding(group.all_closed()).apart();
        let mut recorder = Recorder::new(self.results, stage, &task.ids, budget.progress().clone());
        // The engine's own state is dropped with it, and the outcomes that it reported before are complete.
        let ended = catch_unwind(AssertUnwindSafe(|| engine.decide(&task.problem, budget, &mut recorder)));
        if let Err(panic) = ended {
            let fault = format!("engine {}: {}", engine.name(), panic::message(&*panic));
            recorder.fail(&StopReason::Fault(fault));
        }
        let cut_off = recorder.finish(&budget.go_on().err().unwrap_or(StopReason::NoEngine));
        if let Some(search) = &self.evidence_search {
            search.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).run_pending(self.results);
        }
        cut_off
    }
}

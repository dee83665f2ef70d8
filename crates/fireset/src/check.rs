//! The straight line: choose a strategy, let the scheduler interpret it, report what came out.

use std::{
    sync::{Arc, Mutex},
    thread,
};

use fireset_engine::SuspendedExplorations;
use fireset_net::{Budget, Event, Outcome, Problem, StopReason};

use crate::{
    Culprits, Options, Stage, Strategy, Timeline, Watchdog, evidence_search::EvidenceSearch,
    most_tokens::check_with_most_tokens, results::Results, scheduler::Scheduler,
};

/// The outcomes of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// In the order of the problem's queries.
    pub outcomes: Vec<Outcome>,
    /// What was done for each query, in the same order.
    pub timelines: Vec<Timeline>,
    /// The nodes for which a property of the whole net fails, in the same order.
    pub culprits: Vec<Option<Culprits>>,
    /// Faults that cost no answer: a pass that panicked was left out.
    pub warnings: Vec<String>,
    /// A fault after which no answer can be relied on: two engines contradicted each other.
    pub fault: Option<String>,
}

impl Report {
    /// Of this number of queries, none of which is answered.
    pub(crate) fn empty(queries: usize) -> Self {
        Self {
            outcomes: vec![Outcome::unknown(StopReason::NoEngine); queries],
            timelines: vec![Timeline::default(); queries],
            culprits: vec![None; queries],
            warnings: Vec::new(),
            fault: None,
        }
    }

    /// Takes over what a check of the queries at some positions found.
    pub(crate) fn take(&mut self, other: Self, positions: &[usize]) {
        for ((outcome, timeline), &at) in other.outcomes.into_iter().zip(other.timelines).zip(positions) {
            (self.outcomes[at], self.timelines[at]) = (outcome, timeline);
        }
        self.warnings.extend(other.warnings);
        self.fault = self.fault.take().or(other.fault);
    }
}

/// Hears of a check while it goes on. Its methods are called from several threads, one at a time, and should return soon.
pub trait Observer: Send {
    /// The outcome of a query, as soon as it is final, with what was done for it until then. Queries that stay unknown are
    /// reported at the end.
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline);

    /// The nodes for which a query fails, shortly before its answer.
    fn culprits(&mut self, _at: usize, _culprits: &Culprits) {}

    /// Something happened to a query.
    fn record(&mut self, _at: usize, _event: &Event) {}
}

/// Ignores everything.
impl Observer for () {
    fn answer(&mut self, _: usize, _: &Outcome, _: &Timeline) {}
}

/// Hears answers only.
impl<F: FnMut(usize, &Outcome) + Send> Observer for F {
    fn answer(&mut self, at: usize, outcome: &Outcome, _: &Timeline) {
        self(at, outcome);
    }
}

/// Decides all queries of a problem within a budget. A watchdog stops the check when the process outgrows the memory limit of the
/// budget.
pub fn check(problem: &Problem, options: &Options, budget: &Budget, observer: &mut dyn Observer) -> Report {
    let _watchdog = budget.memory().map(|_| Watchdog::over(budget));
    check_unwatched(problem, options, budget, observer)
}

/// Like [`check`], for a caller that has a [`Watchdog`] over the budget already.
pub fn check_unwatched(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Report {
    check_with_most_tokens(&problem.without_needless_colours(), options, budget, observer)
}

/// Decides queries that are no named properties.
pub(crate) fn check_formulas(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Report {
    let (evidence_search, waiting) = EvidenceSearch::new(problem, budget, options).unzip();
    let results = Results::new(problem, budget, observer, waiting);
    let strategy = Strategy::new(problem, options);
    let suspended = Arc::new(SuspendedExplorations::default());
    let budget = &budget.with_reserve(suspended.clone());
    let engines = &|stage: Stage| stage.engine(options, &suspended);
    let Options { threads, tuning, .. } = *options;
    match evidence_search {
        Some(search) if threads > 1 => thread::scope(|scope| {
            let results = &results;
            scope.spawn(move || search.run(results));
            let scheduler = Scheduler { results, engines, threads, tuning, evidence_search: None };
            scheduler.decide(&strategy, problem, budget);
            results.end_evidence_search();
        }),
        search => {
            let evidence_search = search.map(Mutex::new);
            let scheduler = Scheduler { results: &results, engines, threads, tuning, evidence_search };
            scheduler.decide(&strategy, problem, budget);
        }
    }
    results.finish()
}

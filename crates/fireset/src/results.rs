//! The one home of results.
//!
//! Every query of a check has an id for as long as the check lasts: those of the problem as written, and the ones that passes
//! make of them. An engine's verdict is reported once, under the id that the engine works on; the lifts of the passes bring it to
//! the query as written, where it is validated, stored and handed to the observer.
//!
//! Invariants: (1) a query is closed once, by its first verdict, or when the query that it was made of is closed; (2) its signal
//! is given at that moment, so everything that works on it stops; (3) two different verdicts for one id are a fault that stops the
//! whole check; (4) nothing is handed out for a query as written unless its evidence replays.
//! Test: below, and in `scheduler`.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use fireset_net::{Budget, Event, Outcome, Problem, Signal, StopReason, Verdict};
use fireset_reduce::Lift;

use crate::{
    Observer, Report, Timeline,
    evidence_search::{FoundEvidence, WaitingRoom},
    validator::Validator,
};

/// A query of a check, as written or made by a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct QueryId(u32);

impl QueryId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Verdicts, timelines and signals of all queries of a check.
pub(crate) struct Results<'c> {
    board: Mutex<Board<'c>>,
    validator: Validator<'c>,
    budget: &'c Budget,
    start: Instant,
    /// Takes answers that wait for evidence.
    waiting: Mutex<Option<WaitingRoom>>,
}

struct Board<'c> {
    entries: Vec<QueryEntry>,
    /// One for each query as written, as are the entries with the first ids.
    timelines: Vec<Timeline>,
    warnings: Vec<String>,
    observer: &'c mut dyn Observer,
}

/// What is known of a query.
struct QueryEntry {
    origin: Origin,
    /// The verdict; or of the unknown outcomes the one that saw most states.
    outcome: Option<Outcome>,
    closed: Signal,
    /// Queries that passes made of it.
    derived: Vec<QueryId>,
    groups: Vec<Weak<GroupState>>,
}

/// Where a query comes from.
#[derive(Clone)]
enum Origin {
    Written,
    /// Made of another query by a pass; `position` is the one among the queries that the pass made.
    Derived {
        from: QueryId,
        position: usize,
        kinship: Kinship,
        lift: SharedLift,
    },
    /// Derived, and its pass is over.
    Retired {
        from: QueryId,
    },
}

/// Whether a pass made several queries of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinship {
    OnlyChild,
    Sibling,
}

/// The way back from one application of a pass.
pub(crate) type SharedLift = Arc<Mutex<Box<dyn Lift>>>;

/// Queries whose signal is given when none of them is open.
pub(crate) struct Group(Arc<GroupState>);

struct GroupState {
    open: AtomicUsize,
    all_closed: Signal,
}

impl Group {
    pub(crate) fn all_closed(&self) -> &Signal {
        &self.0.all_closed
    }
}

impl GroupState {
    fn close_one(&self) {
        if self.open.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.all_closed.give(StopReason::Cancelled);
        }
    }
}

impl<'c> Results<'c> {
    pub(crate) fn new(
        problem: &'c Problem,
        budget: &'c Budget,
        observer: &'c mut dyn Observer,
        waiting: Option<WaitingRoom>,
    ) -> Self {
        let entries = problem.queries.iter().map(|_| QueryEntry::new(Origin::Written)).collect();
        let timelines = vec![Timeline::default(); problem.queries.len()];
        let board = Board { entries, timelines, warnings: Vec::new(), observer };
        let validator = Validator { problem, budget };
        Self {
            board: Mutex::new(board),
            validator,
            budget,
            start: Instant::now(),
            waiting: Mutex::new(waiting),
        }
    }

    /// The ids of the queries as written, in their order.
    pub(crate) fn written(&self) -> Vec<QueryId> {
        (0..self.lock().timelines.len()).map(|at| QueryId(at as u32)).collect()
    }

    /// Ids for the queries that a pass made; `sources` names the query that each is made of.
    pub(crate) fn derive(&self, sources: &[QueryId], lift: Box<dyn Lift>) -> Vec<QueryId> {
        let lift: SharedLift = Arc::new(Mutex::new(lift));
        let mut board = self.lock();
        let made = sources.iter().enumerate().map(|(position, &from)| {
            let id = QueryId(board.entries.len() as u32);
            let only = sources.iter().filter(|&&other| other == from).take(2).count() == 1;
            let kinship = if only { Kinship::OnlyChild } else { Kinship::Sibling };
            let entry = QueryEntry::new(Origin::Derived { from, position, kinship, lift: lift.clone() });
            let parent = &mut board.entries[from.index()];
            parent.derived.push(id);
            // A query that was closed meanwhile needs no answer for what is made of it either.
            if parent.is_closed() {
                entry.closed.give(StopReason::Cancelled);
            }
            board.entries.push(entry);
            id
        });
        made.collect()
    }

    /// Ends a pass: the reasons why its queries stay open become reasons of the queries that they were made of, and the lift is
    /// freed.
    pub(crate) fn retire(&self, ids: &[QueryId]) {
        for &id in ids {
            let (origin, outcome) = {
                let mut board = self.lock();
                let entry = &mut board.entries[id.index()];
                let Origin::Derived { from, .. } = entry.origin else { continue };
                let origin = std::mem::replace(&mut entry.origin, Origin::Retired { from });
                // Nothing more is reported about it.
                let was_closed = entry.is_closed();
                entry.closed.give(StopReason::Cancelled);
                (origin, entry.outcome.take().filter(|_| !was_closed))
            };
            let (Origin::Derived { from, position, lift, .. }, Some(outcome)) = (origin, outcome) else {
                continue;
            };
            let lifted = lock(&lift).lift(position, outcome);
            if let Some(outcome) = lifted.filter(Outcome::is_open) {
                self.lock().entries[from.index()].keep_reason(outcome);
            }
        }
    }

    /// The signals of queries; each is given when its query is closed.
    pub(crate) fn signals(&self, ids: &[QueryId]) -> Vec<Signal> {
        let board = self.lock();
        ids.iter().map(|id| board.entries[id.index()].closed.clone()).collect()
    }

    /// The signals of the queries as written that some queries were made of.
    pub(crate) fn signals_as_written(&self, ids: &[QueryId]) -> Vec<Signal> {
        let board = self.lock();
        ids.iter().map(|id| board.entries[board.written(*id)].closed.clone()).collect()
    }

    pub(crate) fn is_open(&self, id: QueryId) -> bool {
        !self.lock().entries[id.index()].is_closed()
    }

    /// A signal for when the last of some queries is closed.
    pub(crate) fn group(&self, ids: &[QueryId]) -> Group {
        let mut board = self.lock();
        let open: Vec<QueryId> =
            ids.iter().copied().filter(|id| !board.entries[id.index()].is_closed()).collect();
        let group =
            Arc::new(GroupState { open: AtomicUsize::new(open.len()), all_closed: Signal::default() });
        if open.is_empty() {
            group.all_closed.give(StopReason::Cancelled);
        }
        for id in open {
            let groups = &mut board.entries[id.index()].groups;
            groups.retain(|other| other.strong_count() > 0);
            groups.push(Arc::downgrade(&group));
        }
        Group(group)
    }

    /// Takes the outcome of a query. A verdict is lifted to the query as written at once; why a query stays open is kept, since a
    /// verdict may follow. A verdict that does not count there leaves its query open, for other engines.
    pub(crate) fn report(&self, id: QueryId, outcome: Outcome) {
        let (mut id, mut outcome) = (id, outcome);
        let mut lifted_from = Vec::new();
        loop {
            let origin = {
                let mut board = self.lock();
                let entry = &mut board.entries[id.index()];
                if let Some(difference) = entry.difference(&outcome) {
                    self.budget.stop(StopReason::Fault(difference));
                }
                if entry.is_superfluous(&outcome) {
                    return;
                }
                if outcome.is_open() {
                    return entry.keep_reason(outcome);
                }
                entry.origin.clone()
            };
            match origin {
                Origin::Written => {
                    self.conclude(id, outcome);
                    return self.lock().settle(lifted_from);
                }
                Origin::Retired { .. } => return,
                Origin::Derived { from, position, lift, .. } => {
                    let lifted = lock(&lift).lift(position, outcome.clone());
                    lifted_from.push((id, outcome));
                    // The verdict waits for those of its siblings.
                    let Some(lifted) = lifted else { return self.lock().close_all(lifted_from) };
                    (id, outcome) = (from, lifted);
                }
            }
        }
    }

    /// Stores the verdict of a query as written, if its evidence replays.
    fn conclude(&self, id: QueryId, outcome: Outcome) {
        // Validation can take long, and others may report meanwhile.
        let outcome = self.validator.validate(id.index(), outcome);
        let mut board = self.lock();
        let entry = &mut board.entries[id.index()];
        if let Some(difference) = entry.difference(&outcome) {
            self.budget.stop(StopReason::Fault(difference));
        }
        if entry.is_closed() {
            return;
        }
        if outcome.is_open() {
            return entry.keep_reason(outcome);
        }
        let query = &self.validator.problem.queries[id.index()];
        let waiting = lock(&self.waiting);
        let waits = waiting
            .as_ref()
            .is_some_and(|room| room.wanted.wants(query, &outcome) && room.answers.send(id.index()).is_ok());
        entry.outcome = Some(outcome);
        board.close(id);
        if !waits {
            board.hand_out(id.index());
        }
    }

    /// No answer comes any more that could wait for evidence.
    pub(crate) fn end_evidence_search(&self) {
        lock(&self.waiting).take();
    }

    /// The outcome of a query as written that waits for evidence.
    pub(crate) fn outcome(&self, at: usize) -> Option<Outcome> {
        self.lock().entries[at].outcome.clone()
    }

    /// Hands out an answer that waited, with what was found for it.
    pub(crate) fn hand_out_with(&self, at: usize, found: FoundEvidence) {
        let mut board = self.lock();
        if let Some(outcome) = &mut board.entries[at].outcome {
            outcome.evidence = found.evidence.or(outcome.evidence.take());
        }
        board.timelines[at].is_shortest = found.is_shortest;
        board.hand_out(at);
    }

    /// Records what happens to a query in the timeline of the query as written.
    pub(crate) fn record(&self, id: QueryId, event: &Event) {
        let mut board = self.lock();
        let at = board.written(id);
        board.timelines[at].take(event, self.start);
        board.observer.record(at, event);
    }

    /// Keeps a fault that costs no answer, for the report.
    pub(crate) fn warn(&self, warning: String) {
        let mut board = self.lock();
        if !board.warnings.contains(&warning) {
            board.warnings.push(warning);
        }
    }

    /// Gives a reason to every open query: everything broke.
    pub(crate) fn fail(&self, fault: &StopReason) {
        let mut board = self.lock();
        let open = board.entries.iter_mut().filter(|entry| !entry.is_closed());
        open.for_each(|entry| entry.keep_reason(Outcome::unknown(fault.clone())));
    }

    /// Hands out why queries stay open, and ends.
    pub(crate) fn finish(self) -> Report {
        let Board { entries, timelines, warnings, observer } =
            self.board.into_inner().unwrap_or_else(PoisonError::into_inner);
        let stopped = self.budget.go_on().err();
        let mut outcomes = Vec::with_capacity(timelines.len());
        for (at, entry) in entries.into_iter().take(timelines.len()).enumerate() {
            let silence = || Outcome::unknown(stopped.clone().unwrap_or(StopReason::NoEngine));
            let outcome = entry.outcome.unwrap_or_else(silence);
            if outcome.is_open() {
                observer.answer(at, &outcome, &timelines[at]);
            }
            outcomes.push(outcome);
        }
        let fault = match stopped {
            Some(StopReason::Fault(what)) => Some(what),
            _ => None,
        };
        let culprits = vec![None; outcomes.len()];
        Report { outcomes, timelines, culprits, warnings, fault }
    }

    fn lock(&self) -> MutexGuard<'_, Board<'c>> {
        lock(&self.board)
    }
}

impl Board<'_> {
    /// Closes a query and everything that was made of it.
    fn close(&mut self, id: QueryId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let entry = &mut self.entries[id.index()];
            if entry.is_closed() {
                continue;
            }
            entry.closed.give(StopReason::Cancelled);
            entry.groups.drain(..).filter_map(|group| group.upgrade()).for_each(|group| group.close_one());
            open.extend_from_slice(&entry.derived);
        }
    }

    /// Closes queries with their verdicts.
    fn close_all(&mut self, verdicts: Vec<(QueryId, Outcome)>) {
        for (id, outcome) in verdicts {
            self.entries[id.index()].outcome = Some(outcome);
            self.close(id);
        }
    }

    /// Keeps the verdicts of queries that were closed with the one that they were made of, to compare later ones with them.
    fn settle(&mut self, verdicts: Vec<(QueryId, Outcome)>) {
        for (id, outcome) in verdicts {
            let entry = &mut self.entries[id.index()];
            let is_open = entry.outcome.as_ref().is_none_or(Outcome::is_open);
            if entry.is_closed() && is_open {
                entry.outcome = Some(outcome);
            }
        }
    }

    /// The position of the query as written that a query was made of.
    fn written(&self, id: QueryId) -> usize {
        let mut id = id;
        loop {
            match &self.entries[id.index()].origin {
                Origin::Written => return id.index(),
                Origin::Derived { from, .. } | Origin::Retired { from } => id = *from,
            }
        }
    }

    fn hand_out(&mut self, at: usize) {
        if let Some(outcome) = &self.entries[at].outcome {
            self.observer.answer(at, outcome, &self.timelines[at]);
        }
    }
}

impl QueryEntry {
    fn new(origin: Origin) -> Self {
        let (derived, groups) = (Vec::new(), Vec::new());
        Self { origin, outcome: None, closed: Signal::default(), derived, groups }
    }

    fn is_closed(&self) -> bool {
        self.closed.given().is_some()
    }

    /// Whether an outcome comes too late. A late verdict is still lifted for comparison where the query is the only one that its
    /// pass made of its source: the join of siblings is over when their source is closed.
    fn is_superfluous(&self, outcome: &Outcome) -> bool {
        let has_verdict = self.outcome.as_ref().is_some_and(|kept| !kept.is_open());
        let compared = matches!(self.origin, Origin::Derived { kinship: Kinship::OnlyChild, .. });
        self.is_closed() && (outcome.is_open() || has_verdict || !compared)
    }

    /// Keeps why there is no verdict: a fault in any case, else the outcome that saw most states. That no engine accepts a query
    /// says less than any other reason.
    fn keep_reason(&mut self, outcome: Outcome) {
        let states = |outcome: &Outcome| outcome.statistics.states;
        let replaces = |kept: &Outcome| match &outcome.verdict {
            Verdict::Unknown(StopReason::Fault(_)) => true,
            Verdict::Unknown(StopReason::NoEngine) => false,
            _ => states(kept) <= states(&outcome),
        };
        if self.outcome.as_ref().is_none_or(replaces) {
            self.outcome = Some(outcome);
        }
    }

    /// What two verdicts contradict each other in.
    fn difference(&self, outcome: &Outcome) -> Option<String> {
        let kept = self.outcome.as_ref().filter(|kept| !kept.is_open() && !outcome.is_open())?;
        let [one, other] = [kept, outcome].map(|o| (o.statistics.engine, &o.verdict));
        let differs = one.1 != other.1;
        differs.then(|| format!("{} says {:?} and {} says {:?} of one query", one.0, one.1, other.0, other.1))
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic leaves behind is whole: each change under the lock is a single assignment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

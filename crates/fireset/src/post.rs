//! An engine in its place in the plan: under a name, watched. What it does is noted, and when it breaks only what it has
//! not answered is lost.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use fireset_engine::{Engine, ResultSink};
use fireset_net::{
    Budget, Ending, Event, Model, Outcome, Problem, Progress, Query, Signal, StopReason, Verdict,
};

/// How an engine takes several queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// All at the same time.
    Together,
    /// One after the other, and it says when it comes to which.
    InTurn,
}

/// An engine in its place.
pub(crate) struct Post {
    pub(crate) stage: &'static str,
    pub(crate) manner: Manner,
    pub(crate) engine: Box<dyn Engine>,
}

impl Engine for Post {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.engine.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let queries = problem.queries.len();
        let budget = &budget.apart();
        let mut scribe = Scribe::new(self.stage, budget.progress().clone(), queries, sink);
        if self.manner == Manner::Together {
            (0..queries).for_each(|at| scribe.begin(at));
        }
        // The engine's own state is dropped with it, and what it handed in before is complete.
        let ended = catch_unwind(AssertUnwindSafe(|| self.engine.decide(problem, budget, &mut scribe)));
        if let Err(panic) = ended {
            let fault = StopReason::Fault(format!("engine {}: {}", self.name(), sentence(&*panic)));
            scribe.lose(&fault);
        }
        scribe.close(&budget.go_on().err().unwrap_or(StopReason::NoEngine));
    }
}

/// What a panic said.
pub(crate) fn sentence(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it panicked")
}

/// Takes events of what one engine says.
struct Scribe<'a> {
    stage: &'static str,
    progress: Progress,
    sink: &'a mut dyn ResultSink,
    entries: Vec<Entry>,
    /// The query whose turn it is, since when.
    turn: Option<(usize, Instant)>,
}

/// One query.
#[derive(Clone, Copy)]
struct Entry {
    /// When the engine began with it, together with others.
    since: Option<Instant>,
    /// How long its turns took so far.
    turns: Duration,
    begun: bool,
    told: bool,
}

impl<'a> Scribe<'a> {
    fn new(stage: &'static str, progress: Progress, queries: usize, sink: &'a mut dyn ResultSink) -> Self {
        let entry = Entry { since: None, turns: Duration::ZERO, begun: false, told: false };
        Self { stage, progress, sink, entries: vec![entry; queries], turn: None }
    }

    /// The engine is at work on a query, together with others.
    fn begin(&mut self, at: usize) {
        self.entries[at] = Entry { since: Some(Instant::now()), begun: true, ..self.entries[at] };
        self.sink.record(at, Event::Began(self.stage, self.progress.clone()));
    }

    /// The engine turns to a query, and away from the last one.
    fn turn_to(&mut self, at: usize) {
        self.turn_away();
        self.turn = Some((at, Instant::now()));
        self.entries[at].begun = true;
        self.sink.record(at, Event::Began(self.stage, self.progress.clone()));
    }

    fn turn_away(&mut self) {
        if let Some((at, since)) = self.turn.take() {
            self.entries[at].turns += since.elapsed();
        }
    }

    fn ended(&mut self, at: usize, states: u64, ending: Ending) {
        self.turn_away();
        let Entry { since, turns, .. } = self.entries[at];
        let elapsed = since.map_or(turns, |since| since.elapsed());
        self.sink.record(at, Event::Ended { stage: self.stage, elapsed, states, ending });
    }

    /// The engine broke.
    fn lose(&mut self, fault: &StopReason) {
        let open: Vec<usize> = (0..self.entries.len()).filter(|&at| !self.entries[at].told).collect();
        open.into_iter().for_each(|at| self.report(at, Outcome::unknown(fault.clone())));
    }

    /// The engine has nothing more to say.
    fn close(mut self, reason: &StopReason) {
        for at in 0..self.entries.len() {
            let Entry { begun, told, .. } = self.entries[at];
            if begun && !told {
                let wanted = self.sink.is_open(at);
                let ending = if wanted { Ending::Open(reason.clone()) } else { Ending::Superfluous };
                self.ended(at, self.progress.states(), ending);
            }
        }
    }
}

impl ResultSink for Scribe<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        self.entries[at].told = true;
        let ending = match &outcome.verdict {
            Verdict::Unknown(_) if !self.sink.is_open(at) => Ending::Superfluous,
            Verdict::Unknown(reason) => Ending::Open(reason.clone()),
            _ => Ending::Decided,
        };
        self.ended(at, outcome.statistics.states, ending);
        self.sink.report(at, outcome);
    }

    fn is_open(&self, at: usize) -> bool {
        self.sink.is_open(at)
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.sink.signal(at)
    }

    fn record(&mut self, at: usize, event: Event) {
        match event {
            Event::Turn => self.turn_to(at),
            event => self.sink.record(at, event),
        }
    }
}

//! Threads whose answers come to one sink: the first certain answer to a query counts, and the others need not look for
//! it any more.
//!
//! Answers come through a channel, since who asked is in one thread. A query that is answered, or that nobody wants any
//! more, has its signal given, which everybody who is busy with it alone heeds. When two say different things one of them
//! is wrong; then everything under the budget stops, with that fault as the reason.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

use fireset_engine::ResultSink;
use fireset_net::{Budget, Event, Outcome, Signal, StopReason};

/// How often it is looked whether answers are still wanted.
const INTERVAL: Duration = Duration::from_millis(20);

/// What a thread does.
pub(crate) type Work<'w> = Box<dyn FnOnce(&Budget, &mut Line<'_>) + Send + 'w>;

/// Does all work at the same time. Gives for each query that has no verdict and is wanted what was said about it.
pub(crate) fn run<'w>(
    queries: usize,
    work: Vec<Work<'w>>,
    budget: &Budget,
    sink: &mut dyn ResultSink,
) -> Vec<Option<Outcome>> {
    let signals: Vec<Signal> = (0..queries).map(|_| Signal::default()).collect();
    let enough = Signal::default();
    let heeding = budget.heeding(&enough);
    let mut hall = Hall { signals: &signals, done: 0, told: vec![None; queries], sink };
    thread::scope(|scope| {
        let (send, receive) = channel::<(usize, Said)>();
        let spawn = |work: Work<'w>| {
            let mut line = Line { send: send.clone(), signals: &signals, answered: vec![false; queries] };
            let budget = heeding.clone();
            scope.spawn(move || catch_unwind(AssertUnwindSafe(|| work(&budget, &mut line))))
        };
        let threads: Vec<_> = work.into_iter().map(spawn).collect();
        drop(send);
        loop {
            match receive.recv_timeout(INTERVAL) {
                Ok((at, Said::Event(event))) => hall.sink.record(at, event),
                Ok((at, Said::Outcome(outcome))) => {
                    if let Some(difference) = hall.take(at, outcome) {
                        budget.stop(StopReason::Fault(difference));
                    }
                }
                Err(RecvTimeoutError::Timeout) => hall.ask_again(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if hall.is_done() {
                enough.give(StopReason::Cancelled);
            }
        }
        // What one of them has lost in a panic the others may have answered.
        let panics = threads.into_iter().filter_map(|thread| thread.join().unwrap_or_else(Err).err());
        if let Some(panic) = panics.last().filter(|_| !hall.is_done()) {
            resume_unwind(panic);
        }
    });
    let told = hall.told.into_iter().zip(&signals);
    let silence = || Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine));
    told.map(|(told, signal)| signal.given().is_none().then(|| told.unwrap_or_else(silence))).collect()
}

/// Where all answers come together.
struct Hall<'a> {
    signals: &'a [Signal],
    /// All before this one are given.
    done: usize,
    told: Vec<Option<Outcome>>,
    sink: &'a mut dyn ResultSink,
}

impl Hall<'_> {
    /// Takes what somebody says; tells a difference to what somebody else said.
    fn take(&mut self, at: usize, outcome: Outcome) -> Option<String> {
        match (&self.told[at], outcome.is_open()) {
            (Some(before), false) if !before.is_open() => {
                let [one, other] = [before, &outcome].map(|o| (o.statistics.engine, &o.verdict));
                (one.1 != other.1).then(|| {
                    format!("{} says {:?} and {} says {:?} of the same", one.0, one.1, other.0, other.1)
                })
            }
            (Some(before), true)
                if !before.is_open() || before.statistics.states > outcome.statistics.states =>
            {
                None
            }
            (_, open) => {
                if !open {
                    self.sink.report(at, outcome.clone());
                    self.signals[at].give(StopReason::Cancelled);
                }
                self.told[at] = Some(outcome);
                None
            }
        }
    }

    /// Gives the signals of queries that nobody wants any more.
    fn ask_again(&self) {
        let unwanted = self.signals.iter().enumerate().filter(|&(at, _)| !self.sink.is_open(at));
        unwanted.for_each(|(_, signal)| signal.give(StopReason::Cancelled));
    }

    fn is_done(&mut self) -> bool {
        let given = self.signals[self.done..].iter().take_while(|signal| signal.given().is_some());
        self.done += given.count();
        self.done == self.signals.len()
    }
}

/// What is said about a query.
enum Said {
    Outcome(Outcome),
    Event(Event),
}

/// What a thread speaks into.
pub(crate) struct Line<'a> {
    send: Sender<(usize, Said)>,
    signals: &'a [Signal],
    /// What this thread has said a verdict about, which may not have arrived yet.
    answered: Vec<bool>,
}

impl Line<'_> {
    fn say(&self, at: usize, said: Said) {
        // Nobody listens any more when something broke.
        let _ = self.send.send((at, said));
    }
}

impl ResultSink for Line<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        self.answered[at] |= !outcome.is_open();
        self.say(at, Said::Outcome(outcome));
    }

    fn is_open(&self, at: usize) -> bool {
        !self.answered[at] && self.signals[at].given().is_none()
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        Some(&self.signals[at])
    }

    fn record(&mut self, at: usize, event: Event) {
        self.say(at, Said::Event(event));
    }
}

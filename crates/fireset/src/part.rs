//! Some of the queries of a problem, under numbers of their own.

use fireset_engine::ResultSink;
use fireset_net::{Event, Outcome, Problem, Signal, StopReason, Verdict};

/// The problem of these queries alone.
pub(crate) fn problem(whole: &Problem, asked: &[usize]) -> Problem {
    let queries = asked.iter().map(|&at| whole.queries[at].clone()).collect();
    Problem { model: whole.model.clone(), queries }
}

/// Hands everything on under the numbers of the whole problem.
pub(crate) struct Part<'a> {
    pub(crate) sink: &'a mut dyn ResultSink,
    /// For each query of the part, its number in the whole.
    pub(crate) asked: &'a [usize],
}

impl ResultSink for Part<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        self.sink.report(self.asked[at], outcome);
    }

    fn is_open(&self, at: usize) -> bool {
        self.sink.is_open(self.asked[at])
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.sink.signal(self.asked[at])
    }

    fn record(&mut self, at: usize, event: Event) {
        self.sink.record(self.asked[at], event);
    }
}

/// What was said about each of some queries. Verdicts are handed on at once; of what is open the one that saw most is
/// kept until the end, since a verdict may follow.
pub(crate) struct Ledger<'a> {
    pub(crate) sink: &'a mut dyn ResultSink,
    told: Vec<Told>,
    stopped: Vec<bool>,
}

/// What was said about a query.
enum Told {
    Nothing,
    Open(Box<Outcome>),
    Verdict,
}

impl<'a> Ledger<'a> {
    /// Nothing is said about so many queries.
    pub(crate) fn new(sink: &'a mut dyn ResultSink, queries: usize) -> Self {
        let told = (0..queries).map(|_| Told::Nothing).collect();
        Self { sink, told, stopped: vec![false; queries] }
    }

    /// Whether somebody ran out of time with a query.
    pub(crate) fn stopped(&self, at: usize) -> bool {
        self.stopped[at]
    }

    /// Tells what is open; `silence` is said where nobody said anything.
    pub(crate) fn close(self, silence: &Outcome) {
        for (at, told) in self.told.into_iter().enumerate() {
            match told {
                Told::Verdict => {}
                Told::Open(outcome) => self.sink.report(at, *outcome),
                Told::Nothing => self.sink.report(at, silence.clone()),
            }
        }
    }
}

impl ResultSink for Ledger<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        if !outcome.is_open() {
            self.told[at] = Told::Verdict;
            self.sink.report(at, outcome);
            return;
        }
        self.stopped[at] |= outcome.verdict == Verdict::Unknown(StopReason::Time);
        match &self.told[at] {
            Told::Verdict => {}
            Told::Open(before) if before.statistics.states > outcome.statistics.states => {}
            _ => self.told[at] = Told::Open(Box::new(outcome)),
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.sink.is_open(at)
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.sink.signal(at)
    }

    fn record(&mut self, at: usize, event: Event) {
        self.sink.record(at, event);
    }
}

/// Writes down what it hears, and wants no second verdict.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Vec<(usize, Outcome)>);

#[cfg(test)]
impl ResultSink for Heard {
    fn report(&mut self, at: usize, outcome: Outcome) {
        self.0.push((at, outcome));
    }

    fn is_open(&self, at: usize) -> bool {
        self.0.iter().all(|(other, outcome)| *other != at || outcome.is_open())
    }
}

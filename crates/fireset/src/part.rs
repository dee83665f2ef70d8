//! Some of the queries of a problem, under numbers of their own.

use fireset_engine::Asker;
use fireset_net::{Note, Outcome, Problem, Signal, StopReason, Verdict};

/// The problem of these queries alone.
pub(crate) fn problem(whole: &Problem, asked: &[usize]) -> Problem {
    let queries = asked.iter().map(|&at| whole.queries[at].clone()).collect();
    Problem { model: whole.model.clone(), queries }
}

/// Hands everything on under the numbers of the whole problem.
pub(crate) struct Part<'a> {
    pub(crate) asker: &'a mut dyn Asker,
    /// For each query of the part, its number in the whole.
    pub(crate) asked: &'a [usize],
}

impl Asker for Part<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        self.asker.hear(self.asked[at], outcome);
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(self.asked[at])
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(self.asked[at])
    }

    fn note(&mut self, at: usize, note: Note) {
        self.asker.note(self.asked[at], note);
    }
}

/// What was said about each of some queries. Verdicts are handed on at once; of what is open the one that saw most is
/// kept until the end, since a verdict may follow.
pub(crate) struct Ledger<'a> {
    pub(crate) asker: &'a mut dyn Asker,
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
    pub(crate) fn new(asker: &'a mut dyn Asker, queries: usize) -> Self {
        let told = (0..queries).map(|_| Told::Nothing).collect();
        Self { asker, told, stopped: vec![false; queries] }
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
                Told::Open(outcome) => self.asker.hear(at, *outcome),
                Told::Nothing => self.asker.hear(at, silence.clone()),
            }
        }
    }
}

impl Asker for Ledger<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        if !outcome.is_open() {
            self.told[at] = Told::Verdict;
            self.asker.hear(at, outcome);
            return;
        }
        self.stopped[at] |= outcome.verdict == Verdict::Unknown(StopReason::Time);
        match &self.told[at] {
            Told::Verdict => {}
            Told::Open(before) if before.statistics.states > outcome.statistics.states => {}
            _ => self.told[at] = Told::Open(Box::new(outcome)),
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(at)
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(at)
    }

    fn note(&mut self, at: usize, note: Note) {
        self.asker.note(at, note);
    }
}

/// Writes down what it hears, and wants no second verdict.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Vec<(usize, Outcome)>);

#[cfg(test)]
impl Asker for Heard {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        self.0.push((at, outcome));
    }

    fn wants(&self, at: usize) -> bool {
        self.0.iter().all(|(other, outcome)| *other != at || outcome.is_open())
    }
}

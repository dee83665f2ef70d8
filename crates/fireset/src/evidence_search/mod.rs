//! Evidence that is searched for after an answer, beside the race for the other answers.
//!
//! An answer waits here for the evidence that people should see: an answer that something is never reached for a certificate
//! ([`certificates`]), and an answer that a run shows for a short run that does not depend on chance ([`runs`]). Both searches work on
//! the net and the query as written, whatever engine decided the query.

mod certificates;
mod runs;

pub(crate) use runs::LimitedSearch;

use std::sync::mpsc::{Receiver, Sender, channel};

use fireset_net::{Budget, Evidence, Model, Outcome, Problem, Query, StopReason, replay};
use fireset_reduce::Certifier;

use crate::{Options, ShownRun, Tuning, results::Results};

/// Which answers wait for evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WantedEvidence {
    certificates: bool,
    runs: ShownRun,
}

/// Why an answer waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EvidenceKind {
    Certificate,
    Run,
}

impl WantedEvidence {
    /// What the options ask for; certificates exist for place/transition nets.
    fn of(model: &Model, options: &Options) -> Self {
        let certificates = options.portfolio.certificates.is_on() && matches!(model, Model::Plain(_));
        Self { certificates, runs: options.portfolio.shown_run }
    }

    fn kind(self, query: &Query, outcome: &Outcome) -> Option<EvidenceKind> {
        if self.certificates && certificates::is_missing(query, outcome) {
            return Some(EvidenceKind::Certificate);
        }
        let is_searched = self.runs != ShownRun::First && runs::is_shown_by_run(query, &outcome.verdict);
        is_searched.then_some(EvidenceKind::Run)
    }

    /// Whether an answer waits.
    pub(crate) fn wants(self, query: &Query, outcome: &Outcome) -> bool {
        self.kind(query, outcome).is_some()
    }
}

/// What was found for an answer.
#[derive(Debug, Default)]
pub(crate) struct FoundEvidence {
    /// Takes the place of the evidence that came with the answer.
    pub(crate) evidence: Option<Evidence>,
    /// Whether it is a shortest run, where that was asked.
    pub(crate) is_shortest: Option<bool>,
}

/// Where answers go that wait.
pub(crate) struct WaitingRoom {
    pub(crate) wanted: WantedEvidence,
    /// Takes the positions of answers.
    pub(crate) answers: Sender<usize>,
}

pub(crate) struct EvidenceSearch<'c> {
    problem: &'c Problem,
    budget: &'c Budget,
    tuning: &'c Tuning,
    wanted: WantedEvidence,
    /// The positions of answers that wait.
    waiting: Receiver<usize>,
}

impl<'c> EvidenceSearch<'c> {
    /// With the place where answers wait; `None` if no answer does.
    pub(crate) fn new(
        problem: &'c Problem,
        budget: &'c Budget,
        options: &'c Options,
    ) -> Option<(Self, WaitingRoom)> {
        let wanted = WantedEvidence::of(&problem.model, options);
        let (answers, waiting) = channel();
        let search = Self { problem, budget, tuning: &options.tuning, wanted, waiting };
        (wanted.certificates || wanted.runs != ShownRun::First)
            .then_some((search, WaitingRoom { wanted, answers }))
    }

    /// Searches for the evidence of answers until no more can come.
    pub(crate) fn run(&self, results: &Results<'_>) {
        self.each(self.waiting.iter(), results);
    }

    /// Searches for the evidence of the answers that wait now.
    pub(crate) fn run_pending(&self, results: &Results<'_>) {
        self.each(self.waiting.try_iter(), results);
    }

    fn each(&self, answers: impl Iterator<Item = usize>, results: &Results<'_>) {
        let certifier = match &*self.problem.model {
            Model::Plain(net) if self.wanted.certificates => Some(Certifier::of(net)),
            _ => None,
        };
        for at in answers {
            let found = results.outcome(at).map(|outcome| self.search(at, &outcome, certifier.as_ref()));
            results.hand_out_with(at, found.unwrap_or_default());
        }
    }

    fn search(&self, at: usize, outcome: &Outcome, certifier: Option<&Certifier<'_>>) -> FoundEvidence {
        let kind = self.wanted.kind(&self.problem.queries[at], outcome);
        let found = self.find(at, outcome, certifier);
        let is_asked = self.wanted.runs == ShownRun::Shortest && kind == Some(EvidenceKind::Run);
        let is_shortest = is_asked.then(|| found.as_ref().is_some_and(|(_, is_shortest)| *is_shortest));
        FoundEvidence { evidence: found.map(|(evidence, _)| evidence), is_shortest }
    }

    /// Evidence, and whether it is a shortest run.
    fn find(
        &self,
        at: usize,
        outcome: &Outcome,
        certifier: Option<&Certifier<'_>>,
    ) -> Option<(Evidence, bool)> {
        self.budget.go_on().ok()?;
        let query = &self.problem.queries[at];
        let (model, verdict) = (&self.problem.model, &outcome.verdict);
        match self.wanted.kind(query, outcome)? {
            EvidenceKind::Certificate => {
                let time = certificates::time(self.tuning, self.budget);
                let budget = &self.budget.within(time);
                let mut found = certificates::search(query, certifier?, time);
                let found =
                    found.find(|found| replay::confirm_within(model, query, verdict, found, budget).is_ok());
                found.map(|certificate| (certificate, false))
            }
            EvidenceKind::Run => {
                let budget = self.budget;
                let limited = match self.wanted.runs {
                    ShownRun::Shortest => Some(LimitedSearch::unlimited(model, budget)),
                    // A run that is long to find is better than none.
                    _ if outcome.evidence.is_none() => {
                        Some(LimitedSearch::at_least(model, self.tuning, budget))
                    }
                    ShownRun::Short | ShownRun::First => LimitedSearch::of(model, self.tuning, budget),
                };
                let found = runs::search((model, query), outcome, &limited?);
                let found = found.unwrap_or_else(|contradiction| {
                    self.budget.stop(StopReason::Fault(contradiction));
                    None
                });
                found
                    .filter(|(found, _)| replay::confirm_within(model, query, verdict, found, budget).is_ok())
            }
        }
    }
}

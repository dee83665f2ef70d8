//! Certificates for answers that something is never reached, searched beside the race for the other answers.
//!
//! An answer without evidence waits here, a second at most. The search works on the net and the goal as written, whatever engine
//! decided the query.

use std::sync::mpsc::{Receiver, Sender, channel};

use fireset_net::{Budget, Evidence, Model, Net, Problem, Query, replay};
use fireset_reduce::Certifier;

use crate::{Tuning, results::Results};

pub(crate) struct Certification<'c> {
    net: &'c Net,
    problem: &'c Problem,
    budget: &'c Budget,
    tuning: &'c Tuning,
    /// The positions of answers that wait.
    uncertified: Receiver<usize>,
}

impl<'c> Certification<'c> {
    /// With the sender of answers that lack evidence. Certificates exist for place/transition nets.
    pub(crate) fn new(
        problem: &'c Problem,
        budget: &'c Budget,
        tuning: &'c Tuning,
    ) -> Option<(Self, Sender<usize>)> {
        let Model::Plain(net) = &*problem.model else { return None };
        let (sender, uncertified) = channel();
        Some((Self { net, problem, budget, tuning, uncertified }, sender))
    }

    /// Certifies answers until no more can come.
    pub(crate) fn run(&self, results: &Results<'_>) {
        let certifier = Certifier::of(self.net);
        self.uncertified.iter().for_each(|at| results.certify(at, self.search(at, &certifier, results)));
    }

    /// Certifies the answers that wait now.
    pub(crate) fn run_pending(&self, results: &Results<'_>) {
        let certifier = Certifier::of(self.net);
        self.uncertified.try_iter().for_each(|at| results.certify(at, self.search(at, &certifier, results)));
    }

    fn search(&self, at: usize, certifier: &Certifier<'_>, results: &Results<'_>) -> Option<Evidence> {
        let query = &self.problem.queries[at];
        let (predicate, value) = match query {
            Query::Reachable(predicate) => (predicate, true),
            Query::Invariant(predicate) => (predicate, false),
            _ => return None,
        };
        self.budget.go_on().ok()?;
        let verdict = results.verdict(at)?;
        let (limit, part) = (self.tuning.certificate_limit, self.tuning.certificate_part);
        let time = self.budget.time_left().map_or(limit, |left| limit.min(left / part));
        let budget = &self.budget.within(time);
        let found = certifier.certificates(predicate, value, time).map(Evidence::Certificate);
        let convinces = |evidence: &Evidence| {
            replay::confirm_within(&self.problem.model, query, &verdict, evidence, budget).is_ok()
        };
        found.into_iter().find(convinces)
    }
}

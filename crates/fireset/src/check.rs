//! The straight line: make the problem smaller, ask the engines of the plan, bring their outcomes back, replay their
//! evidence on the net and the property as written, report.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use fireset_engine::{Engine, ResultSink};
use fireset_net::{
    Budget, Event, Evidence, Model, Outcome, Problem, Query, StopReason, Technique, Verdict, replay,
};
use fireset_reduce::Certifier;

use crate::{Certificates, Options, Plan, Timeline, memory, post::sentence};

/// What came out, one outcome a query.
#[derive(Clone, Debug)]
pub struct Report {
    /// In the order of the problem's queries.
    pub outcomes: Vec<Outcome>,
    /// What was done for each of them.
    pub timelines: Vec<Timeline>,
    /// What broke so that no answer can be relied on: two engines said different things.
    pub fault: Option<String>,
}

/// Who watches a check.
pub trait Observer {
    /// Hears of an outcome as soon as it is final, with what was done for it until then; of what stays unknown at the end.
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline);

    /// Hears what is done for a query.
    fn record(&mut self, _at: usize, _note: &Event) {}
}

/// Nobody watches.
impl Observer for () {
    fn answer(&mut self, _: usize, _: &Outcome, _: &Timeline) {}
}

/// Hears answers only.
impl<F: FnMut(usize, &Outcome)> Observer for F {
    fn answer(&mut self, at: usize, outcome: &Outcome, _: &Timeline) {
        self(at, outcome);
    }
}

/// Decides all queries of a problem within a budget. An engine that panics loses what it had not answered yet, and the
/// outcome says so.
pub fn check(problem: &Problem, options: &Options, budget: &Budget, observer: &mut dyn Observer) -> Report {
    let engine = Plan::new(problem, options).engine(options);
    carry_out(&*engine, options.certificates, problem, budget, observer)
}

/// Asks the engine that is the whole plan.
fn carry_out(
    engine: &dyn Engine,
    certificates: Certificates,
    problem: &Problem,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Report {
    let queries = problem.queries.len();
    let certifier = match &*problem.model {
        Model::Plain(net) if certificates == Certificates::On => Some(Certifier::of(net)),
        _ => None,
    };
    let outcomes = vec![Outcome::unknown(StopReason::NoEngine); queries];
    let (timelines, start) = (vec![Timeline::default(); queries], Instant::now());
    let mut desk = Desk { problem, outcomes, timelines, start, certifier, budget, observer };
    let ended = memory::watched(budget, || {
        catch_unwind(AssertUnwindSafe(|| engine.decide(problem, budget, &mut desk)))
    });
    if let Err(panic) = ended {
        desk.lose(&StopReason::Fault(sentence(&*panic).to_owned()));
    }
    desk.close()
}

/// The most time that goes into the search for a certificate.
const CERTIFYING: Duration = Duration::from_secs(1);

/// Where answers are handed in.
struct Desk<'a> {
    problem: &'a Problem,
    /// For each query its answer, or why there is none so far, and how far it came.
    outcomes: Vec<Outcome>,
    timelines: Vec<Timeline>,
    start: Instant,
    certifier: Option<Certifier<'a>>,
    budget: &'a Budget,
    observer: &'a mut dyn Observer,
}

impl ResultSink for Desk<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        if !self.is_open(at) {
            return;
        }
        let mut outcome = self.certified(at, self.examine(at, outcome));
        outcome.techniques = distinct(outcome.techniques);
        let seen = |outcome: &Outcome| outcome.statistics.states;
        let told_more = seen(&self.outcomes[at]) > seen(&outcome);
        let dull = matches!(&outcome.verdict, Verdict::Unknown(why) if !matches!(why, StopReason::Fault(_)));
        if dull && told_more {
            return;
        }
        self.outcomes[at] = outcome;
        if !self.is_open(at) {
            self.observer.answer(at, &self.outcomes[at], &self.timelines[at]);
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.outcomes[at].is_open()
    }

    fn record(&mut self, at: usize, event: Event) {
        self.timelines[at].take(&event, self.start);
        self.observer.record(at, &event);
    }
}

impl Desk<'_> {
    /// Takes event that everything broke.
    fn lose(&mut self, fault: &StopReason) {
        let open = self.outcomes.iter_mut().filter(|outcome| outcome.is_open());
        open.for_each(|outcome| outcome.verdict = Verdict::Unknown(fault.clone()));
    }

    /// The outcome, if its evidence, if any, replays on the net as written; otherwise one that says why it does not
    /// count. A certificate that is too hard to check is dropped.
    fn examine(&self, at: usize, outcome: Outcome) -> Outcome {
        let (model, query) = (&self.problem.model, &self.problem.queries[at]);
        let Some(evidence) = &outcome.evidence else { return outcome };
        match replay::confirm_within(model, query, &outcome.verdict, evidence, self.budget) {
            Ok(()) => outcome,
            Err(replay::Refusal::TooHard(_)) => Outcome { evidence: None, ..outcome },
            Err(refusal) if refusal.is_overflow() => {
                Outcome { statistics: outcome.statistics, ..Outcome::unknown(StopReason::Overflow) }
            }
            Err(refusal) => Outcome::unknown(StopReason::Fault(format!(
                "engine {}: its witness is refused: {}",
                outcome.statistics.engine,
                refusal.describe(model)
            ))),
        }
    }

    /// The outcome with a certificate, where one is found in a small part of the time for what has no evidence.
    fn certified(&self, at: usize, outcome: Outcome) -> Outcome {
        let (model, query) = (&self.problem.model, &self.problem.queries[at]);
        let (predicate, value) = match (query, &outcome) {
            (_, Outcome { evidence: Some(_), .. }) => return outcome,
            (Query::Reachable(p), Outcome { verdict: Verdict::Fails, .. }) => (p, true),
            (Query::Invariant(p), Outcome { verdict: Verdict::Holds, .. }) => (p, false),
            _ => return outcome,
        };
        let Some(certifier) = &self.certifier else { return outcome };
        let time = self.budget.time_left().map_or(CERTIFYING, |left| CERTIFYING.min(left / 64));
        let found = certifier.certificates(predicate, value, time).map(Evidence::Certificate);
        let budget = &self.budget.within(time);
        let convinces = |evidence: &Evidence| {
            replay::confirm_within(model, query, &outcome.verdict, evidence, budget).is_ok()
        };
        let evidence = found.into_iter().find(convinces);
        Outcome { evidence, ..outcome }
    }

    /// Tells what stays open.
    fn close(self) -> Report {
        let open = self.outcomes.iter().enumerate().filter(|(_, outcome)| outcome.is_open());
        open.for_each(|(at, outcome)| self.observer.answer(at, outcome, &self.timelines[at]));
        let fault = match self.budget.go_on() {
            Err(StopReason::Fault(what)) => Some(what),
            _ => None,
        };
        Report { outcomes: self.outcomes, timelines: self.timelines, fault }
    }
}

/// Each technique once, in their order: a net may have been made smaller several times.
fn distinct(techniques: Vec<Technique>) -> Vec<Technique> {
    let mut distinct = Vec::new();
    for technique in techniques {
        if !distinct.contains(&technique) {
            distinct.push(technique);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use fireset_net::{Count, Formula, Statistics, Step, Trace, TransitionId};
    use fireset_oracle::tiny;

    use super::*;
    use crate::{
        fair::Fair,
        post::{Manner, Post},
    };

    /// Says the same of every query, or panics after the first.
    struct Scripted {
        outcome: Outcome,
        panics: bool,
    }

    impl Engine for Scripted {
        fn name(&self) -> &'static str {
            "scripted"
        }

        fn accepts(&self, _: &Model, query: &Query) -> bool {
            !matches!(query, Query::Bound(_))
        }

        fn decide(&self, problem: &Problem, _: &Budget, sink: &mut dyn ResultSink) {
            for at in 0..problem.queries.len() {
                sink.report(at, self.outcome.clone());
                assert!(!self.panics, "the script says so");
            }
        }
    }

    fn outcome(verdict: Verdict, steps: Option<Vec<Step>>) -> Outcome {
        let evidence = steps.map(|steps| Evidence::Trace(Trace(steps)));
        let statistics = Statistics { engine: "scripted", ..Statistics::default() };
        Outcome { verdict, evidence, techniques: Vec::new(), statistics }
    }

    fn run(engines: Vec<Scripted>, queries: Vec<Query>) -> Vec<Verdict> {
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries };
        let post = |engine: Scripted| {
            let engine: Box<dyn Engine> = Box::new(engine);
            Box::new(Post { stage: "scripted", manner: Manner::Together, engine }) as Box<dyn Engine>
        };
        let engine = Fair(engines.into_iter().map(post).collect());
        let mut heard = vec![None; problem.queries.len()];
        let mut hear = |at: usize, outcome: &Outcome| {
            assert_eq!(heard[at].replace(outcome.clone()), None, "each query is answered once");
        };
        let report = carry_out(&engine, Certificates::Off, &problem, &Budget::unlimited(), &mut hear);
        assert_eq!(heard.into_iter().map(Option::unwrap).collect::<Vec<_>>(), report.outcomes);
        report.outcomes.into_iter().map(|o| o.verdict).collect()
    }

    fn deadlock() -> Query {
        Query::Reachable(Formula::Deadlock)
    }

    #[test]
    fn a_witness_that_does_not_replay_is_no_answer() {
        let lie = || Scripted { outcome: outcome(Verdict::Holds, Some(Vec::new())), panics: false };
        let [Verdict::Unknown(StopReason::Fault(why))] = &run(vec![lie()], vec![deadlock()])[..] else {
            panic!("an empty run does not end in the deadlock")
        };
        assert!(why.contains("refused"), "{why}");
        let steps = vec![Step::plain(TransitionId::new(0))];
        let truth = Scripted { outcome: outcome(Verdict::Holds, Some(steps)), panics: false };
        assert_eq!(run(vec![lie(), truth], vec![deadlock()]), [Verdict::Holds]);
    }

    #[test]
    fn a_panic_costs_only_what_was_not_answered() {
        let engine = Scripted { outcome: outcome(Verdict::Holds, None), panics: true };
        let verdicts = run(vec![engine], vec![deadlock(), deadlock()]);
        assert_eq!(verdicts[0], Verdict::Holds);
        assert!(
            matches!(&verdicts[1], Verdict::Unknown(StopReason::Fault(why)) if why.contains("the script"))
        );
    }

    #[test]
    fn what_no_engine_accepts_stays_open() {
        let engine = Scripted { outcome: outcome(Verdict::Bound(Count::Infinite), None), panics: false };
        assert_eq!(run(vec![engine], vec![Query::Bound(vec![])]), [Verdict::Unknown(StopReason::NoEngine)]);
    }
}

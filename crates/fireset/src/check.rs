//! The straight line: make the problem smaller, ask the engines of the plan, bring their outcomes back, replay their
//! evidence on the net and the property as written, report.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use fireset_engine::{Asker, Engine};
use fireset_net::{Budget, Evidence, Model, Outcome, Problem, Query, StopReason, Verdict, replay};
use fireset_reduce::Certifier;

use crate::{
    Certificates, Options, memory,
    plan::{Plan, Way},
    reduction::{Reduction, Standing},
};

/// What came out, one outcome a query.
#[derive(Clone, Debug)]
pub struct Report {
    /// In the order of the problem's queries.
    pub outcomes: Vec<Outcome>,
}

/// Decides all queries of a problem within a budget.
///
/// `answer` hears of each outcome as soon as it is final; what stays unknown comes at the end. An engine that
/// panics loses what it had not answered yet, and the outcome says so.
pub fn check(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    answer: &mut dyn FnMut(usize, &Outcome),
) -> Report {
    carry_out(&Plan::new(problem, options), problem, budget, answer)
}

/// Goes the ways of a plan, one after the other.
fn carry_out(
    plan: &Plan,
    problem: &Problem,
    budget: &Budget,
    answer: &mut dyn FnMut(usize, &Outcome),
) -> Report {
    let nobody = Outcome::unknown(StopReason::NoEngine);
    let outcomes = vec![nobody; problem.queries.len()];
    let certifier = match &*problem.model {
        Model::Plain(net) if plan.certificates == Certificates::On => Some(Certifier::of(net)),
        _ => None,
    };
    let mut desk = Desk { problem, outcomes, certifier, budget, answer };
    memory::watched(budget, || plan.ways.iter().for_each(|way| desk.go(way, budget)));
    desk.close()
}

/// The most time that goes into the search for a certificate.
const CERTIFYING: Duration = Duration::from_secs(1);

/// When the time is limited no engine may use up what the others need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Each engine gets a part of the time, as large as its part of the open queries.
    First,
    /// The time that is left is for queries that were stopped by their engine's part.
    Rest,
}

impl Round {
    /// Which queries are asked.
    fn asks(self) -> Standing {
        match self {
            Self::First => Standing::Open,
            Self::Rest => Standing::Stopped,
        }
    }
}

/// A part of the time that is left of a budget.
fn share(budget: &Budget, part: f64) -> Budget {
    match budget.time_left() {
        Some(time) if part < 1.0 => budget.within(time.mul_f64(part)),
        _ => budget.clone(),
    }
}

/// Where engines hand in their answers.
struct Desk<'a> {
    problem: &'a Problem,
    /// For each query its answer, or why there is none so far, and how far it came.
    outcomes: Vec<Outcome>,
    certifier: Option<Certifier<'a>>,
    budget: &'a Budget,
    answer: &'a mut dyn FnMut(usize, &Outcome),
}

impl Desk<'_> {
    fn is_open(&self, at: usize) -> bool {
        matches!(self.outcomes[at].verdict, Verdict::Unknown(_))
    }

    /// Tries to decide what is open, one way.
    fn go(&mut self, way: &Way, budget: &Budget) {
        let open: Vec<usize> = (0..self.outcomes.len()).filter(|&at| self.is_open(at)).collect();
        if open.is_empty() {
            return;
        }
        let budget = &share(budget, way.share);
        match Reduction::new(self.problem, &open, &way.passes, budget) {
            Ok(mut reduction) => {
                for round in [Round::First, Round::Rest] {
                    way.engines.iter().for_each(|engine| self.ask(&**engine, round, &mut reduction, budget));
                }
            }
            Err(reason) => open.into_iter().for_each(|at| self.give_up(at, reason.clone())),
        }
    }

    /// Asks one engine about all open queries of a round that it accepts.
    fn ask(&mut self, engine: &dyn Engine, round: Round, reduction: &mut Reduction, budget: &Budget) {
        let Problem { model, queries } = &reduction.problem;
        let wanted =
            |&at: &usize| reduction.standing(at) == round.asks() && self.is_open(reduction.asked_for(at));
        let wanted: Vec<usize> = (0..queries.len()).filter(wanted).collect();
        let asked: Vec<usize> =
            wanted.iter().copied().filter(|&at| engine.accepts(model, &queries[at])).collect();
        if asked.is_empty() || budget.go_on().is_err() && round == Round::Rest {
            return;
        }
        let budget = &share(budget, asked.len() as f64 / wanted.len() as f64);
        let queries = asked.iter().map(|&at| queries[at].clone()).collect();
        let part = Problem { model: model.clone(), queries };
        // The engine's own state is dropped with it, and what it handed in before is complete.
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut counter = Counter { desk: self, reduction, asked: &asked };
            engine.decide(&part, budget, &mut counter);
        }));
        if let Err(panic) = ended {
            let fault = StopReason::Fault(format!("engine {}: {}", engine.name(), sentence(&*panic)));
            let open = asked.iter().filter(|&&at| reduction.standing(at) != Standing::Decided);
            open.for_each(|&at| self.give_up(reduction.asked_for(at), fault.clone()));
        }
    }

    /// Takes an outcome.
    fn hand_in(&mut self, at: usize, outcome: Outcome) {
        if !self.is_open(at) {
            return;
        }
        let outcome = self.certified(at, self.examine(at, outcome));
        let seen = |outcome: &Outcome| outcome.statistics.states;
        let told_more = seen(&self.outcomes[at]) > seen(&outcome);
        let dull = matches!(&outcome.verdict, Verdict::Unknown(why) if !matches!(why, StopReason::Fault(_)));
        if dull && told_more {
            return;
        }
        self.outcomes[at] = outcome;
        if !self.is_open(at) {
            (self.answer)(at, &self.outcomes[at]);
        }
    }

    /// Takes note why a query is still open.
    fn give_up(&mut self, at: usize, reason: StopReason) {
        if self.is_open(at) {
            self.outcomes[at].verdict = Verdict::Unknown(reason);
        }
    }

    /// The outcome, if its evidence, if any, replays on the net as written; otherwise one that says why it does not
    /// count. A certificate that is too hard to check is dropped.
    fn examine(&self, at: usize, outcome: Outcome) -> Outcome {
        let (model, query) = (&self.problem.model, &self.problem.queries[at]);
        let Some(evidence) = &outcome.evidence else { return outcome };
        match replay::confirm_within(model, query, &outcome.verdict, evidence, self.budget) {
            Ok(()) => outcome,
            Err(replay::Refusal::TooHard(_)) => Outcome { evidence: None, ..outcome },
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
        let is_open = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Unknown(_));
        let open = self.outcomes.iter().enumerate().filter(|(_, outcome)| is_open(outcome));
        open.for_each(|(at, outcome)| (self.answer)(at, outcome));
        Report { outcomes: self.outcomes }
    }
}

/// Where one engine hands in what it says about some queries of the smaller problem.
struct Counter<'c, 'd> {
    desk: &'c mut Desk<'d>,
    reduction: &'c mut Reduction,
    asked: &'c [usize],
}

impl Asker for Counter<'_, '_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        let at = self.asked[at];
        let Self { desk, reduction, .. } = self;
        if outcome.verdict == Verdict::Unknown(StopReason::Time) {
            reduction.set(at, Standing::Stopped);
        }
        match reduction.lift(at, outcome) {
            Some((whole, outcome)) => {
                desk.hand_in(whole, outcome);
                // What is refused may be asked again.
                if !desk.is_open(whole) {
                    reduction.set(at, Standing::Decided);
                }
            }
            None => reduction.set(at, Standing::Decided),
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.desk.is_open(self.reduction.asked_for(self.asked[at]))
    }
}

/// What a panic said.
fn sentence(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it panicked")
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use fireset_net::{Count, Formula, Statistics, Step, Trace, TransitionId, tiny};

    use super::*;

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

        fn decide(&self, problem: &Problem, _: &Budget, asker: &mut dyn Asker) {
            for at in 0..problem.queries.len() {
                asker.hear(at, self.outcome.clone());
                assert!(!self.panics, "the script says so");
            }
        }
    }

    fn outcome(verdict: Verdict, steps: Option<Vec<Step>>) -> Outcome {
        let evidence = steps.map(|steps| Evidence::Trace(Trace(steps)));
        let statistics = Statistics { engine: "scripted", ..Statistics::default() };
        Outcome { verdict, evidence, techniques: Vec::new(), statistics }
    }

    /// Never comes to an end, on bounds; notes the time that it gets.
    struct Slow(Arc<Mutex<Vec<Duration>>>);

    impl Engine for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn accepts(&self, _: &Model, query: &Query) -> bool {
            matches!(query, Query::Bound(_))
        }

        fn decide(&self, _: &Problem, budget: &Budget, asker: &mut dyn Asker) {
            self.0.lock().unwrap().extend(budget.time_left());
            asker.hear(0, Outcome::unknown(StopReason::Time));
        }
    }

    fn plan(engines: Vec<Box<dyn Engine>>) -> Plan {
        let ways = vec![Way { passes: Vec::new(), engines, share: 1.0 }];
        Plan { ways, certificates: Certificates::Off }
    }

    #[test]
    fn no_engine_uses_up_the_time_of_others() {
        let times = Arc::default();
        let holds = Scripted { outcome: outcome(Verdict::Holds, None), panics: false };
        let engines: Vec<Box<dyn Engine>> = vec![Box::new(Slow(Arc::clone(&times))), Box::new(holds)];
        let plan = plan(engines);
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries: vec![Query::Bound(vec![]), deadlock()] };
        let hour = Duration::from_secs(3600);
        let report = carry_out(&plan, &problem, &Budget::unlimited().with_timeout(hour), &mut |_, _| {});
        assert_eq!(report.outcomes[0].verdict, Verdict::Unknown(StopReason::Time));
        assert_eq!(report.outcomes[1].verdict, Verdict::Holds);
        let times = times.lock().unwrap();
        assert!(matches!(times[..], [first, rest] if first <= hour / 2 && rest > hour / 2), "{times:?}");
    }

    fn run(engines: Vec<Scripted>, queries: Vec<Query>) -> Vec<Verdict> {
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries };
        let engines = engines.into_iter().map(|e| Box::new(e) as Box<dyn Engine>).collect();
        let mut heard = vec![None; problem.queries.len()];
        let report = carry_out(&plan(engines), &problem, &Budget::unlimited(), &mut |at, outcome| {
            assert_eq!(heard[at].replace(outcome.clone()), None, "each query is answered once");
        });
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

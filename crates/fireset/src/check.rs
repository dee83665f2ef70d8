//! The straight line: simplify, ask the engines of the plan, replay their evidence on the net and the property as
//! written, report.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fireset_engine::Engine;
use fireset_net::{
    Budget, Evidence, Formula, Outcome, Problem, Quantifier, Query, Statistics, StopReason, Technique, Trace,
    Verdict, replay,
};
use fireset_reduce::{Simplifier, lift};

use crate::{Options, Simplification, memory, plan::Plan};

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
    carry_out(&Plan::new(options), problem, budget, answer)
}

/// Asks the engines of a plan.
fn carry_out(
    plan: &Plan,
    problem: &Problem,
    budget: &Budget,
    answer: &mut dyn FnMut(usize, &Outcome),
) -> Report {
    let nobody = Some(Outcome::unknown(StopReason::NoEngine));
    let queries = match plan.simplification {
        Simplification::On => simplified(problem),
        Simplification::Off => problem.queries.clone(),
    };
    let mut desk = Desk { problem, queries, open: vec![nobody; problem.queries.len()], answer };
    let mut outcomes = vec![None; problem.queries.len()];
    memory::watched(budget, || {
        for at in 0..problem.queries.len() {
            if let Some(outcome) = decided(&desk.queries[at]) {
                desk.hand_in(at, outcome, &mut outcomes);
            }
        }
        for round in [Round::First, Round::Rest] {
            for engine in &plan.engines {
                desk.ask(&**engine, round, budget, &mut outcomes);
            }
        }
    });
    let close = |(at, outcome): (usize, Option<Outcome>)| {
        outcome.unwrap_or_else(|| {
            let outcome = desk.open[at].take().expect("a query without an outcome is open");
            (desk.answer)(at, &outcome);
            outcome
        })
    };
    Report { outcomes: outcomes.into_iter().enumerate().map(close).collect() }
}

/// The queries of a problem, smaller where that is possible.
fn simplified(problem: &Problem) -> Vec<Query> {
    let simple = |query: &Query| matches!(query, Query::Reachable(_) | Query::Invariant(_) | Query::Ltl(..));
    if !problem.queries.iter().any(simple) {
        return problem.queries.clone();
    }
    // What breaks here costs the simplification, not the answers.
    catch_unwind(|| {
        let simplifier = Simplifier::for_model(&problem.model);
        problem.queries.iter().map(|query| simplifier.query(query)).collect()
    })
    .unwrap_or_else(|_| problem.queries.clone())
}

/// The outcome of a query that was simplified to a constant. Where a run shows it, every run does.
fn decided(query: &Query) -> Option<Outcome> {
    let (value, any_run) = match query {
        Query::Ltl(quantifier, Formula::Constant(value)) => {
            (value, *value == (*quantifier == Quantifier::Exists))
        }
        // The initial marking shows the others at once.
        Query::Reachable(Formula::Constant(value @ false))
        | Query::Invariant(Formula::Constant(value @ true)) => (value, false),
        _ => return None,
    };
    let evidence = any_run.then(|| Evidence::Trace(Trace::default()));
    let techniques = vec![Technique::QueryReduction];
    let statistics = Statistics { engine: "simplification", ..Statistics::default() };
    Some(Outcome { verdict: Verdict::from(*value), evidence, techniques, statistics })
}

/// When the time is limited no engine may use up what the others need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Each engine gets a part of the time, as large as its part of the open queries.
    First,
    /// The time that is left is for queries that were stopped by their engine's part.
    Rest,
}

/// Where engines hand in their answers.
struct Desk<'a> {
    problem: &'a Problem,
    /// The problem's queries as engines get them.
    queries: Vec<Query>,
    /// For each query without an answer, why there is none so far, and how far it came.
    open: Vec<Option<Outcome>>,
    answer: &'a mut dyn FnMut(usize, &Outcome),
}

impl Desk<'_> {
    /// Asks one engine about all open queries of a round that it accepts.
    fn ask(&mut self, engine: &dyn Engine, round: Round, budget: &Budget, outcomes: &mut [Option<Outcome>]) {
        let model = &self.problem.model;
        let stopped = |outcome: &Outcome| outcome.verdict == Verdict::Unknown(StopReason::Time);
        let is_open = |at: &usize| {
            self.open[*at].as_ref().is_some_and(|outcome| stopped(outcome) == (round == Round::Rest))
        };
        let open: Vec<usize> = (0..self.queries.len()).filter(is_open).collect();
        let asked: Vec<usize> =
            open.iter().copied().filter(|&at| engine.accepts(model, &self.queries[at])).collect();
        if asked.is_empty() || budget.check(0, 0).is_err() && round == Round::Rest {
            return;
        }
        let part = budget.time_left().map(|time| time.mul_f64(asked.len() as f64 / open.len() as f64));
        let budget = &part.map_or(budget.clone(), |time| budget.within(time));
        let queries = asked.iter().map(|&at| self.queries[at].clone()).collect();
        let part = Problem { model: model.clone(), queries };
        let mut hand_in = |at: usize, outcome: Outcome| self.hand_in(asked[at], outcome, outcomes);
        // The engine's own state is dropped with it, and what it handed in before is complete.
        let ended = catch_unwind(AssertUnwindSafe(|| engine.decide(&part, budget, &mut hand_in)));
        if let Err(panic) = ended {
            let what = format!("engine {}: {}", engine.name(), sentence(&*panic));
            for &at in &asked {
                if let Some(outcome) = &mut self.open[at] {
                    outcome.verdict = Verdict::Unknown(StopReason::Fault(what.clone()));
                }
            }
        }
    }

    /// Takes an outcome of a query as engines get it.
    fn hand_in(&mut self, at: usize, outcome: Outcome, outcomes: &mut [Option<Outcome>]) {
        let outcome = self.examine(at, outcome);
        if let Verdict::Unknown(_) = outcome.verdict {
            self.open[at] = Some(outcome);
        } else {
            self.open[at] = None;
            (self.answer)(at, &outcome);
            outcomes[at] = Some(outcome);
        }
    }

    /// The outcome of the query as written, if its evidence, if any, replays on the net; otherwise one that says
    /// why it does not count.
    fn examine(&self, at: usize, outcome: Outcome) -> Outcome {
        let (model, query) = (&self.problem.model, &self.problem.queries[at]);
        let mut outcome = lift(query, model, outcome);
        if self.queries[at] != *query && !outcome.techniques.contains(&Technique::QueryReduction) {
            outcome.techniques.push(Technique::QueryReduction);
        }
        let Some(evidence) = &outcome.evidence else { return outcome };
        match replay::confirm(model, query, &outcome.verdict, evidence) {
            Ok(()) => outcome,
            Err(refusal) => Outcome::unknown(StopReason::Fault(format!(
                "engine {}: its witness is refused: {}",
                outcome.statistics.engine,
                refusal.describe(model)
            ))),
        }
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
    use std::{
        sync::{Arc, Mutex},
        time::Duration,
    };

    use fireset_net::{Count, Model, Step, TransitionId, tiny};

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

        fn decide(&self, problem: &Problem, _: &Budget, answer: &mut dyn FnMut(usize, Outcome)) {
            for at in 0..problem.queries.len() {
                answer(at, self.outcome.clone());
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

        fn decide(&self, _: &Problem, budget: &Budget, answer: &mut dyn FnMut(usize, Outcome)) {
            self.0.lock().unwrap().extend(budget.time_left());
            answer(0, Outcome::unknown(StopReason::Time));
        }
    }

    #[test]
    fn no_engine_uses_up_the_time_of_others() {
        let times = Arc::default();
        let holds = Scripted { outcome: outcome(Verdict::Holds, None), panics: false };
        let engines: Vec<Box<dyn Engine>> = vec![Box::new(Slow(Arc::clone(&times))), Box::new(holds)];
        let plan = Plan { simplification: Simplification::Off, engines };
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
        let report = carry_out(
            &Plan { simplification: Simplification::Off, engines },
            &problem,
            &Budget::unlimited(),
            &mut |at, outcome| {
                assert_eq!(heard[at].replace(outcome.clone()), None, "each query is answered once");
            },
        );
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

//! Engines one after the other that share the time by how many of the open queries each accepts, so that no engine uses up
//! what another needs for its own. What is left then is for queries that were stopped by their engine's part.

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Model, Outcome, Problem, Query, StopReason};

use crate::part::{self, Ledger, Part};

/// Engines in an order.
pub(crate) struct Fair(pub(crate) Vec<Box<dyn Engine>>);

/// When the time is limited no engine may use up what the others need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Each engine gets a part of the time, as large as its part of the open queries.
    First,
    /// The time that is left is for queries that were stopped by their engine's part.
    Rest,
}

impl Engine for Fair {
    fn name(&self) -> &'static str {
        self.0.first().map_or("none", |engine| engine.name())
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.0.iter().any(|engine| engine.accepts(model, query))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let mut ledger = Ledger::new(sink, problem.queries.len());
        for round in [Round::First, Round::Rest] {
            self.0.iter().for_each(|engine| ask(&**engine, round, problem, budget, &mut ledger));
        }
        ledger.close(&Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine)));
    }
}

/// Asks one engine about all open queries of a round that it accepts.
fn ask(engine: &dyn Engine, round: Round, problem: &Problem, budget: &Budget, ledger: &mut Ledger<'_>) {
    let wanted = |&at: &usize| ledger.is_open(at) && (round == Round::First || ledger.stopped(at));
    let wanted: Vec<usize> = (0..problem.queries.len()).filter(wanted).collect();
    let accepted = |at: &usize| engine.accepts(&problem.model, &problem.queries[*at]);
    let asked: Vec<usize> = wanted.iter().copied().filter(accepted).collect();
    if asked.is_empty() || budget.go_on().is_err() && round == Round::Rest {
        return;
    }
    let budget = budget.share(asked.len() as f64 / wanted.len() as f64);
    let some = part::problem(problem, &asked);
    engine.decide(&some, &budget, &mut Part { sink: ledger, asked: &asked });
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, Mutex},
        time::Duration,
    };

    use fireset_net::{Formula, Verdict};
    use fireset_oracle::tiny;

    use super::*;
    use crate::part::Heard;

    /// Never comes to an end, on bounds; events the time that it gets.
    struct Slow(Arc<Mutex<Vec<Duration>>>);

    impl Engine for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn accepts(&self, _: &Model, query: &Query) -> bool {
            matches!(query, Query::Bound(_))
        }

        fn decide(&self, _: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
            self.0.lock().unwrap().extend(budget.time_left());
            sink.report(0, Outcome::unknown(StopReason::Time));
        }
    }

    /// Knows everything about deadlocks.
    struct Quick;

    impl Engine for Quick {
        fn name(&self) -> &'static str {
            "quick"
        }

        fn accepts(&self, _: &Model, query: &Query) -> bool {
            *query == Query::Reachable(Formula::Deadlock)
        }

        fn decide(&self, _: &Problem, _: &Budget, sink: &mut dyn ResultSink) {
            sink.report(0, Outcome { verdict: Verdict::Holds, ..Outcome::unknown(StopReason::Time) });
        }
    }

    #[test]
    fn no_engine_uses_up_the_time_of_others() {
        let times = Arc::default();
        let fair = Fair(vec![Box::new(Slow(Arc::clone(&times))), Box::new(Quick)]);
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let queries = vec![Query::Bound(vec![]), Query::Reachable(Formula::Deadlock)];
        let problem = Problem { model: model.into(), queries };
        let hour = Duration::from_secs(3600);
        let mut heard = Heard::default();
        fair.decide(&problem, &Budget::unlimited().with_timeout(hour), &mut heard);
        let heard: Vec<_> = heard.0.into_iter().map(|(at, outcome)| (at, outcome.verdict)).collect();
        assert_eq!(heard, [(1, Verdict::Holds), (0, Verdict::Unknown(StopReason::Time))]);
        let times = times.lock().unwrap();
        assert!(matches!(times[..], [first, rest] if first <= hour / 2 && rest > hour / 2), "{times:?}");
    }
}

//! Engines one after the other, each with what those before it left open and with a part of the time that is left.

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Model, Outcome, Problem, Query, StopReason};

use crate::part::{self, Ledger, Part};

/// An engine, and the part of the time that is left which it may take, at most 1.
pub(crate) struct Stage {
    pub(crate) engine: Box<dyn Engine>,
    pub(crate) share: f64,
}

/// Engines in an order.
pub(crate) struct Stages(pub(crate) Vec<Stage>);

impl Engine for Stages {
    fn name(&self) -> &'static str {
        self.0.first().map_or("none", |stage| stage.engine.name())
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.0.iter().any(|stage| stage.engine.accepts(model, query))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let mut ledger = Ledger::new(sink, problem.queries.len());
        for Stage { engine, share } in &self.0 {
            let asked =
                |at: &usize| ledger.is_open(*at) && engine.accepts(&problem.model, &problem.queries[*at]);
            let asked: Vec<usize> = (0..problem.queries.len()).filter(asked).collect();
            if asked.is_empty() {
                continue;
            }
            if budget.go_on().is_err() {
                break;
            }
            let some = part::problem(problem, &asked);
            engine.decide(&some, &budget.share(*share), &mut Part { sink: &mut ledger, asked: &asked });
        }
        ledger.close(&Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine)));
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Formula, Statistics, Verdict};
    use fireset_oracle::tiny;

    use super::*;
    use crate::part::Heard;

    /// Decides deadlocks, or gives up after so many states; counts nothing else.
    struct Scripted {
        decides: bool,
        states: u64,
    }

    impl Engine for Scripted {
        fn name(&self) -> &'static str {
            "scripted"
        }

        fn accepts(&self, _: &Model, query: &Query) -> bool {
            !matches!(query, Query::Bound(_))
        }

        fn decide(&self, problem: &Problem, _: &Budget, sink: &mut dyn ResultSink) {
            for (at, query) in problem.queries.iter().enumerate() {
                let holds = self.decides && *query == Query::Reachable(Formula::Deadlock);
                let verdict = if holds { Verdict::Holds } else { Verdict::Unknown(StopReason::Time) };
                let statistics = Statistics { states: self.states, ..Statistics::default() };
                sink.report(at, Outcome { verdict, statistics, ..Outcome::unknown(StopReason::Time) });
            }
        }
    }

    #[test]
    fn each_gets_what_those_before_it_left_open() {
        let stage = |decides, states| {
            let engine: Box<dyn Engine> = Box::new(Scripted { decides, states });
            Stage { engine, share: 0.5 }
        };
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let never = Query::Reachable(Formula::Constant(false));
        let queries = vec![Query::Reachable(Formula::Deadlock), never, Query::Bound(Vec::new())];
        let problem = Problem { model: model.into(), queries };
        let stages = Stages(vec![stage(false, 7), stage(true, 5), stage(true, 3)]);
        let mut heard = Heard::default();
        stages.decide(&problem, &Budget::unlimited(), &mut heard);
        let heard: Vec<_> = heard.0.into_iter().map(|(at, o)| (at, o.verdict, o.statistics.states)).collect();
        let [time, nobody] = [StopReason::Time, StopReason::NoEngine].map(Verdict::Unknown);
        assert_eq!(heard, [(0, Verdict::Holds, 5), (1, time, 7), (2, nobody, 0)]);
    }
}

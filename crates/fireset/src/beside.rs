//! Engines side by side, each in a thread of its own.

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Model, Problem, Query, Signal, StopReason};

use crate::{
    crew::{self, Line, Work},
    part::{self, Part},
};

/// An engine, and the part of the memory that it may hold.
pub(crate) struct Lane {
    pub(crate) engine: Box<dyn Engine>,
    pub(crate) memory: f64,
}

/// Engines that are asked at the same time.
pub(crate) struct Beside {
    pub(crate) lanes: Vec<Lane>,
    /// Given when the first of them ends: who waits for that may begin.
    pub(crate) ended: Signal,
}

impl Engine for Beside {
    fn name(&self) -> &'static str {
        self.lanes.first().map_or("none", |lane| lane.engine.name())
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.lanes.iter().any(|lane| lane.engine.accepts(model, query))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let queries = problem.queries.len();
        let work = self.lanes.iter().filter_map(|lane| -> Option<Work<'_>> {
            let Lane { engine, memory } = lane;
            let accepted = |at: &usize| engine.accepts(&problem.model, &problem.queries[*at]);
            let asked: Vec<usize> = (0..queries).filter(accepted).collect();
            let some = part::problem(problem, &asked);
            (!asked.is_empty()).then_some(Box::new(move |budget: &Budget, line: &mut Line<'_>| {
                let budget = &with_memory(budget, *memory);
                engine.decide(&some, budget, &mut Part { sink: line, asked: &asked });
                self.ended.give(StopReason::NoEngine);
            }))
        });
        let told = crew::run(queries, work.collect(), budget, sink);
        let open = told.into_iter().enumerate().filter_map(|(at, told)| Some((at, told?)));
        open.for_each(|(at, outcome)| sink.report(at, outcome));
    }
}

/// The same time, and a part of the memory.
fn with_memory(budget: &Budget, part: f64) -> Budget {
    let part = budget.memory().map(|bytes| budget.clone().with_memory((bytes as f64 * part) as u64));
    part.unwrap_or_else(|| budget.clone())
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use fireset_net::{Formula, Outcome, Verdict};
    use fireset_oracle::tiny;

    use super::*;

    /// Says this of every query, at once; or nothing until it is told to stop.
    struct Scripted(Option<Verdict>);

    impl Engine for Scripted {
        fn name(&self) -> &'static str {
            "scripted"
        }

        fn accepts(&self, _: &Model, query: &Query) -> bool {
            self.0.is_none() || !matches!(query, Query::Bound(_))
        }

        fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
            for at in 0..problem.queries.len() {
                let Some(verdict) = &self.0 else {
                    let own = sink.signal(at).map_or_else(|| budget.clone(), |signal| budget.heeding(signal));
                    while own.go_on().is_ok() {
                        thread::yield_now();
                    }
                    sink.report(at, Outcome::unknown(own.go_on().expect_err("it was told to stop")));
                    continue;
                };
                sink.report(at, Outcome { verdict: verdict.clone(), ..Outcome::unknown(StopReason::Time) });
            }
        }
    }

    fn ask(engines: Vec<Scripted>, queries: Vec<Query>, budget: &Budget) -> Vec<(usize, Verdict)> {
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries };
        let lane = |engine: Scripted| Lane { engine: Box::new(engine), memory: 1.0 };
        let mut heard = Vec::new();
        let lanes = engines.into_iter().map(lane).collect();
        Beside { lanes, ended: Signal::default() }.decide(
            &problem,
            budget,
            &mut |at: usize, outcome: Outcome| heard.push((at, outcome.verdict)),
        );
        heard.sort_by_key(|answer| answer.0);
        heard
    }

    fn deadlock() -> Query {
        Query::Reachable(Formula::Deadlock)
    }

    #[test]
    fn who_is_slow_need_not_go_on() {
        let engines = vec![Scripted(None), Scripted(Some(Verdict::Holds))];
        let heard = ask(engines, vec![deadlock(), deadlock()], &Budget::unlimited());
        assert_eq!(heard, [(0, Verdict::Holds), (1, Verdict::Holds)]);
    }

    #[test]
    fn what_only_the_slow_one_accepts_waits_for_it() {
        let engines = vec![Scripted(None), Scripted(Some(Verdict::Holds))];
        let budget = Budget::unlimited().with_timeout(Duration::from_millis(100));
        let heard = ask(engines, vec![deadlock(), Query::Bound(Vec::new())], &budget);
        assert_eq!(heard, [(0, Verdict::Holds), (1, Verdict::Unknown(StopReason::Time))]);
    }

    #[test]
    fn a_difference_is_a_fault() {
        let engines = vec![Scripted(Some(Verdict::Fails)), Scripted(Some(Verdict::Holds))];
        let budget = Budget::unlimited();
        ask(engines, vec![deadlock()], &budget);
        let Err(StopReason::Fault(why)) = budget.go_on() else { panic!("everything has to stop") };
        assert!(why.contains("says"), "{why}");
    }
}

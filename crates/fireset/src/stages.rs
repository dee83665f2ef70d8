//! Engines one after the other, each with what those before it left open and with a part of the time that is left.

use fireset_engine::{Asker, Engine};
use fireset_net::{Budget, Model, Outcome, Problem, Query, Signal, StopReason, Verdict};

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

    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        let mut told: Vec<Told> = vec![Told::Nothing; problem.queries.len()];
        for Stage { engine, share } in &self.0 {
            let accepted = |at: &usize| engine.accepts(&problem.model, &problem.queries[*at]);
            let is_open = |at: &usize| told[*at] != Told::Verdict && asker.wants(*at);
            let asked: Vec<usize> = (0..told.len()).filter(is_open).filter(accepted).collect();
            if asked.is_empty() {
                continue;
            }
            if budget.go_on().is_err() {
                break;
            }
            let part = budget.time_left().map(|time| budget.within(time.mul_f64(*share)));
            let queries = asked.iter().map(|&at| problem.queries[at].clone()).collect();
            let some = Problem { model: problem.model.clone(), queries };
            let mut ear = Ear { asker: &mut *asker, asked: &asked, told: &mut told };
            engine.decide(&some, part.as_ref().unwrap_or(budget), &mut ear);
        }
        for (at, told) in told.into_iter().enumerate() {
            match told {
                Told::Verdict => {}
                Told::Open(outcome) => asker.hear(at, *outcome),
                Told::Nothing => asker.hear(at, Outcome::unknown(StopReason::Time)),
            }
        }
    }
}

/// What was said about a query.
#[derive(Clone, PartialEq, Eq)]
enum Told {
    Nothing,
    /// Why it is open; of the engine that saw most.
    Open(Box<Outcome>),
    Verdict,
}

/// Hears one engine.
struct Ear<'a> {
    asker: &'a mut dyn Asker,
    asked: &'a [usize],
    told: &'a mut [Told],
}

impl Asker for Ear<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        let at = self.asked[at];
        if !matches!(outcome.verdict, Verdict::Unknown(_)) {
            self.told[at] = Told::Verdict;
            self.asker.hear(at, outcome);
            return;
        }
        match &self.told[at] {
            Told::Open(before) if before.statistics.states > outcome.statistics.states => {}
            _ => self.told[at] = Told::Open(Box::new(outcome)),
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(self.asked[at])
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(self.asked[at])
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Formula, Statistics, tiny};

    use super::*;

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

        fn decide(&self, problem: &Problem, _: &Budget, asker: &mut dyn Asker) {
            for (at, query) in problem.queries.iter().enumerate() {
                let holds = self.decides && *query == Query::Reachable(Formula::Deadlock);
                let verdict = if holds { Verdict::Holds } else { Verdict::Unknown(StopReason::Time) };
                let statistics = Statistics { states: self.states, ..Statistics::default() };
                asker.hear(at, Outcome { verdict, statistics, ..Outcome::unknown(StopReason::Time) });
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
        let mut heard = Vec::new();
        stages.decide(&problem, &Budget::unlimited(), &mut |at: usize, outcome: Outcome| {
            heard.push((at, outcome.verdict, outcome.statistics.states));
        });
        let open = Verdict::Unknown(StopReason::Time);
        assert_eq!(heard, [(0, Verdict::Holds, 5), (1, open.clone(), 7), (2, open, 0)]);
    }
}

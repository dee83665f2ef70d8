//! Engines side by side, each in a thread of its own: the first certain answer to a query counts, and the others need not
//! look for it any more.
//!
//! Answers come through a channel, since who asked is in one thread. A query that is answered, or that nobody wants any
//! more, has its signal given, which every engine that is busy with it alone heeds. When two engines say different things
//! one of them is wrong; then nothing more of what they say is believed, and that is a fault.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

use fireset_engine::{Asker, Engine};
use fireset_net::{Budget, Model, Outcome, Problem, Query, Signal, StopReason, Verdict};

/// How often it is looked whether answers are still wanted.
const INTERVAL: Duration = Duration::from_millis(20);

/// Engines that are asked at the same time.
pub(crate) struct Beside(pub(crate) Vec<Box<dyn Engine>>);

impl Engine for Beside {
    fn name(&self) -> &'static str {
        self.0.first().map_or("none", |engine| engine.name())
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.0.iter().any(|engine| engine.accepts(model, query))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        let signals: Vec<Signal> = problem.queries.iter().map(|_| Signal::default()).collect();
        let enough = Signal::default();
        let heeding = budget.heeding(&enough);
        let mut hall = Hall { signals: &signals, done: 0, told: vec![None; signals.len()], asker };
        thread::scope(|scope| {
            let (send, receive) = channel::<(usize, Outcome)>();
            let threads: Vec<_> = self
                .0
                .iter()
                .filter_map(|engine| {
                    let accepted = |at: &usize| engine.accepts(&problem.model, &problem.queries[*at]);
                    let asked: Vec<usize> = (0..signals.len()).filter(accepted).collect();
                    (!asked.is_empty()).then_some((engine, asked))
                })
                .map(|(engine, asked)| {
                    let queries = asked.iter().map(|&at| problem.queries[at].clone()).collect();
                    let part = Problem { model: problem.model.clone(), queries };
                    let mut line = Line { send: send.clone(), asked, signals: &signals };
                    let budget = heeding.clone();
                    scope.spawn(move || {
                        catch_unwind(AssertUnwindSafe(|| engine.decide(&part, &budget, &mut line)))
                    })
                })
                .collect();
            drop(send);
            loop {
                match receive.recv_timeout(INTERVAL) {
                    Ok((at, outcome)) => {
                        if let Some(difference) = hall.take(at, outcome) {
                            enough.give(StopReason::Cancelled);
                            panic!("{difference}");
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => hall.ask_again(),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if hall.is_done() {
                    enough.give(StopReason::Cancelled);
                }
            }
            // What one of them has lost in a panic the others may have answered.
            let panics = threads.into_iter().filter_map(|thread| thread.join().unwrap_or_else(Err).err());
            if let Some(panic) = panics.last().filter(|_| !hall.is_done()) {
                resume_unwind(panic);
            }
        });
        hall.close();
    }
}

/// Where the answers of all engines come together.
struct Hall<'a> {
    signals: &'a [Signal],
    /// All before this one are given.
    done: usize,
    told: Vec<Option<Outcome>>,
    asker: &'a mut dyn Asker,
}

impl Hall<'_> {
    /// Takes what an engine says; tells a difference to what another one said.
    fn take(&mut self, at: usize, outcome: Outcome) -> Option<String> {
        let is_open = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Unknown(_));
        match (&self.told[at], is_open(&outcome)) {
            (Some(before), false) if !is_open(before) => {
                let engines = [before.statistics.engine, outcome.statistics.engine];
                (before.verdict != outcome.verdict).then(|| {
                    format!(
                        "{} says {:?} and {} says {:?}",
                        engines[0], before.verdict, engines[1], outcome.verdict
                    )
                })
            }
            (Some(before), true)
                if !is_open(before) || before.statistics.states > outcome.statistics.states =>
            {
                None
            }
            (_, open) => {
                if !open {
                    self.asker.hear(at, outcome.clone());
                    self.signals[at].give(StopReason::Cancelled);
                }
                self.told[at] = Some(outcome);
                None
            }
        }
    }

    /// Gives the signals of queries that nobody wants any more.
    fn ask_again(&self) {
        let unwanted = self.signals.iter().enumerate().filter(|&(at, _)| !self.asker.wants(at));
        unwanted.for_each(|(_, signal)| signal.give(StopReason::Cancelled));
    }

    fn is_done(&mut self) -> bool {
        let given = self.signals[self.done..].iter().take_while(|signal| signal.given().is_some());
        self.done += given.count();
        self.done == self.signals.len()
    }

    /// Tells what is open.
    fn close(self) {
        for (at, told) in self.told.into_iter().enumerate() {
            if self.signals[at].given().is_none() {
                self.asker.hear(at, told.unwrap_or_else(|| Outcome::unknown(StopReason::NoEngine)));
            }
        }
    }
}

/// What an engine in a thread speaks into.
struct Line<'a> {
    send: Sender<(usize, Outcome)>,
    asked: Vec<usize>,
    signals: &'a [Signal],
}

impl Asker for Line<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        // Nobody listens any more when something broke.
        let _ = self.send.send((self.asked[at], outcome));
    }

    fn wants(&self, at: usize) -> bool {
        self.signals[self.asked[at]].given().is_none()
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        Some(&self.signals[self.asked[at]])
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Formula, tiny};

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

        fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
            for at in 0..problem.queries.len() {
                let Some(verdict) = &self.0 else {
                    let own =
                        asker.signal(at).map_or_else(|| budget.clone(), |signal| budget.heeding(signal));
                    while own.go_on().is_ok() {
                        thread::yield_now();
                    }
                    asker.hear(at, Outcome::unknown(own.go_on().expect_err("it was told to stop")));
                    continue;
                };
                asker.hear(at, Outcome { verdict: verdict.clone(), ..Outcome::unknown(StopReason::Time) });
            }
        }
    }

    fn ask(engines: Vec<Scripted>, queries: Vec<Query>, budget: &Budget) -> Vec<(usize, Verdict)> {
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries };
        let engines = engines.into_iter().map(|engine| Box::new(engine) as Box<dyn Engine>).collect();
        let mut heard = Vec::new();
        Beside(engines)
            .decide(&problem, budget, &mut |at: usize, outcome: Outcome| heard.push((at, outcome.verdict)));
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
    #[should_panic(expected = "says")]
    fn a_difference_is_a_fault() {
        let engines = vec![Scripted(Some(Verdict::Fails)), Scripted(Some(Verdict::Holds))];
        ask(engines, vec![deadlock()], &Budget::unlimited());
    }
}

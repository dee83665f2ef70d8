//! An engine that waits before it begins, since another one beside it is likely to be enough.

use std::{
    thread,
    time::{Duration, Instant},
};

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Model, Problem, Query, Signal};

/// How long it waits where nothing limits the time.
const WAIT: Duration = Duration::from_secs(5);
/// How often it looks whether it is needed.
const INTERVAL: Duration = Duration::from_millis(10);

/// Begins after a part of the time, or at once when the signal is given.
pub(crate) struct Later {
    pub(crate) engine: Box<dyn Engine>,
    /// The part of the time.
    pub(crate) after: f64,
    /// The other one has ended.
    pub(crate) needed: Signal,
}

impl Engine for Later {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.engine.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let wait = budget.time_left().map_or(WAIT, |time| time.mul_f64(self.after));
        let begin = Instant::now() + wait;
        while self.needed.given().is_none() && budget.go_on().is_ok() && Instant::now() < begin {
            thread::sleep(INTERVAL.min(wait));
        }
        if budget.go_on().is_ok() {
            self.engine.decide(problem, budget, sink);
        }
    }
}

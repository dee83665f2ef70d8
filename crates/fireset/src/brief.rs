//! A first look at a problem: what is easy is answered before anything expensive begins.

use std::time::Duration;

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Model, Problem, Query};

/// The part of the time, and the most of it.
const PART: f64 = 0.02;
const MOST: Duration = Duration::from_secs(1);

/// An engine that gets little time.
pub(crate) struct Brief(pub(crate) Box<dyn Engine>);

impl Engine for Brief {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.0.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        self.0.decide(problem, &budget.share(PART).within(MOST), sink);
    }
}

//! An engine behind passes: it is asked about the smaller problem, and its outcomes are brought back.

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Event, Model, Outcome, Problem, Query, Signal, StopReason};
use fireset_reduce::Pass;

use crate::{
    part::{self, Ledger, Part},
    reduction::Reduction,
};

/// Passes, and the engine that is asked then.
pub(crate) struct Through {
    pub(crate) passes: Vec<Box<dyn Pass>>,
    pub(crate) engine: Box<dyn Engine>,
    /// Which queries go this way.
    pub(crate) takes: fn(&Query) -> bool,
}

impl Engine for Through {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        (self.takes)(query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let all: Vec<usize> = (0..problem.queries.len()).collect();
        let mut reduction = match Reduction::new(problem, &all, &self.passes, budget) {
            Ok(reduction) => reduction,
            Err(reason) => {
                return all.iter().for_each(|&at| sink.report(at, Outcome::unknown(reason.clone())));
            }
        };
        reduction.tell(sink);
        let Problem { model, queries } = &reduction.problem;
        let accepted = |at: &usize| self.engine.accepts(model, &queries[*at]);
        let asked: Vec<usize> = (0..queries.len()).filter(accepted).collect();
        let some = part::problem(&reduction.problem, &asked);
        let mut ledger = Ledger::new(sink, all.len());
        let mut lifted = Lifted { reduction: &mut reduction, sink: &mut ledger };
        if !asked.is_empty() {
            self.engine.decide(&some, budget, &mut Part { sink: &mut lifted, asked: &asked });
        }
        ledger.close(&Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine)));
    }
}

/// Brings outcomes back to the larger problem.
pub(crate) struct Lifted<'a> {
    pub(crate) reduction: &'a mut Reduction,
    pub(crate) sink: &'a mut dyn ResultSink,
}

impl ResultSink for Lifted<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        if let Some((at, outcome)) = self.reduction.lift(at, outcome) {
            self.sink.report(at, outcome);
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.sink.is_open(self.reduction.asked_for(at))
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.sink.signal(self.reduction.asked_for(at))
    }

    fn record(&mut self, at: usize, event: Event) {
        self.sink.record(self.reduction.asked_for(at), event);
    }
}

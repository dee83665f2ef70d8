//! An engine behind passes: it is asked about the smaller problem, and its outcomes are brought back.

use fireset_engine::{Asker, Engine};
use fireset_net::{Budget, Model, Note, Outcome, Problem, Query, Signal, StopReason};
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

    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        let all: Vec<usize> = (0..problem.queries.len()).collect();
        let mut reduction = match Reduction::new(problem, &all, &self.passes, budget) {
            Ok(reduction) => reduction,
            Err(reason) => {
                return all.iter().for_each(|&at| asker.hear(at, Outcome::unknown(reason.clone())));
            }
        };
        reduction.tell(asker);
        let Problem { model, queries } = &reduction.problem;
        let accepted = |at: &usize| self.engine.accepts(model, &queries[*at]);
        let asked: Vec<usize> = (0..queries.len()).filter(accepted).collect();
        let some = part::problem(&reduction.problem, &asked);
        let mut ledger = Ledger::new(asker, all.len());
        let mut lifted = Lifted { reduction: &mut reduction, asker: &mut ledger };
        if !asked.is_empty() {
            self.engine.decide(&some, budget, &mut Part { asker: &mut lifted, asked: &asked });
        }
        ledger.close(&Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine)));
    }
}

/// Brings outcomes back to the larger problem.
pub(crate) struct Lifted<'a> {
    pub(crate) reduction: &'a mut Reduction,
    pub(crate) asker: &'a mut dyn Asker,
}

impl Asker for Lifted<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        if let Some((at, outcome)) = self.reduction.lift(at, outcome) {
            self.asker.hear(at, outcome);
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(self.reduction.asked_for(at))
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(self.reduction.asked_for(at))
    }

    fn note(&mut self, at: usize, note: Note) {
        self.asker.note(self.reduction.asked_for(at), note);
    }
}

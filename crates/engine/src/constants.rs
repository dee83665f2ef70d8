//! Queries that were simplified to a constant: they need no exploration.

use fireset_net::{
    Budget, Evidence, Formula, Model, Outcome, Problem, Quantifier, Query, Statistics, Technique, Trace,
    Verdict,
};

use crate::{Engine, ResultSink};

/// Answers queries over a constant. If a run shows the answer, every run does, so the evidence is the empty run; a lift
/// extends it to an infinite one where that is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConstantEngine;

impl Engine for ConstantEngine {
    fn name(&self) -> &'static str {
        "simplification"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        decided(query).is_some()
    }

    fn decide(&self, problem: &Problem, _: &Budget, sink: &mut dyn ResultSink) {
        for (at, query) in problem.queries.iter().enumerate() {
            let (value, any_run) = decided(query).expect("accepts only constants");
            let evidence = any_run.then(|| Evidence::Trace(Trace::default()));
            let techniques = vec![Technique::QueryReduction];
            let statistics = Statistics { engine: self.name(), ..Statistics::default() };
            sink.report(at, Outcome { verdict: Verdict::from(value), evidence, techniques, statistics });
        }
    }
}

/// The value of a query over a constant, and whether a run, and so every run, shows it.
fn decided(query: &Query) -> Option<(bool, bool)> {
    match query {
        Query::Ltl(quantifier, Formula::Constant(value)) => {
            Some((*value, *value == (*quantifier == Quantifier::Exists)))
        }
        Query::Reachable(Formula::Constant(value)) => Some((*value, *value)),
        Query::Invariant(Formula::Constant(value)) => Some((*value, !*value)),
        Query::Ctl(Formula::Constant(value)) => Some((*value, false)),
        _ => None,
    }
}

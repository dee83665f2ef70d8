//! Queries that were simplified to a constant: they need no exploration.

use fireset_net::{
    Budget, Evidence, Model, Outcome, Problem, Quantifier, Query, Statistics, Technique, Trace, Verdict,
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
            let Some((value, any_run)) = decided(query) else { continue };
            let evidence = any_run.then(|| Evidence::Trace(Trace::default()));
            let techniques = vec![Technique::QueryReduction];
            let statistics = Statistics { engine: self.name(), ..Statistics::default() };
            sink.report(at, Outcome { verdict: Verdict::from(value), evidence, techniques, statistics });
        }
    }
}

/// The value of a query over a constant, and whether a run, and so every run, shows it.
fn decided(query: &Query) -> Option<(bool, bool)> {
    let value = query.constant()?;
    let any_run = match query {
        Query::Ltl(quantifier, _) => value == (*quantifier == Quantifier::Exists),
        Query::Reachable(_) => value,
        Query::Invariant(_) => !value,
        Query::Ctl(_)
        | Query::Run(_)
        | Query::CtlStar(_)
        | Query::Bound(_)
        | Query::ColourBound(_)
        | Query::Global(_)
        | Query::Named(_) => false,
    };
    Some((value, any_run))
}

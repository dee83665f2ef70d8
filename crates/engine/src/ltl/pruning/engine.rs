//! LTL queries that are decided by pruning their automaton to nothing.

use std::time::{Duration, Instant};

use fireset_net::{Budget, Model, Outcome, Problem, Quantifier, Query, Statistics, Technique, Verdict};
use fireset_structure::StateEquation;

use super::{AutomatonPruner, first_markings::FirstMarkings};
use crate::{Engine, ResultSink, ltl};

/// The time of a query where nothing limits it.
const TIME: Duration = Duration::from_secs(1);

/// Decides that no run refutes an LTL query of all runs, or shows one of some run, without a search: when nothing is left of the automaton
/// of such runs. It reports only what it decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct LtlPruning;

impl Engine for LtlPruning {
    fn name(&self) -> &'static str {
        "pruning"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!((model, query), (Model::Plain(_), Query::Ltl(..)))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let Some(equation) = StateEquation::of(net) else { return };
        let started = Instant::now();
        let first = FirstMarkings::of(net);
        let count = problem.queries.len() as u32;
        for (at, query) in (0..count).zip(&problem.queries) {
            let Query::Ltl(quantifier, formula) = query else { continue };
            if !sink.is_open(at as usize) || budget.go_on().is_err() {
                continue;
            }
            equation.grant(budget.time_left().map_or(TIME, |left| left / (count - at)));
            let Some((mut automaton, atoms)) = ltl::deciding(*quantifier, formula) else { continue };
            AutomatonPruner::new((&equation, &first), &atoms, budget).prune(&mut automaton);
            if automaton.states.is_empty() {
                let verdict = Verdict::from(*quantifier == Quantifier::ForAll);
                let elapsed = started.elapsed();
                let statistics = Statistics { engine: self.name(), elapsed, ..Statistics::default() };
                let techniques = vec![Technique::StateEquation];
                sink.report(at as usize, Outcome { verdict, evidence: None, techniques, statistics });
            }
        }
    }
}

//! Decomposition as a pass.

use std::sync::Arc;

use fireset_net::{
    Budget, Evidence, Global, Model, Outcome, Problem, Query, StopReason, Technique, Trace, Verdict, replay,
};

use super::{GlobalScope, coloured, decompose};
use crate::{
    Lift, Pass, Reduced,
    join::{DecomposedQueries, VerdictJoin},
};

/// Makes several queries of each global property. Other queries stay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decompose;

impl Pass for Decompose {
    fn name(&self) -> &'static str {
        "decomposition"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let has_parts =
            |query: &Query| matches!(query, Query::Global(global) if *global != Global::StateSpace);
        if !problem.queries.iter().any(has_parts) {
            return Ok(None);
        }
        let decompose = |global: Global| match &*problem.model {
            Model::Plain(net) => decompose(net, &GlobalScope::of(net), global, budget),
            Model::Coloured(net) => coloured::decompose(net, global),
        };
        let (mut queries, mut decomposed, mut witnesses) =
            (Vec::new(), DecomposedQueries::default(), Vec::new());
        for query in &problem.queries {
            let decomposition = match query {
                Query::Global(global) => decompose(*global),
                _ => None,
            };
            let Some(decomposition) = decomposition else {
                decomposed.add(query.clone(), VerdictJoin::Same, 1, 0);
                queries.push(query.clone());
                witnesses.push(None);
                continue;
            };
            decomposed.add(
                query.clone(),
                decomposition.join,
                decomposition.parts.len(),
                decomposition.unasked,
            );
            queries.extend(decomposition.parts);
            witnesses.push(decomposition.witness);
        }
        let asked_for = decomposed.asked_for().to_vec();
        let lift = DecompositionLift {
            model: problem.model.clone(),
            asked_for: asked_for.clone(),
            decomposed,
            witnesses,
        };
        let problem = Problem { model: problem.model.clone(), queries };
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(lift) }))
    }
}

/// Joins the verdicts on the parts.
struct DecompositionLift {
    model: Arc<Model>,
    asked_for: Vec<usize>,
    decomposed: DecomposedQueries,
    /// For each query, the run that the decomposition found.
    witnesses: Vec<Option<Trace>>,
}

impl Lift for DecompositionLift {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        if matches!(outcome.verdict, Verdict::Unknown(_)) {
            return Some(outcome);
        }
        let query = self.decomposed.decided_by(at, &outcome.verdict)?;
        let Query::Global(global) = query else { return Some(outcome) };
        let run = self.witnesses[self.asked_for[at]].take().map(Evidence::Trace);
        // The run to a marking in which one place is not safe shows that the net is not. Of the others no run shows anything.
        let shows = |e: &Evidence| replay::confirm(&self.model, query, &outcome.verdict, e).is_ok();
        outcome.evidence = match global {
            Global::OneSafe => run.or(outcome.evidence).filter(shows),
            _ => outcome.evidence.filter(|_| *global == Global::StateSpace),
        };
        if *global != Global::StateSpace && !outcome.techniques.contains(&Technique::QueryReduction) {
            outcome.techniques.push(Technique::QueryReduction);
        }
        Some(outcome)
    }
}

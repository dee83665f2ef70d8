//! Division as a pass.

use std::sync::Arc;

use fireset_net::{
    Budget, Evidence, Global, Model, Outcome, Problem, Query, StopReason, Technique, Trace, Verdict, replay,
};

use super::{Subjects, divide};
use crate::{
    Lift, Pass, Reduced,
    join::{Join, Wholes},
};

/// Makes several queries of each property of the whole net, on place/transition nets. Other queries stay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Divide;

impl Pass for Divide {
    fn name(&self) -> &'static str {
        "division"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let Model::Plain(net) = &*problem.model else { return Ok(None) };
        let has_parts =
            |query: &Query| matches!(query, Query::Global(global) if *global != Global::StateSpace);
        if !problem.queries.iter().any(has_parts) {
            return Ok(None);
        }
        let subjects = Subjects::of(net);
        let (mut queries, mut wholes, mut shown) = (Vec::new(), Wholes::default(), Vec::new());
        for query in &problem.queries {
            let division = match query {
                Query::Global(global) => divide(net, &subjects, *global, budget),
                _ => None,
            };
            let Some(division) = division else {
                wholes.add(query.clone(), Join::Same, 1, 0);
                queries.push(query.clone());
                shown.push(None);
                continue;
            };
            wholes.add(query.clone(), division.join, division.parts.len(), division.unasked);
            queries.extend(division.parts);
            shown.push(division.shown);
        }
        let asked_for = wholes.asked_for().to_vec();
        let lift = Back { model: problem.model.clone(), asked_for: asked_for.clone(), wholes, shown };
        let problem = Problem { model: problem.model.clone(), queries };
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(lift) }))
    }
}

/// The way back.
struct Back {
    model: Arc<Model>,
    asked_for: Vec<usize>,
    wholes: Wholes,
    /// For each query, the run that was found already.
    shown: Vec<Option<Trace>>,
}

impl Lift for Back {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        if matches!(outcome.verdict, Verdict::Unknown(_)) {
            return Some(outcome);
        }
        let query = self.wholes.decided_by(at, &outcome.verdict)?;
        let Query::Global(global) = query else { return Some(outcome) };
        let run = self.shown[self.asked_for[at]].take().map(Evidence::Trace);
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

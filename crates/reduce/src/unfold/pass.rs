//! Unfolding as a pass, and outcomes brought back.

use std::sync::Arc;

use fireset_net::{
    Budget, Count, Evidence, Global, Model, Outcome, PartialStateSpace, Problem, Query, StateSpaceSize,
    StopReason, Technique, Trace, Verdict, replay,
};

use super::{Detail, UnfoldedNet, UnfoldingMap, translate::observed, unfold_for};
use crate::{Lift, Pass, Reduced, join::DecomposedQueries};

/// An unfolding takes at most this fraction of the time and memory of its budget: one quarter.
const PARTS: u32 = 4;

/// Unfolds coloured nets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfold;

impl Pass for Unfold {
    fn name(&self) -> &'static str {
        "unfolding"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let Model::Coloured(net) = &*problem.model else { return Ok(None) };
        if problem.queries.is_empty() {
            return Ok(None);
        }
        // Bindings that lead to equivalent markings become one transition, while a query about steps tells them apart.
        if problem.queries.iter().any(|query| matches!(query, Query::Run(_))) {
            return Ok(None);
        }
        let counts = problem.queries.contains(&Query::Global(Global::StateSpace));
        let detail = if counts { Detail::Counts } else { Detail::Answers };
        let observed = observed(net, &problem.queries);
        let unfolding =
            unfold_for(net, detail, &observed, &budget.part(PARTS)).map_err(|reason| match reason {
                StopReason::Time | StopReason::Memory => StopReason::Unfolding,
                other => other,
            })?;
        Ok(Some(reduced(problem, unfolding, budget)))
    }
}

/// The problem on the unfolded net.
fn reduced(problem: &Problem, UnfoldedNet { net, map }: UnfoldedNet, budget: &Budget) -> Reduced {
    let (mut queries, mut wholes, mut shown) = (Vec::new(), DecomposedQueries::default(), Vec::new());
    for query in &problem.queries {
        let division = map.translate(&net, query, budget);
        wholes.add(query.clone(), division.join, division.parts.len(), division.unasked);
        queries.extend(division.parts);
        shown.push(division.witness);
    }
    let asked_for = wholes.asked_for().to_vec();
    let lift =
        UnfoldingLift { model: problem.model.clone(), map, asked_for: asked_for.clone(), wholes, shown };
    Reduced {
        problem: Problem { model: Arc::new(Model::Plain(net)), queries },
        asked_for,
        lift: Box::new(lift),
    }
}

/// Brings outcomes on the unfolded net back to the coloured one.
struct UnfoldingLift {
    model: Arc<Model>,
    map: UnfoldingMap,
    asked_for: Vec<usize>,
    wholes: DecomposedQueries,
    /// For each query, a run of the unfolded net that was found already.
    shown: Vec<Option<Trace>>,
}

impl Lift for UnfoldingLift {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        let Model::Coloured(net) = &*self.model else { return Some(outcome) };
        if matches!(outcome.verdict, Verdict::Unknown(_)) {
            return Some(outcome);
        }
        let query = self.wholes.decided_by(at, &outcome.verdict)?;
        let run = self.shown[self.asked_for[at]].take().map(Evidence::Trace);
        outcome.evidence = match query {
            Query::Global(Global::StableMarking | Global::QuasiLiveness | Global::Liveness) => None,
            _ => run.or(outcome.evidence).and_then(|evidence| self.map.concrete(net, query, evidence)),
        };
        outcome.verdict = whole_verdict(&self.map, query, outcome.verdict);
        // Equivalent markings are not equal, so runs need not meet where they did: only the replay knows.
        let shows =
            |evidence: &Evidence| replay::confirm(&self.model, query, &outcome.verdict, evidence).is_ok();
        if matches!(query, Query::Ctl(_)) && !outcome.evidence.as_ref().is_some_and(shows) {
            outcome.evidence = None;
        }
        outcome.techniques.push(Technique::Unfolding);
        Some(outcome)
    }
}

/// The verdict on the coloured net: tokens that never change are counted in again.
fn whole_verdict(map: &UnfoldingMap, query: &Query, verdict: Verdict) -> Verdict {
    let plus = |count: Count, more: u128| match count {
        Count::Finite(n) => Count::Finite(n + more),
        Count::Infinite => Count::Infinite,
    };
    match (query, verdict) {
        (Query::Bound(places), Verdict::Bound(bound)) => Verdict::Bound(plus(bound, map.constant_of(places))),
        (Query::ColourBound(tokens), Verdict::Bound(bound)) => {
            let constant = tokens.iter().map(|some| map.constant_among(some)).sum();
            Verdict::Bound(plus(bound, constant))
        }
        (_, Verdict::PartialStateSpace(known)) => {
            let constant = map.constant.iter().sum();
            Verdict::PartialStateSpace(PartialStateSpace {
                max_in_marking: known.max_in_marking.map(|most| plus(most, constant)),
                max_in_place: known.max_in_place.map(|most| most.max(map.largest_constant.into())),
                ..known
            })
        }
        (_, Verdict::StateSpace(figures)) => {
            let constant = map.constant.iter().sum();
            Verdict::StateSpace(StateSpaceSize {
                max_in_marking: plus(figures.max_in_marking, constant),
                max_in_place: figures.max_in_place.max(map.largest_constant.into()),
                ..figures
            })
        }
        (_, verdict) => verdict,
    }
}

//! Unfolding as a pass, and outcomes brought back.

use std::sync::Arc;

use fireset_net::{
    Budget, Count, Evidence, Figures, Global, Model, Outcome, Problem, Query, StopReason, Technique, Verdict,
    colored::ColoredNet, replay,
};

use super::{
    Detail, Legend, Unfolding,
    translate::{Join, observed},
    unfold_for,
};
use crate::{Lift, Pass, Reduced};

/// Time and memory of a budget that go into an unfolding at most: one part of so many.
const PARTS: u32 = 4;

/// Unfolds coloured nets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfold;

impl Pass for Unfold {
    fn name(&self) -> &'static str {
        "unfolding"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let Model::Colored(net) = &*problem.model else { return Ok(None) };
        let counts = problem.queries.contains(&Query::Global(Global::StateSpace));
        let detail = if counts { Detail::Counts } else { Detail::Answers };
        let observed = observed(net, &problem.queries);
        let unfolding =
            unfold_for(net, detail, &observed, &budget.part(PARTS)).map_err(|reason| match reason {
                StopReason::Time | StopReason::Memory => StopReason::Unfolding,
                other => other,
            })?;
        Ok(Some(reduced(problem, net, unfolding)))
    }
}

/// The problem on the unfolded net.
fn reduced(problem: &Problem, coloured: &ColoredNet, Unfolding { net, legend }: Unfolding) -> Reduced {
    let (mut queries, mut asked_for, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
    for (at, query) in problem.queries.iter().enumerate() {
        let (join, parts) = legend.translate(coloured, query);
        wholes.push(Whole { query: query.clone(), join, open: parts.len() });
        asked_for.extend(parts.iter().map(|_| at));
        queries.extend(parts);
    }
    let model = Arc::new(Model::Plain(net));
    let decided = vec![false; queries.len()];
    let lift = Back { model: problem.model.clone(), legend, asked_for: asked_for.clone(), wholes, decided };
    Reduced { problem: Problem { model, queries }, asked_for, lift: Box::new(lift) }
}

/// A query about the coloured net.
struct Whole {
    query: Query,
    join: Join,
    /// How many of its parts are not decided.
    open: usize,
}

/// The way back.
struct Back {
    model: Arc<Model>,
    legend: Legend,
    asked_for: Vec<usize>,
    wholes: Vec<Whole>,
    decided: Vec<bool>,
}

impl Lift for Back {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        let whole = &mut self.wholes[self.asked_for[at]];
        let Model::Colored(net) = &*self.model else { panic!("only coloured nets are unfolded") };
        if matches!(outcome.verdict, Verdict::Unknown(_)) {
            return Some(outcome);
        }
        if !std::mem::replace(&mut self.decided[at], true) {
            whole.open -= 1;
        }
        if !whole.join.decides(&outcome.verdict) && whole.open > 0 {
            return None;
        }
        outcome.evidence = match whole.query {
            Query::Global(Global::StableMarking | Global::QuasiLiveness | Global::Liveness) => None,
            _ => outcome.evidence.and_then(|evidence| self.legend.concrete(net, &whole.query, evidence)),
        };
        outcome.verdict = whole_verdict(&self.legend, &whole.query, outcome.verdict);
        // Markings that are alike are not the same, so runs need not meet where they did: only the replay knows.
        let shows = |evidence: &Evidence| {
            replay::confirm(&self.model, &whole.query, &outcome.verdict, evidence).is_ok()
        };
        if matches!(whole.query, Query::Ctl(_)) && !outcome.evidence.as_ref().is_some_and(shows) {
            outcome.evidence = None;
        }
        outcome.techniques.push(Technique::Unfolding);
        Some(outcome)
    }
}

/// The verdict on the coloured net: tokens that never change are counted in again.
fn whole_verdict(legend: &Legend, query: &Query, verdict: Verdict) -> Verdict {
    let plus = |count: Count, more: u128| match count {
        Count::Finite(n) => Count::Finite(n + more),
        Count::Infinite => Count::Infinite,
    };
    match (query, verdict) {
        (Query::Bound(places), Verdict::Bound(bound)) => {
            Verdict::Bound(plus(bound, legend.constant_of(places)))
        }
        (_, Verdict::StateSpace(figures)) => {
            let constant = legend.constant.iter().sum();
            Verdict::StateSpace(Figures {
                max_in_marking: plus(figures.max_in_marking, constant),
                max_in_place: figures.max_in_place.max(legend.largest_constant.into()),
                ..figures
            })
        }
        (_, verdict) => verdict,
    }
}

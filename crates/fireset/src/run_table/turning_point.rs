//! Where a run passes the point of no return: from a marking on, every run comes to what the run shows.
//!
//! What: `AF g` is asked in markings of the run, for the goal `g` in which the run ends. Once it holds it holds in every marking after,
//! up to the goal, so the first one is found by bisection. Why: the last step that could have gone otherwise is where to look for
//! the mistake. Cost: each question within a number of states, and so the answer does not depend on the load of the machine.
//! Test: `tests/run_table.rs`, against the reference checker.

use std::sync::Arc;

use fireset_engine::CtlEngine;
use fireset_net::{
    Budget, CtlFormula, Evidence, Formula, Model, Property, Query, Semantics, StatePredicate, Step, Verdict,
    replay,
};

use crate::{Tuning, evidence_search::LimitedSearch};

/// The steps of a run to a goal after which the goal cannot be avoided any more: 0 if it never could. `None` if the evidence is no such
/// run, or that is not found out.
pub fn turning_point(
    model: &Model,
    property: &Property,
    evidence: &Evidence,
    budget: &Budget,
) -> Option<usize> {
    let Evidence::Trace(trace) = evidence else { return None };
    let goal = match property.query().ok()? {
        Query::Reachable(goal) => goal,
        Query::Invariant(kept) => kept.negate(),
        _ => return None,
    };
    let steps = &trace.0;
    let unavoidable = |at: usize| is_unavoidable(model, &goal, &steps[..at], budget);
    // It can be avoided before `low`, and cannot from `high` on.
    let (mut low, mut high) = (0, steps.len());
    while low < high {
        let middle = (low + high) / 2;
        if unavoidable(middle)? { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// Whether every run from the marking after some steps comes to a goal.
fn is_unavoidable(model: &Model, goal: &StatePredicate, steps: &[Step], budget: &Budget) -> Option<bool> {
    let model = Arc::new(starting_after(model, steps)?);
    let finally = Formula::ForAll(Box::new(Formula::Finally(Box::new(goal.into()))));
    let query = Query::Ctl(CtlFormula::try_from(&finally).ok()?);
    let search = LimitedSearch::of(&model, &Tuning::default(), budget)?;
    match search.ask(&CtlEngine::default(), &query)?.verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails => Some(false),
        _ => None,
    }
}

/// The net in the marking after some steps.
fn starting_after(model: &Model, steps: &[Step]) -> Option<Model> {
    match model {
        Model::Plain(net) => Some(Model::Plain(net.with_initial_marking(last(net, steps)?))),
        Model::Coloured(net) => Some(Model::Coloured(net.with_initial_marking(last(net, steps)?))),
    }
}

fn last<S: Semantics>(net: &S, steps: &[Step]) -> Option<S::State> {
    replay::states(net, steps).ok()?.pop()
}

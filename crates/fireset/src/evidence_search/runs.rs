//! Runs that are short and depend neither on load nor on threads.
//!
//! What: an answer that a run shows is found once more by one search on one thread, on the net as written and within a number of
//! states: breadth-first for a marking, the shortest lasso for LTL, the local algorithm for CTL. Its run takes the place of the one
//! that came with the answer. Why: which engine answers first depends on the load of the machine, and so would its run; lifted runs
//! and those of walks are long; and an engine that answers may have no run at all.
//! Invariant: what is given depends on the problem and the tuning alone, unless the time is up. Cost: the states are limited such that a
//! search takes a fraction of a second. Test: `tests/short_runs.rs`.

use std::sync::Arc;

use fireset_engine::{
    ColouredConfig, CtlEngine, Encoding, Engine, Explicit, LayoutChoice, LtlEngine, ShortestLassoSearch,
    Stubborn, TokenLayout,
};
use fireset_net::{
    Budget, Comparison, Count, Evidence, Expr, Model, Outcome, Problem, Quantifier, Query, Signal, StateAtom,
    StopReason, Verdict,
};

use crate::Tuning;

/// Where an answer has no run at all, a search sees this many times the least states.
const MISSING_RUN: usize = 16;

/// The states that a search of a net may see: fewer the larger its markings and fireset.
fn max_states(model: &Model, tuning: &Tuning) -> usize {
    let size = match model {
        Model::Plain(net) => (net.nodes().places.len() + net.nodes().transitions.len()) as u64,
        Model::Coloured(net) => fireset_reduce::unfolded_size(net),
    };
    let states = tuning.run_search_effort / size.max(1);
    usize::try_from(states).unwrap_or(usize::MAX).min(tuning.run_search_most_states)
}

/// Whether a run shows an answer.
pub(super) fn is_shown_by_run(query: &Query, verdict: &Verdict) -> bool {
    match query {
        Query::Reachable(_) | Query::Ltl(Quantifier::Exists, _) => *verdict == Verdict::Holds,
        Query::Invariant(_) | Query::Ltl(Quantifier::ForAll, _) => *verdict == Verdict::Fails,
        Query::Bound(_) => matches!(verdict, Verdict::Bound(Count::Finite(_))),
        Query::Ctl(_) => matches!(verdict, Verdict::Holds | Verdict::Fails),
        _ => false,
    }
}

/// The run that should be shown for an answer, and whether no other one is shorter; the error says how a search contradicts the answer.
pub(super) fn search(
    (model, query): (&Arc<Model>, &Query),
    outcome: &Outcome,
    limited: &LimitedSearch<'_>,
) -> Result<Option<(Evidence, bool)>, String> {
    let max_states = limited.max_states;
    let shown_by = |engine: &dyn Engine, query: &Query, verdict: &Verdict| match limited.ask(engine, query) {
        Some(found) if found.verdict != *verdict => {
            let (answer, other) = (outcome.statistics.engine, engine.name());
            Err(format!("{answer} says {verdict:?} and {other} says {:?} of one query", found.verdict))
        }
        found => Ok(found.and_then(|found| found.evidence)),
    };
    let breadth_first = Explicit { stubborn: Stubborn::Off, effort: Some(max_states), ..Explicit::default() };
    match (query, &outcome.verdict) {
        (Query::Reachable(_) | Query::Invariant(_), verdict) => {
            Ok(shown_by(&breadth_first, query, verdict)?.map(|found| (found, true)))
        }
        (Query::Bound(places), Verdict::Bound(Count::Finite(most))) => {
            // A larger sum of 64-bit numbers needs more places than a search could see.
            let Ok(most) = u128::try_from(most) else { return Ok(None) };
            let (tokens, most) = (Expr::Tokens(places.clone()), Expr::count(most));
            let reached = StateAtom::Compare(Comparison::GreaterEqual, tokens, most);
            let reached = Query::Reachable(reached.into());
            Ok(shown_by(&breadth_first, &reached, &Verdict::Holds)?.map(|found| (found, true)))
        }
        (Query::Ltl(..), _) => {
            let found = ShortestLassoSearch { max_states }.find(model, query, &limited.budget);
            let found = found.map(|found| (Evidence::Lasso(found.lasso), found.is_shortest));
            if found.is_some() || outcome.evidence.is_some() {
                return Ok(found);
            }
            // Depth-first, a lasso may be found far from the initial marking.
            let depth_first = LtlEngine { stubborn: Stubborn::Off, ..LtlEngine::default() };
            Ok(shown_by(&depth_first, query, &outcome.verdict)?.map(|found| (found, false)))
        }
        (Query::Ctl(_), verdict) => {
            // Where a layout is too narrow for the runs, the engine has none.
            let found = shown_by(
                &CtlEngine {
                    encoding: LayoutChoice::Only(Encoding::Wide),
                    coloured: ColouredConfig { tokens: TokenLayout::Sparse, ..ColouredConfig::default() },
                    ..CtlEngine::default()
                },
                query,
                verdict,
            )?;
            // What is shown is worth more than what is claimed.
            let claims = |evidence: &Evidence| evidence.claims().len();
            let known = outcome.evidence.as_ref().map(claims);
            let found = found.filter(|found| known.is_none_or(|known| claims(found) <= known));
            Ok(found.map(|found| (found, false)))
        }
        _ => Ok(None),
    }
}

/// Searches within a number of states: with few of them they end in a fraction of a second, and in the same way each time.
pub(crate) struct LimitedSearch<'m> {
    model: &'m Arc<Model>,
    max_states: usize,
    budget: Budget,
}

impl<'m> LimitedSearch<'m> {
    /// `None` if so few states could be seen that it is not worth while: larger markings take longer to explore, and those of coloured
    /// nets have more successors.
    pub(crate) fn of(model: &'m Arc<Model>, tuning: &Tuning, budget: &Budget) -> Option<Self> {
        let max_states = max_states(model, tuning);
        let budget = budget.within(tuning.run_search_limit);
        (max_states >= tuning.run_search_least_states).then_some(Self { model, max_states, budget })
    }

    /// A search that sees some states of large nets, too.
    pub(crate) fn at_least(model: &'m Arc<Model>, tuning: &Tuning, budget: &Budget) -> Self {
        let max_states = max_states(model, tuning).max(MISSING_RUN * tuning.run_search_least_states);
        Self { model, max_states, budget: budget.within(tuning.run_search_limit) }
    }

    /// A search that sees as many states as fit.
    pub(crate) fn unlimited(model: &'m Arc<Model>, budget: &Budget) -> Self {
        Self { model, max_states: usize::MAX, budget: budget.clone() }
    }

    /// What an engine says of a query, if it says so within the states.
    pub(crate) fn ask(&self, engine: &dyn Engine, query: &Query) -> Option<Outcome> {
        let enough = Signal::default();
        let (most, tell) = (self.max_states as u64, enough.clone());
        let budget = self.budget.apart().heeding(&enough);
        let budget = budget.with_milestone(most.saturating_add(1), move || tell.give(StopReason::Cancelled));
        let problem = Problem { model: self.model.clone(), queries: vec![query.clone()] };
        let mut given = None;
        engine.decide(&problem, &budget, &mut |_: usize, outcome: Outcome| given = Some(outcome));
        // What lies beyond the limit depends on when the engine asked for it.
        given.filter(|outcome| !outcome.is_open() && outcome.statistics.states <= most)
    }
}

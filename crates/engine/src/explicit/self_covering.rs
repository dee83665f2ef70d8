//! Unboundedness, found by random walks: a run that comes to a marking above an earlier one (a self-covering run) can
//! be repeated for ever.
//!
//! Breadth-first search finds such a run only when all shorter runs are seen; a walk goes deep at once. A
//! self-covering run is a proof; when none is found nothing follows. Needs a net without inhibitor arcs. After Karp and
//! Miller, "Parallel program schemata" (1969). Test: `tests/explicit.rs` and `tests/coloured.rs`.

use std::collections::HashSet;

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Count, Evidence, Global, Lasso, Net, PlaceId, Query, Semantics, StateSpaceSize, Step, Trace,
    TransitionId, Verdict,
    coloured::{ColouredMarking, ColouredNet, PlaceColours},
};

use super::VerdictWithEvidence;
use crate::{
    coloured::{CompiledNet, any_step},
    search::{Interrupt, PollTimer, interruptible},
};

/// The number of walks, of steps of a walk and of the last one, and of earlier markings that each is compared with.
const WALKS: usize = 24;
const STEPS: usize = 600;
const LAST_STEPS: usize = 6_000;
const LOOK_BACK: usize = 96;
/// After this number of steps to known markings the net is taken to have few markings, and walking is given up.
const STALE: usize = 200;
/// Limits of all walks together: tests of transitions, or tokens of coloured markings, which take longer.
const MAX_TESTS: usize = 20_000_000;
const MAX_TOKENS: usize = 4_000_000;

/// Whether a self-covering run can decide a query.
pub(super) fn matters(query: &Query) -> bool {
    let is_bound = matches!(query, Query::Bound(_) | Query::ColourBound(_));
    is_bound || matches!(query, Query::Global(Global::StateSpace | Global::OneSafe))
}

/// A run to a marking and on to a larger one.
pub(super) struct SelfCoveringRun {
    prefix: Vec<Step>,
    cycle: Vec<Step>,
    /// The places that gain tokens in the cycle.
    grows: Vec<bool>,
    /// The counts of some colours that the queries ask for and that grow in the cycle.
    growing_colours: Vec<PlaceColours>,
}

/// Looks for a self-covering run of a place/transition net.
pub(super) fn find(net: &Net, budget: &Budget) -> Option<SelfCoveringRun> {
    let transitions = net.nodes().transitions.len();
    let (mut work, mut timer) = (0, PollTimer::default());
    walks(net, &[], |marking, random| {
        if timer.is_due() && budget.go_on().is_err() {
            work = MAX_TESTS;
        }
        let start = random.below(transitions.max(1));
        let mut candidates = (0..transitions).map(|i| TransitionId::new((start + i) % transitions));
        let enabled = candidates.find(|&t| {
            work += 1;
            net.enabled(marking, t).is_ok()
        });
        enabled.filter(|_| work <= MAX_TESTS).map(Step::plain)
    })
}

/// A run of a place/transition net that leads to a marking and on to a larger one, if random walks come upon one.
pub fn self_covering_lasso(net: &Net, budget: &Budget) -> Option<Lasso> {
    find(net, budget).map(|run| Lasso { prefix: run.prefix, cycle: run.cycle })
}

/// Looks for a self-covering run of a coloured net.
pub(super) fn find_coloured(
    (net, compiled): (&ColouredNet, &CompiledNet),
    queries: &[Query],
    budget: &Budget,
) -> Option<SelfCoveringRun> {
    let asked = queries.iter().flat_map(|query| match query {
        Query::ColourBound(tokens) => &tokens[..],
        _ => &[],
    });
    let asked: Vec<PlaceColours> = asked.cloned().collect();
    let (mut work, interrupt) = (0, Interrupt::new(budget));
    let find = || {
        walks(net, &asked, |marking: &ColouredMarking, random| {
            work += marking.0.iter().map(|bag| 1 + bag.iter().len()).sum::<usize>();
            if work > MAX_TOKENS { None } else { any_step(compiled, marking, random, &interrupt) }
        })
    };
    interruptible(find).ok().flatten()
}

/// Looks for a self-covering run along random walks; `step` draws an enabled step, or ends the walk.
fn walks<S: Semantics>(
    net: &S,
    asked: &[PlaceColours],
    mut step: impl FnMut(&S::State, &mut Random) -> Option<Step>,
) -> Option<SelfCoveringRun> {
    if !net.monotone() {
        return None;
    }
    let tokens = |state: &S::State, place: PlaceId| net.tokens(state, place).total;
    let (mut seen, mut stale) = (HashSet::new(), 0);
    for walk in 1..=WALKS {
        let mut random = Random::new(walk as u64);
        let mut path: Vec<(S::State, u128)> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut state = net.initial();
        for _ in 0..if walk == WALKS { LAST_STEPS } else { STEPS } {
            let total: u128 = net.as_ref().place_ids().map(|p| tokens(&state, p)).sum();
            if let Some(at) = covered(&path, &state, total) {
                let grows = |p: PlaceId| tokens(&path[at].0, p) < tokens(&state, p);
                let grows = net.as_ref().place_ids().map(grows).collect();
                let more = |some: &&PlaceColours| {
                    net.colour_tokens(&path[at].0, some) < net.colour_tokens(&state, some)
                };
                let growing_colours = asked.iter().filter(more).cloned().collect();
                let cycle = steps.split_off(at);
                return Some(SelfCoveringRun { cycle, prefix: steps, grows, growing_colours });
            }
            stale = if seen.insert(state.clone()) { 0 } else { stale + 1 };
            if stale > STALE {
                return None;
            }
            let Some(step) = step(&state, &mut random) else { break };
            let Ok(next) = net.fire(&state, &step) else { break };
            path.push((std::mem::replace(&mut state, next), total));
            steps.push(step);
        }
    }
    None
}

/// The position of an earlier state that is below another one everywhere: a late one, or the one at the last power
/// of two, which finds long cycles.
fn covered<S: PartialOrd>(path: &[(S, u128)], state: &S, total: u128) -> Option<usize> {
    let late = path.len().saturating_sub(LOOK_BACK);
    let anchor = path.len().checked_ilog2().map(|log| (1 << log) - 1);
    let candidates = (late..path.len()).rev().chain(anchor);
    candidates.into_iter().find(|&at| path[at].1 < total && path[at].0 < *state)
}

impl SelfCoveringRun {
    /// The answer to a query that follows from the run.
    pub(super) fn answer(&self, query: &Query) -> Option<VerdictWithEvidence> {
        match query {
            Query::Global(Global::StateSpace) => Some((Verdict::StateSpace(StateSpaceSize::INFINITE), None)),
            Query::Global(Global::OneSafe) => {
                // The cycle adds a token to some place, so repeated it adds two.
                let run = self.prefix.iter().chain(&self.cycle).chain(&self.cycle);
                let trace = Trace(run.cloned().collect());
                Some((Verdict::Fails, Some(Evidence::Trace(trace))))
            }
            Query::Bound(places) => {
                let grows = places.iter().any(|p| self.grows[p.index()]);
                grows.then_some((Verdict::Bound(Count::Infinite), None))
            }
            Query::ColourBound(tokens) => {
                let grows = tokens.iter().any(|some| self.growing_colours.contains(some));
                grows.then_some((Verdict::Bound(Count::Infinite), None))
            }
            _ => None,
        }
    }
}

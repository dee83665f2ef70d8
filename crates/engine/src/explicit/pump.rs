//! Unboundedness, found by walking: a run that comes to a marking above an earlier one can be repeated for ever.
//!
//! Breadth-first search finds such a pair only when all shorter runs are seen; a walk goes deep at once. What it
//! finds is proof, what it does not find says nothing. Needs a net without inhibitor arcs. After Karp and
//! Miller, "Parallel program schemata" (1969). Test: `tests/explicit.rs`.

use fireset_net::{
    Count, Evidence, Global, Marking, Net, Query, Step, Trace, TransitionId, Verdict, random::Random,
};

use super::{Answer, watch::infinite};

/// Walks, steps of a walk, and earlier markings that one is compared with.
const WALKS: usize = 24;
const STEPS: usize = 600;
const LOOK_BACK: usize = 96;
/// Transitions that all walks together may test.
const MAX_TESTS: usize = 20_000_000;

/// A run to a marking and on to a larger one.
pub(crate) struct Pump {
    prefix: Vec<TransitionId>,
    cycle: Vec<TransitionId>,
    /// The places that gain tokens in the cycle.
    grows: Vec<bool>,
}

/// Looks for a pump of a net.
pub(crate) fn find(net: &Net) -> Option<Pump> {
    let transitions = net.nodes().transitions.len();
    if net.has_inhibitors() || transitions == 0 {
        return None;
    }
    let mut tests = 0;
    for seed in 0..WALKS as u64 {
        let mut random = Random::new(seed);
        let mut path: Vec<(Marking, u128)> = Vec::new();
        let mut steps: Vec<TransitionId> = Vec::new();
        let mut marking = net.initial_marking().clone();
        for _ in 0..STEPS {
            let total: u128 = marking.0.iter().map(|&n| u128::from(n)).sum();
            if let Some(at) = covered(&path, &marking, total) {
                let grows = path[at].0.0.iter().zip(&marking.0).map(|(a, b)| a < b).collect();
                return Some(Pump { cycle: steps.split_off(at), prefix: steps, grows });
            }
            let start = random.below(transitions);
            let mut candidates = (0..transitions).map(|i| TransitionId::new((start + i) % transitions));
            let enabled = |t: &TransitionId| {
                tests += 1;
                net.enabled(&marking, *t).is_ok()
            };
            let Some(t) = candidates.find(enabled) else { break };
            if tests > MAX_TESTS {
                return None;
            }
            let Ok(next) = net.fire_transition(&marking, t) else { break };
            path.push((std::mem::replace(&mut marking, next), total));
            steps.push(t);
        }
    }
    None
}

/// The position of a late marking that is below another one everywhere.
fn covered(path: &[(Marking, u128)], marking: &Marking, total: u128) -> Option<usize> {
    let late = path.len().saturating_sub(LOOK_BACK);
    (late..path.len()).rev().find(|&at| path[at].1 < total && path[at].0 < *marking)
}

impl Pump {
    /// What it says about a query.
    pub(crate) fn answer(&self, net: &Net, query: &Query) -> Option<Answer> {
        match query {
            Query::Global(Global::StateSpace) => Some((Verdict::StateSpace(infinite()), None)),
            Query::Global(Global::OneSafe) => {
                // Once adds a token to some place, twice makes it two.
                let run = self.prefix.iter().chain(&self.cycle).chain(&self.cycle);
                let trace = Trace(run.map(|&t| Step::plain(t)).collect());
                Some((Verdict::Fails, Some(Evidence::Trace(trace))))
            }
            Query::Bound(places) => {
                debug_assert_eq!(self.grows.len(), net.nodes().places.len());
                let grows = places.iter().any(|p| self.grows[p.index()]);
                grows.then_some((Verdict::Bound(Count::Infinite), None))
            }
            _ => None,
        }
    }
}

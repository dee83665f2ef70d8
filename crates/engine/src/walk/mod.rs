//! Random walks: goals are met by running, not by exploring.
//!
//! What: runs from the initial marking, each step chosen at random or guided, with restarts. Every marking on the way
//! is checked for all open queries. Why: a goal that can be reached is often met long before a search comes to it, in
//! nets with more states than memory holds. Sound for `Reachable` that holds and `Invariant` that fails, since a run shows
//! it. The engine reports nothing else; queries that stay open get no outcome and are left to other engines.
//!
//! | file | content |
//! |---|---|
//! | `evaluator` | goals, evaluated incrementally along a walk |
//! | `guide`, `regress` | how the next step is chosen |
//! | `acceleration` | transitions and loops that fire many times in one step |
//! | `place_transition` | walks on place/transition nets, with restarts, by each policy in turn |
//! | `coloured` | walks on coloured nets |
//! | `sweep` | walks on coloured nets that fire a transition under one binding after another |
//! | `lasso` | walks for LTL |
//! | `parikh` | walks along a vector of firing counts |
//! | `shorten` | shorter runs to the same goal |
//!
//! The draws are the same in every run. Cost: a step takes the time of the arcs and goals that it touches; memory is
//! that of the net, the goals and one run. Test: `tests/walk.rs`, against the reference checker.

mod acceleration;
mod coloured;
mod evaluator;
mod guide;
mod lasso;
mod marking_hash;
mod parikh;
mod place_transition;
mod regress;
mod shorten;
mod sweep;

use std::time::{Duration, Instant};

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Evidence, Model, Outcome, Problem, Query, StatePredicate, Statistics, Step, Technique, Trace,
    Verdict,
};

use self::evaluator::WalkGoal;
pub use self::{lasso::LassoWalk, parikh::walk_along};
use crate::{Engine, ResultSink, search::PollTimer};

/// The number of steps of all walks together where neither steps nor time are limited.
const STEPS: u64 = 1 << 22;

/// Whether walks are guided by the goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WalkGuidance {
    /// Most walks go towards one open goal.
    #[default]
    Guided,
    /// Walks meet goals by chance.
    Unguided,
}

/// Whether a step of a walk on a place/transition net may fire many times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WalkAcceleration {
    /// Half of the walks fire a transition or a loop many times in a step.
    #[default]
    On,
    /// Each step is one firing.
    Off,
}

/// Finds reachable markings by random walks.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomWalk {
    /// Guided walks are shorter, since a guided step takes longer.
    pub guidance: WalkGuidance,
    /// Of no effect on coloured nets.
    pub acceleration: WalkAcceleration,
    /// The most steps of all walks together; without a number, as many as the time allows.
    pub steps: Option<u64>,
    /// The most time, within the budget's.
    pub time: Option<Duration>,
    /// Of the random generator: equal seeds give equal walks.
    pub seed: u64,
}

impl Engine for RandomWalk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        query.goal().is_some()
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let budget = &self.time.map_or_else(|| budget.clone(), |time| budget.within(time));
        let limited = budget.time_left().is_some();
        let steps = self.steps.unwrap_or(if limited { u64::MAX } else { STEPS });
        let limits = WalkLimits {
            guidance: self.guidance,
            acceleration: self.acceleration,
            steps,
            seed: self.seed,
            budget,
        };
        let results = WalkResults { sink, problem, started: Instant::now() };
        match &*problem.model {
            Model::Plain(net) => place_transition::walk(net, results, limits),
            // A walk that stops early leaves its queries open.
            Model::Coloured(_) => drop(coloured::walk(results, limits)),
        }
    }
}

#[derive(Clone, Copy)]
struct WalkLimits<'b> {
    guidance: WalkGuidance,
    acceleration: WalkAcceleration,
    steps: u64,
    seed: u64,
    budget: &'b Budget,
}

impl WalkLimits<'_> {
    /// Whether walks have to stop after a number of steps; the budget is checked from time to time.
    fn are_reached(&self, steps: u64, pace: &mut PollTimer) -> bool {
        steps >= self.steps || pace.is_due() && self.budget.check(0, steps).is_err()
    }
}

/// Reports the runs that are found.
struct WalkResults<'a> {
    sink: &'a mut dyn ResultSink,
    problem: &'a Problem,
    started: Instant,
}

/// The goal of a query that asks for something else than reachability.
static NEVER: StatePredicate = StatePredicate::Constant(false);

impl WalkResults<'_> {
    fn goals<'q>(queries: &'q [Query]) -> Vec<WalkGoal<'q>> {
        let goal = |query: &'q Query| query.goal().unwrap_or((&NEVER, true));
        queries.iter().map(goal).map(|(predicate, want)| WalkGoal { predicate, want }).collect()
    }

    /// Reports a run to the goal of a query; `steps` are those of all walks.
    fn found(&mut self, at: usize, run: Vec<Step>, steps: u64, encoding: &'static str) {
        let verdict = match self.problem.queries[at] {
            Query::Reachable(_) => Verdict::Holds,
            _ => Verdict::Fails,
        };
        let mut techniques = vec![Technique::RandomWalk];
        if self.problem.queries.len() > 1 {
            techniques.push(Technique::CollateralProcessing);
        }
        let statistics = Statistics {
            engine: "walk",
            encoding,
            // MarkingTable are not stored, so one that is met again counts again.
            states: steps + 1,
            firings: steps,
            memory: 0,
            elapsed: self.started.elapsed(),
        };
        let evidence = Some(Evidence::Trace(Trace(run)));
        self.sink.report(at, Outcome { verdict, evidence, techniques, statistics });
    }
}

/// A random number below `end`, which is not 0; without a division, since each step draws some.
#[inline]
fn below(random: &mut Random, end: usize) -> usize {
    (((random.bits() >> 32) * end as u64) >> 32) as usize
}

/// The length of walk number `round`, counted from 1, in units: mostly short, at times long, after Luby, Sinclair and
/// Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993).
pub(crate) fn luby(round: u64) -> u64 {
    let mut round = round.max(1);
    loop {
        let bits = u64::BITS - round.leading_zeros();
        let power = 1 << (bits - 1);
        if round == 2 * power - 1 {
            return power;
        }
        round -= power - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_grow_slowly() {
        let lengths: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(lengths, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn numbers_are_below_their_end() {
        let mut random = Random::new(0);
        for end in [1, 2, 3, 1000] {
            assert!((0..1000).all(|_| below(&mut random, end) < end));
        }
    }
}

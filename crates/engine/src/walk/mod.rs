//! Walks: goals are met by running, not by exploring.
//!
//! What: runs from the initial marking, each step chosen at random or steered, with restarts. Every marking on the way
//! is looked at by all open queries. Why: a goal that can be reached is often met long before a search comes to it, in
//! nets whose states nobody can store. Sound for `Reachable` that holds and `Invariant` that fails, since a run shows
//! it; nothing else is answered, and nothing is heard of a query that stays open, so that engines after this one are
//! asked.
//!
//! | file | what |
//! |---|---|
//! | `watch` | goals that are evaluated when something that they ask about changed |
//! | `guide`, `regress` | how the next step is chosen |
//! | `tour` | walks with restarts, by each policy in turn |
//! | `parikh` | walks along a vector of firing counts |
//! | `shorten` | shorter runs to the same goal |
//! | `stroll` | walks on coloured nets |
//!
//! The draws are the same in every run. Cost: a step takes the time of the arcs and goals that it touches; memory is
//! that of the net, the goals and one run. Test: `tests/walk.rs`, against the reference checker.

mod guide;
mod parikh;
mod regress;
mod shorten;
mod stroll;
mod tour;
mod watch;

use std::time::{Duration, Instant};

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Evidence, Formula, Model, Outcome, Problem, Query, Statistics, Step, Technique, Trace, Verdict,
};

pub use self::parikh::walk_along;
use self::watch::Goal;
use crate::{Engine, ResultSink, search::Pace};

/// Steps of all walks together where neither steps nor time are limited.
const STEPS: u64 = 1 << 22;

/// Whether walks look for goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steering {
    /// Most of them go towards one open goal.
    #[default]
    On,
    /// They meet goals by chance.
    Off,
}

/// Finds markings by walking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// Whether walks look for goals.
    pub steering: Steering,
    /// At most so many steps; if it is not given, as many as the time allows.
    pub steps: Option<u64>,
    /// At most so much of the time that there is.
    pub time: Option<Duration>,
    /// Which walks: others have other draws.
    pub seed: u64,
}

impl Engine for Walk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        goal(query).is_some()
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let budget = &self.time.map_or_else(|| budget.clone(), |time| budget.within(time));
        let limited = budget.time_left().is_some();
        let steps = self.steps.unwrap_or(if limited { u64::MAX } else { STEPS });
        let limits = Limits { steering: self.steering, steps, seed: self.seed, budget };
        let answers = Answers { sink, problem, started: Instant::now() };
        match &*problem.model {
            Model::Plain(net) => tour::walk(net, answers, limits),
            // What stops it early is no answer.
            Model::Coloured(net) => drop(stroll::walk(net, answers, limits)),
        }
    }
}

/// How long it goes on, and how.
#[derive(Clone, Copy)]
struct Limits<'b> {
    steering: Steering,
    steps: u64,
    seed: u64,
    budget: &'b Budget,
}

impl Limits<'_> {
    /// Whether walks have to stop after so many steps; the clock is looked at where that is due.
    fn are_reached(&self, steps: u64, pace: &mut Pace) -> bool {
        steps >= self.steps || pace.is_due() && self.budget.check(0, steps).is_err()
    }
}

/// What a run has to end in to answer a query.
fn goal(query: &Query) -> Option<Goal<'_>> {
    let (formula, want): (&Formula, bool) = match query {
        Query::Reachable(formula) => (formula, true),
        Query::Invariant(formula) => (formula, false),
        _ => return None,
    };
    Some(Goal { formula, want })
}

/// Where answers go.
struct Answers<'a> {
    sink: &'a mut dyn ResultSink,
    problem: &'a Problem,
    started: Instant,
}

impl Answers<'_> {
    /// What each query wants.
    fn goals<'q>(queries: &'q [Query]) -> Vec<Goal<'q>> {
        queries.iter().map(|query| goal(query).expect("accepts only what has a goal")).collect()
    }

    /// A run meets the goal of a query, after so many steps of all walks.
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
            // Markings are not stored, so one that is met again counts again.
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

/// How long walk number `round` is, counted from 1, in units: mostly short, at times long, after Luby, Sinclair and
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

//! Bounds by checks of reachability: whether the places of a bound can hold more tokens than they were seen to hold.
//!
//! Why: few techniques compute a bound, and all of them decide reachability. The net is reduced for the one question, stubborn sets lead to
//! it, and coverability, the state equation and induction refute it.
//!
//! What: the initial marking gives a floor. A check asks for a marking with more tokens: for one more at first, then for twice as many
//! more after each answer that there is one, and halfway to the ceiling once there is one. The run of an answer raises the floor to the
//! most tokens that it meets.
//! Sound: the floor occurs, and no reachable marking has as many tokens as a refuted check asks for. Where these are next to each other, the
//! floor is the bound. Needs: a place/transition net. Cost: the time that is granted; on an unbounded net `MAX_CHECKS` checks at most.
//! Evidence: the run to the floor. Test: below, against the reference checker.

use std::{sync::Arc, time::Instant};

use fireset_engine::{Engine, ResultSink, turns};
use fireset_net::{
    Budget, Comparison, Evidence, Expr, Model, Outcome, PlaceId, Problem, Query, StateAtom, Statistics, Step,
    StopReason, Trace, Verdict,
    token_game::{TokenGame, TokenGameTable},
};

use crate::{Options, single_check::SingleChecks};

/// The most checks of one bound: enough for bounds up to about a million.
const MAX_CHECKS: usize = 40;

/// Decides bounds on place/transition nets by checks of reachability.
pub(crate) struct BoundCheckEngine {
    options: Options,
}

impl BoundCheckEngine {
    pub(crate) fn new(options: &Options) -> Self {
        Self { options: *options }
    }
}

impl Engine for BoundCheckEngine {
    fn name(&self) -> &'static str {
        "bound checks"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!((model, query), (Model::Plain(_), Query::Bound(_)))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let table = TokenGameTable::new(net);
        let decide = |at: usize, _: turns::Turn, budget: &Budget| {
            let Query::Bound(places) = &problem.queries[at] else {
                return Outcome::unknown(StopReason::NoEngine);
            };
            let started = Instant::now();
            let mut game = TokenGame::new(&table);
            let mut bound = BoundChecks {
                model: &problem.model,
                places,
                floor: Floor { tokens: sum(&game, places), run: Some(Vec::new()) },
                checks: SingleChecks::new(&self.options),
            };
            if !bound.decide(&mut game, budget) {
                return Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine));
            }
            let (engine, elapsed) = (self.name(), started.elapsed());
            let statistics = Statistics { engine, elapsed, ..Statistics::default() };
            let BoundChecks { floor, checks, .. } = bound;
            let evidence = floor.run.map(|run| Evidence::Trace(Trace(run)));
            let verdict = Verdict::Bound(floor.tokens.into());
            Outcome { verdict, evidence, techniques: checks.techniques, statistics }
        };
        turns::in_turn(problem.queries.len(), budget, decide, sink);
    }
}

fn sum(game: &TokenGame<'_>, places: &[PlaceId]) -> u128 {
    places.iter().map(|place| u128::from(game.tokens()[place.index()])).sum()
}

/// The most tokens that a reachable marking is known to have in the places.
struct Floor {
    tokens: u128,
    /// The run to it, if there is one to show.
    run: Option<Vec<Step>>,
}

/// The checks of one bound.
struct BoundChecks<'a> {
    model: &'a Arc<Model>,
    places: &'a [PlaceId],
    floor: Floor,
    checks: SingleChecks,
}

impl BoundChecks<'_> {
    /// Raises the floor to the bound; whether it is known to be the bound.
    fn decide(&mut self, game: &mut TokenGame<'_>, budget: &Budget) -> bool {
        let (mut ceiling, mut step): (Option<u128>, u128) = (None, 1);
        for _ in 0..MAX_CHECKS {
            let asked = match ceiling {
                Some(ceiling) if ceiling == self.floor.tokens => return true,
                Some(ceiling) => self.floor.tokens + (ceiling - self.floor.tokens).div_ceil(2),
                None => self.floor.tokens + step,
            };
            match self.reaches(asked, game, budget) {
                Some(true) => step *= 2,
                Some(false) => ceiling = Some(asked - 1),
                None => return false,
            }
        }
        false
    }

    /// Whether a reachable marking has as many tokens; its run raises the floor.
    fn reaches(&mut self, tokens: u128, game: &mut TokenGame<'_>, budget: &Budget) -> Option<bool> {
        budget.go_on().ok()?;
        let (places, least) = (Expr::Tokens(self.places.to_vec()), Expr::count(tokens));
        let more = StateAtom::Compare(Comparison::GreaterEqual, places, least);
        let answer = self.checks.check(self.model.clone(), Query::Reachable(more.into()), budget)?;
        if answer.holds {
            self.floor = match answer.evidence {
                Some(Evidence::Trace(trace)) => self.most_along(trace.0, game)?,
                _ => Floor { tokens, run: None },
            };
        }
        Some(answer.holds)
    }

    /// The most tokens along a run, which ends where it has them.
    fn most_along(&self, mut run: Vec<Step>, game: &mut TokenGame<'_>) -> Option<Floor> {
        game.restart();
        let (mut most, mut end) = (sum(game, self.places), 0);
        for (at, step) in run.iter().enumerate() {
            let t = step.transition.index() as u32;
            if !game.is_enabled(t) || !game.fire(t) {
                return None;
            }
            let tokens = sum(game, self.places);
            if tokens > most {
                (most, end) = (tokens, at + 1);
            }
        }
        run.truncate(end);
        Some(Floor { tokens: most, run: Some(run) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fireset_net::{Count, replay};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    #[test]
    fn bounds_are_those_of_the_reference_and_their_runs_reach_them() {
        let engine = BoundCheckEngine::new(&Options::default());
        let (mut decided, mut shown, mut most) = (0, 0, 0);
        for seed in 0..600 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
            let shape = NetShape { places: 5, transitions: 6, tokens: 4, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let places = net.nodes().place_ids().filter(|_| random.percent(40)).collect();
            let queries = vec![Query::Bound(places)];
            let model = Model::Plain(net);
            let expected = fireset_oracle::outcomes(&model, &queries, 200, &Budget::unlimited()).remove(0);
            // Checks never end on unbounded places.
            if expected.is_open() || expected.verdict == Verdict::Bound(Count::Infinite) {
                continue;
            }
            let problem = Problem { model: model.into(), queries };
            let budget = Budget::unlimited().with_timeout(Duration::from_secs(5));
            engine.decide(&problem, &budget, &mut |_: usize, given: Outcome| {
                assert_eq!(given.verdict, expected.verdict, "seed {seed}: {problem:?}");
                decided += 1;
                most = most.max(match &given.verdict {
                    Verdict::Bound(Count::Finite(bound)) => u64::try_from(bound).expect("a small bound"),
                    _ => 0,
                });
                let (Model::Plain(net), Query::Bound(places)) = (&*problem.model, &problem.queries[0]) else {
                    unreachable!("the problem is a bound of a place/transition net")
                };
                if let Some(Evidence::Trace(trace)) = &given.evidence {
                    let markings = replay::states(net, &trace.0).expect("a run of the net");
                    let last = markings.last().expect("a run has a marking");
                    let tokens: u64 = places.iter().map(|&place| last.tokens(place)).sum();
                    assert_eq!(Verdict::Bound(u128::from(tokens).into()), given.verdict, "seed {seed}");
                    shown += 1;
                }
            });
        }
        assert!(decided > 300 && shown == decided && most > 5, "{shown} of {decided}, up to {most}");
    }
}

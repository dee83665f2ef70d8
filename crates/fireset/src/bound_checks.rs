//! Bounds by checks of reachability: whether the places of a bound can hold more tokens than they were seen to hold.
//!
//! Why: few techniques compute a bound, and all of them decide reachability. The net is reduced for the one question, stubborn sets lead to
//! it, and coverability, the state equation and induction refute it.
//!
//! What: random walks give a floor, the most tokens in a marking that they meet. A check asks for a marking with more: for one more at first,
//! then for twice as many more after each answer that there is one, and halfway to the ceiling once there is one. The run of an answer
//! raises the floor to the most tokens that it meets.
//! Sound: the floor occurs, and no reachable marking has as many tokens as a refuted check asks for. Where these are next to each other, the
//! floor is the bound. Needs: a place/transition net. Cost: the time that is granted; on an unbounded net `MAX_CHECKS` checks at most.
//! Evidence: the run to the floor. Test: below, against the reference checker.

use std::{sync::Arc, time::Instant};

use fireset_engine::{Engine, ResultSink, turns};
use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Comparison, Evidence, Expr, Marking, Model, Net, Outcome, PlaceId, Problem, Query, StateAtom,
    Statistics, Step, StopReason, Technique, Trace, TransitionId, Verdict, replay,
    token_game::{TokenGame, TokenGameTable},
};

use crate::{Options, PortfolioOptions, Switch, check::check_formulas};

/// The most checks of one bound: enough for bounds up to about a million.
const MAX_CHECKS: usize = 40;
/// The number of random walks for the first floor, and their length.
const WALKS: usize = 16;
const STEPS: usize = 1_000;

/// Decides bounds on place/transition nets by checks of reachability.
pub(crate) struct BoundCheckEngine {
    options: Options,
}

impl BoundCheckEngine {
    pub(crate) fn new(options: &Options) -> Self {
        let certificates = Switch::Off;
        let portfolio = PortfolioOptions { certificates, ..options.portfolio };
        Self { options: Options { threads: 1, portfolio, ..*options } }
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
            let mut checks = BoundChecks {
                net,
                model: &problem.model,
                places,
                options: &self.options,
                floor: Floor { tokens: sum(net.initial_marking(), places), run: Some(Vec::new()) },
                techniques: vec![Technique::RandomWalk],
            };
            if !checks.decide(&table, budget) {
                return Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine));
            }
            let (engine, elapsed) = (self.name(), started.elapsed());
            let statistics = Statistics { engine, elapsed, ..Statistics::default() };
            let BoundChecks { floor, techniques, .. } = checks;
            let evidence = floor.run.map(|run| Evidence::Trace(Trace(run)));
            Outcome { verdict: Verdict::Bound(floor.tokens.into()), evidence, techniques, statistics }
        };
        turns::in_turn(problem.queries.len(), budget, decide, sink);
    }
}

fn sum(marking: &Marking, places: &[PlaceId]) -> u128 {
    places.iter().map(|&place| u128::from(marking.tokens(place))).sum()
}

/// The most tokens that a reachable marking is known to have in the places.
struct Floor {
    tokens: u128,
    /// The run to it, if there is one to show.
    run: Option<Vec<Step>>,
}

/// The checks of one bound.
struct BoundChecks<'a> {
    net: &'a Net,
    model: &'a Arc<Model>,
    places: &'a [PlaceId],
    options: &'a Options,
    floor: Floor,
    /// Of the walks and of the checks that had an answer.
    techniques: Vec<Technique>,
}

impl BoundChecks<'_> {
    /// Raises the floor to the bound; whether it is known to be the bound.
    fn decide(&mut self, table: &TokenGameTable<'_>, budget: &Budget) -> bool {
        self.walk(table, budget);
        let (mut ceiling, mut step): (Option<u128>, u128) = (None, 1);
        for _ in 0..MAX_CHECKS {
            let asked = match ceiling {
                Some(ceiling) if ceiling == self.floor.tokens => return true,
                Some(ceiling) => self.floor.tokens + (ceiling - self.floor.tokens).div_ceil(2),
                None => self.floor.tokens + step,
            };
            match self.reaches(asked, budget) {
                Some(true) => step *= 2,
                Some(false) => ceiling = Some(asked - 1),
                None => return false,
            }
        }
        false
    }

    /// Whether a reachable marking has as many tokens; its run raises the floor.
    fn reaches(&mut self, tokens: u128, budget: &Budget) -> Option<bool> {
        budget.go_on().ok()?;
        let (places, least) = (Expr::Tokens(self.places.to_vec()), Expr::count(tokens));
        let more = StateAtom::Compare(Comparison::GreaterEqual, places, least);
        let problem = Problem { model: self.model.clone(), queries: vec![Query::Reachable(more.into())] };
        let mut report = check_formulas(&problem, self.options, budget, &mut ());
        let outcome = report.outcomes.pop().filter(|_| report.fault.is_none())?;
        let reached = match outcome.verdict {
            Verdict::Holds => true,
            Verdict::Fails => false,
            _ => return None,
        };
        for technique in outcome.techniques {
            if !self.techniques.contains(&technique) {
                self.techniques.push(technique);
            }
        }
        if reached {
            self.floor = match outcome.evidence {
                Some(Evidence::Trace(trace)) => self.most_along(trace.0)?,
                _ => Floor { tokens, run: None },
            };
        }
        Some(reached)
    }

    /// The most tokens along a run, which ends where it has them.
    fn most_along(&self, mut run: Vec<Step>) -> Option<Floor> {
        let markings = replay::states(self.net, &run).ok()?;
        let sums = markings.iter().map(|marking| sum(marking, self.places));
        let (at, tokens) = sums.enumerate().max_by_key(|&(at, tokens)| (tokens, usize::MAX - at))?;
        run.truncate(at);
        Some(Floor { tokens, run: Some(run) })
    }

    /// Raises the floor by random walks that prefer to give tokens to the places.
    fn walk(&mut self, table: &TokenGameTable<'_>, budget: &Budget) {
        let mut is_asked = vec![false; table.places()];
        self.places.iter().for_each(|place| is_asked[place.index()] = true);
        let gives = |t: u32| {
            let of_places = table.changes(t).iter().filter(|change| is_asked[change.place as usize]);
            of_places.map(|change| change.amount()).sum::<i128>() > 0
        };
        let (mut game, mut random) = (TokenGame::new(table), Random::new(0));
        for _ in 0..WALKS {
            game.restart();
            let mut run: Vec<u32> = Vec::new();
            let mut best = None;
            for _ in 0..STEPS {
                if run.len() % 64 == 63 && budget.go_on().is_err() || game.is_deadlock() {
                    break;
                }
                let raising: Vec<u32> = game.enabled().iter().copied().filter(|&t| gives(t)).collect();
                let t = if raising.is_empty() || random.percent(30) {
                    *random.pick(game.enabled())
                } else {
                    *random.pick(&raising)
                };
                if !game.fire(t) {
                    break;
                }
                run.push(t);
                let tokens = self.places.iter().map(|place| u128::from(game.tokens()[place.index()])).sum();
                if best.map_or(self.floor.tokens, |(most, _)| most) < tokens {
                    best = Some((tokens, run.len()));
                }
            }
            if let Some((tokens, length)) = best {
                let step = |&t: &u32| Step::plain(TransitionId::new(t as usize));
                self.floor = Floor { tokens, run: Some(run[..length].iter().map(step).collect()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fireset_net::Count;
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
                    assert_eq!(Verdict::Bound(sum(last, places).into()), given.verdict, "seed {seed}");
                    shown += 1;
                }
            });
        }
        assert!(decided > 300 && shown == decided && most > 5, "{shown} of {decided}, up to {most}");
    }
}

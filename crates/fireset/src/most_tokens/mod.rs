//! The parts of a state-space size that bounds decide, where the states are too many to be counted.
//!
//! What: the most tokens in a marking are the bound of all places together; the most tokens in a place lie between a floor, which some
//! reachable marking has, and the ceilings that P-semiflows prove. A round asks whether all places below whose ceiling the floor is
//! have at most as many tokens as the floor, and beside it for the bounds of those with the highest ceilings. It ends the search, or
//! raises the floor or lowers a ceiling. The tokens of a coloured net are those of its unfolding, as the contest counts them.
//! Why: bounds can be decided without the states: by the state equation with a run that meets it, and on a net reduced for them.
//! Sound: no place exceeds its ceiling, and the floor occurs; so where no ceiling is above the floor, or no place exceeds the floor, it
//! is the maximum. Needs: nothing of the net. Cost: a reserve of the time of the count, which ends before it. Test: `tests.rs`, against
//! the oracle.

#[cfg(test)]
mod tests;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use fireset_net::{
    Budget, Comparison, Count, Event, Evidence, Expr, Global, Model, Net, Outcome, PartialStateSpace,
    PlaceId, Problem, Query, StateAtom, StatePredicate, StopReason, Technique, Verdict, replay,
};
use fireset_reduce::{Pass, Unfold};
use fireset_structure::NetStructure;

use crate::{
    Culprits, Observer, Options, Report, Timeline, TimelineEntry, culprits::check_with_culprits,
    named::ask_until, validator::distinct,
};

/// Places whose bounds are asked for in a round.
const MOST_BOUNDS: usize = 8;
/// Places in one comparison with the floor; with more of them it would cost more than it is worth.
const MOST_COMPARED: usize = 5_000;
/// The share of the time for the most tokens in a marking, which are asked for again at the end.
const FIRST_SHARE: f64 = 0.4;
/// The share of the time that is left for a round.
const ROUND_SHARE: f64 = 0.8;

/// The name in timelines.
const STAGE: &str = "most tokens";

/// Decides a problem; state-space sizes that stay unknown are answered in part.
pub(crate) fn check_with_most_tokens(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Report {
    let is_size = |query: &Query| *query == Query::Global(Global::StateSpace);
    let sizes = problem.queries.iter().filter(|query| is_size(query)).count();
    if sizes == 0 || !options.portfolio.simplification.is_on() {
        return check_with_culprits(problem, options, budget, observer);
    }
    let start = Instant::now();
    let reserve = budget.time_left().map(|left| {
        let share = options.tuning.most_tokens * sizes as f64 / problem.queries.len() as f64;
        left.mul_f64(share).min(options.tuning.most_tokens_limit)
    });
    let counting = match (budget.time_left(), reserve) {
        (Some(left), Some(reserve)) => budget.within(left.saturating_sub(reserve)),
        _ => budget.clone(),
    };
    let mut held = HeldSizes { is_size: &|at| is_size(&problem.queries[at]), open: Vec::new(), observer };
    let mut report = check_with_culprits(problem, options, &counting, &mut held);
    let HeldSizes { open, observer, .. } = held;
    if open.is_empty() {
        return report;
    }
    let asks = report.fault.is_none() && budget.go_on().is_ok();
    let (at, limited) = (start.elapsed(), budget.within(options.tuning.most_tokens_limit));
    let most = asks.then(|| MostTokens::of(&problem.model, options, &limited)).flatten();
    for position in open {
        let (outcome, timeline) = (&mut report.outcomes[position], &mut report.timelines[position]);
        if let (Some(most), Verdict::Unknown(reason)) = (&most, &outcome.verdict) {
            timeline.entries.push(most.entry(at, start.elapsed() - at, reason));
            most.add_to(outcome);
        }
        observer.answer(position, outcome, timeline);
    }
    report
}

/// Holds back sizes that are unknown.
struct HeldSizes<'a> {
    is_size: &'a (dyn Fn(usize) -> bool + Sync),
    open: Vec<usize>,
    observer: &'a mut dyn Observer,
}

impl Observer for HeldSizes<'_> {
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline) {
        if outcome.is_open() && (self.is_size)(at) {
            self.open.push(at);
        } else {
            self.observer.answer(at, outcome, timeline);
        }
    }

    fn culprits(&mut self, at: usize, culprits: &Culprits) {
        self.observer.culprits(at, culprits);
    }

    fn record(&mut self, at: usize, event: &Event) {
        self.observer.record(at, event);
    }
}

/// The most tokens as far as they are known.
#[derive(Default)]
struct MostTokens {
    in_marking: Option<Count>,
    in_place: Option<Count>,
    techniques: Vec<Technique>,
    /// How many queries were asked.
    asked: usize,
}

impl MostTokens {
    /// `None` where nothing was found.
    fn of(model: &Arc<Model>, options: &Options, budget: &Budget) -> Option<Self> {
        let found = match &**model {
            Model::Plain(net) => TokenSearch { net, model, options, budget, most: Self::default() }.run(),
            Model::Coloured(_) => Self::of_coloured(model, options, budget)?,
        };
        (found.in_marking.is_some() || found.in_place.is_some()).then_some(found)
    }

    fn of_coloured(model: &Arc<Model>, options: &Options, budget: &Budget) -> Option<Self> {
        let size = Problem { model: model.clone(), queries: vec![Query::Global(Global::StateSpace)] };
        let mut unfolded = Unfold.apply(&size, budget).ok().flatten()?;
        let most = Self::of(&unfolded.problem.model, options, budget)?;
        let mut outcome = Outcome::unknown(StopReason::NoEngine);
        most.add_to(&mut outcome);
        // Tokens that never change are not part of the unfolded net.
        let lifted = unfolded.lift.lift(0, outcome)?;
        let Verdict::PartialStateSpace(known) = lifted.verdict else { return None };
        let (in_marking, in_place) = (known.max_in_marking, known.max_in_place);
        Some(Self { in_marking, in_place, techniques: lifted.techniques, ..most })
    }

    /// Makes an unknown size a partial one.
    fn add_to(&self, outcome: &mut Outcome) {
        let Verdict::Unknown(reason) = &outcome.verdict else { return };
        outcome.verdict = Verdict::PartialStateSpace(PartialStateSpace {
            max_in_marking: self.in_marking.clone(),
            max_in_place: self.in_place.clone(),
            reason: reason.clone(),
        });
        outcome.techniques = distinct(&self.techniques);
    }

    fn entry(&self, at: Duration, elapsed: Duration, reason: &StopReason) -> TimelineEntry {
        let parts = [&self.in_marking, &self.in_place];
        TimelineEntry {
            what: STAGE,
            at,
            elapsed,
            times: self.asked,
            decided: parts.into_iter().flatten().count(),
            states: 0,
            sizes: None,
            open: Some(reason.clone()),
        }
    }
}

/// Asks for the most tokens of a place/transition net.
struct TokenSearch<'a> {
    net: &'a Net,
    model: &'a Arc<Model>,
    options: &'a Options,
    budget: &'a Budget,
    most: MostTokens,
}

impl TokenSearch<'_> {
    fn run(mut self) -> MostTokens {
        self.most.in_marking = self.in_marking(FIRST_SHARE);
        self.most.in_place = match self.most.in_marking {
            // Some place is unbounded, because there are finitely many.
            Some(Count::Infinite) => Some(Count::Infinite),
            _ => self.in_place(),
        };
        if self.most.in_place == Some(Count::Infinite) {
            self.most.in_marking = Some(Count::Infinite);
        } else if self.most.in_marking.is_none() && self.budget.go_on().is_ok() {
            self.most.in_marking = self.in_marking(1.0);
        }
        self.most
    }

    fn in_marking(&mut self, share: f64) -> Option<Count> {
        let all = Query::Bound(self.net.nodes().place_ids().collect());
        let outcomes = self.ask(vec![all], share, |_, _| false);
        self.bound(&outcomes[0])
    }

    fn in_place(&mut self) -> Option<Count> {
        let mut floor = self.net.initial_marking().0.iter().copied().max().unwrap_or(0);
        let invariants = NetStructure::of(self.net).place_invariants(self.budget);
        let mut ceilings: Vec<u64> = invariants.bounds().iter().map(|b| b.unwrap_or(u64::MAX)).collect();
        loop {
            let mut open: Vec<PlaceId> = self.net.nodes().place_ids().collect();
            open.retain(|place| ceilings[place.index()] > floor);
            if open.is_empty() {
                return Some(floor.into());
            }
            self.budget.go_on().ok()?;
            open.sort_by_key(|place| u64::MAX - ceilings[place.index()]);
            let bounded = &open[..open.len().min(MOST_BOUNDS)];
            let bounds = bounded.iter().map(|&place| Query::Bound(vec![place]));
            let at_most = self.at_most(floor, &open).into_iter();
            let (first, queries) = (at_most.len(), at_most.chain(bounds).collect());
            let outcomes = self.ask(queries, ROUND_SHARE, |at, verdict| {
                at < first || *verdict == Verdict::Bound(Count::Infinite)
            });
            let before = (floor, ceilings.clone());
            for (place, outcome) in bounded.iter().zip(&outcomes[first..]) {
                match self.bound(outcome) {
                    Some(Count::Infinite) => return Some(Count::Infinite),
                    Some(Count::Finite(most)) => {
                        let most = u64::try_from(most).ok()?;
                        (floor, ceilings[place.index()]) = (floor.max(most), most);
                    }
                    None => {}
                }
            }
            for outcome in &outcomes[..first] {
                match outcome.verdict {
                    Verdict::Holds => {
                        self.most.techniques.extend(&outcome.techniques);
                        return Some(before.0.into());
                    }
                    Verdict::Fails => floor = floor.max(self.seen(outcome, before.0)?),
                    _ => {}
                }
            }
            if before == (floor, ceilings.clone()) {
                return None;
            }
        }
    }

    /// Whether no place has more tokens than the floor; asked about the places for which it is open.
    fn at_most(&self, floor: u64, open: &[PlaceId]) -> Option<Query> {
        if floor == 1 {
            return Some(Query::Global(Global::OneSafe));
        }
        let few = |&place: &PlaceId| {
            let (tokens, floor) = (Expr::Tokens(vec![place]), Expr::count(floor.into()));
            StatePredicate::from(StateAtom::Compare(Comparison::LessEqual, tokens, floor))
        };
        let small = open.len() <= MOST_COMPARED;
        small.then(|| Query::Invariant(StatePredicate::And(open.iter().map(few).collect())))
    }

    /// The most tokens in a place on a run that exceeds a floor; without a run, one more than the floor.
    fn seen(&self, outcome: &Outcome, floor: u64) -> Option<u64> {
        let next = floor.checked_add(1)?;
        let Some(Evidence::Trace(trace)) = &outcome.evidence else { return Some(next) };
        let states = replay::states(self.net, &trace.0).ok()?;
        let most = states.iter().flat_map(|marking| marking.0.iter().copied()).max();
        most.map(|most| most.max(next))
    }

    /// The answers to queries, in a share of the time that is left.
    fn ask(
        &mut self,
        queries: Vec<Query>,
        share: f64,
        is_enough: impl Fn(usize, &Verdict) -> bool + Send + Sync,
    ) -> Vec<Outcome> {
        self.most.asked += queries.len();
        let problem = Problem { model: self.model.clone(), queries };
        ask_until(&problem, self.options, &self.budget.share(share), is_enough).outcomes
    }

    fn bound(&mut self, outcome: &Outcome) -> Option<Count> {
        let Verdict::Bound(most) = &outcome.verdict else { return None };
        self.most.techniques.extend(&outcome.techniques);
        Some(most.clone())
    }
}

//! Walks on coloured nets, on the rows of any space: blind ones, and such that go where one open goal looks nearest.
//!
//! A step is drawn as a position in the total order of bindings, and the next enabled one from there on fires; a walk
//! that is steered draws a few. When a row does not fit, the layout is widened and the walk begins again. Of
//! a run that meets a goal the loops are cut.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    time::Instant,
};

use fireset_net::{Formula, Net, StopReason, random::Random};

use super::{Answers, Limits, Steering, luby};
use crate::{
    ResultSink,
    distance::distance,
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    search::{ActionCursor, EncodedNet, LayoutOverflow, MarkingSpace, PollTimer, Predicate, SearchStop},
};

/// The shortest walk, and the longest.
const SHORTEST: u64 = 1 << 7;
const LONGEST: u64 = 1 << 13;
/// Of so many steps the one is taken after which the goal looks nearest.
const TRIED: usize = 4;
/// So many steps of a hundred are drawn blindly on a walk that is steered.
const NOISE: usize = 15;

/// Walks until all goals are met or something stops it.
pub(super) fn walk(answers: Answers<'_>, limits: Limits<'_>) -> Result<(), StopReason> {
    let Answers { sink, problem, started } = answers;
    driver::try_decide(&ColouredWalk { started, limits }, problem, limits.budget, sink)
}

/// Walks, in the encoding that the driver picks.
struct ColouredWalk<'b> {
    started: Instant,
    limits: Limits<'b>,
}

impl EncodedEngine for ColouredWalk<'_> {
    fn encoding_config(&self) -> EncodingConfig {
        EncodingConfig::default()
    }

    fn decide_encoded<E: EncodedNet>(
        &self,
        mut net: E,
        input: EncodedProblem<'_>,
        sink: &mut dyn ResultSink,
    ) {
        let EncodedProblem { problem, budget, model } = input;
        let goals = Answers::goals(&problem.queries).into_iter().enumerate();
        let open = goals.map(|(at, goal)| Open {
            at,
            formula: goal.formula,
            want: goal.want,
            predicate: Predicate::new(goal.formula),
        });
        let mut stroll = Stroll {
            net: model.uncoloured(),
            open: open.collect(),
            random: Random::new(self.limits.seed),
            round: 0,
            steps: 0,
            answers: Answers { sink, problem, started: self.started },
            limits: self.limits,
        };
        // What stops it early is no answer.
        drop(driver::run_widening(&mut net, &mut stroll, budget));
    }
}

/// A query that is open.
struct Open<'q> {
    at: usize,
    formula: &'q Formula,
    want: bool,
    predicate: Predicate,
}

/// The walks on a net, in whatever layout.
struct Stroll<'a, 'q> {
    /// The net without its colours, for distances.
    net: &'a Net,
    open: Vec<Open<'q>>,
    random: Random,
    round: u64,
    steps: u64,
    answers: Answers<'q>,
    limits: Limits<'a>,
}

/// The walks in one layout.
struct On<'s, 'a, 'q> {
    stroll: &'s mut Stroll<'a, 'q>,
    initial: Vec<u64>,
    encoding: &'static str,
}

impl<E: EncodedNet> WideningTask<E> for Stroll<'_, '_> {
    type Output = ();

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<(), LayoutOverflow<E::ActionId>> {
        let mut on = On { stroll: self, initial: net.initial_row(), encoding: net.layout_name() };
        match on.run(space) {
            SearchStop::Overflow(overflow) => Err(overflow),
            _ => Ok(()),
        }
    }
}

impl On<'_, '_, '_> {
    /// Walks until something stops it.
    fn run<S: MarkingSpace>(&mut self, space: &mut S) -> SearchStop<S::ActionId> {
        let mut pace = PollTimer::default();
        loop {
            self.stroll.round += 1;
            let Stroll { open, answers, .. } = &mut *self.stroll;
            open.retain(|open| answers.sink.is_open(open.at));
            for steered in [false, true] {
                let steered = steered && self.stroll.limits.steering == Steering::On;
                if let Err(stop) = self.walk(space, steered, &mut pace) {
                    return stop;
                }
            }
        }
    }

    /// One walk.
    fn walk<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        steered: bool,
        pace: &mut PollTimer,
    ) -> Result<(), SearchStop<S::ActionId>> {
        let length = luby(self.stroll.round).saturating_mul(SHORTEST).min(LONGEST);
        let (mut row, mut next) = (self.initial.clone(), self.initial.clone());
        let mut actions = Vec::new();
        loop {
            let stroll = &mut *self.stroll;
            if stroll.open.is_empty() || stroll.limits.are_reached(stroll.steps, pace) {
                return Err(SearchStop::Enough);
            }
            stroll.steps += 1;
            let enabled = any_action(space, &row, &mut stroll.random);
            self.look(space, &row, enabled.is_none(), &actions);
            let Some(action) = enabled.filter(|_| (actions.len() as u64) < length) else { return Ok(()) };
            let action = if steered { self.nearest(space, &row, action, &mut next) } else { action };
            if !space.fire(&row, action, &mut next) {
                return Err(SearchStop::overflow(&row, action));
            }
            actions.push(action);
            std::mem::swap(&mut row, &mut next);
        }
    }

    /// Answers the queries whose goals are met in a row, to which some actions lead.
    fn look<S: MarkingSpace>(&mut self, space: &mut S, row: &[u64], deadlock: bool, actions: &[S::ActionId]) {
        let Stroll { open, answers, steps, .. } = &mut *self.stroll;
        let initial = &self.initial;
        open.retain(|open| {
            if open.predicate.holds(space, row, deadlock) != open.want {
                return true;
            }
            if answers.sink.is_open(open.at) {
                let run = without_loops(space, initial, actions);
                let run = run.into_iter().map(|action| space.step(action)).collect();
                answers.found(open.at, run, *steps, self.encoding);
            }
            false
        });
    }

    /// Of an action and a few others the one after which a goal looks nearest, most of the time.
    fn nearest<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        first: S::ActionId,
        next: &mut [u64],
    ) -> S::ActionId {
        let Stroll { open, random, round, net, .. } = &mut *self.stroll;
        if open.is_empty() || random.percent(NOISE) {
            return first;
        }
        let goal = &open[*round as usize % open.len()];
        let mut best = (u64::MAX, first);
        for at in 0..TRIED {
            let drawn = if at == 0 { Some(first) } else { any_action(space, row, random) };
            let Some(action) = drawn.filter(|&action| space.fire(row, action, next)) else { continue };
            let far = distance(net, goal.formula, goal.want, &|p| space.tokens(next, p), false);
            if far < best.0 {
                best = (far, action);
            }
        }
        best.1
    }
}

/// An action that is enabled in a row, if there is one.
fn any_action<S: MarkingSpace>(space: &mut S, row: &[u64], random: &mut Random) -> Option<S::ActionId> {
    let start = space.random_cursor(random);
    let enabled = space.next(row, start).or_else(|| space.next(row, ActionCursor::default()));
    enabled.map(|(action, _)| action)
}

/// The actions without those between two visits of a row.
fn without_loops<S: MarkingSpace>(
    space: &mut S,
    initial: &[u64],
    actions: &[S::ActionId],
) -> Vec<S::ActionId> {
    let hash = |row: &[u64]| {
        let mut hasher = DefaultHasher::new();
        row.hash(&mut hasher);
        hasher.finish()
    };
    let (mut row, mut next) = (initial.to_vec(), initial.to_vec());
    let mut hashes = vec![hash(&row)];
    for &action in actions {
        space.fire(&row, action, &mut next);
        std::mem::swap(&mut row, &mut next);
        hashes.push(hash(&row));
    }
    let last: HashMap<u64, usize> = hashes.iter().enumerate().map(|(at, &hash)| (hash, at)).collect();
    let (mut short, mut at) = (Vec::new(), 0);
    row.copy_from_slice(initial);
    loop {
        let (left, end) = (row.clone(), last[&hashes[at]]);
        for &action in &actions[at..end] {
            space.fire(&row, action, &mut next);
            std::mem::swap(&mut row, &mut next);
        }
        if row != left {
            // Two rows had the same hash.
            return actions.to_vec();
        }
        let Some(&action) = actions.get(end) else { return short };
        space.fire(&row, action, &mut next);
        std::mem::swap(&mut row, &mut next);
        short.push(action);
        at = end + 1;
    }
}

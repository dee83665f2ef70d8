//! Random walks on coloured nets, on the rows of any space: uniform ones, walks guided by the distance to one open goal, and
//! sweeps, which fire a transition under one binding after another.
//!
//! A step is drawn as a position in the total order of bindings, and the next enabled one from there on fires; a guided
//! walk draws a few. When a row does not fit, the layout is widened and the walk begins again. The loops of a run that
//! meets a goal are cut.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    time::Instant,
};

use fireset_kernel::random::Random;
use fireset_net::{Net, StopReason};

use super::{WalkGuidance, WalkLimits, WalkResults, luby};
use crate::{
    ResultSink,
    distance::{Activity, distance},
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    search::{
        ActionCursor, EncodedNet, LayoutOverflow, MarkingSpace, PollTimer, Predicate, RowCounts, SearchStop,
        compile, holds,
    },
};

/// The lengths of the shortest and the longest walk.
const SHORTEST: u64 = 1 << 7;
const LONGEST: u64 = 1 << 13;
/// The number of steps from which a guided walk takes the one after which the goal is nearest.
const TRIED: usize = 4;
/// The percentage of steps on a guided walk that are drawn uniformly.
const NOISE: usize = 15;

/// Walks until all goals are met or the limits are reached.
pub(super) fn walk(results: WalkResults<'_>, limits: WalkLimits<'_>) -> Result<(), StopReason> {
    let WalkResults { sink, problem, started } = results;
    driver::try_decide(&ColouredWalk { started, limits }, problem, limits.budget, sink)
}

/// Walks, in the encoding that the driver picks.
struct ColouredWalk<'b> {
    started: Instant,
    limits: WalkLimits<'b>,
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
        let goals = WalkResults::goals(&problem.queries).into_iter().enumerate();
        let open =
            goals.map(|(at, goal)| OpenGoal { at, want: goal.want, predicate: compile(goal.predicate) });
        let mut walker = ColouredWalker {
            net: model.uncoloured(),
            open: open.collect(),
            random: Random::new(self.limits.seed),
            round: 0,
            steps: 0,
            results: WalkResults { sink, problem, started: self.started },
            limits: self.limits,
        };
        // A walk that stops early leaves its queries open.
        drop(driver::run_widening(&mut net, &mut walker, budget));
    }
}

pub(super) struct OpenGoal {
    at: usize,
    want: bool,
    predicate: Predicate,
}

/// The walks on a net, independent of the layout of markings.
pub(super) struct ColouredWalker<'a, 'q> {
    /// The net without its colours, for distances.
    pub(super) net: &'a Net,
    pub(super) open: Vec<OpenGoal>,
    pub(super) random: Random,
    pub(super) round: u64,
    pub(super) steps: u64,
    results: WalkResults<'q>,
    pub(super) limits: WalkLimits<'a>,
}

/// The walks on the space of one layout.
pub(super) struct WalkOnSpace<'s, 'a, 'q> {
    pub(super) walker: &'s mut ColouredWalker<'a, 'q>,
    pub(super) initial: Vec<u64>,
    encoding: &'static str,
}

impl<E: EncodedNet> WideningTask<E> for ColouredWalker<'_, '_> {
    type Output = ();

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<(), LayoutOverflow<E::ActionId>> {
        let mut on = WalkOnSpace { walker: self, initial: net.initial_row(), encoding: net.layout_name() };
        match on.run(space) {
            SearchStop::Overflow(overflow) => Err(overflow),
            _ => Ok(()),
        }
    }
}

impl WalkOnSpace<'_, '_, '_> {
    /// Walks until all goals are met, the limits are reached, or a row does not fit.
    fn run<S: MarkingSpace>(&mut self, space: &mut S) -> SearchStop<S::ActionId> {
        let mut pace = PollTimer::default();
        loop {
            self.walker.round += 1;
            let ColouredWalker { open, results, .. } = &mut *self.walker;
            open.retain(|open| results.sink.is_open(open.at));
            for guided in [false, true] {
                let guided = guided && self.walker.limits.guidance == WalkGuidance::Guided;
                if let Err(stop) = self.walk(space, guided, &mut pace) {
                    return stop;
                }
            }
            if let Err(stop) = self.sweep(space, &mut pace) {
                return stop;
            }
        }
    }

    /// One walk with the length of the current round.
    fn walk<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        guided: bool,
        pace: &mut PollTimer,
    ) -> Result<(), SearchStop<S::ActionId>> {
        let length = luby(self.walker.round).saturating_mul(SHORTEST).min(LONGEST);
        let (mut row, mut next) = (self.initial.clone(), self.initial.clone());
        let mut actions = Vec::new();
        loop {
            let walker = &mut *self.walker;
            if walker.open.is_empty() || walker.limits.are_reached(walker.steps, pace) {
                return Err(SearchStop::Enough);
            }
            walker.steps += 1;
            let enabled = any_action(space, &row, &mut walker.random);
            self.report(space, &row, enabled.is_none(), &actions);
            let Some(action) = enabled.filter(|_| (actions.len() as u64) < length) else { return Ok(()) };
            let action = if guided { self.nearest(space, &row, action, &mut next) } else { action };
            if !space.fire(&row, action, &mut next) {
                return Err(SearchStop::overflow(&row, action));
            }
            actions.push(action);
            std::mem::swap(&mut row, &mut next);
        }
    }

    /// Reports the queries whose goals are met in a row, to which some actions lead.
    pub(super) fn report<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        deadlock: bool,
        actions: &[S::ActionId],
    ) {
        let ColouredWalker { open, results, steps, .. } = &mut *self.walker;
        let initial = &self.initial;
        open.retain(|open| {
            if holds(&open.predicate, space, row, deadlock) != open.want {
                return true;
            }
            if results.sink.is_open(open.at) {
                let run = without_loops(space, initial, actions);
                let run = run.into_iter().map(|action| space.step(action)).collect();
                results.found(open.at, run, *steps, self.encoding);
            }
            false
        });
    }

    /// From `first` and a few other actions the one after which a goal is nearest, most of the time.
    fn nearest<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        first: S::ActionId,
        next: &mut [u64],
    ) -> S::ActionId {
        let ColouredWalker { open, random, round, net, .. } = &mut *self.walker;
        if open.is_empty() || random.percent(NOISE) {
            return first;
        }
        let goal = &open[*round as usize % open.len()];
        let mut best = (u64::MAX, first);
        for at in 0..TRIED {
            let drawn = if at == 0 { Some(first) } else { any_action(space, row, random) };
            let Some(action) = drawn.filter(|&action| space.fire(row, action, next)) else { continue };
            let far =
                distance(net, &goal.predicate, goal.want, &RowCounts { space, row: next }, Activity::Enabled);
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

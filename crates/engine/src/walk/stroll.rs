//! Walks on coloured nets, on the rows of any space: blind ones, and such that go where one open goal looks nearest.
//!
//! A step is drawn as a position in the total order of bindings, and the next enabled one from there on fires; a walk
//! that is steered draws a few. When a row does not fit, the ground is made wider and the walk begins again there. Of
//! a run that meets a goal the loops are cut.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

use fireset_kernel::random::Random;
use fireset_net::{Formula, Net, StopReason, coloured::ColouredNet};

use super::{Answers, Limits, Steering, luby};
use crate::{
    ColouredConfig,
    coloured::{Coloured, Compiled, Skeleton},
    distance::distance,
    search::{Cursor, Ground, Marked, Number, Pace, Predicate, Task},
};

/// The shortest walk, and the longest.
const SHORTEST: u64 = 1 << 7;
const LONGEST: u64 = 1 << 13;
/// Of so many steps the one is taken after which the goal looks nearest.
const TRIED: usize = 4;
/// So many steps of a hundred are drawn blindly on a walk that is steered.
const NOISE: usize = 15;

/// Walks until all goals are met or something stops it.
pub(super) fn walk(net: &ColouredNet, answers: Answers<'_>, limits: Limits<'_>) -> Result<(), StopReason> {
    let compiled = Compiled::new(net)?;
    let mut ground = Coloured::new(net, &compiled, ColouredConfig::default())?;
    let skeleton = Skeleton::of(net, &compiled).net;
    let goals = Answers::goals(&answers.problem.queries).into_iter().enumerate();
    let open = goals.map(|(at, goal)| Open {
        at,
        formula: goal.formula,
        want: goal.want,
        predicate: Predicate::new(goal.formula),
    });
    let mut stroll = Stroll {
        net: &skeleton,
        open: open.collect(),
        random: Random::new(limits.seed),
        round: 0,
        steps: 0,
        answers,
        limits,
    };
    loop {
        let on = On { stroll: &mut stroll, initial: ground.initial(), encoding: ground.encoding() };
        match ground.on_space(on, limits.budget)? {
            End::Over => return Ok(()),
            End::Misfit(row, action) => ground = ground.wider(&row, action)?,
        }
    }
}

/// Why walks end.
enum End<N> {
    Over,
    /// This action leads from this row to one that does not fit.
    Misfit(Vec<u64>, N),
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

impl<N: Number> Task<N> for On<'_, '_, '_> {
    type Output = End<N>;

    fn run<S: Marked<Number = N>>(mut self, space: &mut S) -> End<N> {
        let mut pace = Pace::default();
        loop {
            self.stroll.round += 1;
            let Stroll { open, answers, .. } = &mut *self.stroll;
            open.retain(|open| answers.sink.is_open(open.at));
            for steered in [false, true] {
                let steered = steered && self.stroll.limits.steering == Steering::On;
                if let Err(end) = self.walk(space, steered, &mut pace) {
                    return end;
                }
            }
        }
    }
}

impl On<'_, '_, '_> {
    /// One walk.
    fn walk<S: Marked>(
        &mut self,
        space: &mut S,
        steered: bool,
        pace: &mut Pace,
    ) -> Result<(), End<S::Number>> {
        let length = luby(self.stroll.round).saturating_mul(SHORTEST).min(LONGEST);
        let (mut row, mut next) = (self.initial.clone(), self.initial.clone());
        let mut actions = Vec::new();
        loop {
            let stroll = &mut *self.stroll;
            if stroll.open.is_empty() || stroll.limits.are_reached(stroll.steps, pace) {
                return Err(End::Over);
            }
            stroll.steps += 1;
            let enabled = any_action(space, &row, &mut stroll.random);
            self.look(space, &row, enabled.is_none(), &actions);
            let Some(action) = enabled.filter(|_| (actions.len() as u64) < length) else { return Ok(()) };
            let action = if steered { self.nearest(space, &row, action, &mut next) } else { action };
            if !space.fire(&row, action, &mut next) {
                return Err(End::Misfit(row, action));
            }
            actions.push(action);
            std::mem::swap(&mut row, &mut next);
        }
    }

    /// Answers the queries whose goals are met in a row, to which some actions lead.
    fn look<S: Marked>(&mut self, space: &mut S, row: &[u64], deadlock: bool, actions: &[S::Number]) {
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
    fn nearest<S: Marked>(
        &mut self,
        space: &mut S,
        row: &[u64],
        first: S::Number,
        next: &mut [u64],
    ) -> S::Number {
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
fn any_action<S: Marked>(space: &mut S, row: &[u64], random: &mut Random) -> Option<S::Number> {
    let start = space.draw(random);
    let enabled = space.next(row, start).or_else(|| space.next(row, Cursor::default()));
    enabled.map(|(action, _)| action)
}

/// The actions without those between two visits of a row.
fn without_loops<S: Marked>(space: &mut S, initial: &[u64], actions: &[S::Number]) -> Vec<S::Number> {
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

//! Random walks on place/transition nets, with restarts, by each policy in turn.
//!
//! A round is a uniform walk, one that prefers rare transitions, and several that are guided to one open goal, which takes
//! turns with the others. All goals are evaluated in all of them. Lengths are Luby's, so that both near and far markings are met;
//! a walk that ends in a deadlock goes on from a marking before it.
//!
//! Where counters are deep, the second of two rounds of one length is accelerated: a step fires a transition until something changes that the goals or the
//! other transitions see, or repeats the loop that the walk has just closed, where the guide says that the goal comes nearer.

use fireset_kernel::random::Random;
use fireset_net::{
    Net, Step, TransitionId,
    token_game::{Displacement, TokenGame, TokenGameTable},
};

use super::{
    WalkAcceleration, WalkGuidance, WalkLimits, WalkResults,
    acceleration::{Firing, RunEffect, expand},
    below,
    evaluator::{GoalEvaluator, WalkGoal},
    guide::{self, Guide, Policy},
    luby,
    shorten::{effort, shorten},
};
use crate::{search::PollTimer, stubborn::ArcIndex};

/// The range of the shortest walk, which otherwise has as many steps as the net has transitions.
const SHORTEST: (u64, u64) = (1 << 8, 1 << 12);
const LONGEST: u64 = 1 << 16;
/// The time of a guided step in uniform steps; guided walks are shorter by this factor.
const GUIDED_COST: u64 = 4;
/// The most firings of a run, and of the runs to all goals if these are few: they are handed out step by step.
const MOST_FIRINGS: u64 = 1 << 20;
const MOST_FIRINGS_OF_ALL: u64 = 1 << 22;
/// The most steps of a loop that is repeated.
const LONGEST_LOOP: usize = 64;
/// The firings of a step from which acceleration is worthwhile; few rounds are accelerated before one has as many.
const WORTHWHILE: u64 = 8;
/// The percentage of accelerated firings that end at any time instead of when something changes.
const EARLY: usize = 20;
/// Steps between two looks at which queries are open.
const OPEN_CHECK: u64 = 1 << 16;

/// Walks until all goals are met or the limits are reached.
pub(super) fn walk(net: &Net, results: WalkResults<'_>, limits: WalkLimits<'_>) {
    let goals = WalkResults::goals(&results.problem.queries);
    let (table, arcs) = (TokenGameTable::new(net), ArcIndex::new(net));
    let game = TokenGame::new(&table);
    let most_firings = (MOST_FIRINGS_OF_ALL / goals.len().max(1) as u64).clamp(LONGEST, MOST_FIRINGS);
    let walker = PlainWalker {
        evaluator: GoalEvaluator::new(&goals, &game),
        evaluated: (0..goals.len()).collect(),
        open: vec![true; goals.len()],
        left: goals.len(),
        goals,
        scratch: game.clone(),
        game,
        arcs: &arcs,
        stride: Stride::Single,
        fired: vec![0; table.transitions()],
        path: Vec::new(),
        firings: 0,
        most_firings,
        largest: 0,
        effect: RunEffect::new(&table),
        latest: vec![0; table.transitions()],
        met: Vec::new(),
        random: Random::new(limits.seed),
        pace: PollTimer::default(),
        steps: 0,
        open_checked: 0,
        results,
        limits,
    };
    let Err(Finished) = walker.run();
}

/// What a step of a walk fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    /// One transition once.
    Single,
    /// One transition, or a loop, many times.
    Accelerated,
}

/// All goals are met, or the limits are reached.
struct Finished;

struct PlainWalker<'a, 'q> {
    goals: Vec<WalkGoal<'q>>,
    open: Vec<bool>,
    left: usize,
    evaluator: GoalEvaluator,
    /// For each goal of the evaluator its query; some of them may be met already.
    evaluated: Vec<usize>,
    game: TokenGame<'a>,
    /// For making runs shorter.
    scratch: TokenGame<'a>,
    arcs: &'a ArcIndex<'a>,
    stride: Stride,
    /// By transition, the number of its steps in all walks.
    fired: Vec<u32>,
    path: Vec<Firing>,
    /// Those of the path.
    firings: u64,
    most_firings: u64,
    /// The most firings of a step so far.
    largest: u64,
    /// Of the run that is to be repeated.
    effect: RunEffect,
    /// By transition, where on a path it fired last.
    latest: Vec<u32>,
    met: Vec<u32>,
    random: Random,
    pace: PollTimer,
    steps: u64,
    /// The step of the last look at which queries are open.
    open_checked: u64,
    results: WalkResults<'q>,
    limits: WalkLimits<'a>,
}

impl PlainWalker<'_, '_> {
    fn run(mut self) -> Result<std::convert::Infallible, Finished> {
        let met = (0..self.goals.len()).filter(|&goal| self.evaluator.is_met(goal)).map(|goal| goal as u32);
        self.met = met.collect();
        self.report()?;
        if self.game.is_deadlock() {
            return Err(Finished);
        }
        let unit = (self.fired.len() as u64).clamp(SHORTEST.0, SHORTEST.1);
        let mut target = 0;
        for round in 1.. {
            let length = luby(round).saturating_mul(unit).min(LONGEST);
            let pays = self.largest >= WORTHWHILE || round.is_power_of_two();
            let strides = match self.limits.acceleration {
                WalkAcceleration::On if pays => &[Stride::Single, Stride::Accelerated][..],
                _ => &[Stride::Single],
            };
            for &stride in strides {
                self.stride = stride;
                self.walk(Policy::Uniform, None, length)?;
                self.walk(Policy::Rare, None, length)?;
                if self.limits.guidance == WalkGuidance::Guided {
                    target = self.next_open(target);
                    self.walk_to(target, (length / GUIDED_COST).max(1))?;
                }
                self.drop_closed()?;
            }
        }
        Err(Finished)
    }

    /// The next open query after one, cyclically; some query is open.
    fn next_open(&self, after: usize) -> usize {
        let count = self.open.len();
        (1..=count).map(|by| (after + by) % count).find(|&at| self.open[at]).unwrap_or(after)
    }

    /// Guided walks to the goal of a query.
    fn walk_to(&mut self, query: usize, length: u64) -> Result<(), Finished> {
        self.game.restart();
        let mut guide = Guide::new(self.goals[query], &self.game, self.game.table.net, self.arcs);
        for policy in Policy::GUIDED {
            if self.open[query] {
                self.walk(policy, Some(&mut guide), length)?;
            }
        }
        Ok(())
    }

    /// A walk of a number of steps from the initial marking.
    fn walk(
        &mut self,
        policy: Policy,
        mut guide: Option<&mut Guide<'_>>,
        length: u64,
    ) -> Result<(), Finished> {
        self.game.restart();
        self.evaluator.restart();
        if let Some(guide) = &mut guide {
            guide.restart(&self.game);
        }
        self.path.clear();
        self.firings = 0;
        let end = self.steps.saturating_add(length);
        while self.steps < end && self.firings < self.most_firings {
            if self.limits.are_reached(self.steps, &mut self.pace) {
                return Err(Finished);
            }
            if self.game.is_deadlock() {
                self.back_up(guide.as_deref_mut());
                continue;
            }
            let Self { game, random, fired, .. } = &mut *self;
            let transition = match (&mut guide, policy) {
                (Some(guide), _) => guide.choose(policy, game, random),
                (None, Policy::Rare) => guide::rare(game, fired, random),
                (None, _) => guide::uniform(game, random),
            };
            let looped = self.stride == Stride::Accelerated
                && guide.as_deref_mut().is_some_and(|guide| self.repeat_loop(policy, transition, guide));
            self.steps += 1;
            // A firing that overflows is a step too: where every firing does, the walks have to end.
            if !looped && !self.step(transition, guide.as_deref_mut()) {
                break;
            }
            if !self.met.is_empty() {
                self.report()?;
            }
        }
        Ok(())
    }

    /// Fires a transition, once or many times; `false` where that would overflow a count.
    fn step(&mut self, transition: u32, guide: Option<&mut Guide<'_>>) -> bool {
        let mut firing = Firing::once(transition);
        let fits = match self.stride {
            Stride::Single => self.game.fire(transition),
            Stride::Accelerated => {
                self.effect.measure(&[firing], self.game.table);
                firing.times = self.times(self.effect.repetitions(&self.game), 1);
                self.game.displace(firing.displacement(self.game.table));
                self.largest = self.largest.max(firing.times);
                firing.times > 0
            }
        };
        if !fits {
            return false;
        }
        self.latest[transition as usize] = self.path.len() as u32;
        self.path.push(firing);
        self.firings += firing.times;
        let fired = &mut self.fired[transition as usize];
        *fired = fired.saturating_add(1);
        self.evaluator.follow_run(firing.displacement(self.game.table), &self.game, &mut self.met);
        if let Some(guide) = guide {
            guide.follow(firing, &self.game);
        }
        true
    }

    /// How often the measured run, of a number of firings, is repeated where it can be: mostly until something changes that a goal or a
    /// transition sees.
    fn times(&mut self, possible: u64, firings: u64) -> u64 {
        let most = possible.min((self.most_firings - self.firings).div_ceil(firings));
        let changes = self.effect.changes();
        let condition = self.game.repetitions_to_condition(changes);
        let atom = self.evaluator.repetitions_to_change(changes);
        let event = condition.into_iter().chain(atom).min();
        match event {
            Some(event) if !self.random.percent(EARLY) => event.min(most),
            _ => {
                let most = most.min(event.unwrap_or(most));
                let bits = most.checked_ilog2().map_or(0, |bits| below(&mut self.random, bits as usize + 1));
                most.min(1 << bits)
            }
        }
    }

    /// Repeats the last part of the path, from the latest step of the transition that is to fire next, if the guide
    /// welcomes it. A loop of n steps is looked at once in n times.
    fn repeat_loop(&mut self, policy: Policy, next: u32, guide: &mut Guide<'_>) -> bool {
        let begin = self.latest[next as usize] as usize;
        let is_current = self.path.get(begin).is_some_and(|firing| firing.transition == next);
        let length = self.path.len().saturating_sub(begin);
        if !is_current || !(2..=LONGEST_LOOP).contains(&length) || below(&mut self.random, length) > 0 {
            return false;
        }
        let run = &self.path[begin..];
        let firings = run.iter().map(|firing| firing.times).sum();
        self.effect.measure(run, self.game.table);
        let times = self.times(self.effect.repetitions(&self.game), firings);
        let repeated = Displacement { changes: self.effect.changes(), times };
        if times == 0 || repeated.changes.is_empty() || !guide.welcomes(policy, repeated, &mut self.game) {
            return false;
        }
        self.game.displace(repeated);
        self.evaluator.follow_run(repeated, &self.game, &mut self.met);
        guide.follow_run(repeated, &self.game);
        for _ in 0..times {
            self.path.extend_from_within(begin..begin + length);
        }
        self.firings += times * firings;
        self.largest = self.largest.max(times);
        self.latest[next as usize] = (self.path.len() - length) as u32;
        true
    }

    /// Leaves a deadlock: takes back a few steps, seldom many. There are nets in which nearly every step leads into
    /// one, and a walk that began again each time would never get far.
    fn back_up(&mut self, mut guide: Option<&mut Guide<'_>>) {
        let mut count = 1;
        while count < self.path.len() && self.random.percent(50) {
            count *= 2;
        }
        for fired in self.path.drain(self.path.len().saturating_sub(count)..).rev() {
            self.steps += 1;
            self.firings -= fired.times;
            let displacement = fired.displacement(self.game.table);
            self.game.displace_back(displacement);
            self.evaluator.retreat(displacement, &self.game);
            if let Some(guide) = &mut guide {
                guide.retreat(fired, &self.game);
            }
        }
    }

    /// Reports the queries whose goals are met in the current marking.
    fn report(&mut self) -> Result<(), Finished> {
        let met = std::mem::take(&mut self.met);
        for &goal in &met {
            let query = self.evaluated[goal as usize];
            if !std::mem::replace(&mut self.open[query], false) {
                continue;
            }
            self.left -= 1;
            if self.results.sink.is_open(query) {
                self.answer(goal as usize, query);
            }
        }
        self.met = met;
        if self.left == 0 { Err(Finished) } else { Ok(()) }
    }

    fn answer(&mut self, goal: usize, query: usize) {
        let path = expand(&self.path);
        let mut patience = effort(&path, self.goals.len(), self.game.table, self.limits.budget);
        let evaluator = &self.evaluator;
        let run = shorten(&path, &mut self.scratch, &|game| evaluator.is_met_in(goal, game), &mut patience);
        let steps = run.into_iter().map(|t| Step::plain(TransitionId::new(t as usize)));
        self.results.found(query, steps.collect(), self.steps, "");
    }

    /// Drops queries that are no longer open, and rebuilds the evaluator once a quarter of its goals is closed.
    fn drop_closed(&mut self) -> Result<(), Finished> {
        if self.steps - self.open_checked >= OPEN_CHECK {
            self.open_checked = self.steps;
            for query in 0..self.open.len() {
                if self.open[query] && !self.results.sink.is_open(query) {
                    self.open[query] = false;
                    self.left -= 1;
                }
            }
        }
        if self.left == 0 {
            return Err(Finished);
        }
        if self.left <= self.evaluated.len() / 4 * 3 {
            self.game.restart();
            self.evaluated = (0..self.open.len()).filter(|&query| self.open[query]).collect();
            let goals: Vec<WalkGoal<'_>> = self.evaluated.iter().map(|&query| self.goals[query]).collect();
            self.evaluator = GoalEvaluator::new(&goals, &self.game);
        }
        Ok(())
    }
}

//! Which way a walk for a lasso goes: out by chance or towards the automaton's acceptance, then round by priority.

use fireset_kernel::random::Random;
use fireset_net::{
    Budget,
    token_game::{TokenGame, TokenGameTable},
};

use super::{
    DecidingWords, LassoRun,
    goals::EdgeGoal,
    run::{StepResult, WordRun},
    shorten::shorten,
};
use crate::{
    search::PollTimer,
    stubborn::ArcIndex,
    walk::{
        acceleration::Firing,
        below,
        evaluator::WalkGoal,
        guide::{self, Guide, Policy},
        luby,
    },
};

/// The range of the shortest walk, which otherwise has as many steps as the net has transitions.
const SHORTEST: (u64, u64) = (1 << 8, 1 << 12);
const LONGEST: u64 = 1 << 16;
/// Steps into dead ends before a walk goes back.
const TRIES: usize = 6;

/// Transitions that count as enabled last.
const RECENT: usize = 8;

/// How a step is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LassoPolicy {
    /// Any enabled transition.
    Uniform,
    /// Of a few enabled transitions the one that fired least often before.
    Rare,
    /// A transition that the last firing enabled, mostly: the walk follows one process.
    Follow,
    /// The enabled transition of the highest priority.
    Priority,
    /// The one of the highest priority among some that were enabled last.
    Recent,
    /// Towards a letter with which the automaton comes nearer to acceptance.
    Guided(Policy),
}

/// Why a walk ended.
enum WalkEnd {
    Accepted(LassoRun),
    /// The time is up.
    Stopped,
    /// The walk has its length, or cannot go on.
    Over,
}

/// Walks for one query.
pub(super) struct LassoWalker<'a> {
    run: WordRun<'a>,
    priorities: Vec<u32>,
    /// By transition, the number of its firings in all walks.
    fired: Vec<u32>,
    goals: &'a [EdgeGoal],
    /// By goal, made when it is first needed.
    guides: Vec<Option<Guide<'a>>>,
    arcs: &'a ArcIndex<'a>,
    /// The goal of the walk; its guide follows the run.
    goal: Option<usize>,
    random: Random,
    pace: PollTimer,
    round: u64,
}

impl<'a> LassoWalker<'a> {
    /// `None` if no walk can be accepted.
    pub(super) fn new(
        table: &'a TokenGameTable<'a>,
        arcs: &'a ArcIndex<'a>,
        words: &'a DecidingWords,
        seed: u64,
    ) -> Option<Self> {
        let transitions = table.transitions();
        Some(Self {
            run: WordRun::new(table, words)?,
            priorities: vec![0; transitions],
            fired: vec![0; transitions],
            guides: words.goals.iter().map(|_| None).collect(),
            goals: &words.goals,
            arcs,
            goal: None,
            random: Random::new(seed),
            pace: PollTimer::default(),
            round: 0,
        })
    }

    /// The steps of all walks.
    pub(super) fn steps(&self) -> u64 {
        self.run.steps
    }

    /// Walks for about a number of steps; gives the first lasso that is accepted.
    pub(super) fn walk(&mut self, steps: u64, budget: &Budget) -> Option<LassoRun> {
        let unit = (self.fired.len() as u64).clamp(SHORTEST.0, SHORTEST.1);
        let end = self.run.steps.saturating_add(steps);
        while self.run.steps < end {
            self.round += 1;
            let length = luby(self.round).saturating_mul(unit).min(LONGEST);
            let way_out = below(&mut self.random, length as usize) as u64;
            let guided = Policy::GUIDED[self.round as usize % Policy::GUIDED.len()];
            let ways = [
                (LassoPolicy::Uniform, 0, LassoPolicy::Priority),
                (LassoPolicy::Uniform, 0, LassoPolicy::Recent),
                (LassoPolicy::Recent, way_out, LassoPolicy::Recent),
                (LassoPolicy::Uniform, way_out, LassoPolicy::Priority),
                (LassoPolicy::Rare, way_out, LassoPolicy::Follow),
                (LassoPolicy::Priority, way_out, LassoPolicy::Priority),
                (LassoPolicy::Guided(guided), length, LassoPolicy::Priority),
            ];
            let unguided = ways.len() - 1;
            let ways = if self.goals.is_empty() { &ways[..unguided] } else { &ways[..] };
            for &(out, steps, round) in ways {
                match self.out_and_round((out, steps), (round, length), budget) {
                    WalkEnd::Accepted(lasso) => return Some(shorten(lasso, &mut self.run, budget)),
                    WalkEnd::Stopped => return None,
                    WalkEnd::Over => {}
                }
            }
        }
        None
    }

    /// A walk from the initial marking: some steps out, then round as soon as an accepting cycle can begin.
    fn out_and_round(
        &mut self,
        (out, steps): (LassoPolicy, u64),
        (round, length): (LassoPolicy, u64),
        budget: &Budget,
    ) -> WalkEnd {
        self.run.restart();
        for priority in &mut self.priorities {
            *priority = (self.random.bits() >> 32) as u32;
        }
        let end = self.run.steps.saturating_add(steps + length);
        let mut out_end = self.run.steps.saturating_add(steps);
        let mut is_round = false;
        self.goal = None;
        while self.run.steps < end {
            if self.pace.is_due() && budget.go_on().is_err() {
                return WalkEnd::Stopped;
            }
            if matches!(out, LassoPolicy::Guided(_)) && !is_round && self.aim() {
                out_end = 0;
            }
            if !is_round && self.run.steps >= out_end {
                is_round = self.run.commit();
                self.goal = self.goal.filter(|_| !is_round);
            }
            if let Some(end) = self.step(if is_round { round } else { out }) {
                return end;
            }
        }
        WalkEnd::Over
    }

    /// A step, or a few steps back from a dead end.
    fn step(&mut self, policy: LassoPolicy) -> Option<WalkEnd> {
        if self.run.game.is_deadlock() {
            return match self.run.ended() {
                Some(lasso) => Some(WalkEnd::Accepted(lasso)),
                None => self.back_up(),
            };
        }
        for _ in 0..TRIES {
            let transition = self.choose(policy);
            match self.run.step(transition) {
                StepResult::Fresh => {
                    self.guide_follows(transition);
                    let fired = &mut self.fired[transition as usize];
                    *fired = fired.saturating_add(1);
                    return None;
                }
                StepResult::Again(last) => {
                    self.guide_follows(transition);
                    self.draw_again(last);
                    return None;
                }
                StepResult::Accepted(lasso) => return Some(WalkEnd::Accepted(lasso)),
                StepResult::Dead => self.priorities[transition as usize] /= 2,
                StepResult::Overflow => return Some(WalkEnd::Over),
            }
        }
        self.back_up()
    }

    /// Draws the priorities of the transitions of a cycle again.
    fn draw_again(&mut self, last: usize) {
        for transition in self.run.fired_since(last) {
            self.priorities[transition as usize] = (self.random.bits() >> 32) as u32;
        }
    }

    /// Takes back a few steps, seldom many.
    fn back_up(&mut self) -> Option<WalkEnd> {
        let mut count = 1;
        while count < self.run.len() && self.random.percent(50) {
            count *= 2;
        }
        self.run.steps += count as u64;
        for _ in 0..count {
            let Some(transition) = self.run.back() else { break };
            if let Some(guide) = self.goal.and_then(|goal| self.guides[goal].as_mut()) {
                guide.retreat(Firing::once(transition), &self.run.game);
            }
        }
        (self.run.len() == 0).then_some(WalkEnd::Over)
    }

    /// Chooses a goal where the walk has none or has met it; `true` if the automaton can accept with what was met.
    fn aim(&mut self) -> bool {
        let mut accepts = false;
        if let Some(goal) = self.goal {
            if self.guides[goal].as_ref().is_some_and(|guide| !guide.is_met()) {
                return false;
            }
            accepts = self.goals[goal].accepts;
        }
        let states = self.run.states();
        let near: Vec<usize> =
            (0..self.goals.len()).filter(|&at| self.goals[at].from & states != 0).collect();
        self.goal = (!near.is_empty()).then(|| near[below(&mut self.random, near.len())]);
        if let Some(goal) = self.goal {
            let (table, arcs) = (self.run.game.table, self.arcs);
            let wanted = WalkGoal { predicate: &self.goals[goal].predicate, want: true };
            let guide = self.guides[goal]
                .get_or_insert_with(|| Guide::new(wanted, &TokenGame::new(table), table.net, arcs));
            guide.stand(&self.run.game);
        }
        accepts
    }

    fn guide_follows(&mut self, transition: u32) {
        if let Some(guide) = self.goal.and_then(|goal| self.guides[goal].as_mut()) {
            guide.follow(Firing::once(transition), &self.run.game);
        }
    }

    /// An enabled transition; there is one.
    fn choose(&mut self, policy: LassoPolicy) -> u32 {
        let Self { run, random, fired, priorities, .. } = self;
        let guide = self.goal.and_then(|goal| self.guides[goal].as_mut());
        match policy {
            LassoPolicy::Guided(policy) => match guide {
                Some(guide) => guide.choose(policy, &mut run.game, random),
                None => guide::uniform(&run.game, random),
            },
            LassoPolicy::Uniform => guide::uniform(&run.game, random),
            LassoPolicy::Rare => guide::rare(&run.game, fired, random),
            LassoPolicy::Follow => {
                let flips = run.game.flips();
                let followed = (!flips.is_empty()).then(|| flips[below(random, flips.len())].0);
                let followed = followed.filter(|&t| run.game.is_enabled(t) && !random.percent(10));
                followed.unwrap_or_else(|| guide::uniform(&run.game, random))
            }
            LassoPolicy::Priority => first(run.game.enabled(), priorities),
            LassoPolicy::Recent => {
                let enabled = run.game.enabled();
                first(&enabled[enabled.len().saturating_sub(RECENT)..], priorities)
            }
        }
    }
}

/// The transition of the highest priority; there is one.
fn first(transitions: &[u32], priorities: &[u32]) -> u32 {
    let first = transitions.iter().copied().max_by_key(|&t| (priorities[t as usize], t));
    first.expect("the marking is no deadlock")
}

//! Random walks on place/transition nets, with restarts, by each policy in turn.
//!
//! A round is a uniform walk, one that prefers rare transitions, and several that are guided to one open goal, which takes
//! turns with the others. All goals are evaluated in all of them. Lengths are Luby's, so that both near and far markings are met;
//! a walk that ends in a deadlock goes on from a marking before it.

use fireset_kernel::random::Random;
use fireset_net::{
    Net, Step, TransitionId,
    token_game::{TokenGame, TokenGameTable},
};

use super::{
    WalkGuidance, WalkLimits, WalkResults,
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
/// Steps between two looks at which queries are open.
const OPEN_CHECK: u64 = 1 << 16;

/// Walks until all goals are met or the limits are reached.
pub(super) fn walk(net: &Net, results: WalkResults<'_>, limits: WalkLimits<'_>) {
    let goals = WalkResults::goals(&results.problem.queries);
    let (table, arcs) = (TokenGameTable::new(net), ArcIndex::new(net));
    let game = TokenGame::new(&table);
    let walker = PlainWalker {
        evaluator: GoalEvaluator::new(&goals, &game),
        evaluated: (0..goals.len()).collect(),
        open: vec![true; goals.len()],
        left: goals.len(),
        goals,
        scratch: game.clone(),
        game,
        arcs: &arcs,
        fired: vec![0; table.transitions()],
        path: Vec::new(),
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
    /// By transition, the number of its firings in all walks.
    fired: Vec<u32>,
    path: Vec<u32>,
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
            self.walk(Policy::Uniform, None, length)?;
            self.walk(Policy::Rare, None, length)?;
            if self.limits.guidance == WalkGuidance::Guided {
                target = self.next_open(target);
                self.walk_to(target, (length / GUIDED_COST).max(1))?;
            }
            self.drop_closed()?;
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
        let end = self.steps.saturating_add(length);
        while self.steps < end {
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
            // A firing that overflows counts too: where every firing does, the walks have to end.
            if !self.game.fire(transition) {
                self.steps += 1;
                break;
            }
            self.steps += 1;
            self.path.push(transition);
            let fired = &mut self.fired[transition as usize];
            *fired = fired.saturating_add(1);
            self.evaluator.follow(transition, &self.game, &mut self.met);
            if let Some(guide) = &mut guide {
                guide.follow(transition, &self.game);
            }
            if !self.met.is_empty() {
                self.report()?;
            }
        }
        Ok(())
    }

    /// Leaves a deadlock: takes back a few steps, seldom many. There are nets in which nearly every step leads into
    /// one, and a walk that began again each time would never get far.
    fn back_up(&mut self, mut guide: Option<&mut Guide<'_>>) {
        let mut count = 1;
        while count < self.path.len() && self.random.percent(50) {
            count *= 2;
        }
        for transition in self.path.drain(self.path.len().saturating_sub(count)..).rev() {
            self.steps += 1;
            self.game.undo(transition);
            self.evaluator.retreat(transition, &self.game);
            if let Some(guide) = &mut guide {
                guide.retreat(transition, &self.game);
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
        let mut patience = effort(&self.path, self.goals.len(), self.game.table, self.limits.budget);
        let evaluator = &self.evaluator;
        let run =
            shorten(&self.path, &mut self.scratch, &|game| evaluator.is_met_in(goal, game), &mut patience);
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

//! Walks on place/transition nets, with restarts, by each policy in turn.
//!
//! A round is a blind walk, one towards what is rare, and several that are steered to one open goal, which takes turns
//! with the others. All goals look on in all of them. Lengths are Luby's, so that both near and far markings are met;
//! a walk that ends in a deadlock goes on from a marking before it.

use fireset_kernel::random::Random;
use fireset_net::{
    Net, Step, TransitionId,
    token_game::{TokenGame, TokenGameTable},
};

use super::{
    Answers, Limits, Steering,
    guide::{self, Guide, Policy},
    luby,
    shorten::shorten,
    watch::{Goal, Watch},
};
use crate::{
    search::{Pace, Patience},
    stubborn::Arcs,
};

/// The shortest walk is as long as there are transitions, but within this.
const SHORTEST: (u64, u64) = (1 << 8, 1 << 12);
const LONGEST: u64 = 1 << 16;
/// A step that is steered takes so many times as long as another, so such walks are shorter.
const SLOWER: u64 = 4;
/// Steps after which the sink is asked what it wants still.
const ASKING: u64 = 1 << 16;
/// Firings that may go into making one run shorter, and all of them where there are many.
const FIRINGS: u64 = 1 << 19;
const ALL_FIRINGS: u64 = 1 << 24;

/// Walks until all goals are met or the time or the steps are used up.
pub(super) fn walk(net: &Net, answers: Answers<'_>, limits: Limits<'_>) {
    let goals = Answers::goals(&answers.problem.queries);
    let (table, arcs) = (TokenGameTable::new(net), Arcs::new(net));
    let game = TokenGame::new(&table);
    let tour = Tour {
        watch: Watch::new(&goals, &game),
        watched: (0..goals.len()).collect(),
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
        pace: Pace::default(),
        steps: 0,
        asked: 0,
        answers,
        limits,
    };
    let Err(Over) = tour.run();
}

/// There is nothing more to do, or no time for it.
struct Over;

/// The walks on a net.
struct Tour<'a, 'q> {
    /// By query.
    goals: Vec<Goal<'q>>,
    open: Vec<bool>,
    left: usize,
    watch: Watch,
    /// For each goal that is watched its query; some of them may be met already.
    watched: Vec<usize>,
    game: TokenGame<'a>,
    /// For making runs shorter.
    scratch: TokenGame<'a>,
    arcs: &'a Arcs<'a>,
    /// How often each transition fired.
    fired: Vec<u32>,
    path: Vec<u32>,
    met: Vec<u32>,
    random: Random,
    pace: Pace,
    steps: u64,
    /// When the sink was asked last.
    asked: u64,
    answers: Answers<'q>,
    limits: Limits<'a>,
}

impl Tour<'_, '_> {
    fn run(mut self) -> Result<std::convert::Infallible, Over> {
        let met = (0..self.goals.len()).filter(|&goal| self.watch.is_met(goal)).map(|goal| goal as u32);
        self.met = met.collect();
        self.report()?;
        if self.game.is_deadlock() {
            return Err(Over);
        }
        let unit = (self.fired.len() as u64).clamp(SHORTEST.0, SHORTEST.1);
        let mut target = 0;
        for round in 1.. {
            let length = luby(round).saturating_mul(unit).min(LONGEST);
            self.walk(Policy::Uniform, None, length)?;
            self.walk(Policy::Rare, None, length)?;
            if self.limits.steering == Steering::On {
                target = self.next_open(target);
                self.steer(target, (length / SLOWER).max(1))?;
            }
            self.forget()?;
        }
        Err(Over)
    }

    /// The next query that is open after one; there is one.
    fn next_open(&self, after: usize) -> usize {
        let count = self.open.len();
        (1..=count).map(|by| (after + by) % count).find(|&at| self.open[at]).unwrap_or(after)
    }

    /// Walks to the goal of a query.
    fn steer(&mut self, query: usize, length: u64) -> Result<(), Over> {
        self.game.restart();
        let mut guide = Guide::new(self.goals[query], &self.game, self.game.table.net, self.arcs);
        for policy in Policy::STEERED {
            if self.open[query] {
                self.walk(policy, Some(&mut guide), length)?;
            }
        }
        Ok(())
    }

    /// One walk.
    fn walk(&mut self, policy: Policy, mut guide: Option<&mut Guide<'_>>, length: u64) -> Result<(), Over> {
        self.game.restart();
        self.watch.restart();
        if let Some(guide) = &mut guide {
            guide.restart(&self.game);
        }
        self.path.clear();
        let end = self.steps.saturating_add(length);
        while self.steps < end {
            if self.limits.are_reached(self.steps, &mut self.pace) {
                return Err(Over);
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
            self.watch.follow(transition, &self.game, &mut self.met);
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
            self.watch.retreat(transition, &self.game);
            if let Some(guide) = &mut guide {
                guide.retreat(transition, &self.game);
            }
        }
    }

    /// Answers the queries whose goals are met where the game stands.
    fn report(&mut self) -> Result<(), Over> {
        let met = std::mem::take(&mut self.met);
        for &goal in &met {
            let query = self.watched[goal as usize];
            if !std::mem::replace(&mut self.open[query], false) {
                continue;
            }
            self.left -= 1;
            if self.answers.sink.is_open(query) {
                self.answer(goal as usize, query);
            }
        }
        self.met = met;
        if self.left == 0 { Err(Over) } else { Ok(()) }
    }

    fn answer(&mut self, goal: usize, query: usize) {
        let firings = FIRINGS.min(ALL_FIRINGS / self.goals.len() as u64);
        let mut patience = Patience::new(firings.max(2 * self.path.len() as u64), self.limits.budget);
        let watch = &self.watch;
        let run = shorten(&self.path, &mut self.scratch, &|game| watch.is_met_in(goal, game), &mut patience);
        let steps = run.into_iter().map(|t| Step::plain(TransitionId::new(t as usize)));
        self.answers.found(query, steps.collect(), self.steps, "");
    }

    /// Leaves what nobody wants to know any more, and watches only what is open.
    fn forget(&mut self) -> Result<(), Over> {
        if self.steps - self.asked >= ASKING {
            self.asked = self.steps;
            for query in 0..self.open.len() {
                if self.open[query] && !self.answers.sink.is_open(query) {
                    self.open[query] = false;
                    self.left -= 1;
                }
            }
        }
        if self.left == 0 {
            return Err(Over);
        }
        if self.left <= self.watched.len() / 4 * 3 {
            self.game.restart();
            self.watched = (0..self.open.len()).filter(|&query| self.open[query]).collect();
            let goals: Vec<Goal<'_>> = self.watched.iter().map(|&query| self.goals[query]).collect();
            self.watch = Watch::new(&goals, &self.game);
        }
        Ok(())
    }
}

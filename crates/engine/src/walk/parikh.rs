//! Walks along a Parikh vector: the number of firings of each transition, as a solution of the state equation proposes
//! it, without their order.
//!
//! Transitions whose count is not used up go first, in a random order that differs from try to try. Where none of them
//! is enabled, others may fire that help to enable one (`regress`), as often as a limit allows: a solution may lack
//! loops that only lend tokens. A goal that is met on the way ends the walk, with counts left over or not. Test:
//! `tests/walk.rs`, with counts of runs that exist.

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Net, StatePredicate, Step, Trace, TransitionId,
    token_game::{TokenGame, TokenGameTable},
};

use super::{
    below,
    evaluator::{GoalEvaluator, WalkGoal},
    guide,
    regress::Regression,
    shorten::{effort, shorten},
};
use crate::{search::PollTimer, stubborn::ArcIndex};

/// How often the whole vector is tried.
const TRIES: usize = 64;
/// Steps of all tries together.
const STEPS: usize = 1 << 20;
/// Steps of a try beyond twice the vector's total.
const DETOURS: u64 = 64;

/// A run to where `goal` holds, which fires each transition about as often as `counts` says; `None` where none was
/// found. Transitions beyond the end of the counts are not in the vector.
pub fn walk_along(net: &Net, counts: &[u64], goal: &StatePredicate, budget: &Budget) -> Option<Trace> {
    let (table, arcs) = (TokenGameTable::new(net), ArcIndex::new(net));
    let game = TokenGame::new(&table);
    let evaluator = GoalEvaluator::new(&[WalkGoal { predicate: goal, want: true }], &game);
    let mut vector = vec![0; table.transitions()];
    vector.iter_mut().zip(counts).for_each(|(to, &count)| *to = count);
    let support = (0..vector.len() as u32).filter(|&t| vector[t as usize] > 0).collect();
    let total = vector.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
    let mut along = ParikhWalk {
        left: vector.clone(),
        support,
        game,
        evaluator,
        regress: Regression::new(net, &arcs),
        random: Random::new(0),
        path: Vec::new(),
    };
    let (mut steps, mut pace) = (0, PollTimer::default());
    for _ in 0..TRIES {
        along.restart(&vector);
        let mut detours = total.saturating_add(DETOURS);
        loop {
            if along.evaluator.is_met(0) {
                return Some(along.run(budget));
            }
            if steps == STEPS || pace.is_due() && budget.go_on().is_err() {
                return None;
            }
            steps += 1;
            if !along.step(&mut detours) {
                break;
            }
        }
    }
    None
}

/// One try to realise the vector.
struct ParikhWalk<'a> {
    /// The firings that are left, by transition.
    left: Vec<u64>,
    /// The transitions with a count.
    support: Vec<u32>,
    game: TokenGame<'a>,
    evaluator: GoalEvaluator,
    regress: Regression<'a>,
    random: Random,
    path: Vec<u32>,
}

impl ParikhWalk<'_> {
    fn restart(&mut self, vector: &[u64]) {
        self.left.copy_from_slice(vector);
        self.game.restart();
        self.evaluator.restart();
        self.path.clear();
    }

    /// Takes a step; `false` where no transition is chosen or fires.
    fn step(&mut self, detours: &mut u64) -> bool {
        let planned = self.planned();
        let Some(transition) = planned.or_else(|| self.detour(detours)) else { return false };
        if !self.game.fire(transition) {
            return false;
        }
        let left = &mut self.left[transition as usize];
        *left = left.saturating_sub(1);
        self.path.push(transition);
        self.evaluator.follow(transition, &self.game, &mut Vec::new());
        true
    }

    /// An enabled transition whose count is not used up, drawn by the firings that are left.
    fn planned(&mut self) -> Option<u32> {
        let Self { left, game, random, .. } = self;
        let (mut chosen, mut total) = (None, 0);
        for &t in game.enabled() {
            let weight = left[t as usize].min(1 << 16) as usize;
            total += weight;
            if weight > 0 && random.below(total) < weight {
                chosen = Some(t);
            }
        }
        chosen
    }

    /// A transition outside the vector that may enable one of it.
    fn detour(&mut self, detours: &mut u64) -> Option<u32> {
        if *detours == 0 || self.game.is_deadlock() {
            return None;
        }
        *detours -= 1;
        let Self { game, random, regress, evaluator, support, left, .. } = self;
        let open = support.iter().filter(|&&t| left[t as usize] > 0).count();
        let helper = if open == 0 {
            regress.helper(evaluator, game, random)
        } else {
            let mut open = support.iter().filter(|&&t| left[t as usize] > 0).skip(below(random, open));
            open.next().and_then(|&t| regress.enabler(t, game, random))
        };
        Some(helper.filter(|_| !random.percent(10)).unwrap_or_else(|| guide::uniform(game, random)))
    }

    /// The run so far, shortened.
    fn run(mut self, budget: &Budget) -> Trace {
        let evaluator = &self.evaluator;
        let mut patience = effort(&self.path, 1, self.game.table, budget);
        let run = shorten(&self.path, &mut self.game, &|game| evaluator.is_met_in(0, game), &mut patience);
        Trace(run.into_iter().map(|t| Step::plain(TransitionId::new(t as usize))).collect())
    }
}

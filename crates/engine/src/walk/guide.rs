//! How walks choose the next step: uniformly, by rareness, or towards a goal.
//!
//! | policy | fires |
//! |---|---|
//! | `Uniform` | any enabled transition |
//! | `Rare` | of a few enabled transitions the one that fired least often before |
//! | `Greedy` | the one after which a goal is nearest; for a deadlock, after which the fewest are enabled |
//! | `Potency` | those more often after which the goal came nearer, in this walk or in those before it |
//! | `Regression` | a transition that helps according to a search back from the goal (`regress`) |
//!
//! A guided walk draws a few steps uniformly, to leave local optima. Potencies are after the random potency walks of TAPAAL's engine (Jensen, Larsen and others), with weights
//! that are multiplied instead of added to.

use fireset_kernel::random::Random;
use fireset_net::{
    Net,
    token_game::{Displacement, TokenGame},
};

use super::{
    acceleration::Firing,
    below,
    evaluator::{self, GoalEvaluator, WalkGoal},
    regress::Regression,
};
use crate::{distance::FAR, search::PredicateAtom, stubborn::ArcIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Uniform,
    Rare,
    Greedy,
    Potency,
    Regression,
}

impl Policy {
    /// The policies that need a goal, in the order of their walks.
    pub(super) const GUIDED: [Self; 4] = [Self::Regression, Self::Greedy, Self::Potency, Self::Potency];
}

/// The number of enabled transitions from which the rarest is taken.
const FEW: usize = 3;
/// The number of enabled transitions among which relevant ones are looked for, and of those that are tried.
const WINDOW: usize = 64;
const TRIED: usize = 10;
/// The percentage of steps that are drawn uniformly.
const NOISE: usize = 12;
/// The factors of a weight when the goal comes nearer or goes away, and the largest weight.
const NEARER: f32 = 1.25;
const FARTHER: f32 = 0.85;
const STRONGEST: f32 = 64.0;

/// An enabled transition, drawn uniformly.
pub(super) fn uniform(game: &TokenGame<'_>, random: &mut Random) -> u32 {
    let enabled = game.enabled();
    enabled[below(random, enabled.len())]
}

/// The enabled transition of a few that fired least often.
pub(super) fn rare(game: &TokenGame<'_>, fired: &[u32], random: &mut Random) -> u32 {
    let drawn = (0..FEW).map(|_| uniform(game, random));
    drawn.min_by_key(|&t| fired[t as usize]).expect("a few are more than none")
}

/// Guides a walk to one goal.
#[derive(Debug)]
pub(super) struct Guide<'a> {
    evaluator: GoalEvaluator,
    /// By transition, whether it changes a place that the goal depends on.
    relevant: Vec<bool>,
    regress: Regression<'a>,
    weights: Vec<f32>,
    /// The distance from the current marking to the goal.
    far: u64,
    met: Vec<u32>,
}

impl<'a> Guide<'a> {
    /// For a game that is at its initial marking.
    pub(super) fn new(
        goal: WalkGoal<'_>,
        game: &TokenGame<'_>,
        net: &'a Net,
        arcs: &'a ArcIndex<'a>,
    ) -> Self {
        let evaluator = GoalEvaluator::new(&[goal], game);
        let mut looked_at = vec![false; game.table.places()];
        let mut all = false;
        for atom in &evaluator.atoms {
            all |= matches!(atom, PredicateAtom::Deadlock);
            evaluator::places(atom, game, &mut |place| looked_at[place.index()] = true);
        }
        let transitions = game.table.transitions();
        let touches = |t: u32| game.table.changes(t).iter().any(|c| looked_at[c.place as usize]);
        let relevant = (0..transitions as u32).map(|t| all || touches(t)).collect();
        let far = evaluator.distance(0, game);
        let (regress, weights) = (Regression::new(net, arcs), vec![1.0; transitions]);
        Self { evaluator, relevant, regress, weights, far, met: Vec::new() }
    }

    /// Follows the game back to its initial marking; the weights stay.
    pub(super) fn restart(&mut self, game: &TokenGame<'_>) {
        self.evaluator.restart();
        self.far = self.evaluator.distance(0, game);
    }

    /// Follows another run, to the marking in which the game is; the weights stay.
    pub(super) fn stand(&mut self, game: &TokenGame<'_>) {
        self.evaluator.stand(game);
        self.far = self.evaluator.distance(0, game);
    }

    /// Whether the goal is met.
    pub(super) fn is_met(&self) -> bool {
        self.evaluator.is_met(0)
    }

    /// The next transition of a marking that is no deadlock.
    pub(super) fn choose(&mut self, policy: Policy, game: &mut TokenGame<'_>, random: &mut Random) -> u32 {
        let chosen = match policy {
            _ if random.percent(NOISE) => None,
            Policy::Uniform | Policy::Rare => None,
            Policy::Greedy => Some(self.nearest(game, random)),
            Policy::Potency => Some(self.potent(game, random)),
            Policy::Regression => self.regress.helper(&self.evaluator, game, random),
        };
        chosen.unwrap_or_else(|| uniform(game, random))
    }

    /// Follows what the game has fired.
    pub(super) fn follow(&mut self, fired: Firing, game: &TokenGame<'_>) {
        self.evaluator.follow_run(fired.displacement(game.table), game, &mut self.met);
        if !self.relevant[fired.transition as usize] {
            return;
        }
        let before = std::mem::replace(&mut self.far, self.evaluator.distance(0, game));
        let weight = &mut self.weights[fired.transition as usize];
        if self.far < before {
            *weight = (*weight * NEARER).min(STRONGEST);
        } else if self.far > before {
            *weight = (*weight * FARTHER).max(1.0 / STRONGEST);
        }
    }

    /// Follows a run that the game has repeated; the weights stay.
    pub(super) fn follow_run(&mut self, run: Displacement<'_>, game: &TokenGame<'_>) {
        self.evaluator.follow_run(run, game, &mut self.met);
        self.far = self.evaluator.distance(0, game);
    }

    /// Follows what the game has taken back; the weights stay.
    pub(super) fn retreat(&mut self, fired: Firing, game: &TokenGame<'_>) {
        self.evaluator.retreat(fired.displacement(game.table), game);
        if self.relevant[fired.transition as usize] {
            self.far = self.evaluator.distance(0, game);
        }
    }

    /// The enabled transition after which the goal is nearest, among those tried.
    fn nearest(&mut self, game: &mut TokenGame<'_>, random: &mut Random) -> u32 {
        let start = below(random, game.enabled().len());
        let (mut tried, mut ties) = (0, 0);
        let (mut best, mut least) = (game.enabled()[start], u64::MAX);
        let mut irrelevant = None;
        // A trial may put enabled transitions into another order; that only changes which ones are seen.
        for at in 0..game.enabled().len().min(WINDOW) {
            let t = game.enabled()[(start + at) % game.enabled().len()];
            if !self.relevant[t as usize] {
                irrelevant = irrelevant.or(Some(t));
                continue;
            }
            let far = self.after(t, game);
            ties = if far < least { 1 } else { ties + usize::from(far == least) };
            if far < least || far == least && below(random, ties) == 0 {
                (best, least) = (t, far);
            }
            tried += 1;
            if tried == TRIED {
                break;
            }
        }
        // An irrelevant transition keeps the distance.
        match irrelevant {
            Some(irrelevant) if least > self.far || least == self.far && random.percent(50) => irrelevant,
            _ => best,
        }
    }

    /// The distance after a transition.
    fn after(&mut self, transition: u32, game: &mut TokenGame<'_>) -> u64 {
        if !game.fire(transition) {
            return FAR + 1;
        }
        let firing = game.table.firing(transition);
        let far = self.far_after(firing, game);
        game.undo(transition);
        far
    }

    /// The distance after a run that the game has repeated and this guide has not followed.
    fn far_after(&mut self, run: Displacement<'_>, game: &TokenGame<'_>) -> u64 {
        self.evaluator.shift(run, false);
        let far = self.evaluator.distance(0, game);
        self.evaluator.shift(run, true);
        far
    }

    /// Whether a run, each of whose repetitions can fire, helps: the goal comes nearer, or regression looks for what the run changes.
    pub(super) fn welcomes(
        &mut self,
        policy: Policy,
        run: Displacement<'_>,
        game: &mut TokenGame<'_>,
    ) -> bool {
        if policy == Policy::Regression && self.regress.asked_for(run.changes) {
            return true;
        }
        game.displace(run);
        let far = self.far_after(run, game);
        game.displace_back(run);
        far < self.far
    }

    /// An enabled transition, drawn by weight.
    fn potent(&self, game: &TokenGame<'_>, random: &mut Random) -> u32 {
        let enabled = game.enabled();
        let start = below(random, enabled.len());
        let some = || (0..enabled.len().min(WINDOW)).map(|at| enabled[(start + at) % enabled.len()]);
        let total: f32 = some().map(|t| self.weights[t as usize]).sum();
        let mut drawn = total * (below(random, 1 << 20) as f32 / (1 << 20) as f32);
        let found = some().find(|&t| {
            drawn -= self.weights[t as usize];
            drawn < 0.0
        });
        found.unwrap_or(enabled[start])
    }
}

//! How walks choose the next step: blindly, towards what is rare, or towards a goal.
//!
//! | policy | fires |
//! |---|---|
//! | `Uniform` | any enabled transition |
//! | `Rare` | of a few the one that fired least often before |
//! | `Greedy` | the one after which a goal is nearest; for a deadlock, after which the fewest are enabled |
//! | `Potency` | those more often after which the goal came nearer, in this walk or in those before it |
//! | `Regress` | one that helps, as far as one sees going back from the goal (`regress`) |
//!
//! What is steered is so only most of the time: a few steps are drawn blindly, to leave places where nothing near is
//! better. Potencies are after the random potency walks of TAPAAL's engine (Jensen, Larsen and others), with weights
//! that are multiplied instead of added to.

use fireset_kernel::random::Random;
use fireset_net::{Net, token_game::TokenGame};

use super::{
    below,
    regress::Regress,
    watch::{Atom, Goal, Watch},
};
use crate::{distance::FAR, stubborn::Arcs};

/// ColouredConfig to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Uniform,
    Rare,
    Greedy,
    Potency,
    Regress,
}

impl Policy {
    /// Those that are steered by a goal.
    pub(super) const STEERED: [Self; 4] = [Self::Regress, Self::Greedy, Self::Potency, Self::Potency];
}

/// Of so many enabled transitions the one is taken that fired least often.
const FEW: usize = 3;
/// Of so many enabled transitions those are found that matter, and so many of them are tried.
const WINDOW: usize = 64;
const TRIED: usize = 10;
/// So many steps of a hundred are drawn blindly.
const NOISE: usize = 12;
/// How a weight changes when the goal comes nearer or goes away, and how far.
const NEARER: f32 = 1.25;
const FARTHER: f32 = 0.85;
const STRONGEST: f32 = 64.0;

/// A transition that is enabled, any of them.
pub(super) fn uniform(game: &TokenGame<'_>, random: &mut Random) -> u32 {
    let enabled = game.enabled();
    enabled[below(random, enabled.len())]
}

/// A transition that is enabled and fired less often than a few others.
pub(super) fn rare(game: &TokenGame<'_>, fired: &[u32], random: &mut Random) -> u32 {
    let drawn = (0..FEW).map(|_| uniform(game, random));
    drawn.min_by_key(|&t| fired[t as usize]).expect("a few are more than none")
}

/// Steers to one goal.
#[derive(Debug)]
pub(super) struct Guide<'a> {
    watch: Watch,
    /// Which transitions change what the goal looks at.
    matters: Vec<bool>,
    regress: Regress<'a>,
    weights: Vec<f32>,
    /// The distance where the game stands.
    far: u64,
    met: Vec<u32>,
}

impl<'a> Guide<'a> {
    /// Steers a game, which is at its initial marking, to a goal.
    pub(super) fn new(goal: Goal<'_>, game: &TokenGame<'_>, net: &'a Net, arcs: &'a Arcs<'a>) -> Self {
        let watch = Watch::new(&[goal], game);
        let mut looked_at = vec![false; game.table.places()];
        let mut all = false;
        for atom in &watch.atoms {
            all |= matches!(atom, Atom::Deadlock);
            atom.places(game, &mut |place| looked_at[place.index()] = true);
        }
        let transitions = game.table.transitions();
        let touches = |t: u32| game.table.changes(t).iter().any(|c| looked_at[c.place as usize]);
        let matters = (0..transitions as u32).map(|t| all || touches(t)).collect();
        let far = watch.distance(0, game);
        let (regress, weights) = (Regress::new(net, arcs), vec![1.0; transitions]);
        Self { watch, matters, regress, weights, far, met: Vec::new() }
    }

    /// The game is at its initial marking again; what was learnt stays.
    pub(super) fn restart(&mut self, game: &TokenGame<'_>) {
        self.watch.restart();
        self.far = self.watch.distance(0, game);
    }

    /// The next transition; something is enabled.
    pub(super) fn choose(&mut self, policy: Policy, game: &mut TokenGame<'_>, random: &mut Random) -> u32 {
        let chosen = match policy {
            _ if random.percent(NOISE) => None,
            Policy::Uniform | Policy::Rare => None,
            Policy::Greedy => Some(self.nearest(game, random)),
            Policy::Potency => Some(self.potent(game, random)),
            Policy::Regress => self.regress.helper(&self.watch, game, random),
        };
        chosen.unwrap_or_else(|| uniform(game, random))
    }

    /// Takes note of a step that the game has made.
    pub(super) fn follow(&mut self, transition: u32, game: &TokenGame<'_>) {
        self.watch.follow(transition, game, &mut self.met);
        if !self.matters[transition as usize] {
            return;
        }
        let before = std::mem::replace(&mut self.far, self.watch.distance(0, game));
        let weight = &mut self.weights[transition as usize];
        if self.far < before {
            *weight = (*weight * NEARER).min(STRONGEST);
        } else if self.far > before {
            *weight = (*weight * FARTHER).max(1.0 / STRONGEST);
        }
    }

    /// Takes note of a step that the game has taken back; nothing is learnt from it.
    pub(super) fn retreat(&mut self, transition: u32, game: &TokenGame<'_>) {
        self.watch.retreat(transition, game);
        if self.matters[transition as usize] {
            self.far = self.watch.distance(0, game);
        }
    }

    /// The enabled transition after which the goal is nearest, of some.
    fn nearest(&mut self, game: &mut TokenGame<'_>, random: &mut Random) -> u32 {
        let start = below(random, game.enabled().len());
        let (mut tried, mut ties) = (0, 0);
        let (mut best, mut least) = (game.enabled()[start], u64::MAX);
        let mut idle = None;
        // A trial may put enabled transitions into another order; that only changes which ones are seen.
        for at in 0..game.enabled().len().min(WINDOW) {
            let t = game.enabled()[(start + at) % game.enabled().len()];
            if !self.matters[t as usize] {
                idle = idle.or(Some(t));
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
        // What does not matter keeps the distance.
        match idle {
            Some(idle) if least > self.far || least == self.far && random.percent(50) => idle,
            _ => best,
        }
    }

    /// The distance after a transition.
    fn after(&mut self, transition: u32, game: &mut TokenGame<'_>) -> u64 {
        if !game.fire(transition) {
            return FAR + 1;
        }
        let changes = game.table.changes(transition);
        self.watch.shift(changes, false);
        let far = self.watch.distance(0, game);
        self.watch.shift(changes, true);
        game.undo(transition);
        far
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

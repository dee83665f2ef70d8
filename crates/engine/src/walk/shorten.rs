//! Shorter runs to a goal: a reader cannot use thousands of steps, and the replay fires each.
//!
//! First, loops are cut: where a run comes back to a marking it goes on from its last visit there. Then all steps of
//! one transition are left out, for one transition after the other, and then parts of the run, large ones first; steps
//! that cannot fire without them are left out too. A run that still ends in the goal is kept; at last the run ends
//! where the goal is met first. After Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002); leaving
//! out what depends on a step together with it is ours. The result has been fired.
//!
//! The effort is bounded in units of [`TokenGameTable::cost`], not in firings: where a place has thousands of output
//! transitions a firing takes a thousand times as long as elsewhere, and walks spent 98 % of their time here.

use std::collections::BTreeSet;

use fireset_net::{
    Budget,
    token_game::{TokenGame, TokenGameTable},
};

use super::marking_hash::without_loops;
use crate::search::WorkLimit;

/// The most work that goes into making one run shorter, and into making all runs of a walk shorter.
const MAX_WORK: u64 = 1 << 23;
const MAX_WORK_OF_ALL: u64 = 1 << 27;

/// The effort for a run that is one of several; enough to cut its loops.
pub(super) fn effort<'b>(
    path: &[u32],
    runs: usize,
    table: &TokenGameTable<'_>,
    budget: &'b Budget,
) -> WorkLimit<'b> {
    let whole: u64 = path.iter().map(|&t| table.cost(t)).sum();
    WorkLimit::new(MAX_WORK.min(MAX_WORK_OF_ALL / runs as u64).max(2 * whole), budget)
}

/// A run that is not longer than `path`, and like it leads from the initial marking to one with `is_met`.
pub(super) fn shorten(
    path: &[u32],
    game: &mut TokenGame<'_>,
    is_met: &dyn Fn(&TokenGame<'_>) -> bool,
    patience: &mut WorkLimit<'_>,
) -> Vec<u32> {
    let short = without_loops(path, game.table);
    let mut trial = RunShortener { game, is_met, patience, fired: Vec::new() };
    trial.game.restart();
    if !trial.meets(&mut short.iter().copied()) {
        // Two markings had the same hash, or the time is up.
        return path.to_vec();
    }
    let mut short = std::mem::take(&mut trial.fired);
    trial.without_transitions(&mut short);
    let mut size = short.len() / 2;
    while size > 0 && !trial.patience.is_over() {
        trial.without_parts(&mut short, size);
        size = size.min(short.len()) / 2;
    }
    trial.end_early(&mut short);
    short
}

struct RunShortener<'a, 't, 'b> {
    game: &'a mut TokenGame<'t>,
    is_met: &'a dyn Fn(&TokenGame<'_>) -> bool,
    patience: &'a mut WorkLimit<'b>,
    /// The steps of the last run that fired.
    fired: Vec<u32>,
}

impl RunShortener<'_, '_, '_> {
    /// Fires those steps that are enabled in their turn; `true` where the goal is met after them.
    fn meets(&mut self, steps: &mut dyn Iterator<Item = u32>) -> bool {
        self.fired.clear();
        for step in steps {
            let is_enabled = self.game.is_enabled(step);
            let work = if is_enabled { self.game.table.cost(step) } else { 1 };
            if self.patience.spend(work) {
                return false;
            }
            if is_enabled && self.game.fire(step) {
                self.fired.push(step);
            }
        }
        (self.is_met)(self.game)
    }

    /// Leaves out all steps of a transition where that is possible.
    fn without_transitions(&mut self, path: &mut Vec<u32>) {
        let transitions: BTreeSet<u32> = path.iter().copied().collect();
        for transition in transitions {
            self.game.restart();
            if self.meets(&mut path.iter().copied().filter(|&t| t != transition)) {
                std::mem::swap(path, &mut self.fired);
            }
        }
    }

    /// Goes through a run once and leaves out parts of a size where that is possible.
    fn without_parts(&mut self, path: &mut Vec<u32>, size: usize) {
        self.game.restart();
        let mut at = 0;
        while at < path.len() && !self.patience.is_over() {
            let end = (at + size).min(path.len());
            let superfluous = self.meets(&mut path[end..].iter().copied());
            self.fired.iter().rev().for_each(|&t| self.game.undo(t));
            if superfluous {
                path.truncate(at);
                path.append(&mut self.fired);
            } else {
                let kept = path[at..end].iter().all(|&t| self.game.fire(t));
                debug_assert!(kept, "what is kept fires as before");
                at = end;
            }
        }
    }

    /// Drops the steps after the goal is met for the first time.
    fn end_early(&mut self, path: &mut Vec<u32>) {
        self.game.restart();
        let met = (0..path.len()).find(|&at| (self.is_met)(self.game) || !self.game.fire(path[at]));
        path.truncate(met.unwrap_or(path.len()));
    }
}

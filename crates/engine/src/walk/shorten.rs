//! Shorter runs to where a goal is met: nobody reads thousands of steps, and each is replayed.
//!
//! First loops are cut: where a run comes back to a marking it goes on from its last visit there. Then parts of the run are
//! left out, large ones first, as long as the rest can fire and ends in the goal; at last the run ends where the goal is met
//! first. After Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002). The effort is bounded;
//! a part whose absence is noticed soon costs little. Nothing is believed: what comes out has been fired.

use std::collections::HashMap;

use fireset_net::random::Random;

use super::game::Game;
use crate::search::Patience;

/// A run that is not longer than `path`, and like it leads from the initial marking to where `is_met`.
pub(super) fn shorten(
    path: &[u32],
    game: &mut Game<'_>,
    is_met: &dyn Fn(&Game<'_>) -> bool,
    patience: &mut Patience<'_>,
) -> Vec<u32> {
    let mut short = without_loops(path, game);
    game.restart();
    if play(&short, game, patience) < short.len() || !is_met(game) {
        // Two markings had the same hash, or the time is up.
        return path.to_vec();
    }
    let mut size = short.len() / 2;
    while size > 0 && !patience.is_over() {
        leave_out(&mut short, size, game, is_met, patience);
        size = size.min(short.len()) / 2;
    }
    end_early(&mut short, game, is_met);
    short
}

/// Fires a run as far as it can be; gives the number of steps.
fn play(path: &[u32], game: &mut Game<'_>, patience: &mut Patience<'_>) -> usize {
    let mut fires = |&&t: &&u32| !patience.is_over() && game.is_enabled(t) && game.fire(t);
    path.iter().take_while(&mut fires).count()
}

/// The run without its loops, as far as hashes of markings tell.
fn without_loops(path: &[u32], game: &mut Game<'_>) -> Vec<u32> {
    // Sums of tokens times fixed random numbers: a firing changes them without looking at the whole marking.
    let factor = |place: u32| Random::new(u64::from(place)).bits();
    let effect = |t: &u32| {
        let changes = game.table.changes(*t).iter();
        changes.fold(0u64, |sum, c| sum.wrapping_add((c.amount() as u64).wrapping_mul(factor(c.place))))
    };
    let mut hash = 0u64;
    let mut hashes = vec![hash];
    hashes.extend(path.iter().map(|t| {
        hash = hash.wrapping_add(effect(t));
        hash
    }));
    let last: HashMap<u64, usize> = hashes.iter().enumerate().map(|(at, &hash)| (hash, at)).collect();
    let (mut short, mut at) = (Vec::new(), 0);
    while let Some(&step) = path.get(last[&hashes[at]]) {
        at = last[&hashes[at]] + 1;
        short.push(step);
    }
    short
}

/// Goes through a run once and leaves out parts of a size where it can.
fn leave_out(
    path: &mut Vec<u32>,
    size: usize,
    game: &mut Game<'_>,
    is_met: &dyn Fn(&Game<'_>) -> bool,
    patience: &mut Patience<'_>,
) {
    game.restart();
    let mut at = 0;
    while at < path.len() && !patience.is_over() {
        let end = (at + size).min(path.len());
        let rest = &path[end..];
        let fired = play(rest, game, patience);
        let superfluous = fired == rest.len() && is_met(game);
        rest[..fired].iter().rev().for_each(|&t| game.undo(t));
        if superfluous {
            path.drain(at..end);
        } else {
            let kept = path[at..end].iter().all(|&t| game.fire(t));
            debug_assert!(kept, "what is kept fires as before");
            at = end;
        }
    }
}

/// Drops what comes after the goal is met for the first time.
fn end_early(path: &mut Vec<u32>, game: &mut Game<'_>, is_met: &dyn Fn(&Game<'_>) -> bool) {
    game.restart();
    let met = (0..path.len()).find(|&at| {
        let met = is_met(game);
        met || !game.fire(path[at])
    });
    path.truncate(met.unwrap_or(path.len()));
}

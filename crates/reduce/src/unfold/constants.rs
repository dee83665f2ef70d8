//! Tokens whose number never changes, and bindings that are never enabled.
//!
//! A token that each binding gives back as often as it takes it keeps its initial number; one that no binding adds to
//! has at most that. A binding that needs more, or that such a token inhibits, is never enabled and goes; without it
//! other tokens may not be reached any more, or never change. Repeated until nothing goes.
//! Invariants: 1. a binding that goes is enabled in no reachable marking; 2. a token that is called constant holds its
//! initial number in every reachable marking and keeps no binding that stays from firing.
//! Cost: linear in the arcs, a round.

use fireset_net::{Budget, Rows, StopReason};

use super::flat::{FlatNet, Weight};

/// Removes bindings that are never enabled; tells for each token whether it is constant.
pub(super) fn prune(flat: &mut FlatNet, budget: &Budget) -> Result<Vec<bool>, StopReason> {
    loop {
        budget.check(flat.bytes, budget.progress().states())?;
        let changes = Changes::of(flat);
        let reached = reached(flat);
        let alive: Vec<bool> = (0..flat.len()).map(|at| changes.allow(flat, at, &reached)).collect();
        if alive.iter().all(|&alive| alive) {
            return Ok(changes.constant(flat));
        }
        flat.keep(&alive);
    }
}

/// Whether bindings add to a token, and whether they take from it.
struct Changes {
    grows: Vec<bool>,
    shrinks: Vec<bool>,
}

impl Changes {
    fn of(flat: &FlatNet) -> Self {
        let mut changes =
            Self { grows: vec![false; flat.tokens.len()], shrinks: vec![false; flat.tokens.len()] };
        for (pre, post) in flat.pre.iter().zip(flat.post.iter()) {
            for (token, weight) in pre.iter().copied() {
                changes.shrinks[token as usize] |= weight_of(post, token) < weight;
            }
            for (token, weight) in post.iter().copied() {
                changes.grows[token as usize] |= weight_of(pre, token) < weight;
            }
        }
        changes
    }

    /// Whether a binding may be enabled at some time.
    fn allow(&self, flat: &FlatNet, at: usize, reached: &[bool]) -> bool {
        let (pre, inhibitors) = (&flat.pre[at], &flat.inhibitors[at]);
        let has_tokens = |&(token, weight): &Weight| {
            let token = token as usize;
            reached[token] && (self.grows[token] || flat.tokens[token].initial >= weight)
        };
        let blocked = |&(token, limit): &Weight| {
            let stays = !self.shrinks[token as usize] && flat.tokens[token as usize].initial >= limit;
            stays || weight_of(pre, token) >= limit
        };
        pre.iter().all(has_tokens) && !inhibitors.iter().any(blocked)
    }

    /// The tokens that never change. The numbers of a place's constant tokens add up to a number that fits into an
    /// expression, or they stay.
    fn constant(&self, flat: &FlatNet) -> Vec<bool> {
        let mut constant: Vec<bool> =
            self.grows.iter().zip(&self.shrinks).map(|(grows, shrinks)| !grows && !shrinks).collect();
        let mut sum = (None, 0i64);
        for (token, constant) in flat.tokens.iter().zip(&mut constant).filter(|(_, constant)| **constant) {
            if sum.0 != Some(token.place) {
                sum = (Some(token.place), 0);
            }
            match i64::try_from(token.initial).ok().and_then(|initial| sum.1.checked_add(initial)) {
                Some(more) => sum.1 = more,
                None => *constant = false,
            }
        }
        constant
    }
}

/// The weight of a token among arcs.
fn weight_of(arcs: &[Weight], token: u32) -> u64 {
    arcs.binary_search_by_key(&token, |arc| arc.0).map_or(0, |at| arcs[at].1)
}

/// The tokens that can be reached through the remaining bindings.
fn reached(flat: &FlatNet) -> Vec<bool> {
    let mut reached: Vec<bool> = flat.tokens.iter().map(|token| token.initial > 0).collect();
    let mut missing: Vec<usize> =
        flat.pre.iter().map(|pre| pre.iter().filter(|arc| !reached[arc.0 as usize]).count()).collect();
    let arcs =
        flat.pre.iter().enumerate().flat_map(|(at, pre)| pre.iter().map(move |arc| (arc.0 as usize, at)));
    let takers = Rows::group(flat.tokens.len(), arcs);
    let mut ready: Vec<usize> = (0..flat.len()).filter(|&at| missing[at] == 0).collect();
    while let Some(at) = ready.pop() {
        for &(token, _) in &flat.post[at] {
            if std::mem::replace(&mut reached[token as usize], true) {
                continue;
            }
            for &taker in &takers[token as usize] {
                missing[taker] -= 1;
                if missing[taker] == 0 {
                    ready.push(taker);
                }
            }
        }
    }
    reached
}

//! Hashes of the markings on a run: sums of tokens times fixed random numbers, which a firing changes without a look at the whole
//! marking. They tell that markings differ; that two are the same has to be checked.

use std::collections::HashMap;

use fireset_kernel::random::Random;
use fireset_net::token_game::TokenGameTable;

/// By how much the firing of a transition changes the hash.
pub(super) fn effect(table: &TokenGameTable<'_>, transition: u32) -> u64 {
    let factor = |place: u32| Random::new(u64::from(place)).bits();
    let changes = table.changes(transition).iter();
    changes.fold(0, |sum: u64, c| sum.wrapping_add((c.amount() as u64).wrapping_mul(factor(c.place))))
}

/// A run without its loops, as far as hashes of markings tell.
pub(super) fn without_loops(run: &[u32], table: &TokenGameTable<'_>) -> Vec<u32> {
    let mut hash = 0u64;
    let mut hashes = vec![hash];
    hashes.extend(run.iter().map(|&t| {
        hash = hash.wrapping_add(effect(table, t));
        hash
    }));
    let last: HashMap<u64, usize> = hashes.iter().enumerate().map(|(at, &hash)| (hash, at)).collect();
    let (mut short, mut at) = (Vec::new(), 0);
    while let Some(&step) = run.get(last[&hashes[at]]) {
        at = last[&hashes[at]] + 1;
        short.push(step);
    }
    short
}

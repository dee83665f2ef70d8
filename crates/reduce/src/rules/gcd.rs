//! Tokens that only move in packs are counted in packs.
//!
//! What: if `g > 1` divides the weights of all arcs that take from a place or give to it, the tokens of the place are
//! `r + g k` with the same remainder `r` in all reachable markings. `k` takes the place of the tokens: weights are divided
//! by `g`, and an inhibitor arc that blocks from `w > r` on blocks from `k = (w - r) / g`, rounded up.
//! Sound for: everything; markings correspond one to one. Queries must not count the place. Each place has its own `g`.
//! Source: TAPAAL scales a whole net by one divisor; a divisor for each place is stronger.
//! Cost: the arcs of the place. Test: `tests/rules.rs`.

use fireset_net::PlaceId;
use fireset_structure::gcd;

use super::mutable_net::MutableNet;

pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    if net.is_counted(place) {
        return false;
    }
    let taken = net.consumers(place).iter().map(|&t| net.takes(t, place));
    let given = net.producers(place).iter().map(|&t| net.gives(t, place));
    let divisor = taken.chain(given).fold(0, |divisor, weight| gcd(divisor, weight.into()));
    let Ok(divisor @ 2..) = u64::try_from(divisor) else { return false };
    let rest = net.initial(place) % divisor;
    let blocked = |t| net.blocked_at(t, place).is_some_and(|limit| limit <= rest);
    // Such a transition is dead, which is for another rule to say.
    if net.inhibited(place).iter().any(|&t| blocked(t)) {
        return false;
    }
    net.set_initial(place, net.initial(place) / divisor);
    net.reweigh(place, |weight| weight / divisor, |limit| (limit - rest).div_ceil(divisor));
    true
}

//! Redundant places that always have enough tokens: constant ones and those that never lose a token.
//!
//! What: no transition makes the place's tokens less, none takes more than there are initially, and it inhibits nothing.
//! Then it never disables a transition, and it goes. A place without arcs is one of these. If queries count its tokens, it
//! goes only if they never change: then their number stands for them.
//! Sound for: everything. Markings with and without the place are bisimilar, since the same transitions are enabled; the
//! queries need not count the place, and a transition whose firing they ask about can fire in the same markings.
//! Source: Berthelot's redundant places, the case of one place; rule F of TAPAAL. Cost: the arcs of the place. Test: `tests/rules.rs`.

use fireset_net::PlaceId;

use super::mutable_net::{MutableNet, SubstitutedPlace};

pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    let initial = net.initial(place);
    let has_enough = net.inhibited(place).is_empty()
        && net.consumers(place).iter().all(|&t| net.takes(t, place) <= initial && net.effect(t, place) >= 0);
    if !has_enough {
        return false;
    }
    let is_constant = || net.producers(place).iter().all(|&t| net.effect(t, place) == 0);
    let substitution = i64::try_from(initial).ok().map(|offset| SubstitutedPlace { place: None, offset });
    match substitution {
        _ if !net.is_counted(place) => net.remove_place(place),
        Some(substitution) if is_constant() && net.may_substitute(place, substitution) => {
            net.substitute(place, substitution)
        }
        _ => return false,
    }
    true
}

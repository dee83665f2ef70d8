//! Places that always have enough: constant ones and those that never lose a token.
//!
//! What: no transition makes the place's tokens less, none takes more than there are initially, and it inhibits nothing.
//! Then it never disables a transition, and it goes. A place without arcs is one of these. If queries count its tokens, it
//! goes only if they never change: then their number stands for them.
//! Sound for: everything. Markings with and without the place are bisimilar, since the same transitions are enabled; the
//! queries need not count the place, and a transition whose firing they ask about can fire in the same markings.
//! Source: Berthelot's redundant places, the case of one place. Cost: the arcs of the place. Test: `tests/rules.rs`.

use fireset_net::PlaceId;

use super::draft::{Draft, Told};

pub(super) fn apply(draft: &mut Draft, place: PlaceId) -> bool {
    let initial = draft.initial(place);
    let has_enough = draft.inhibited(place).is_empty()
        && draft
            .consumers(place)
            .iter()
            .all(|&t| draft.takes(t, place) <= initial && draft.effect(t, place) >= 0);
    if !has_enough {
        return false;
    }
    let is_constant = || draft.producers(place).iter().all(|&t| draft.effect(t, place) == 0);
    let told = i64::try_from(initial).ok().map(|plus| Told { by: None, plus });
    match told {
        _ if !draft.is_counted(place) => draft.remove_place(place),
        Some(told) if is_constant() && draft.may_be_told(place, told) => draft.tell(place, told),
        _ => return false,
    }
    true
}

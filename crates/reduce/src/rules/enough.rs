//! Places that always have enough: constant ones and those that never lose a token.
//!
//! What: no transition makes the place's tokens less, none takes more than there are initially, and it inhibits nothing.
//! Then it never disables a transition, and it goes. A place without arcs is one of these.
//! Sound for: everything. Markings with and without the place are bisimilar, since the same transitions are enabled; the
//! queries do not count the place, and a transition whose firing they ask about can fire in the same markings.
//! Source: Berthelot's redundant places, the case of one place. Cost: the arcs of the place. Test: `tests/rules.rs`.

use fireset_net::PlaceId;

use super::draft::Draft;

pub(super) fn apply(draft: &mut Draft, place: PlaceId) -> bool {
    let initial = draft.initial(place);
    let has_enough = !draft.is_counted(place)
        && draft.inhibited(place).is_empty()
        && draft
            .consumers(place)
            .iter()
            .all(|&t| draft.takes(t, place) <= initial && draft.effect(t, place) >= 0);
    if has_enough {
        draft.remove_place(place);
    }
    has_enough
}

//! Places that nothing takes from.
//!
//! What: a place that no transition takes from and that inhibits nothing goes, if no query counts it.
//! Sound for: everything. Markings with and without the place are bisimilar. A cycle of the smaller net may fill the place
//! in the larger one, so not every infinite run comes back as a lasso.
//! Source: folklore. Cost: the arcs of the place. Test: `tests/rules.rs`.

use fireset_net::PlaceId;

use super::draft::Draft;

pub(super) fn apply(draft: &mut Draft, place: PlaceId) -> bool {
    let sink = !draft.is_counted(place)
        && draft.consumers(place).is_empty()
        && draft.inhibited(place).is_empty()
        && !draft.producers(place).is_empty();
    if sink {
        draft.remove_place(place);
    }
    sink
}

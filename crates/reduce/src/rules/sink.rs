//! Places that nothing takes from.
//!
//! What: a place that no transition takes from and that inhibits nothing goes, if no query counts it.
//! Sound for: everything. Markings with and without the place are bisimilar. A cycle of the smaller net may fill the place
//! in the larger one, so not every infinite run comes back as a lasso.
//! Source: folklore. Cost: the arcs of the place. Test: `tests/rules.rs`.

use fireset_net::PlaceId;

use super::mutable_net::MutableNet;

pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    let sink = !net.is_counted(place)
        && net.consumers(place).is_empty()
        && net.inhibited(place).is_empty()
        && !net.producers(place).is_empty();
    if sink {
        net.remove_place(place);
    }
    sink
}

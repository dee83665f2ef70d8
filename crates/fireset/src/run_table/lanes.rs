//! Components of a net as lanes of a table: each says where its one token is.
//!
//! What: disjoint sets of places that always hold one token together, as P-semiflows show, or the units that the file claims.
//! Many sets of a net overlap, so those come first whose places are in the fewest others: processes rather than the resources that
//! they share. Why: in a net of processes a reader asks what each of them does.

use std::collections::HashSet;

use fireset_net::{Budget, Net, PlaceId};
use fireset_structure::NetStructure;

/// Places that hold one token together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentLane {
    /// The name of the unit in the net's file, if it is one.
    pub name: Option<String>,
    /// Those that it contains.
    pub places: Vec<PlaceId>,
}

/// Those that a net is covered with as far as possible, by units or by semiflows.
pub(super) fn of(net: &Net, budget: &Budget) -> Vec<ComponentLane> {
    match net.nupn().filter(|nupn| nupn.unit_safe) {
        Some(nupn) => {
            let units = nupn.units.iter().filter(|unit| unit.places.len() > 1);
            units
                .map(|unit| ComponentLane { name: Some(unit.name.clone()), places: unit.places.clone() })
                .collect()
        }
        None => from_semiflows(net, budget),
    }
}

fn from_semiflows(net: &Net, budget: &Budget) -> Vec<ComponentLane> {
    let semiflows = NetStructure::of(net).place_semiflows(budget);
    let is_lane = |places: &[(u32, i64)], total: i128| {
        total == 1 && places.len() > 1 && places.iter().all(|&(_, weight)| weight == 1)
    };
    let all = semiflows.semiflows().iter();
    let mut found: Vec<Vec<PlaceId>> = all
        .filter(|semiflow| is_lane(&semiflow.weights, semiflow.total))
        .map(|semiflow| semiflow.weights.iter().map(|&(place, _)| PlaceId::new(place as usize)).collect())
        .collect();
    let mut sharing = vec![0usize; net.nodes().places.len()];
    found.iter().flatten().for_each(|place: &PlaceId| sharing[place.index()] += 1);
    // The mean number of sets that a place is in, in thousandths so that it has an order.
    let shared = |places: &Vec<PlaceId>| {
        let sum: usize = places.iter().map(|place| sharing[place.index()]).sum();
        (1000 * sum / places.len(), places[0])
    };
    found.sort_by_key(shared);
    let mut taken = HashSet::new();
    found.retain(|places| {
        let is_free = places.iter().all(|place| !taken.contains(place));
        if is_free {
            taken.extend(places.iter().copied());
        }
        is_free
    });
    found.sort();
    found.into_iter().map(|places| ComponentLane { name: None, places }).collect()
}

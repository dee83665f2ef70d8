//! Nested-unit structure: a tree of units over the places (Garavel, "Nested-Unit Petri Nets").

use crate::{PlaceId, UnitId};

/// One unit: its own places and the units directly below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its name in the file.
    pub name: String,
    /// The places that belong to it and to no unit below it.
    pub places: Vec<PlaceId>,
    /// The units directly below it.
    pub subunits: Vec<UnitId>,
}

/// The tree of units that a file declares.
///
/// `unit_safe` is what the file claims: in every reachable marking, of a unit's own places and those of
/// the units below it, one own place is marked once and nothing below, or only things below. A layout that
/// relies on it has to notice when the claim is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nupn {
    /// All units; every place is in exactly one.
    pub units: Vec<Unit>,
    /// The unit that holds all others.
    pub root: UnitId,
    /// Whether the file says that the net is unit-safe.
    pub unit_safe: bool,
}

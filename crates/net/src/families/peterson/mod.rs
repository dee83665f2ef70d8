//! Peterson's mutual exclusion for any number of processes ("Myths about the mutual exclusion problem",
//! 1981), one step of the program at a time.
//!
//! A process climbs one level less than there are processes. At each level it writes itself down as the
//! last one there, and goes on when another one has come since, or when it has seen every other process
//! idle while going through them one by one.

mod coloured;
mod plain;

use super::{Family, FamilyKind, Parameter};

pub(super) const FAMILY: Family = Family {
    name: "peterson",
    about: "Peterson's mutual exclusion, with levels that the processes climb",
    parameters: &[Parameter::shape("processes", "processes; there is one level less", 2)],
    plain: Some(plain::net),
    coloured: Some(coloured::net),
    size: |kind, n| match kind {
        FamilyKind::Plain => 34 * n[0] * n[0] * n[0] + 30 * n[0] * n[0],
        // The sort of triples has to stay within 64 bits.
        FamilyKind::Coloured => n[0] * n[0] + 5 * n[0] + 100,
    },
};

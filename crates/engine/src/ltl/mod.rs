//! Linear temporal logic.

pub mod path;

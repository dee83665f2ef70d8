//! Linear temporal logic over opaque atoms, and Büchi automata for it.

mod buchi;
mod ltl;

pub use buchi::{Buchi, Edge, State};
pub use ltl::{Atom, Literal, Ltl};

//! Coloured (symmetric) nets: sorts, terms, guards, multisets, and the net itself.

mod bag;
pub mod matching;
mod members;
mod net;
mod sort;
mod term;

pub use bag::Bag;
pub use members::Members;
pub use net::{
    ColoredArc, ColoredMarking, ColoredNet, ColoredNetBuilder, ColoredPlace, ColoredTransition, Variable,
};
pub use sort::{Color, Sort, SortError, SortKind, Sorts};
pub use term::{BagTerm, ColorTerm, Guard, TermError};

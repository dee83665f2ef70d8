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
    ColouredArc, ColouredMarking, ColouredNet, ColouredNetBuilder, ColouredPlace, ColouredTransition,
    Variable,
};
pub use sort::{Colour, Sort, SortError, SortKind, Sorts};
pub use term::{BagTerm, ColourTerm, Guard, TermError};

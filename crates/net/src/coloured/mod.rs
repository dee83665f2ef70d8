//! Coloured (symmetric) nets: sorts, terms, guards, multisets, the net itself, and the colours that questions name.

mod bag;
pub mod matching;
mod members;
mod net;
mod pattern;
mod sort;
mod term;

pub use bag::Bag;
pub use members::Members;
pub use net::{
    ColouredArc, ColouredMarking, ColouredNet, ColouredNetBuilder, ColouredPlace, ColouredTransition,
    Variable,
};
pub use pattern::{BindingPattern, ColourPattern, PlaceColours};
pub use sort::{Colour, Sort, SortError, SortKind, Sorts};
pub use term::{BagTerm, ColourTerm, Guard, TermError};

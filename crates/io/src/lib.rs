//! File formats: readers turn bytes into nets and properties with bound names, writers turn them into bytes again. No other
//! package knows a format.

mod certificate;
pub mod dot;
mod encoding;
mod error;
pub mod graph;
mod limited;
mod named_net;
pub mod net_file;
pub mod pnml;
pub mod pnpro;
pub mod properties;
pub mod query;
mod scanner;
mod source;
mod suggest;
pub mod tapaal;
pub mod witness;
mod xml;

pub use error::{Fault, InputError, Position};
pub use source::Source;

//! File formats: readers turn bytes into nets and properties with bound names, writers turn them into bytes again. No other
//! package knows a format.

pub mod apt;
pub mod astg;
pub mod bpmn;
mod certificate;
mod counted_names;
mod encoding;
mod error;
pub mod graph;
mod limited;
pub mod lola;
pub mod marking_text;
pub mod mist;
mod named_net;
pub mod net_file;
pub mod pnml;
pub mod pnpro;
pub mod properties;
pub mod property_file;
pub mod query;
mod scanner;
mod source;
mod spelling;
mod suggest;
pub mod tapaal;
pub mod tina;
pub mod witness;
mod xml;

pub use error::{Fault, InputError, Position};
pub use source::Source;

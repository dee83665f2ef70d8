//! The only place that knows file formats: bytes in, nets and properties with bound names out, and back.

mod certificate;
pub mod dot;
mod error;
pub mod graph;
mod limited;
pub mod pnml;
pub mod properties;
pub mod query;
mod suggest;
pub mod witness;
mod xml;

pub use error::{Fault, InputError, Position};

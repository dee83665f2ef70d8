//! The only place that knows file formats: bytes in, nets and properties with bound names out, and back.

mod error;
pub mod pnml;
mod suggest;

pub use error::{Fault, InputError, Position};

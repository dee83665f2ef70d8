//! The only place that knows file formats: bytes in, nets and properties with bound names out, and back.

mod error;

pub use error::{Fault, InputError, Position};

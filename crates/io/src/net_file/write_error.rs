//! Why a net cannot be written in a format.

use std::{fmt, io};

/// A net was not written.
#[derive(Debug)]
pub enum NetWriteError {
    /// The format has no way to say something that the net has.
    Inexpressible {
        /// Such as `LoLA`.
        format: &'static str,
        /// Such as `inhibitor arcs`.
        construct: &'static str,
    },
    /// The file cannot be written.
    Io(io::Error),
}

impl fmt::Display for NetWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inexpressible { format, construct } => {
                write!(f, "{construct} cannot be written in {format}")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NetWriteError {}

impl From<io::Error> for NetWriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

//! Why a family does not give a net.

use std::fmt;

use super::{FamilyKind, MAX_SIZE, Parameter};

/// Why a family does not give a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FamilyError {
    /// The family has no net of that kind.
    NotOffered {
        /// As the command line names it.
        family: &'static str,
        /// The kind of net that the family does not have.
        kind: FamilyKind,
    },
    /// More or fewer parameters than the family has.
    Arity {
        /// As the command line names it.
        family: &'static str,
        /// The parameters that the family has.
        expected: &'static [Parameter],
        /// The number of parameters on the command line.
        given: usize,
    },
    /// A parameter outside its range.
    Range {
        /// As the command line names it.
        family: &'static str,
        /// The parameter with its range.
        parameter: Parameter,
        /// A number out of the parameter's range.
        given: u64,
    },
    /// The parameters are fine one by one, but the net would be larger than [`MAX_SIZE`].
    TooLarge {
        /// As the command line names it.
        family: &'static str,
        /// The kind of net that would be too large.
        kind: FamilyKind,
        /// At most how many nodes, arcs and colours it would have.
        size: u128,
    },
}

impl fmt::Display for FamilyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOffered { family, kind } => write!(f, "there is no {kind} net of the family `{family}`"),
            Self::Arity { family, expected, given } => {
                let names: Vec<_> = expected.iter().map(|p| p.name).collect();
                let (count, s) = (expected.len(), if expected.len() == 1 { "" } else { "s" });
                write!(f, "`{family}` takes {count} parameter{s} ({}), not {given}", names.join(", "))
            }
            Self::Range { family, parameter: Parameter { name, min, max, .. }, given } => {
                write!(f, "`{name}` of `{family}` is from {min} to {max}, not {given}")
            }
            Self::TooLarge { family, kind, size } => write!(
                f,
                "this {kind} `{family}` would have up to {size} nodes, arcs and colours; \
                 {MAX_SIZE} are the limit"
            ),
        }
    }
}

impl std::error::Error for FamilyError {}

//! Why a family does not give a net.

use std::fmt;

use super::{Kind, MAX_SIZE, Parameter};

/// Why a family does not give a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FamilyError {
    /// The family has no net of that kind.
    NotOffered {
        /// The family.
        family: &'static str,
        /// The kind that was asked for.
        kind: Kind,
    },
    /// More or fewer parameters than the family has.
    Arity {
        /// The family.
        family: &'static str,
        /// Its parameters.
        expected: &'static [Parameter],
        /// How many were given.
        given: usize,
    },
    /// A parameter outside its range.
    Range {
        /// The family.
        family: &'static str,
        /// The parameter with its range.
        parameter: Parameter,
        /// What was given.
        given: u64,
    },
    /// The parameters are fine one by one, but the net would be larger than [`MAX_SIZE`].
    TooLarge {
        /// The family.
        family: &'static str,
        /// The kind that was asked for.
        kind: Kind,
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

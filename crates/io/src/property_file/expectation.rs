//! The verdict that a property file expects of a property.

use std::fmt;

use fireset_net::{Count, Global, Query, Verdict};

/// An expected verdict, for tests that run again after a change of the net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The property is expected to hold.
    Holds,
    /// The property is expected not to hold.
    Fails,
    /// Of a bound; for the size of the state space, its number of states.
    Number(Count),
}

impl Expectation {
    /// Whether a verdict is the expected one; `None` as long as it is unknown.
    pub fn is_met_by(&self, verdict: &Verdict) -> Option<bool> {
        Some(match verdict {
            Verdict::Holds => *self == Self::Holds,
            Verdict::Fails => *self == Self::Fails,
            Verdict::Bound(count) => matches!(self, Self::Number(number) if number == count),
            Verdict::StateSpace(size) => matches!(self, Self::Number(number) if *number == size.states),
            // The number of states is what is expected.
            Verdict::PartialStateSpace(_) | Verdict::Unknown(_) => return None,
        })
    }

    /// Whether a query of this kind can have such a verdict.
    pub(super) fn fits(&self, query: &Query) -> bool {
        has_number(query) == matches!(self, Self::Number(_))
    }
}

/// Whether the verdict of a query is a number.
pub(super) fn has_number(query: &Query) -> bool {
    matches!(query, Query::Bound(_) | Query::Global(Global::StateSpace))
}

/// `holds`, `fails`, or the number as answers write it.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::Fails => f.write_str("fails"),
            Self::Number(count) => count.fmt(f),
        }
    }
}

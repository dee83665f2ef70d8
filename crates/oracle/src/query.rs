//! Queries from formulas as tests write them.
//!
//! # Panics
//! Each function panics when the formula is not of its kind.

use fireset_net::{Formula, Quantifier, Query, StatePredicate, WrongKind};

/// A formula of the kind that the result has.
pub fn typed<F: for<'f> TryFrom<&'f Formula, Error = WrongKind>>(formula: impl Into<Formula>) -> F {
    let formula = formula.into();
    F::try_from(&formula).unwrap_or_else(|WrongKind| panic!("{formula:?} is of another kind"))
}

/// A formula that speaks of one marking.
pub fn predicate(formula: impl Into<Formula>) -> StatePredicate {
    typed(formula)
}

/// Whether a marking with a state predicate is reachable.
pub fn reachable(formula: impl Into<Formula>) -> Query {
    Query::Reachable(typed(formula))
}

/// Whether all reachable markings have a state predicate.
pub fn invariant(formula: impl Into<Formula>) -> Query {
    Query::Invariant(typed(formula))
}

/// Whether a CTL formula holds in the initial marking.
pub fn ctl(formula: impl Into<Formula>) -> Query {
    Query::Ctl(typed(formula))
}

/// Whether an LTL formula holds on all or some runs.
pub fn ltl(quantifier: Quantifier, formula: impl Into<Formula>) -> Query {
    Query::Ltl(quantifier, typed(formula))
}

//! Linear temporal logic over opaque atoms, and Büchi automata for it.
//!
//! [`translate`] goes from a formula to an automaton in three steps, after Gastin and Oddoux, "Fast LTL to Büchi
//! automata translation" (CAV 2001): `alternating`, `generalised`, `degeneralise`; then `reduce` makes the result
//! smaller. Formulas are rewritten before, in `nodes`.

mod alternating;
mod buchi;
mod components;
mod degeneralise;
mod dot;
mod generalised;
mod hoa;
mod limit;
mod ltl;
mod nodes;
mod reduce;
mod sets;
mod simulation;
#[cfg(test)]
mod tests;

pub use buchi::{Buchi, Class, Edge, State};
pub use ltl::{Atom, Literal, Ltl};

use alternating::Alternating;
use degeneralise::degeneralise;
use generalised::Generalised;
use limit::Limit;

/// An automaton that accepts the words that satisfy the formula; `None` when an automaton on the way would have
/// more than `limit` states or edges, or take too much work for that limit.
pub fn translate(formula: &Ltl, limit: usize) -> Option<Buchi> {
    let mut building = Limit::new(limit);
    let alternating = Alternating::new(formula, &mut building)?;
    let mut generalised = Generalised::new(&alternating, &mut building)?;
    // What makes automata smaller has an allowance of its own, and is left out when that is used up.
    let _ = generalised.simplify(&mut Limit::new(limit));
    let mut automaton = degeneralise(&generalised, &mut building)?;
    automaton.reduce(&mut Limit::new(limit));
    Some(automaton)
}

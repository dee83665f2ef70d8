//! Linear temporal logic over opaque atoms, and Büchi automata for it.
//!
//! [`translate`] goes from a formula to an automaton in three steps, after Gastin and Oddoux, "Fast LTL to Büchi
//! automata translation" (CAV 2001): `alternating`, `generalised`, `degeneralise`; then `reduce` makes the result
//! smaller. Formulas are rewritten before, in `formula_dag`.

mod alternating;
mod buchi;
mod components;
mod degeneralise;
mod dot;
mod formula_dag;
mod generalised;
mod hoa;
mod ltl;
mod reduce;
mod sets;
mod simulation;
mod size_limit;
mod stuttering;
#[cfg(test)]
mod tests;

pub use buchi::{Buchi, BuchiClass, BuchiEdge, BuchiState};
pub use components::StateComponents;
pub use ltl::{AtomId, AtomLiteral, LtlFormula};
pub use stuttering::is_closed_under_stuttering;

use alternating::AlternatingAutomaton;
use degeneralise::degeneralise;
use generalised::GeneralisedBuchi;
use size_limit::SizeLimit;

/// An automaton that accepts the words that satisfy the formula; `None` when an intermediate automaton would have
/// more than `max_size` states or edges, or take too much work for that size.
pub fn translate(formula: &LtlFormula, max_size: usize) -> Option<Buchi> {
    let mut building = SizeLimit::new(max_size);
    let alternating = AlternatingAutomaton::new(formula, &mut building)?;
    let mut generalised = GeneralisedBuchi::new(&alternating, &mut building)?;
    // The reductions have limits of their own, and end early when those are reached.
    let _ = generalised.simplify(&mut SizeLimit::new(max_size));
    let mut automaton = degeneralise(&generalised, &mut building)?;
    automaton.reduce(&mut SizeLimit::new(max_size));
    Some(automaton)
}

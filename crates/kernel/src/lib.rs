//! Algorithms that do not know what a net is.
//!
//! * [`automata`] translates LTL formulas to Büchi automata.
//! * [`bits`] keeps subsets of a range, one bit each.
//! * [`mdd`] keeps sets of vectors as multi-valued decision diagrams.
//! * [`lp`] decides the feasibility of linear programs in floating point.
//! * [`random`] draws pseudo-random numbers.
//! * [`sat`] decides the satisfiability of clauses over Boolean variables.
//! * [`scc`] finds strongly connected components.
//! * [`shortest_lasso`] finds lassos with the fewest steps.
//! * [`store`] keeps each row of words once, compressed, under a number.
//! * [`threads`] spreads work over threads, or runs it in place where there are none.

pub mod automata;
pub mod bits;
pub mod lp;
pub mod mdd;
pub mod random;
pub mod sat;
pub mod scc;
pub mod shortest_lasso;
pub mod store;
pub mod threads;

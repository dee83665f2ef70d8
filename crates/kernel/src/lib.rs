//! Algorithms that do not know what a net is.
//!
//! * [`automata`] translates LTL formulas to Büchi automata.
//! * [`mdd`] keeps sets of vectors as multi-valued decision diagrams.
//! * [`lp`] decides the feasibility of linear programs in floating point.
//! * [`sat`] decides the satisfiability of clauses over Boolean variables.
//! * [`store`] keeps each row of words once, compressed, under a number.
//! * [`threads`] spreads work over threads, or runs it in place where there are none.

pub mod automata;
pub mod lp;
pub mod mdd;
pub mod sat;
pub mod store;
pub mod threads;

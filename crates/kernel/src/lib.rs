//! Algorithms that do not know what a net is.
//!
//! * [`automata`] translates temporal formulas to Büchi automata.
//! * [`bits`] keeps subsets of a range, one bit each.
//! * [`diagram`] keeps sets of vectors as decision diagrams.
//! * [`flows`] solves linear equations over the integers.
//! * [`lp`] solves linear programs, as a guess.
//! * [`random`] draws pseudo-random numbers.
//! * [`sat`] solves clauses over Boolean variables.
//! * [`scc`] finds strongly connected components.
//! * [`store`] keeps each row of words once and gives it a number.
//! * [`threads`] spreads work over threads.

pub mod automata;
pub mod bits;
pub mod diagram;
pub mod flows;
pub mod lp;
pub mod random;
pub mod sat;
pub mod scc;
pub mod store;
pub mod threads;

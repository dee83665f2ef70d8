//! Algorithms that do not know what a net is.
//!
//! * [`automata`] translates temporal formulas to Büchi automata.
//! * [`mdd`] keeps sets of vectors as multi-valued decision diagrams.
//! * [`flows`] solves linear equations over the integers.
//! * [`lp`] solves linear programs, as a guess.
//! * [`sat`] solves clauses over Boolean variables.
//! * [`store`] keeps each row of words once and gives it a number.
//! * [`threads`] spreads work over threads.

pub mod automata;
pub mod flows;
pub mod lp;
pub mod mdd;
pub mod sat;
pub mod store;
pub mod threads;

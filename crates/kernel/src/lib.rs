//! Algorithms that do not know what a net is.
//!
//! * [`automata`] translates temporal formulas to Büchi automata.
//! * [`diagram`] keeps sets of vectors as decision diagrams.
//! * [`lp`] solves linear programs, as a guess.
//! * [`sat`] solves clauses over Boolean variables.
//! * [`store`] keeps each row of words once and gives it a number.
//! * [`threads`] spreads work over threads.

pub mod automata;
pub mod diagram;
pub mod lp;
pub mod sat;
pub mod store;
pub mod threads;

//! Problem to smaller problem: what makes a query easier without changing its answer.
//!
//! * [`formula`] makes queries smaller: [`formula::Simplifier`].
//! * [`Proven`] is what is known of a net's reachable markings without looking at them.

pub mod formula;
mod proven;

pub use formula::{Simplifier, lift, simplify};
pub use proven::Proven;

//! Problem to smaller problem: what makes a query easier without changing its answer.
//!
//! * [`Pass`] makes a problem smaller, [`Lift`] brings outcomes back.
//! * [`formula`] makes queries smaller: [`formula::Simplifier`].
//! * [`mod@unfold`] makes place/transition nets of coloured nets.
//! * [`Divide`] makes many small queries of properties of the whole net.
//! * [`rules`] makes place/transition nets smaller: [`Reduce`].
//! * [`Certifier`] finds arguments that something is never reached.
//! * [`Equation`] finds runs to a goal by solutions of the state equation, or that there are none.
//! * [`Proven`] is what is known of a net's reachable markings without looking at them.

mod divide;
pub mod formula;
mod join;
mod lasso_extension;
mod pass;
mod proven;
pub mod rules;
mod state_equation;
pub mod unfold;

pub use divide::Divide;
pub use formula::{CtlAsLtl, SimplificationSteps, Simplifier, Simplify, lift, simplify};
pub use pass::{Lift, Pass, Reduced};
pub use proven::Proven;
pub use rules::Reduce;
pub use state_equation::certificate::Certifier;
pub use state_equation::{Equation, Finding, Parikh};
pub use unfold::{Unfold, unfold};

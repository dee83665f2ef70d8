//! Problem to smaller problem: what makes a query easier without changing its answer.
//!
//! * [`Pass`] makes a problem smaller, [`Lift`] brings outcomes back.
//! * [`formula`] makes queries smaller: [`formula::Simplifier`].
//! * [`mod@unfold`] makes place/transition nets of coloured nets.
//! * [`ColourAbstraction`] and [`ColourRestriction`] approximate coloured nets that are too large to unfold.
//! * [`Decompose`] makes many small queries of global properties.
//! * [`rules`] makes place/transition nets smaller: [`Reduce`].
//! * [`Certifier`] finds certificates of unreachability.
//! * [`ParikhRealisation`] finds runs to a goal by solutions of the state equation, or that there are none.

mod certifier;
mod colours;
mod decomposition;
pub mod formula;
mod join;
mod lasso_extension;
mod parikh;
mod pass;
pub mod rules;
pub mod unfold;

pub use certifier::Certifier;
pub use colours::{ColourAbstraction, ColourRestriction, unfolded_size};
pub use decomposition::Decompose;
pub use formula::{CtlAsLtl, SimplificationSteps, Simplifier, Simplify, lift, simplify};
pub use parikh::{ParikhRealisation, ParikhVector, Realisation};
pub use pass::{Lift, Pass, Reduced};
pub use rules::Reduce;
pub use unfold::{Unfold, unfold, unfold_all_places};

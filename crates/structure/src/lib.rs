//! Structure theory of place/transition nets: what arcs and initial marking tell without exploring.
//!
//! * [`NetStructure`] gives the facts of a net on demand.
//! * [`semiflows`] solves the equations of P- and T-invariants; [`PlaceSemiflows`], [`PlaceInvariants`] and
//!   [`MarkingBounds`] say what follows for reachable markings.
//! * [`traps`] has siphons and traps, [`siphon_trap`] the siphon-trap property.
//! * [`NetClasses`] are the classes of the literature: state machine, marked graph, free choice and so on.
//! * [`reversible`] recognises nets in which every firing can be undone.
//! * [`TransitionColumns`] groups transitions with the same arcs; [`Incidence`] is the incidence matrix over these columns.
//! * [`ColourSymmetries`] are the permutations of colours that a coloured net does not notice.
//! * [`state_equation`] is the state equation with its linear programs: refutations and integral solutions.
//!
//! How facts are shared: `NetStructure::of(net)` is a handle of two references, and what it computes is kept beside the net
//! itself ([`fireset_net::Net::derived`]). So each fact is computed at most once for a net, whoever asks first, in whatever
//! pass, engine or thread; and it goes when the net goes. A search under a time limit keeps a result only if it came to its
//! end. One under a work limit is repeated only for a caller that grants more work than the search had when it was cut off,
//! so that without time limits every run has the same facts.
//!
//! Facts are about runs: inhibitor arcs only take runs away, so what holds for a net without them holds with them, unless a
//! module says otherwise. Nothing that a file claims of its net (its units) is a fact here.

mod class_breaches;
mod classes;
mod colour_symmetries;
mod columns;
pub mod components;
mod conclusions;
mod enumeration;
mod live_and_bounded;
mod marking_bounds;
mod minimal_semiflows;
pub mod minimal_sets;
mod net_structure;
mod place_invariants;
pub mod positive_vectors;
pub mod rank;
pub mod reversible;
pub mod semiflows;
pub mod siphon_trap;
pub mod state_equation;
mod structural_analysis;
pub mod traps;

pub use class_breaches::{ClassBreach, ClassBreaches};
pub use classes::NetClasses;
pub use colour_symmetries::{ColourSymmetries, SortSymmetry};
pub use columns::{Incidence, TransitionColumns, distinct_transitions};
pub use conclusions::{Conclusion, ConclusionReason, DerivedProperty};
pub use enumeration::{Enumeration, EnumerationLimits, ReachedLimit};
pub use marking_bounds::{FormRange, MarkingBounds};
pub use net_structure::NetStructure;
pub use place_invariants::{PlaceInvariants, PlaceSemiflows, Semiflow};
pub use semiflows::{SparseVector, gcd};
pub use state_equation::{MarkingCondition, StateEquation};
pub use structural_analysis::{AnalysisLimits, Coverage, MinimalSet, SemiflowBound, StructuralAnalysis};

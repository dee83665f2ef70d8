//! Problem to verdict: one [`Engine`] for each way to decide properties.

mod coloured;
mod constants;
mod coverability;
mod ctl;
mod ctl_star;
mod distance;
mod driver;
mod explicit;
pub mod ltl;
mod marking_graph;
mod packed;
mod runs;
mod sat_based;
mod search;
mod stubborn;
mod suspended;
mod symbolic;
pub mod turns;
mod walk;

pub use coloured::{Binding, ColouredConfig, Symmetry, TokenLayout};
pub use constants::ConstantEngine;
pub use coverability::{CoverabilityDirection, CoverabilityEngine};
pub use ctl::{CtlAlgorithm, CtlEngine, Learning, ResumableCtl};
pub use ctl_star::CtlStarEngine;
pub use explicit::{Explicit, ResumableExplicit, self_covering_lasso};
pub use fireset_kernel::automata;
pub use ltl::{
    AutomatonOrder, Deepening, FoundLasso, LtlEngine, LtlPruning, ResumableLtl, ShortestLassoSearch,
};
pub use packed::{Access, Encoding, LayoutChoice};
pub use runs::RunEngine;
pub use sat_based::{SatEngine, SatMethod};
pub use search::{FiresetMode, Order};
pub use stubborn::Stubborn;
pub use suspended::SuspendedExplorations;
pub use symbolic::{QueryKinds, SymbolicEngine};
pub use walk::{LassoWalk, RandomWalk, WalkAcceleration, WalkGuidance, walk_along};

use fireset_net::{Budget, Event, Model, Outcome, Problem, Query, Signal};

/// A way to decide properties.
///
/// Laws: an engine answers each query of the problem at most once, with a verdict that is right or
/// `Unknown`; evidence is about the problem's own net; it asks the budget often enough to stop soon.
pub trait Engine: Sync {
    /// What statistics and faults call it.
    fn name(&self) -> &'static str;

    /// Whether it can say anything about this query of this net.
    fn accepts(&self, model: &Model, query: &Query) -> bool;

    /// Answers what it can. All queries of a problem come at once, because they share the exploration; the sink is
    /// told a query's position as soon as its outcome is known.
    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink);
}

/// Takes the results of the queries of a problem.
pub trait ResultSink {
    /// Takes the outcome of a query.
    fn report(&mut self, at: usize, outcome: Outcome);

    /// Whether a query still needs an answer: the answers to others may have made it superfluous, and an engine need
    /// not go on with it then.
    fn is_open(&self, _at: usize) -> bool {
        true
    }

    /// The signal that is given when a query is no longer open, where that can happen while an engine works on it.
    fn signal(&self, _at: usize) -> Option<&Signal> {
        None
    }

    /// The signal that is given when the query as written that a query was made of is no longer open: what an engine keeps
    /// for a later run is of no use then.
    fn signal_as_written(&self, _at: usize) -> Option<&Signal> {
        None
    }

    /// Records what happens to a query before its outcome is known.
    fn record(&mut self, _at: usize, _event: Event) {}
}

/// A closure takes every outcome; its queries are always open.
impl<F: FnMut(usize, Outcome)> ResultSink for F {
    fn report(&mut self, at: usize, outcome: Outcome) {
        self(at, outcome);
    }
}

//! Problem to verdict: one [`Engine`] for each way to decide properties.

mod colored;
mod constants;
mod ctl;
mod distance;
mod explicit;
mod induction;
pub mod ltl;
mod packed;
mod search;
mod stubborn;
mod symbolic;
pub mod turns;
mod walk;

pub use colored::{Binding, Tokens, Ways};
pub use constants::Constants;
pub use ctl::{Ctl, CtlAlgorithm};
pub use explicit::Explicit;
pub use fireset_kernel::automata;
pub use induction::{Induction, Method};
pub use ltl::{AutomatonOrder, Deepening, OnTheFly};
pub use packed::{Access, Choice, Encoding};
pub use search::{FiresetMode, Order};
pub use stubborn::Stubborn;
pub use symbolic::{Symbolic, Takes};
pub use walk::{Steering, Walk, walk_along};

use fireset_net::{Budget, Model, Note, Outcome, Problem, Query, Signal};

/// A way to decide properties.
///
/// Laws: an engine answers each query of the problem at most once, with a verdict that is right or
/// `Unknown`; evidence is about the problem's own net; it asks the budget often enough to stop soon.
pub trait Engine: Sync {
    /// What statistics and faults call it.
    fn name(&self) -> &'static str;

    /// Whether it can say anything about this query of this net.
    fn accepts(&self, model: &Model, query: &Query) -> bool;

    /// Answers what it can. All queries of a problem come at once, because they share the exploration; the asker is
    /// told a query's position as soon as its outcome is known.
    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker);
}

/// Who wants to know.
pub trait Asker {
    /// Hears the outcome of a query.
    fn hear(&mut self, at: usize, outcome: Outcome);

    /// Whether the answer to a query is wanted still: those to others may have made it superfluous, and an engine need
    /// not go on with it then.
    fn wants(&self, _at: usize) -> bool {
        true
    }

    /// What is given when the answer to a query is not wanted any more, where that may happen while an engine is busy with
    /// it.
    fn signal(&self, _at: usize) -> Option<&Signal> {
        None
    }

    /// Takes note of what happens to a query before there is an outcome.
    fn note(&mut self, _at: usize, _note: Note) {}
}

/// Wants everything.
impl<F: FnMut(usize, Outcome)> Asker for F {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        self(at, outcome);
    }
}

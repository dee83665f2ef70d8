//! Passes, and the way back from what they make.

use fireset_net::{Budget, Outcome, Problem, StopReason};

/// Makes problems smaller or simpler.
///
/// Laws: what a [`Lift`] makes of a right outcome is right; a pass changes neither the problem nor anything else.
pub trait Pass: Sync {
    /// The name in statistics and faults.
    fn name(&self) -> &'static str;

    /// The smaller problem; `None` where there is nothing to do. It stops with a reason where the budget ends.
    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason>;
}

/// A problem that a pass has made from a larger one.
pub struct Reduced {
    /// Has the model and the queries that engines get.
    pub problem: Problem,
    /// For each of its queries, the query of the larger problem that it is asked for.
    pub asked_for: Vec<usize>,
    /// Brings outcomes of this problem back to the larger one.
    pub lift: Box<dyn Lift>,
}

/// Makes outcomes of the larger problem from those of the smaller one.
pub trait Lift: Send {
    /// What the outcome of the smaller problem's query `at` says about the query that it is asked for; `None` while
    /// that takes more outcomes.
    fn lift(&mut self, at: usize, outcome: Outcome) -> Option<Outcome>;
}

//! A problem after the passes of a way, and the way back to the problem as written.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fireset_net::{Budget, Outcome, Problem, StopReason};
use fireset_reduce::{Lift, Pass, Reduced};

/// The smaller problem. Lifts are applied in the reverse order of the passes that pushed them.
pub(crate) struct Reduction {
    pub(crate) problem: Problem,
    lifts: Vec<Back>,
    /// For each query of the smaller problem, the query of the problem as written that it is asked for.
    asked_for: Vec<usize>,
    standings: Vec<Standing>,
}

/// How far a query of the smaller problem came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has no verdict yet.
    Open,
    /// An engine ran out of its part of the time.
    Stopped,
    /// It has a verdict.
    Decided,
}

/// One step back.
struct Back {
    asked_for: Vec<usize>,
    lift: Box<dyn Lift>,
}

impl Reduction {
    /// Applies passes to some queries of a problem. One that breaks is left out: that costs what it would have saved,
    /// not the answers.
    pub(crate) fn new(
        problem: &Problem,
        asked: &[usize],
        passes: &[Box<dyn Pass>],
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let queries = asked.iter().map(|&at| problem.queries[at].clone()).collect();
        let mut problem = Problem { model: problem.model.clone(), queries };
        let (mut lifts, mut origin) = (Vec::new(), asked.to_vec());
        for pass in passes {
            let applied = catch_unwind(AssertUnwindSafe(|| pass.apply(&problem, budget)));
            let Some(reduced) = applied.unwrap_or(Ok(None)).transpose() else { continue };
            let Reduced { problem: smaller, asked_for, lift } = reduced?;
            problem = smaller;
            origin = asked_for.iter().map(|&at| origin[at]).collect();
            lifts.push(Back { asked_for, lift });
        }
        let standings = vec![Standing::Open; problem.queries.len()];
        Ok(Self { problem, lifts, asked_for: origin, standings })
    }

    /// The query of the problem as written that a query of the smaller one is asked for.
    pub(crate) fn asked_for(&self, at: usize) -> usize {
        self.asked_for[at]
    }

    /// How far a query of the smaller problem came.
    pub(crate) fn standing(&self, at: usize) -> Standing {
        self.standings[at]
    }

    /// Takes note how far a query came.
    pub(crate) fn set(&mut self, at: usize, standing: Standing) {
        self.standings[at] = standing;
    }

    /// What an outcome of the smaller problem says about the problem as written, if anything.
    pub(crate) fn lift(&mut self, at: usize, outcome: Outcome) -> Option<(usize, Outcome)> {
        let (mut now, mut outcome) = (at, outcome);
        for back in self.lifts.iter_mut().rev() {
            outcome = back.lift.lift(now, outcome)?;
            now = back.asked_for[now];
        }
        Some((self.asked_for[at], outcome))
    }
}

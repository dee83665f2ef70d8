//! A problem after some passes, and the way back to the problem before them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use fireset_engine::ResultSink;
use fireset_net::{Budget, Event, Outcome, Problem, Size, StopReason};
use fireset_reduce::{Lift, Pass, Reduced};

use crate::part;

/// The smaller problem. Lifts are applied in the reverse order of the passes that pushed them.
pub(crate) struct Reduction {
    pub(crate) problem: Problem,
    lifts: Vec<Back>,
    /// For each query of the smaller problem, the query of the larger one that it is asked for.
    asked_for: Vec<usize>,
    /// What the passes did, for each query of the larger problem.
    events: Vec<(usize, Event)>,
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
        let problem = part::problem(problem, asked);
        let mut so_far = Self { problem, lifts: Vec::new(), asked_for: asked.to_vec(), events: Vec::new() };
        for pass in passes {
            let start = Instant::now();
            let applied = catch_unwind(AssertUnwindSafe(|| pass.apply(&so_far.problem, budget)));
            if let Some(reduced) = applied.unwrap_or(Ok(None))? {
                so_far.push(pass.name(), start, reduced);
            }
        }
        Ok(so_far)
    }

    /// One pass more.
    fn push(&mut self, pass: &'static str, start: Instant, reduced: Reduced) {
        let Reduced { problem, asked_for, lift } = reduced;
        let elapsed = start.elapsed();
        let mut after: Vec<Option<Size>> = vec![None; self.asked_for.len()];
        for (query, &at) in problem.queries.iter().zip(&asked_for) {
            let size = Size::of(&problem.model, query);
            let formula = size.formula + after[at].map_or(0, |others| others.formula);
            after[at] = Some(Size { formula, ..size });
        }
        for (at, after) in after.into_iter().enumerate() {
            let Some(after) = after else { continue };
            let before = Size::of(&self.problem.model, &self.problem.queries[at]);
            self.events
                .push((self.asked_for[at], Event::Applied { pass, began: start, elapsed, before, after }));
        }
        self.asked_for = asked_for.iter().map(|&at| self.asked_for[at]).collect();
        self.problem = problem;
        self.lifts.push(Back { asked_for, lift });
    }

    /// Tells what the passes did.
    pub(crate) fn tell(&mut self, sink: &mut dyn ResultSink) {
        self.events.drain(..).for_each(|(at, event)| sink.record(at, event));
    }

    /// The query of the larger problem that a query of the smaller one is asked for.
    pub(crate) fn asked_for(&self, at: usize) -> usize {
        self.asked_for[at]
    }

    /// What an outcome of the smaller problem says about the larger one, if anything.
    pub(crate) fn lift(&mut self, at: usize, outcome: Outcome) -> Option<(usize, Outcome)> {
        let (mut now, mut outcome) = (at, outcome);
        for back in self.lifts.iter_mut().rev() {
            outcome = back.lift.lift(now, outcome)?;
            now = back.asked_for[now];
        }
        Some((self.asked_for[at], outcome))
    }
}

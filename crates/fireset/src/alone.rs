//! Queries one by one, each on a net that was made smaller for it alone: what one query looks at need not be kept for
//! another. But what they share is explored once where they are asked together, so that comes first where it may be
//! enough.

use std::{sync::Arc, time::Duration};

use fireset_engine::{
    Asker, Engine,
    turns::{self, Turn},
};
use fireset_net::{Budget, Model, Outcome, Problem, Query, Signal, StopReason, Verdict};
use fireset_reduce::Pass;

use crate::reduction::Reduction;

/// Queries for each of which a net is made before the first is asked.
const MANY: usize = 64;
/// Of more, the time that each gets at least.
const LEAST: Duration = Duration::from_millis(50);

/// An engine that is asked about one query at a time, after passes for this query.
pub(crate) struct Alone {
    pub(crate) passes: Vec<Box<dyn Pass>>,
    pub(crate) engine: Box<dyn Engine>,
    /// The part of the time in which all queries are asked together first.
    pub(crate) together: f64,
}

impl Engine for Alone {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.engine.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        if problem.queries.len() > MANY {
            return self.decide_many(problem, budget, asker);
        }
        let all: Vec<usize> = (0..problem.queries.len()).collect();
        let reduced =
            |&at: &usize| Reduction::new(problem, &[at], &self.passes, &budget.part(all.len() as u32));
        let mut reductions: Vec<Result<Reduction, StopReason>> = all.iter().map(reduced).collect();
        let is_smaller =
            |at: usize| reductions[at].as_ref().is_ok_and(|r| !Arc::ptr_eq(&r.problem.model, &problem.model));
        let same: Vec<usize> = all.iter().copied().filter(|&at| !is_smaller(at)).collect();
        if same.len() == all.len() {
            return self.engine.decide(problem, budget, asker);
        }
        // Those that gain nothing by being alone are together in any case, in their part of the time.
        let (joint, share) = match self.together {
            0.0 => (&same, same.len() as f64 / all.len() as f64),
            share => (&all, share),
        };
        let mut open = vec![true; all.len()];
        if joint.len() > 1 {
            self.ask_together(problem, (joint, share), budget, &mut open, asker);
        }
        let open: Vec<usize> = all.into_iter().filter(|&at| open[at]).collect();
        let mut decide = |at: usize, _, part: &Budget| match &mut reductions[open[at]] {
            Ok(reduction) => self.ask(reduction, part),
            Err(reason) => Outcome::unknown(reason.clone()),
        };
        let mut rest = Rest { asker, open: &open };
        match open.len() {
            1 => {
                let alone = rest.signal(0).map(|signal| budget.heeding(signal));
                rest.hear(0, decide(0, Turn::First, alone.as_ref().unwrap_or(budget)));
            }
            several => turns::in_turn(several, budget, decide, &mut rest),
        }
    }
}

impl Alone {
    /// Asks about some queries together, in a part of the time; what is decided then is not open.
    fn ask_together(
        &self,
        problem: &Problem,
        (joint, share): (&[usize], f64),
        budget: &Budget,
        open: &mut [bool],
        asker: &mut dyn Asker,
    ) {
        let time = budget.time_left().map(|time| budget.within(time.mul_f64(share)));
        let queries = joint.iter().map(|&at| problem.queries[at].clone()).collect();
        let part = Problem { model: problem.model.clone(), queries };
        let mut first = Together { asker, joint, open };
        self.engine.decide(&part, time.as_ref().unwrap_or(budget), &mut first);
    }

    /// The same for queries that are too many to make a net for each before the first is asked: a net is made when its
    /// query's turn comes, and each gets enough time for it or none.
    fn decide_many(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        let all: Vec<usize> = (0..problem.queries.len()).collect();
        let mut open = vec![true; all.len()];
        if self.together > 0.0 {
            self.ask_together(problem, (&all, self.together), budget, &mut open, asker);
        }
        let open: Vec<usize> = all.into_iter().filter(|&at| open[at] && asker.wants(at)).collect();
        for (done, &at) in open.iter().enumerate() {
            if !asker.wants(at) {
                continue;
            }
            let time = budget.time_left().map(|time| (time / (open.len() - done) as u32).max(LEAST));
            let part = time.map_or_else(|| budget.clone(), |time| budget.within(time));
            let outcome = match part.go_on() {
                Ok(()) => match Reduction::new(problem, &[at], &self.passes, &part) {
                    Ok(mut reduction) => self.ask(&mut reduction, &part),
                    Err(reason) => Outcome::unknown(reason),
                },
                Err(reason) => Outcome::unknown(reason),
            };
            asker.hear(at, outcome);
        }
    }

    /// What the engine says of the one query of a smaller problem.
    fn ask(&self, reduction: &mut Reduction, budget: &Budget) -> Outcome {
        let smaller = reduction.problem.clone();
        let mut told = Outcome::unknown(StopReason::NoEngine);
        self.engine.decide(&smaller, budget, &mut |at: usize, outcome: Outcome| {
            if let Some((_, outcome)) = reduction.lift(at, outcome) {
                told = outcome;
            }
        });
        told
    }
}

/// Hears what is decided together; what is not will be asked again.
struct Together<'a> {
    asker: &'a mut dyn Asker,
    joint: &'a [usize],
    open: &'a mut [bool],
}

impl Asker for Together<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        let at = self.joint[at];
        if !matches!(outcome.verdict, Verdict::Unknown(_)) {
            self.open[at] = false;
            self.asker.hear(at, outcome);
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(self.joint[at])
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(self.joint[at])
    }
}

/// Hears the rest.
struct Rest<'a> {
    asker: &'a mut dyn Asker,
    open: &'a [usize],
}

impl Asker for Rest<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        self.asker.hear(self.open[at], outcome);
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(self.open[at])
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(self.open[at])
    }
}

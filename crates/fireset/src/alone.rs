//! Queries one by one, each on a net that was made smaller for it alone: what one query looks at need not be kept for
//! another. But what they share is explored once where they are asked together, so that comes first where it may be
//! enough.

use std::{sync::Arc, time::Duration};

use fireset_engine::{Asker, Engine};
use fireset_net::{Budget, Model, Note, Outcome, Problem, Query, Signal, StopReason};
use fireset_reduce::Pass;

use crate::{
    part::{self, Part},
    reduction::Reduction,
    spread,
    through::Lifted,
};

/// Queries for each of which a net is made before the first is asked.
const MANY: usize = 64;
/// Of more, the time that each gets at least.
const LEAST: Duration = Duration::from_millis(50);

/// An engine that is asked about one query at a time, after passes for this query.
pub(crate) struct Alone {
    /// They make one query of one.
    pub(crate) passes: Vec<Box<dyn Pass>>,
    pub(crate) engine: Box<dyn Engine>,
    /// The part of the time in which all queries are asked together first.
    pub(crate) together: f64,
    /// How many queries are asked at a time when each is asked alone.
    pub(crate) threads: usize,
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
        let mut rest = Vec::new();
        for (at, reduction) in reductions.iter_mut().enumerate().filter(|(at, _)| open[*at]) {
            match reduction {
                Ok(reduction) => {
                    reduction.tell(asker);
                    rest.push(reduction);
                }
                Err(reason) => asker.hear(at, Outcome::unknown(reason.clone())),
            }
        }
        let problems: Vec<Problem> = rest.iter().map(|reduction| reduction.problem.clone()).collect();
        let mut lifted = Each { asker, reductions: rest };
        spread::in_turn(&*self.engine, &problems, self.threads, budget, &mut lifted);
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
        let some = part::problem(problem, joint);
        let mut first = Together { part: Part { asker, asked: joint }, open };
        self.engine.decide(&some, &budget.share(share), &mut first);
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
            let reduction = part.go_on().and_then(|()| Reduction::new(problem, &[at], &self.passes, &part));
            match reduction {
                Ok(mut reduction) => {
                    reduction.tell(asker);
                    let smaller = reduction.problem.clone();
                    self.engine.decide(&smaller, &part, &mut Lifted { reduction: &mut reduction, asker });
                }
                Err(reason) => asker.hear(at, Outcome::unknown(reason)),
            }
        }
    }
}

/// Hears what is decided together; what is not will be asked again.
struct Together<'a> {
    part: Part<'a>,
    open: &'a mut [bool],
}

impl Asker for Together<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        if !outcome.is_open() {
            self.open[self.part.asked[at]] = false;
            self.part.hear(at, outcome);
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.part.wants(at)
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.part.signal(at)
    }

    fn note(&mut self, at: usize, note: Note) {
        self.part.note(at, note);
    }
}

/// Hears about queries that each have a net of their own.
struct Each<'a> {
    asker: &'a mut dyn Asker,
    reductions: Vec<&'a mut Reduction>,
}

impl Each<'_> {
    /// The number of a query in the whole.
    fn whole(&self, at: usize) -> usize {
        self.reductions[at].asked_for(0)
    }
}

impl Asker for Each<'_> {
    fn hear(&mut self, at: usize, outcome: Outcome) {
        if let Some((at, outcome)) = self.reductions[at].lift(0, outcome) {
            self.asker.hear(at, outcome);
        }
    }

    fn wants(&self, at: usize) -> bool {
        self.asker.wants(self.whole(at))
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.asker.signal(self.whole(at))
    }

    fn note(&mut self, at: usize, note: Note) {
        self.asker.note(self.whole(at), note);
    }
}

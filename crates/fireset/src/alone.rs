//! Queries one by one, each on a net that was made smaller for it alone: what one query looks at need not be kept for
//! another. But what they share is explored once where they are asked together, so that comes first where it may be
//! enough.

use std::{sync::Arc, time::Duration};

use fireset_engine::{Engine, ResultSink};
use fireset_net::{Budget, Event, Model, Outcome, Problem, Query, Signal, StopReason};
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

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        if problem.queries.len() > MANY {
            return self.decide_many(problem, budget, sink);
        }
        let all: Vec<usize> = (0..problem.queries.len()).collect();
        let reduced =
            |&at: &usize| Reduction::new(problem, &[at], &self.passes, &budget.part(all.len() as u32));
        let mut reductions: Vec<Result<Reduction, StopReason>> = all.iter().map(reduced).collect();
        let is_smaller =
            |at: usize| reductions[at].as_ref().is_ok_and(|r| !Arc::ptr_eq(&r.problem.model, &problem.model));
        let same: Vec<usize> = all.iter().copied().filter(|&at| !is_smaller(at)).collect();
        if same.len() == all.len() {
            return self.engine.decide(problem, budget, sink);
        }
        // Those that gain nothing by being alone are together in any case, in their part of the time.
        let (joint, share) = match self.together {
            0.0 => (&same, same.len() as f64 / all.len() as f64),
            share => (&all, share),
        };
        let mut open = vec![true; all.len()];
        if joint.len() > 1 {
            self.ask_together(problem, (joint, share), budget, &mut open, sink);
        }
        let mut rest = Vec::new();
        for (at, reduction) in reductions.iter_mut().enumerate().filter(|(at, _)| open[*at]) {
            match reduction {
                Ok(reduction) => {
                    reduction.tell(sink);
                    rest.push(reduction);
                }
                Err(reason) => sink.report(at, Outcome::unknown(reason.clone())),
            }
        }
        let problems: Vec<Problem> = rest.iter().map(|reduction| reduction.problem.clone()).collect();
        let mut lifted = Each { sink, reductions: rest };
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
        sink: &mut dyn ResultSink,
    ) {
        let some = part::problem(problem, joint);
        let mut first = Together { part: Part { sink, asked: joint }, open };
        self.engine.decide(&some, &budget.share(share), &mut first);
    }

    /// The same for queries that are too many to make a net for each before the first is asked: a net is made when its
    /// query's turn comes, and each gets enough time for it or none.
    fn decide_many(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let all: Vec<usize> = (0..problem.queries.len()).collect();
        let mut open = vec![true; all.len()];
        if self.together > 0.0 {
            self.ask_together(problem, (&all, self.together), budget, &mut open, sink);
        }
        let open: Vec<usize> = all.into_iter().filter(|&at| open[at] && sink.is_open(at)).collect();
        for (done, &at) in open.iter().enumerate() {
            if !sink.is_open(at) {
                continue;
            }
            let time = budget.time_left().map(|time| (time / (open.len() - done) as u32).max(LEAST));
            let part = time.map_or_else(|| budget.clone(), |time| budget.within(time));
            let reduction = part.go_on().and_then(|()| Reduction::new(problem, &[at], &self.passes, &part));
            match reduction {
                Ok(mut reduction) => {
                    reduction.tell(sink);
                    let smaller = reduction.problem.clone();
                    self.engine.decide(&smaller, &part, &mut Lifted { reduction: &mut reduction, sink });
                }
                Err(reason) => sink.report(at, Outcome::unknown(reason)),
            }
        }
    }
}

/// Hears what is decided together; what is not will be asked again.
struct Together<'a> {
    part: Part<'a>,
    open: &'a mut [bool],
}

impl ResultSink for Together<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        if !outcome.is_open() {
            self.open[self.part.asked[at]] = false;
            self.part.report(at, outcome);
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.part.is_open(at)
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.part.signal(at)
    }

    fn record(&mut self, at: usize, event: Event) {
        self.part.record(at, event);
    }
}

/// Hears about queries that each have a net of their own.
struct Each<'a> {
    sink: &'a mut dyn ResultSink,
    reductions: Vec<&'a mut Reduction>,
}

impl Each<'_> {
    /// The number of a query in the whole.
    fn whole(&self, at: usize) -> usize {
        self.reductions[at].asked_for(0)
    }
}

impl ResultSink for Each<'_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        if let Some((at, outcome)) = self.reductions[at].lift(0, outcome) {
            self.sink.report(at, outcome);
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.sink.is_open(self.whole(at))
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        self.sink.signal(self.whole(at))
    }

    fn record(&mut self, at: usize, event: Event) {
        self.sink.record(self.whole(at), event);
    }
}

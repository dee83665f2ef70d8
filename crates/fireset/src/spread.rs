//! Problems of one query each that are decided one after the other, on some threads: as `turns::in_turn`, but so many at a
//! time.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use fireset_engine::{
    Engine, ResultSink,
    turns::{TIME_SHARES, Turn},
};
use fireset_net::{Budget, Event, Outcome, Problem, Signal, StopReason, Verdict};

use crate::crew::{self, Line, Work};

/// Decides the one query of each problem. At first each gets its part of a third of the time, then those that are open
/// share the rest.
pub(crate) fn in_turn(
    engine: &dyn Engine,
    problems: &[Problem],
    threads: usize,
    budget: &Budget,
    sink: &mut dyn ResultSink,
) {
    if let [problem] = problems {
        let heeding = sink.signal(0).map(|signal| budget.heeding(signal));
        return engine.decide(problem, heeding.as_ref().unwrap_or(budget), sink);
    }
    let mut open: Vec<usize> = (0..problems.len()).collect();
    let mut told: Vec<Option<Outcome>> = vec![None; problems.len()];
    for (turn, share) in TIME_SHARES {
        let queue =
            Queue { engine, problems, open: &open, next: AtomicUsize::new(0), later: Mutex::default() };
        let worker = |_| -> Work<'_> {
            Box::new(|budget: &Budget, line: &mut Line<'_>| queue.work(turn, share, threads, budget, line))
        };
        let work = (0..threads.clamp(1, open.len().max(1))).map(worker).collect();
        let now = crew::run(problems.len(), work, budget, sink);
        open.iter().for_each(|&at| told[at].clone_from(&now[at]));
        open = queue.later.into_inner().unwrap_or_else(PoisonError::into_inner);
        // In the order of the problems, whoever was faster.
        open.sort_unstable();
        if open.is_empty() {
            break;
        }
    }
    let open = told.into_iter().enumerate().filter_map(|(at, told)| Some((at, told?)));
    open.for_each(|(at, outcome)| sink.report(at, outcome));
}

/// What is to be done in one turn.
struct Queue<'a> {
    engine: &'a dyn Engine,
    problems: &'a [Problem],
    open: &'a [usize],
    next: AtomicUsize,
    /// What needs another turn.
    later: Mutex<Vec<usize>>,
}

impl Queue<'_> {
    /// Takes one problem after the other until there is none left.
    fn work(&self, turn: Turn, share: u32, threads: usize, budget: &Budget, line: &mut Line<'_>) {
        loop {
            let done = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&at) = self.open.get(done) else { return };
            if !line.is_open(at) {
                continue;
            }
            let left = self.open.len() - done;
            let at_a_time = threads.min(left);
            let part = budget.share(at_a_time as f64 / (f64::from(share) * left as f64));
            let memory = part.memory().map(|bytes| bytes / at_a_time as u64);
            let part = memory.map_or(part.clone(), |bytes| part.clone().with_memory(bytes));
            let part = line.signal(at).map_or(part.clone(), |signal| part.heeding(signal));
            let mut only = Only { line, at, shares_memory: at_a_time > 1, stopped: None };
            self.engine.decide(&self.problems[at], &part, &mut only);
            if let Some(outcome) = only.stopped {
                if turn == Turn::First && budget.go_on().is_ok() {
                    self.later.lock().unwrap_or_else(PoisonError::into_inner).push(at);
                }
                line.report(at, outcome);
            }
        }
    }
}

/// Hears about one query; that its part of the time or of the memory is used up is kept apart.
struct Only<'a, 'l> {
    line: &'a mut Line<'l>,
    at: usize,
    shares_memory: bool,
    stopped: Option<Outcome>,
}

impl ResultSink for Only<'_, '_> {
    fn report(&mut self, _: usize, outcome: Outcome) {
        let part_used_up = match &outcome.verdict {
            Verdict::Unknown(StopReason::Time) => true,
            Verdict::Unknown(StopReason::Memory) => self.shares_memory,
            _ => false,
        };
        if part_used_up {
            self.stopped = Some(outcome);
        } else {
            self.line.report(self.at, outcome);
        }
    }

    fn is_open(&self, _: usize) -> bool {
        self.line.is_open(self.at)
    }

    fn signal(&self, _: usize) -> Option<&Signal> {
        self.line.signal(self.at)
    }

    fn record(&mut self, _: usize, event: Event) {
        self.line.record(self.at, event);
    }
}

//! The limits under which a share is measured, and a run within them.

use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use fireset::{
    Budget, Evidence, Observer, Options, Outcome, Problem, ShownRun, StopReason, Switch, check_unwatched,
};

use crate::nets::processor_seconds;

/// Bytes of a run whose memory is little: a search fills them in a second or two.
const LITTLE_MEMORY: u64 = 32 << 20;
/// How many times the time of a measurement a trial has.
const TRIAL_LENGTH: u32 = 3;
/// How many times the time of a measurement a patient run has, so that limits in seconds count and not parts of the time.
const PATIENCE: u32 = 64;
/// After how many times the time of a measurement a patient run is stopped.
const END_OF_PATIENCE: u32 = 3;
/// After how many times the time of a measurement a run without a time limit is stopped.
const END_OF_ROUNDS: u32 = 15;

/// The limits of a run, and whether certificates are searched and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunSetting {
    /// The time of a measurement.
    Limited,
    /// The same, with little memory.
    LittleMemory,
    /// Much time for questions that need little.
    Patient,
    /// Rounds that grow, until the run is stopped from outside.
    Unlimited,
    /// The time of a measurement; certificates are counted.
    Certified,
    /// Much time for questions that need little; certificates are counted.
    PatientCertified,
}

/// What a run on some problems gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunTotal {
    /// Answers, or certificates where those are counted.
    pub answers: usize,
    /// Of the clock, as the limits are; in patient settings, where every question is decided, of the processor, because these vary
    /// less on a shared machine.
    pub seconds: f64,
}

impl RunSetting {
    /// A word for the table.
    pub fn words(self, timeout: Duration) -> String {
        let seconds = timeout.as_secs();
        match self {
            Self::Limited => format!("{seconds} s"),
            Self::LittleMemory => format!("{seconds} s, {} MB", LITTLE_MEMORY >> 20),
            Self::Patient => format!("{} s", seconds * u64::from(PATIENCE)),
            Self::Unlimited => format!("no limit, stopped after {} s", seconds * u64::from(END_OF_ROUNDS)),
            Self::Certified => format!("{seconds} s, certificates"),
            Self::PatientCertified => format!("{} s, certificates", seconds * u64::from(PATIENCE)),
        }
    }

    /// Whether the questions are those that can be decided in little time.
    pub fn is_patient(self) -> bool {
        matches!(self, Self::Patient | Self::PatientCertified)
    }

    /// A run without a time limit takes much longer than the others.
    pub fn most_problems(self) -> usize {
        if self == Self::Unlimited { 2 } else { usize::MAX }
    }

    fn counts_certificates(self) -> bool {
        matches!(self, Self::Certified | Self::PatientCertified)
    }

    fn budget(self, timeout: Duration) -> Budget {
        let unlimited = Budget::unlimited();
        match self {
            Self::Limited | Self::Certified => unlimited.with_timeout(timeout),
            Self::LittleMemory => unlimited.with_timeout(timeout).with_memory(LITTLE_MEMORY),
            Self::Patient | Self::PatientCertified => unlimited.with_timeout(timeout * PATIENCE),
            Self::Unlimited => unlimited,
        }
    }

    /// When a run is stopped that does not know of it.
    fn end(self, timeout: Duration) -> Duration {
        match self {
            Self::Patient | Self::PatientCertified => timeout * END_OF_PATIENCE,
            _ => timeout * END_OF_ROUNDS,
        }
    }

    /// Checks a problem.
    pub fn run(self, problem: &Problem, options: &Options, timeout: Duration) -> RunTotal {
        let certificates = if self.counts_certificates() { Switch::On } else { Switch::Off };
        let options = options.with_portfolio(|portfolio| {
            portfolio.certificates = certificates;
            portfolio.shown_run = ShownRun::First;
        });
        let (start, processor) = (Instant::now(), processor_seconds());
        let outcomes = stopped_after(self.end(timeout), &self.budget(timeout), |budget| {
            // The process holds what earlier runs left, so the watchdog over its memory would stop other runs than theirs.
            check_unwatched(problem, &options, budget, &mut ()).outcomes
        });
        let counts = |outcome: &&Outcome| match outcome.evidence {
            _ if !self.counts_certificates() => !outcome.is_open(),
            Some(Evidence::Certificate(_)) => true,
            _ => false,
        };
        let answers = outcomes.iter().filter(counts).count();
        let used = processor.zip(processor_seconds()).map(|(before, after)| after - before);
        let seconds = used.filter(|_| self.is_patient()).unwrap_or(start.elapsed().as_secs_f64());
        RunTotal { answers, seconds }
    }

    /// Whether the time of a measurement matters for a problem: in a longer trial an answer comes late. A patient run is
    /// about problems that are decided soon, but not at once.
    pub fn is_about(self, problem: &Problem, timeout: Duration) -> bool {
        if self.is_patient() {
            let total = Self::Patient.run(problem, &Options::default(), timeout);
            return total.answers == problem.queries.len() && total.seconds > timeout.as_secs_f64() / 10.0;
        }
        let budget = Budget::unlimited().with_timeout(timeout * TRIAL_LENGTH);
        let mut late =
            LateAnswer { after: Instant::now() + timeout / 2, budget: budget.clone(), came: false };
        let options = Options::default().with_portfolio(|portfolio| portfolio.certificates = Switch::Off);
        check_unwatched(problem, &options, &budget, &mut late);
        late.came
    }
}

/// Stops a run at the first answer after some time.
struct LateAnswer {
    after: Instant,
    budget: Budget,
    came: bool,
}

impl Observer for LateAnswer {
    fn answer(&mut self, _: usize, outcome: &Outcome, _: &fireset::Timeline) {
        if !outcome.is_open() && Instant::now() > self.after {
            self.came = true;
            self.budget.stop(StopReason::Cancelled);
        }
    }
}

/// Works, and stops the budget of the work after some time.
fn stopped_after<T>(time: Duration, budget: &Budget, work: impl FnOnce(&Budget) -> T) -> T {
    let (ended, end) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                budget.stop(StopReason::Cancelled);
            }
        });
        let done = work(budget);
        drop(ended);
        done
    })
}

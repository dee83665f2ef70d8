//! One thread that watches over a check: its deadline, the memory of the process, and signals.
//!
//! Engines count the memory that they hold; the watchdog catches what they forget, before the system kills the process together
//! with its answers. A limit or a signal stops the budget first, and work that asks its budget ends by itself. Some does not for
//! a while: a file is read, a linear program solved, a large table freed. When a grace period is over the watchdog says so, and
//! whoever waits for the work can go on without it.

use std::{
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use fireset_net::{Budget, StopReason};

use crate::resident_memory;

/// How often limits and signals are looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// Watches over a budget until it is dropped.
#[derive(Debug)]
pub struct Watchdog {
    /// Disconnected when the watchdog is dropped, which ends its thread.
    _alive: Sender<()>,
}

impl Watchdog {
    /// The time that work has to end by itself after a limit is reached.
    pub const GRACE: Duration = Duration::from_millis(500);

    /// Watches over the memory of a budget.
    pub fn over(budget: &Budget) -> Self {
        Self::with_signals(budget, None, || false, |_| ())
    }

    /// Watches over the memory of a budget, `last` as the time when the work is given up whatever it does, and signals:
    /// `interrupted` tells whether one has come. `give_up` is called once, with the reason, when the work has not ended in time.
    pub fn with_signals(
        budget: &Budget,
        last: Option<Instant>,
        interrupted: impl Fn() -> bool + Send + 'static,
        give_up: impl FnOnce(StopReason) + Send + 'static,
    ) -> Self {
        let (alive, ended) = channel::<()>();
        let budget = budget.clone();
        thread::spawn(move || {
            let mut deadline = HardDeadline { last, reason: StopReason::Time };
            while ended.recv_timeout(deadline.next_look()) == Err(RecvTimeoutError::Timeout) {
                if interrupted() {
                    deadline.end_soon(&budget, StopReason::Cancelled);
                }
                if resident_memory().zip(budget.memory()).is_some_and(|(held, limit)| held > limit) {
                    deadline.end_soon(&budget, StopReason::Memory);
                }
                if deadline.is_over() {
                    budget.stop(deadline.reason.clone());
                    return give_up(deadline.reason);
                }
            }
        });
        Self { _alive: alive }
    }
}

/// How long work may go on.
struct HardDeadline {
    last: Option<Instant>,
    reason: StopReason,
}

impl HardDeadline {
    /// Stops the budget, and leaves a grace period.
    fn end_soon(&mut self, budget: &Budget, reason: StopReason) {
        budget.stop(reason.clone());
        let soon = Instant::now() + Watchdog::GRACE;
        if self.last.is_none_or(|last| last > soon) {
            (self.last, self.reason) = (Some(soon), reason);
        }
    }

    fn next_look(&self) -> Duration {
        self.last.map_or(INTERVAL, |last| INTERVAL.min(last.saturating_duration_since(Instant::now())))
    }

    fn is_over(&self) -> bool {
        self.last.is_some_and(|last| Instant::now() >= last)
    }
}

//! What a search may use: time, memory, and whether anybody still wants the answer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::StopReason;

/// Limits that every long loop asks about. Clones share the cancel flag and the progress counter.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    cancelled: Arc<AtomicBool>,
    states: Arc<AtomicU64>,
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Stop after this time from now.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        // A timeout beyond what the clock can hold is none.
        Self { deadline: Instant::now().checked_add(timeout), ..self }
    }

    /// Stop before holding more than so many bytes.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// Asks every search under this budget to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether a search that holds `used` bytes and has seen `states` states may go on.
    pub fn check(&self, used: u64, states: u64) -> Result<(), StopReason> {
        self.states.store(states, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) {
            Err(StopReason::Cancelled)
        } else if self.memory.is_some_and(|limit| used > limit) {
            Err(StopReason::Memory)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(StopReason::Time)
        } else {
            Ok(())
        }
    }

    /// The states that the running search has seen, for a progress line.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

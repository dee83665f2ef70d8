//! What a search may use: time, memory, and signals that stop it.

use std::{
    fmt,
    sync::{
        Arc, Once, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crate::StopReason;

/// Limits that every long loop asks about. Clones share the stop signal and the progress.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    stopped: Signal,
    /// Signals that stop this search and perhaps others.
    heeded: Vec<Signal>,
    progress: Progress,
    milestone: Option<Milestone>,
    reserve: Option<Arc<dyn MemoryReserve>>,
    spare_threads: Option<Arc<AtomicUsize>>,
}

/// Memory that is held because it may save work later, and that is given back when a search needs it.
pub trait MemoryReserve: fmt::Debug + Send + Sync {
    /// The bytes that are held. Called at each poll of a search, so it should return soon.
    fn bytes(&self) -> u64;

    /// Gives all of them back.
    fn release(&self);
}

/// Something that is told once, when a search has seen a number of states.
#[derive(Clone)]
struct Milestone {
    states: u64,
    reached: Arc<Once>,
    tell: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Milestone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Milestone({})", self.states)
    }
}

/// Tells searches to stop. Clones are the same signal.
#[derive(Clone, Debug, Default)]
pub struct Signal(Arc<OnceLock<StopReason>>);

impl Signal {
    /// Gives it; the first reason counts.
    pub fn give(&self, reason: StopReason) {
        // An error only says that it was given already.
        let _ = self.0.set(reason);
    }

    /// The reason, once it is given.
    pub fn given(&self) -> Option<&StopReason> {
        self.0.get()
    }
}

/// How far the running search is. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    states: AtomicU64,
    bytes: AtomicU64,
}

impl Progress {
    /// The states that the search had seen when it asked last.
    pub fn states(&self) -> u64 {
        self.0.states.load(Ordering::Relaxed)
    }

    /// The bytes that it held then.
    pub fn held(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }
}

/// Equal where both belong to the same search.
impl PartialEq for Progress {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Progress {}

impl Budget {
    /// A budget that never ends a search by itself.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Stop after this time from now.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        // A timeout beyond what the clock can hold is none.
        Self { deadline: Instant::now().checked_add(timeout), ..self }
    }

    /// A part of it: the same limits, but no more than this time from now.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let part = self.clone().with_timeout(time);
        let deadline = [self.deadline, part.deadline].into_iter().flatten().min();
        Self { deadline, ..part }
    }

    /// A part of it: the same limits, but no more than this part of the time that is left.
    #[must_use]
    pub fn share(&self, part: f64) -> Self {
        match self.time_left() {
            Some(time) if part < 1.0 => self.within(time.mul_f64(part)),
            _ => self.clone(),
        }
    }

    /// The budget of one of `parts` equal parts of the remaining time and of the memory.
    #[must_use]
    pub fn part(&self, parts: u32) -> Self {
        let part = self.time_left().map_or_else(|| self.clone(), |time| self.within(time / parts));
        Self { memory: self.memory.map(|bytes| bytes / u64::from(parts)), ..part }
    }

    /// Stops a search before it holds more than `bytes`.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// The same limits for something that another signal stops too.
    #[must_use]
    pub fn heeding(&self, signal: &Signal) -> Self {
        let mut more = self.clone();
        more.heeded.push(signal.clone());
        more
    }

    /// The same limits for a search whose progress is told apart from that of others.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self { progress: Progress::default(), ..self.clone() }
    }

    /// The same limits for a search that calls `tell` once it has seen a number of states.
    #[must_use]
    pub fn with_milestone(&self, states: u64, tell: impl Fn() + Send + Sync + 'static) -> Self {
        let milestone = Milestone { states, reached: Arc::new(Once::new()), tell: Arc::new(tell) };
        Self { milestone: Some(milestone), ..self.clone() }
    }

    /// The same limits, where the bytes of a reserve count for every search, and are given back before a search stops for lack
    /// of memory.
    #[must_use]
    pub fn with_reserve(&self, reserve: Arc<dyn MemoryReserve>) -> Self {
        Self { reserve: Some(reserve), ..self.clone() }
    }

    /// The same limits for a search that may use more threads than it is configured for: those of work that has not started
    /// or has ended. Their number changes while the search runs.
    #[must_use]
    pub fn with_spare_threads(&self, spare: &Arc<AtomicUsize>) -> Self {
        Self { spare_threads: Some(spare.clone()), ..self.clone() }
    }

    /// The threads that a search may use at present beside its own.
    pub fn spare_threads(&self) -> usize {
        self.spare_threads.as_ref().map_or(0, |spare| spare.load(Ordering::Relaxed))
    }

    /// Asks every search under this budget to stop; the first reason counts.
    pub fn stop(&self, reason: StopReason) {
        self.stopped.give(reason);
    }

    /// The bytes that may be held, if they are limited.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Whether a search that holds `used` bytes and has seen `states` states may go on.
    pub fn check(&self, used: u64, states: u64) -> Result<(), StopReason> {
        self.progress.0.states.store(states, Ordering::Relaxed);
        self.progress.0.bytes.store(used, Ordering::Relaxed);
        if let Some(milestone) = self.milestone.as_ref().filter(|milestone| states >= milestone.states) {
            milestone.reached.call_once(|| (milestone.tell)());
        }
        self.go_on()?;
        let reserved = self.reserve.as_ref().map_or(0, |reserve| reserve.bytes());
        let Some(limit) = self.memory else { return Ok(()) };
        if let Some(reserve) = self.reserve.as_ref().filter(|_| used.saturating_add(reserved) > limit) {
            reserve.release();
        }
        if used > limit { Err(StopReason::Memory) } else { Ok(()) }
    }

    /// Fails when the deadline is over or a signal was given.
    pub fn go_on(&self) -> Result<(), StopReason> {
        if let Some(reason) = self.heeded.iter().chain([&self.stopped]).find_map(Signal::given) {
            Err(reason.clone())
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(StopReason::Time)
        } else {
            Ok(())
        }
    }

    /// How far the running search is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

//! The watchdog: a thread works and sends messages, the first thread handles them and abandons the work at a deadline.
//!
//! A limit or a signal stops the budget first, and work that polls the budget ends by itself. Some work does not for a
//! while: a file is being read, a linear program solved, a large table freed. The watchdog grants it [`GRACE`]; then the first
//! thread goes on alone and prints the answers found so far. Only that thread prints, so no line is printed by halves or
//! twice, and when it returns from `main` the process ends with all threads that still run.
//!
//! Signals set a flag that is polled every [`INTERVAL`].

use std::{
    any::Any,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fireset::{Budget, StopReason, resident_memory};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

/// How long work may take to end by itself after its budget is stopped.
pub const GRACE: Duration = Duration::from_millis(500);

/// The polling interval for limits and signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// How long new work waits for abandoned work, which still holds memory and processors.
const STRAGGLING: Duration = Duration::from_secs(10);

/// The stack of the working thread in bytes; as large as that of a process's first thread on most systems.
const STACK: usize = 8 << 20;

#[derive(Debug)]
pub struct Watchdog {
    interrupted: Arc<AtomicBool>,
    /// If set, another SIGINT ends the process at once.
    impatient: Arc<AtomicBool>,
    stragglers: Vec<JoinHandle<()>>,
}

/// The limits of a piece of work.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// Polled by the work itself.
    pub budget: Budget,
    /// When the work is abandoned even if it does not poll its budget.
    pub last: Option<Instant>,
}

impl Allowance {
    /// The deadline of a budget, and [`GRACE`] to end in order.
    pub fn of(budget: Budget) -> Self {
        let last = budget.time_left().and_then(|time| Instant::now().checked_add(time)?.checked_add(GRACE));
        Self { budget, last }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum WorkEnding<T> {
    /// It returned a value.
    Done(T),
    /// It panicked or was abandoned.
    Stopped(StopReason),
}

/// What the working thread sends: messages of its own, and its value at the end.
enum ThreadMessage<M, T> {
    Sent(M),
    Done(T),
}

impl Watchdog {
    /// Handles SIGINT and SIGTERM. SIGHUP is left to the system, so that `nohup` works.
    pub fn new() -> Self {
        let watchdog = Self::without_signals();
        watchdog.register().expect("a process may handle these signals");
        watchdog
    }

    fn register(&self) -> io::Result<()> {
        // Actions are taken in this order. `heed_signals` sets the flag, not the signal handler: `timeout` signals a process and
        // then its group, and must not end the process at once.
        flag::register_conditional_default(SIGINT, self.impatient.clone())?;
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, self.interrupted.clone())?;
        }
        Ok(())
    }

    fn without_signals() -> Self {
        Self { interrupted: Arc::default(), impatient: Arc::default(), stragglers: Vec::new() }
    }

    /// True after SIGINT or SIGTERM.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// Runs `work` in a thread and handles its messages in this one, until it ends or is abandoned. An error of `handle` ends
    /// it too.
    pub fn watch<M: Send + 'static, T: Send + 'static>(
        &mut self,
        allowance: &Allowance,
        work: impl FnOnce(&dyn Fn(M)) -> T + Send + 'static,
        handle: &mut dyn FnMut(M) -> io::Result<()>,
    ) -> io::Result<WorkEnding<T>> {
        self.await_stragglers();
        let (sender, messages) = channel();
        let mut thread = Some(start(sender, work));
        let mut last = HardDeadline(allowance.last.map(|time| (time, StopReason::Time)));
        loop {
            match messages.recv_timeout(INTERVAL) {
                Ok(ThreadMessage::Sent(message)) => handle(message).inspect_err(|_| {
                    allowance.budget.stop(StopReason::Cancelled);
                })?,
                Ok(ThreadMessage::Done(value)) => return Ok(WorkEnding::Done(value)),
                Err(RecvTimeoutError::Disconnected) => {
                    let panic = thread.take().and_then(|thread| thread.join().err());
                    let why = panic
                        .map_or_else(|| "the thread ended".into(), |panic| panic_message(&*panic).to_owned());
                    return Ok(WorkEnding::Stopped(StopReason::Fault(why)));
                }
                Err(RecvTimeoutError::Timeout) => heed_memory(&allowance.budget, &mut last),
            }
            self.heed_signals(&allowance.budget, &mut last);
            if let Some(reason) = last.passed() {
                allowance.budget.stop(reason.clone());
                self.stragglers.extend(thread);
                return Ok(WorkEnding::Stopped(reason));
            }
        }
    }

    /// Stops the budget after a signal.
    fn heed_signals(&self, budget: &Budget, last: &mut HardDeadline) {
        if self.is_interrupted() {
            budget.stop(StopReason::Cancelled);
            last.bring_forward(StopReason::Cancelled);
            self.impatient.store(true, Ordering::SeqCst);
        }
    }

    /// Waits for abandoned work, up to [`STRAGGLING`].
    fn await_stragglers(&mut self) {
        let start = Instant::now();
        while !self.is_interrupted() && start.elapsed() < STRAGGLING {
            self.stragglers.retain(|thread| !thread.is_finished());
            if self.stragglers.is_empty() {
                return;
            }
            thread::sleep(INTERVAL);
        }
    }
}

/// Stops the budget when the process exceeds its memory limit.
fn heed_memory(budget: &Budget, last: &mut HardDeadline) {
    if resident_memory().zip(budget.memory()).is_some_and(|(held, limit)| held > limit) {
        budget.stop(StopReason::Memory);
        last.bring_forward(StopReason::Memory);
    }
}

/// When work is abandoned, and why.
struct HardDeadline(Option<(Instant, StopReason)>);

impl HardDeadline {
    /// No later than [`GRACE`] from now.
    fn bring_forward(&mut self, reason: StopReason) {
        let soon = Instant::now() + GRACE;
        if self.0.as_ref().is_none_or(|(time, _)| *time > soon) {
            self.0 = Some((soon, reason));
        }
    }

    fn passed(&self) -> Option<StopReason> {
        self.0.as_ref().filter(|(time, _)| Instant::now() >= *time).map(|(_, reason)| reason.clone())
    }
}

/// Starts a thread that sends the messages of `work`, and then its value.
fn start<M: Send + 'static, T: Send + 'static>(
    sender: Sender<ThreadMessage<M, T>>,
    work: impl FnOnce(&dyn Fn(M)) -> T + Send + 'static,
) -> JoinHandle<()> {
    let run = move || {
        // The receiver is gone if the work was abandoned.
        let send = |message| drop(sender.send(message));
        let value = work(&|message| send(ThreadMessage::Sent(message)));
        send(ThreadMessage::Done(value));
    };
    thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread can be started")
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn unlimited() -> Allowance {
        Allowance::of(Budget::unlimited())
    }

    #[test]
    fn messages_arrive_in_order_and_before_the_end() {
        let mut received = Vec::new();
        let work = |send: &dyn Fn(u32)| {
            (0..100).for_each(send);
            "done"
        };
        let ending = Watchdog::without_signals().watch(&unlimited(), work, &mut |n| {
            received.push(n);
            Ok(())
        });
        assert_eq!(ending.unwrap(), WorkEnding::Done("done"));
        assert_eq!(received, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn work_that_does_not_poll_is_abandoned() {
        let allowance = Allowance::of(Budget::unlimited().with_timeout(Duration::ZERO));
        let mut received = Vec::new();
        let work = |send: &dyn Fn(u32)| {
            send(1);
            thread::sleep(LONG);
        };
        let ending = Watchdog::without_signals().watch(&allowance, work, &mut |n| {
            received.push(n);
            Ok(())
        });
        assert_eq!(ending.unwrap(), WorkEnding::Stopped(StopReason::Time));
        assert_eq!(received, [1]);
    }

    #[test]
    fn a_signal_stops_the_budget_and_work_that_polls_ends_by_itself() {
        let mut watchdog = Watchdog::without_signals();
        let (allowance, interrupted) = (unlimited(), watchdog.interrupted.clone());
        let budget = allowance.budget.clone();
        let work = move |_: &dyn Fn(())| {
            interrupted.store(true, Ordering::SeqCst);
            while budget.go_on().is_ok() {
                thread::yield_now();
            }
            budget.go_on()
        };
        let ending = watchdog.watch(&allowance, work, &mut |()| Ok(()));
        assert_eq!(ending.unwrap(), WorkEnding::Done(Err(StopReason::Cancelled)));
    }

    #[test]
    fn a_signal_abandons_work_that_does_not_poll() {
        let mut watchdog = Watchdog::without_signals();
        watchdog.interrupted.store(true, Ordering::SeqCst);
        let ending = watchdog.watch(&unlimited(), |_: &dyn Fn(())| thread::sleep(LONG), &mut |()| Ok(()));
        assert_eq!(ending.unwrap(), WorkEnding::Stopped(StopReason::Cancelled));
    }

    #[test]
    fn an_output_that_is_closed_ends_the_work() {
        let allowance = unlimited();
        let ending = Watchdog::without_signals().watch(
            &allowance,
            |send: &dyn Fn(())| {
                send(());
                thread::sleep(LONG);
            },
            &mut |()| Err(io::ErrorKind::BrokenPipe.into()),
        );
        assert!(ending.is_err());
        assert_eq!(allowance.budget.go_on(), Err(StopReason::Cancelled));
    }

    #[test]
    fn a_panic_is_reported() {
        let work = |_: &dyn Fn(())| panic!("the test says so");
        let ending = Watchdog::without_signals().watch(&unlimited(), work, &mut |()| Ok(()));
        let reason = StopReason::Fault("the test says so".into());
        assert_eq!(ending.unwrap(), WorkEnding::<()>::Stopped(reason));
    }
}

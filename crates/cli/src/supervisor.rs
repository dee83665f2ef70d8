//! Runs the work on a model in a thread of its own, and handles its messages in the first thread, the only one that prints.
//!
//! The library's watchdog stops the work at its deadline, at the memory limit and after a signal. Work that does not end in
//! its grace period is abandoned: the first thread prints the answers found so far and lists the unanswered properties. So nothing
//! is printed by halves or twice, and when the first thread returns from `main` the process ends with whatever still runs.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use fireset::{Budget, StopReason, Watchdog, panic_message};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

/// How long new work waits for abandoned work, which still holds memory and processors.
const STRAGGLING: Duration = Duration::from_secs(10);

/// The stack of the working thread in bytes; as large as that of a process's first thread on most systems.
const STACK: usize = 8 << 20;

/// Starts work and abandons it when its time is over.
#[derive(Debug)]
pub struct Supervisor {
    signals: Arc<Signals>,
    /// One for each abandoned piece of work; disconnected when the work has ended.
    stragglers: Vec<Receiver<()>>,
}

/// What signals set.
#[derive(Debug, Default)]
struct Signals {
    interrupted: Arc<AtomicBool>,
    /// If set, another SIGINT ends the process at once.
    impatient: Arc<AtomicBool>,
}

impl Signals {
    fn register(&self) -> io::Result<()> {
        // Actions are taken in this order. `is_interrupted` sets the flag, not the signal handler: `timeout` signals a process and
        // then its group, and must not end the process at once.
        flag::register_conditional_default(SIGINT, self.impatient.clone())?;
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, self.interrupted.clone())?;
        }
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        let interrupted = self.interrupted.load(Ordering::SeqCst);
        self.impatient.fetch_or(interrupted, Ordering::SeqCst);
        interrupted
    }
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
    /// The deadline of a budget, and the watchdog's grace period to end in order.
    pub fn of(budget: Budget) -> Self {
        let after = |time| Instant::now().checked_add(time)?.checked_add(Watchdog::GRACE);
        let last = budget.time_left().and_then(after);
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

/// What the first thread receives.
enum WorkMessage<M, T> {
    /// A message of the work.
    Sent(M),
    Ended(WorkEnding<T>),
}

impl Supervisor {
    /// Handles SIGINT and SIGTERM. SIGHUP is left to the system, so that `nohup` works.
    pub fn new() -> Self {
        let supervisor = Self::without_signals();
        supervisor.signals.register().expect("a process may handle these signals");
        supervisor
    }

    fn without_signals() -> Self {
        Self { signals: Arc::default(), stragglers: Vec::new() }
    }

    /// True after SIGINT or SIGTERM.
    pub fn is_interrupted(&self) -> bool {
        self.signals.is_interrupted()
    }

    /// Runs `work` in a thread and handles its messages in this one, until it ends or is abandoned. An error of `handle` ends
    /// it too.
    pub fn run<M: Send + 'static, T: Send + 'static>(
        &mut self,
        allowance: &Allowance,
        work: impl FnOnce(&(dyn Fn(M) + Sync)) -> T + Send + 'static,
        handle: &mut dyn FnMut(M) -> io::Result<()>,
    ) -> io::Result<WorkEnding<T>> {
        self.await_stragglers();
        let (sender, messages) = channel();
        let (signals, abandon) = (self.signals.clone(), sender.clone());
        let _watchdog = Watchdog::with_signals(
            &allowance.budget,
            allowance.last,
            move || signals.is_interrupted(),
            // The receiver is gone if the work has ended in the same moment.
            move |reason| drop(abandon.send(WorkMessage::Ended(WorkEnding::Stopped(reason)))),
        );
        self.stragglers.push(start(sender, work));
        loop {
            match messages.recv().expect("the watchdog has a sender") {
                WorkMessage::Sent(message) => handle(message).inspect_err(|_| {
                    allowance.budget.stop(StopReason::Cancelled);
                })?,
                WorkMessage::Ended(ending) => return Ok(ending),
            }
        }
    }

    /// Waits for abandoned work, up to [`STRAGGLING`].
    fn await_stragglers(&mut self) {
        let last = Instant::now() + STRAGGLING;
        for straggler in self.stragglers.drain(..) {
            let ended = straggler.recv_timeout(last.saturating_duration_since(Instant::now()));
            debug_assert_ne!(ended, Ok(()), "the channel carries no messages");
        }
    }
}

/// Starts a thread that sends the messages of `work`, and then how it ended. The channel that is returned is disconnected when
/// the thread ends.
fn start<M: Send + 'static, T: Send + 'static>(
    sender: Sender<WorkMessage<M, T>>,
    work: impl FnOnce(&(dyn Fn(M) + Sync)) -> T + Send + 'static,
) -> Receiver<()> {
    let (alive, ended) = channel();
    let run = move || {
        let _alive = alive;
        // The receiver is gone if the work was abandoned.
        let send = |message| drop(sender.send(message));
        let ending =
            match catch_unwind(AssertUnwindSafe(|| work(&|message| send(WorkMessage::Sent(message))))) {
                Ok(value) => WorkEnding::Done(value),
                Err(panic) => WorkEnding::Stopped(StopReason::Fault(panic_message(&*panic).to_owned())),
            };
        send(WorkMessage::Ended(ending));
    };
    thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread can be started");
    ended
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
        let work = |send: &(dyn Fn(u32) + Sync)| {
            (0..100).for_each(send);
            "done"
        };
        let ending = Supervisor::without_signals().run(&unlimited(), work, &mut |n| {
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
        let work = |send: &(dyn Fn(u32) + Sync)| {
            send(1);
            thread::sleep(LONG);
        };
        let ending = Supervisor::without_signals().run(&allowance, work, &mut |n| {
            received.push(n);
            Ok(())
        });
        assert_eq!(ending.unwrap(), WorkEnding::Stopped(StopReason::Time));
        assert_eq!(received, [1]);
    }

    #[test]
    fn a_signal_stops_the_budget_and_work_that_polls_ends_by_itself() {
        let mut supervisor = Supervisor::without_signals();
        let (allowance, interrupted) = (unlimited(), supervisor.signals.interrupted.clone());
        let budget = allowance.budget.clone();
        let work = move |_: &(dyn Fn(()) + Sync)| {
            interrupted.store(true, Ordering::SeqCst);
            while budget.go_on().is_ok() {
                thread::yield_now();
            }
            budget.go_on()
        };
        let ending = supervisor.run(&allowance, work, &mut |()| Ok(()));
        assert_eq!(ending.unwrap(), WorkEnding::Done(Err(StopReason::Cancelled)));
    }

    #[test]
    fn a_signal_abandons_work_that_does_not_poll() {
        let mut supervisor = Supervisor::without_signals();
        supervisor.signals.interrupted.store(true, Ordering::SeqCst);
        let ending =
            supervisor.run(&unlimited(), |_: &(dyn Fn(()) + Sync)| thread::sleep(LONG), &mut |()| Ok(()));
        assert_eq!(ending.unwrap(), WorkEnding::Stopped(StopReason::Cancelled));
    }

    #[test]
    fn an_output_that_is_closed_ends_the_work() {
        let allowance = unlimited();
        let ending = Supervisor::without_signals().run(
            &allowance,
            |send: &(dyn Fn(()) + Sync)| {
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
        let work = |_: &(dyn Fn(()) + Sync)| panic!("the test says so");
        let ending = Supervisor::without_signals().run(&unlimited(), work, &mut |()| Ok(()));
        let reason = StopReason::Fault("the test says so".into());
        assert_eq!(ending.unwrap(), WorkEnding::<()>::Stopped(reason));
    }
}

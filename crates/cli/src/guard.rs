//! Work that is left alone when its time is up: a thread does it, and the thread that prints hears what it has to tell.
//!
//! A limit or a signal stops the budget first, and work that listens ends by itself. Some does not for a while: a file is
//! being read, a linear program solved, a large table freed. It is given [`GRACE`]; then the one who prints goes on without
//! it and can say what is known and what is open. Only that thread prints, so nothing is printed by halves or twice,
//! and when it returns from `main` the process ends with whatever still runs.
//!
//! Signals set a flag that is looked at every [`INTERVAL`].

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

/// How long work may take to end by itself.
pub const GRACE: Duration = Duration::from_millis(500);

/// How often limits and signals are looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// How long the next work waits for some that was left alone, and still has memory and processors.
const STRAGGLING: Duration = Duration::from_secs(10);

/// The stack of a thread that works; as large as that of a process's first thread on most systems.
const STACK: usize = 8 << 20;

/// Watches over work.
#[derive(Debug)]
pub struct Guard {
    interrupted: Arc<AtomicBool>,
    /// Whether another SIGINT ends the process at once.
    impatient: Arc<AtomicBool>,
    stragglers: Vec<JoinHandle<()>>,
}

/// What a piece of work may use.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The limits that it listens to.
    pub budget: Budget,
    /// When it is left alone, whatever it does.
    pub last: Option<Instant>,
}

impl Allowance {
    /// What a budget allows, and some time to end in order.
    pub fn of(budget: Budget) -> Self {
        let last = budget.time_left().and_then(|time| Instant::now().checked_add(time)?.checked_add(GRACE));
        Self { budget, last }
    }
}

/// How work ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending<T> {
    /// By itself.
    Done(T),
    /// It did not, for this reason.
    Stopped(StopReason),
}

/// What comes from the thread that works.
enum Message<N, T> {
    News(N),
    Done(T),
}

impl Guard {
    /// Takes SIGINT and SIGTERM over from the system. SIGHUP is not, so that `nohup` works.
    pub fn new() -> Self {
        let guard = Self::deaf();
        guard.register().expect("a process may handle these signals");
        guard
    }

    fn register(&self) -> io::Result<()> {
        // Actions are taken in this order. The flag is set later by us, not by the signal: whoever signals a process and
        // then its group, as `timeout` does, is not impatient.
        flag::register_conditional_default(SIGINT, self.impatient.clone())?;
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, self.interrupted.clone())?;
        }
        Ok(())
    }

    /// One that hears no signals.
    fn deaf() -> Self {
        Self { interrupted: Arc::default(), impatient: Arc::default(), stragglers: Vec::new() }
    }

    /// Whether a signal asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// Does `work` in a thread and hears its news in this one, until it ends or is left alone. An error of `hear`
    /// ends it too.
    pub fn watch<N: Send + 'static, T: Send + 'static>(
        &mut self,
        allowance: &Allowance,
        work: impl FnOnce(&dyn Fn(N)) -> T + Send + 'static,
        hear: &mut dyn FnMut(N) -> io::Result<()>,
    ) -> io::Result<Ending<T>> {
        self.await_stragglers();
        let (sender, messages) = channel();
        let mut thread = Some(start(sender, work));
        let mut last = Last(allowance.last.map(|time| (time, StopReason::Time)));
        loop {
            match messages.recv_timeout(INTERVAL) {
                Ok(Message::News(news)) => hear(news).inspect_err(|_| {
                    allowance.budget.stop(StopReason::Cancelled);
                })?,
                Ok(Message::Done(value)) => return Ok(Ending::Done(value)),
                Err(RecvTimeoutError::Disconnected) => {
                    let panic = thread.take().and_then(|thread| thread.join().err());
                    let why = panic.map_or_else(|| "it ended".into(), |panic| sentence(&*panic).to_owned());
                    return Ok(Ending::Stopped(StopReason::Fault(why)));
                }
                Err(RecvTimeoutError::Timeout) => heed_memory(&allowance.budget, &mut last),
            }
            self.heed_signals(&allowance.budget, &mut last);
            if let Some(reason) = last.passed() {
                allowance.budget.stop(reason.clone());
                self.stragglers.extend(thread);
                return Ok(Ending::Stopped(reason));
            }
        }
    }

    /// Stops the budget on a signal.
    fn heed_signals(&self, budget: &Budget, last: &mut Last) {
        if self.is_interrupted() {
            budget.stop(StopReason::Cancelled);
            last.bring_forward(StopReason::Cancelled);
            self.impatient.store(true, Ordering::SeqCst);
        }
    }

    /// Waits some time for work that was left alone.
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

/// Stops the budget when the process has outgrown its memory.
fn heed_memory(budget: &Budget, last: &mut Last) {
    if resident_memory().zip(budget.memory()).is_some_and(|(held, limit)| held > limit) {
        budget.stop(StopReason::Memory);
        last.bring_forward(StopReason::Memory);
    }
}

/// When work is left alone, and why.
struct Last(Option<(Instant, StopReason)>);

impl Last {
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

/// Starts a thread that sends what `work` tells, and then its value.
fn start<N: Send + 'static, T: Send + 'static>(
    sender: Sender<Message<N, T>>,
    work: impl FnOnce(&dyn Fn(N)) -> T + Send + 'static,
) -> JoinHandle<()> {
    let run = move || {
        // Nobody hears work that was left alone.
        let tell = |message| drop(sender.send(message));
        let value = work(&|news| tell(Message::News(news)));
        tell(Message::Done(value));
    };
    thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread can be started")
}

/// What a panic said.
fn sentence(panic: &(dyn Any + Send)) -> &str {
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
    fn news_come_in_order_and_before_the_end() {
        let mut heard = Vec::new();
        let work = |tell: &dyn Fn(u32)| {
            (0..100).for_each(tell);
            "done"
        };
        let ending = Guard::deaf().watch(&unlimited(), work, &mut |n| {
            heard.push(n);
            Ok(())
        });
        assert_eq!(ending.unwrap(), Ending::Done("done"));
        assert_eq!(heard, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn work_that_does_not_listen_is_left_alone() {
        let allowance = Allowance::of(Budget::unlimited().with_timeout(Duration::ZERO));
        let mut heard = Vec::new();
        let work = |tell: &dyn Fn(u32)| {
            tell(1);
            thread::sleep(LONG);
        };
        let ending = Guard::deaf().watch(&allowance, work, &mut |n| {
            heard.push(n);
            Ok(())
        });
        assert_eq!(ending.unwrap(), Ending::Stopped(StopReason::Time));
        assert_eq!(heard, [1]);
    }

    #[test]
    fn a_signal_stops_the_budget_and_work_that_listens_ends_by_itself() {
        let mut guard = Guard::deaf();
        let (allowance, interrupted) = (unlimited(), guard.interrupted.clone());
        let budget = allowance.budget.clone();
        let work = move |_: &dyn Fn(())| {
            interrupted.store(true, Ordering::SeqCst);
            while budget.go_on().is_ok() {
                thread::yield_now();
            }
            budget.go_on()
        };
        let ending = guard.watch(&allowance, work, &mut |()| Ok(()));
        assert_eq!(ending.unwrap(), Ending::Done(Err(StopReason::Cancelled)));
    }

    #[test]
    fn a_signal_leaves_work_alone_that_does_not_listen() {
        let mut guard = Guard::deaf();
        guard.interrupted.store(true, Ordering::SeqCst);
        let ending = guard.watch(&unlimited(), |_: &dyn Fn(())| thread::sleep(LONG), &mut |()| Ok(()));
        assert_eq!(ending.unwrap(), Ending::Stopped(StopReason::Cancelled));
    }

    #[test]
    fn an_output_that_is_closed_ends_the_work() {
        let allowance = unlimited();
        let ending = Guard::deaf().watch(
            &allowance,
            |tell: &dyn Fn(())| {
                tell(());
                thread::sleep(LONG);
            },
            &mut |()| Err(io::ErrorKind::BrokenPipe.into()),
        );
        assert!(ending.is_err());
        assert_eq!(allowance.budget.go_on(), Err(StopReason::Cancelled));
    }

    #[test]
    fn a_panic_is_told() {
        let work = |_: &dyn Fn(())| panic!("the test says so");
        let ending = Guard::deaf().watch(&unlimited(), work, &mut |()| Ok(()));
        let told = StopReason::Fault("the test says so".into());
        assert_eq!(ending.unwrap(), Ending::<()>::Stopped(told));
    }
}

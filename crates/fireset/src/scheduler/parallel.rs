//! A portfolio: members in threads of their own, some of them delayed.
//!
//! The thread that started them waits for events: a member has ended or has seen enough states for the delayed members to start.
//! Verdicts go to the results directly, and a member whose queries are all closed is stopped by the signal of their group.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use fireset_net::Budget;

use super::{Scheduler, Task};
use crate::{
    recorder::CutOff,
    strategy::{Member, Start},
};

/// Delayed members wait this long where nothing limits the time.
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// What the waiting thread is told.
enum MemberEvent {
    Ended(thread::Result<Vec<CutOff>>),
    /// A member has seen as many states as a delayed member waits for.
    Milestone,
}

impl Scheduler<'_, '_> {
    pub(super) fn run_parallel(&self, members: &[Member], task: &Task, budget: &Budget) -> Vec<CutOff> {
        let group = self.results.group(&task.ids);
        let budget = &budget.heeding(group.all_closed());
        let has_work = |member: &&Member| !self.accepted(&member.strategy, task).ids.is_empty();
        let (delayed, at_once): (Vec<&Member>, Vec<&Member>) =
            members.iter().filter(has_work).partition(|member| member.start != Start::AtOnce);
        let Delay { latest, states } = Delay::of(&delayed, task, budget);
        // A head start is with the threads of those that wait, or that have nothing to do.
        let lends = |member: &Member| matches!(member.start, Start::Delayed { states: Some(_), .. });
        let spare = &Arc::new(AtomicUsize::new(members.iter().filter(|member| lends(member)).count()));
        let mut cut_off = Vec::new();
        let mut broken = None;
        thread::scope(|scope| {
            let (sender, events) = channel();
            let start = |member: &Member| {
                let mut budget = with_memory_share(budget, member.memory);
                if member.start == Start::AtOnce {
                    budget = budget.with_spare_threads(spare);
                }
                if let Some(states) = states.filter(|_| member.start == Start::AtOnce) {
                    let sender = sender.clone();
                    // Nothing waits for the milestone once the portfolio has ended.
                    budget = budget.with_milestone(states, move || drop(sender.send(MemberEvent::Milestone)));
                }
                let own_thread = usize::from(lends(member));
                spare.fetch_sub(own_thread, Ordering::Relaxed);
                let (sender, strategy) = (sender.clone(), member.strategy.clone());
                scope.spawn(move || {
                    let ended = catch_unwind(AssertUnwindSafe(|| self.run(&strategy, task, &budget)));
                    spare.fetch_add(own_thread, Ordering::Relaxed);
                    drop(sender.send(MemberEvent::Ended(ended)));
                });
            };
            let mut waiting = delayed.into_iter();
            let mut running = at_once.len();
            at_once.into_iter().for_each(start);
            let start_waiting = |waiting: &mut dyn ExactSizeIterator<Item = &Member>| {
                let count = waiting.len();
                waiting.for_each(start);
                count
            };
            if running == 0 {
                running += start_waiting(&mut waiting);
            }
            while running > 0 {
                let event = if waiting.len() == 0 {
                    events.recv().map_err(|_| RecvTimeoutError::Disconnected)
                } else {
                    events.recv_timeout(latest.saturating_duration_since(Instant::now()))
                };
                match event {
                    Ok(MemberEvent::Ended(ended)) => {
                        running -= 1;
                        match ended {
                            Ok(more) => cut_off.extend(more),
                            Err(panic) => broken = Some(panic),
                        }
                    }
                    Ok(MemberEvent::Milestone) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => unreachable!("this thread holds a sender"),
                }
                if budget.go_on().is_ok() {
                    running += start_waiting(&mut waiting);
                }
            }
        });
        // The answers that one member has lost in a panic another one may have found.
        if let Some(panic) = broken.filter(|_| group.all_closed().given().is_none()) {
            resume_unwind(panic);
        }
        cut_off
    }
}

/// What delayed members wait for.
struct Delay {
    latest: Instant,
    states: Option<u64>,
}

impl Delay {
    fn of(delayed: &[&Member], task: &Task, budget: &Budget) -> Self {
        let mut delay = Self { latest: Instant::now() + LONGEST_DELAY, states: None };
        for member in delayed {
            let Start::Delayed { time, states } = member.start else { continue };
            if let Some(left) = budget.time_left() {
                delay.latest = Instant::now() + left.mul_f64(time);
            }
            delay.states = states.map(|states| (states / task.ids.len().max(1)) as u64);
        }
        delay
    }
}

fn with_memory_share(budget: &Budget, share: f64) -> Budget {
    match budget.memory() {
        Some(bytes) => budget.clone().with_memory((bytes as f64 * share) as u64),
        None => budget.clone(),
    }
}

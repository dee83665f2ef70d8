//! Leaving a search in the middle of a step.
//!
//! Searches poll their budget between steps. On a coloured net one step may take for ever: a transition can have
//! more bindings than can be tried. When the time is up, the search for the next binding cannot answer "there is none",
//! because that may be wrong; so it does not answer at all. The stack unwinds to the call of [`interruptible`], and
//! everything half done is dropped on the way.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use fireset_net::{Budget, Statistics, StopReason};

/// Work between two polls of the budget: about a millisecond.
const WORK_BETWEEN_POLLS: u32 = 1 << 15;

/// Counts work, and unwinds when the budget is used up.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt {
    budget: Budget,
    left: Cell<u32>,
}

/// The payload of the unwinding.
struct Interruption(StopReason);

impl Interrupt {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self { budget: budget.clone(), left: Cell::new(WORK_BETWEEN_POLLS) }
    }

    /// Counts work, where comparing two colours is 1.
    #[inline]
    pub(crate) fn tick(&self, work: usize) {
        match (self.left.get() as usize).checked_sub(work) {
            Some(left) => self.left.set(left as u32),
            None => self.poll(),
        }
    }

    #[cold]
    fn poll(&self) {
        self.left.set(WORK_BETWEEN_POLLS);
        if let Err(reason) = self.budget.go_on() {
            // Unlike a panic this prints no message.
            resume_unwind(Box::new(Interruption(reason)));
        }
    }
}

/// Runs work that an [`Interrupt`] may end. What the work changed by reference must not be used after an interruption,
/// unless the change was complete before.
pub(crate) fn interruptible<T>(work: impl FnOnce() -> T) -> Result<T, StopReason> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Interruption>() {
        Ok(interruption) => interruption.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// The statistics of a search that was interrupted, as far as the budget knows them.
pub(crate) fn interrupted(engine: &'static str, budget: &Budget) -> Statistics {
    let progress = budget.progress();
    Statistics { engine, states: progress.states(), memory: progress.held(), ..Statistics::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(interrupt: &Interrupt) -> Result<(), StopReason> {
        interruptible(|| (0..=2 * WORK_BETWEEN_POLLS).for_each(|_| interrupt.tick(1)))
    }

    #[test]
    fn it_unwinds_when_the_budget_is_used_up() {
        let budget = Budget::unlimited();
        let interrupt = Interrupt::new(&budget);
        assert_eq!(ticks(&interrupt), Ok(()));
        budget.stop(StopReason::Cancelled);
        assert_eq!(ticks(&interrupt), Err(StopReason::Cancelled));
    }

    #[test]
    #[should_panic(expected = "a fault")]
    fn a_panic_is_no_interruption() {
        let _ = interruptible(|| panic!("a fault"));
    }
}

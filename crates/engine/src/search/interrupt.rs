//! Leaving a search in the middle of a step.
//!
//! Searches look at their budget between steps. On a coloured net one step may take for ever: a transition can have
//! more bindings than anybody can try. Who is asked for the next binding cannot answer "there is none" when the time is
//! up, because that would be a wrong answer to a question that is still open; so nobody is answered. The stack unwinds
//! to whoever called [`interruptible`], and everything half done is dropped on the way.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use fireset_net::{Budget, Statistics, StopReason};

/// Work between two looks at the budget: about a millisecond.
const DISTANCE: u32 = 1 << 15;

/// Counts work, and interrupts when the budget says so.
#[derive(Clone, Debug)]
pub(crate) struct Alarm {
    budget: Budget,
    left: Cell<u32>,
}

/// What unwinds.
struct Interruption(StopReason);

impl Alarm {
    /// It rings when this budget is used up.
    pub(crate) fn new(budget: &Budget) -> Self {
        Self { budget: budget.clone(), left: Cell::new(DISTANCE) }
    }

    /// So much more work, where comparing two colours is 1. Unwinds when it is too much.
    #[inline]
    pub(crate) fn tick(&self, work: usize) {
        match (self.left.get() as usize).checked_sub(work) {
            Some(left) => self.left.set(left as u32),
            None => self.look(),
        }
    }

    #[cold]
    fn look(&self) {
        self.left.set(DISTANCE);
        if let Err(reason) = self.budget.go_on() {
            // Unlike a panic this says nothing to the user.
            resume_unwind(Box::new(Interruption(reason)));
        }
    }
}

/// Does something in which an [`Alarm`] may ring. What it changed by reference must not be used after an interruption,
/// unless that was complete before.
pub(crate) fn interruptible<T>(work: impl FnOnce() -> T) -> Result<T, StopReason> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Interruption>() {
        Ok(interruption) => interruption.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// What a search had cost when it was interrupted, as far as the budget knows.
pub(crate) fn interrupted(engine: &'static str, budget: &Budget) -> Statistics {
    let progress = budget.progress();
    Statistics { engine, states: progress.states(), memory: progress.held(), ..Statistics::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(alarm: &Alarm) -> Result<(), StopReason> {
        interruptible(|| (0..=2 * DISTANCE).for_each(|_| alarm.tick(1)))
    }

    #[test]
    fn it_rings_when_the_budget_is_used_up() {
        let budget = Budget::unlimited();
        let alarm = Alarm::new(&budget);
        assert_eq!(ticks(&alarm), Ok(()));
        budget.stop(StopReason::Cancelled);
        assert_eq!(ticks(&alarm), Err(StopReason::Cancelled));
    }

    #[test]
    #[should_panic(expected = "a fault")]
    fn a_panic_is_no_interruption() {
        let _ = interruptible(|| panic!("a fault"));
    }
}

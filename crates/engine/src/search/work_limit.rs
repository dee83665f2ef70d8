//! A limit for work after the verdict is known, such as looking for a run that shows it.

use fireset_net::Budget;

use super::PollTimer;

/// An amount of work, such as a number of firings, within a budget.
pub(crate) struct WorkLimit<'a> {
    left: u64,
    timer: PollTimer,
    budget: &'a Budget,
}

impl<'a> WorkLimit<'a> {
    pub(crate) fn new(left: u64, budget: &'a Budget) -> Self {
        Self { left, timer: PollTimer::default(), budget }
    }

    /// Counts a firing; `true` when the limit is reached.
    pub(crate) fn is_over(&mut self) -> bool {
        self.spend(1)
    }

    /// Counts some work; `true` when the limit is reached.
    pub(crate) fn spend(&mut self, work: u64) -> bool {
        self.left = self.left.saturating_sub(work);
        self.left == 0 || self.timer.is_due() && self.budget.go_on().is_err()
    }
}

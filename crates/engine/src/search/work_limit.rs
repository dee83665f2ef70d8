//! A limit for work after the verdict is known, such as looking for a run that shows it.

use fireset_net::Budget;

use super::PollTimer;

/// A number of firings, within a budget.
pub(crate) struct WorkLimit<'a> {
    firings: u64,
    timer: PollTimer,
    budget: &'a Budget,
}

impl<'a> WorkLimit<'a> {
    pub(crate) fn new(firings: u64, budget: &'a Budget) -> Self {
        Self { firings, timer: PollTimer::default(), budget }
    }

    /// Counts a firing; `true` when the limit is reached.
    pub(crate) fn is_over(&mut self) -> bool {
        self.firings = self.firings.saturating_sub(1);
        self.firings == 0 || self.timer.is_due() && self.budget.go_on().is_err()
    }
}

//! How long a run may be looked for: the verdict is there already and should not wait.

use fireset_net::Budget;

use super::Pace;

/// So many firings, and no more time than there is.
pub(crate) struct Patience<'a> {
    firings: u64,
    pace: Pace,
    budget: &'a Budget,
}

impl<'a> Patience<'a> {
    /// For so many firings.
    pub(crate) fn new(firings: u64, budget: &'a Budget) -> Self {
        Self { firings, pace: Pace::default(), budget }
    }

    /// Whether a firing more is too much.
    pub(crate) fn is_over(&mut self) -> bool {
        self.firings = self.firings.saturating_sub(1);
        self.firings == 0 || self.pace.is_due() && self.budget.go_on().is_err()
    }
}

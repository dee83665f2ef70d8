//! When to poll the budget.
//!
//! A poll costs as much as a firing, so a fast search polls seldom. But on a coloured net the next binding may take as
//! long to find as thousands of firings elsewhere, and a search must stop soon after its time is up: the number of
//! rounds between two polls follows the clock.

use std::time::{Duration, Instant};

/// The most rounds between two polls. Tests poll often, so that they suspend explorations of small nets in many places.
const MAX_ROUNDS: u32 = if cfg!(test) { 8 } else { 1 << 12 };
/// The rounds between the first two polls.
const FIRST_ROUNDS: u32 = if cfg!(test) { 8 } else { 16 };
/// Polls are rarer when less time than this passed between two of them, and more frequent when more than `LONG` did.
const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_millis(20);

/// Counts the rounds of a search up to the next poll.
#[derive(Clone, Debug)]
pub(crate) struct PollTimer {
    left: u32,
    rounds: u32,
    last: Instant,
}

impl Default for PollTimer {
    fn default() -> Self {
        Self { left: 0, rounds: FIRST_ROUNDS, last: Instant::now() }
    }
}

impl PollTimer {
    /// Whether to poll at the beginning of this round.
    #[inline]
    pub(crate) fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.adapt();
        true
    }

    #[cold]
    fn adapt(&mut self) {
        let now = Instant::now();
        let passed = now - self.last;
        if passed < SHORT {
            self.rounds = (2 * self.rounds).min(MAX_ROUNDS);
        } else if passed > LONG {
            self.rounds = (self.rounds / 2).max(1);
        }
        (self.left, self.last) = (self.rounds, now);
    }
}

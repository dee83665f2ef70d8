//! When to look at the budget.
//!
//! A look costs as much as a firing, so a fast search looks seldom. But on a coloured net the next binding may take as
//! long to find as thousands of firings elsewhere, and a search must stop soon after its time is up: the distance
//! between two looks follows the clock.

use std::time::{Duration, Instant};

/// The most rounds between two looks.
const MOST: u32 = 1 << 12;
/// Looks that are nearer are too many, and those that are farther apart too few.
const NEAR: Duration = Duration::from_millis(2);
const FAR: Duration = Duration::from_millis(20);

/// Counts the rounds of a search.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    left: u32,
    distance: u32,
    last: Instant,
}

impl Default for Pace {
    fn default() -> Self {
        Self { left: 0, distance: 16, last: Instant::now() }
    }
}

impl Pace {
    /// Whether it is time to look, at the beginning of a round.
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
        if passed < NEAR {
            self.distance = (2 * self.distance).min(MOST);
        } else if passed > FAR {
            self.distance = (self.distance / 2).max(1);
        }
        (self.left, self.last) = (self.distance, now);
    }
}

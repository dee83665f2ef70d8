//! A time that formulas share.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// What one formula may take at most: this part of the whole.
const MOST: u32 = 6;

/// A time for a number of formulas. Each gets an equal part of the remaining time, so that what one does not need is for those
/// after it, but none gets so much that a hard one among the last takes all of it.
#[derive(Debug)]
pub(super) struct TimeShare {
    most: Duration,
    left: Cell<(Duration, u32)>,
}

impl TimeShare {
    pub(super) fn of(time: Duration, formulas: usize) -> Self {
        let formulas = u32::try_from(formulas).unwrap_or(u32::MAX);
        Self { most: time / MOST.min(formulas.max(1)), left: Cell::new((time, formulas)) }
    }

    /// Does the work of one formula, which gets its time as an argument.
    pub(super) fn take<T>(&self, work: impl FnOnce(Duration) -> T) -> T {
        let (left, formulas) = self.left.get();
        let started = Instant::now();
        let done = work((left / formulas.max(1)).min(self.most));
        self.left.set((left.saturating_sub(started.elapsed()), formulas.saturating_sub(1)));
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_leaves_is_for_the_others() {
        let second = Duration::from_secs(1);
        let share = TimeShare::of(16 * second, 16);
        assert_eq!(share.take(|time| time), second);
        (0..10).for_each(|_| assert!(share.take(|time| time) > second));
        assert_eq!(share.take(|time| time), 16 * second / MOST);
        assert_eq!(TimeShare::of(second, 1).take(|time| time), second);
    }
}

//! Time slices for properties that are decided one after the other.

use fireset_net::{Budget, Event, Outcome, StopReason, Verdict};

use crate::ResultSink;

/// The divisors of the remaining time in each turn. No property may use up the time of the others: in the first turn
/// each gets its part of a third of the remaining time, then those that are open share all of it.
pub const TIME_SHARES: [(Turn, u32); 2] = [(Turn::First, 3), (Turn::Second, 1)];

/// The turn of a property: its first time slice, or the second if the first was not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// With a small part of the time.
    First,
    /// With all the time that is left.
    Second,
}

/// Decides a number of properties, each in its time slice; `decide` is called again for one that needs more.
pub fn in_turn(
    properties: usize,
    budget: &Budget,
    mut decide: impl FnMut(usize, Turn, &Budget) -> Outcome,
    sink: &mut dyn ResultSink,
) {
    let mut open: Vec<usize> = (0..properties).collect();
    for (turn, share) in TIME_SHARES {
        let mut later = Vec::new();
        for (done, &at) in open.iter().enumerate() {
            if !sink.is_open(at) {
                continue;
            }
            let left = (open.len() - done) as u32;
            let part = budget.time_left().map(|time| budget.within(time / (share * left)));
            let part = sink.signal(at).map(|signal| part.as_ref().unwrap_or(budget).heeding(signal)).or(part);
            sink.record(at, Event::Turn);
            let outcome = decide(at, turn, part.as_ref().unwrap_or(budget));
            let part_used_up = outcome.verdict == Verdict::Unknown(StopReason::Time) && turn == Turn::First;
            if part_used_up && budget.go_on().is_ok() {
                later.push(at);
            } else {
                sink.report(at, outcome);
            }
        }
        open = later;
    }
}

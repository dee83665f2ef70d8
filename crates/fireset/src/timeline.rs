//! What was done for each query, and what came of it.

use std::time::{Duration, Instant};

use fireset_net::{Ending, Event, Size, StopReason};

/// What was done for one query, in the order in which it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Passes and stages; a query that is asked in parts, or several times, has one entry for each kind of work.
    pub entries: Vec<TimelineEntry>,
    /// Whether no run that shows the answer is shorter than the one that is shown; `None` where that was not asked.
    pub is_shortest: Option<bool>,
}

/// One pass or stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// The pass, or the stage of the strategy.
    pub what: &'static str,
    /// When it began, since the start of the check.
    pub at: Duration,
    /// How long it worked; together, where there were several.
    pub elapsed: Duration,
    /// The number of runs that this entry sums up.
    pub times: usize,
    /// How often it ended with a verdict.
    pub decided: usize,
    /// The most states that it saw at a time.
    pub states: u64,
    /// What a pass made of the net and the query: the largest, where there were several.
    pub sizes: Option<(Size, Size)>,
    /// Why it did not decide the query, when it ended last.
    pub open: Option<StopReason>,
}

impl Timeline {
    /// Takes down what happened; `start` is when the check began.
    pub(crate) fn take(&mut self, event: &Event, start: Instant) {
        let now = start.elapsed();
        match event {
            Event::Turn => {}
            Event::Began(stage, _) => {
                self.entry(stage, now, |_| true);
            }
            &Event::Applied { pass, began, elapsed, before, after } => {
                let same = |entry: &TimelineEntry| entry.sizes.is_some_and(|(other, _)| other == before);
                let entry = self.entry(pass, began.saturating_duration_since(start), same);
                entry.times += 1;
                entry.elapsed += elapsed;
                let larger = entry.sizes.map_or(after, |(_, other)| larger(after, other));
                entry.sizes = Some((before, larger));
            }
            Event::Ended { stage, elapsed, states, ending } => {
                let entry = self.entry(stage, now, |_| true);
                entry.times += 1;
                entry.elapsed += *elapsed;
                entry.states = entry.states.max(*states);
                match ending {
                    Ending::Decided => entry.decided += 1,
                    Ending::Open(reason) => entry.open = Some(reason.clone()),
                    Ending::Superfluous => entry.open = Some(StopReason::Cancelled),
                }
            }
        }
    }

    /// The entry of that name that is like that, or a new one.
    fn entry(
        &mut self,
        what: &'static str,
        at: Duration,
        like: impl Fn(&TimelineEntry) -> bool,
    ) -> &mut TimelineEntry {
        let found = self.entries.iter().rposition(|entry| entry.what == what && like(entry));
        let found = found.unwrap_or_else(|| {
            let none = Duration::ZERO;
            let (times, decided, states, sizes, open) = (0, 0, 0, None, None);
            self.entries.push(TimelineEntry { what, at, elapsed: none, times, decided, states, sizes, open });
            self.entries.len() - 1
        });
        &mut self.entries[found]
    }
}

fn larger(a: Size, b: Size) -> Size {
    Size {
        places: a.places.max(b.places),
        transitions: a.transitions.max(b.transitions),
        formula: a.formula.max(b.formula),
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::Progress;

    use super::*;

    #[test]
    fn work_of_a_kind_has_one_entry() {
        let (mut timeline, start) = (Timeline::default(), Instant::now());
        let second = Duration::from_secs(1);
        let size = |places| Size { places, transitions: 3, formula: 1 };
        let reduced = |before, after| Event::Applied {
            pass: "reduction",
            began: start,
            elapsed: second,
            before: size(before),
            after: size(after),
        };
        let ended = |ending| Event::Ended { stage: "walk", elapsed: second, states: 7, ending };
        for event in [
            reduced(9, 5),
            Event::Began("walk", Progress::default()),
            reduced(5, 2),
            ended(Ending::Open(StopReason::Time)),
            reduced(5, 3),
            ended(Ending::Decided),
        ] {
            timeline.take(&event, start);
        }
        let told: Vec<_> = timeline.entries.iter().map(|e| (e.what, e.times, e.decided, e.elapsed)).collect();
        let expected =
            [("reduction", 1, 0, second), ("walk", 2, 1, 2 * second), ("reduction", 2, 0, 2 * second)];
        assert_eq!(told, expected);
        assert_eq!(timeline.entries[2].sizes, Some((size(5), size(3))));
        assert_eq!(timeline.entries[1].open, Some(StopReason::Time));
    }
}

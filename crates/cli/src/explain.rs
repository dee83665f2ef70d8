//! The timeline of a property as text and as JSON.

use std::{
    io::{self, Write},
    time::Duration,
};

use fireset::{Size, StopReason, Timeline, TimelineEntry};
use serde_json::{Value, json};

use crate::print::states;

/// Writes a line for each pass and stage: start, name, duration and result.
pub fn write(out: &mut dyn Write, timeline: &Timeline) -> io::Result<()> {
    let width = timeline.entries.iter().map(|entry| entry.what.len()).max().unwrap_or(0);
    for entry in &timeline.entries {
        let TimelineEntry { what, at, elapsed, .. } = entry;
        let [at, elapsed] = [at, elapsed].map(Duration::as_secs_f64);
        writeln!(out, "  {at:8.3} s  {what:width$}  took {elapsed:.3} s{}", result(entry))?;
    }
    Ok(())
}

fn result(entry: &TimelineEntry) -> String {
    let mut parts = Vec::new();
    if entry.times > 1 {
        parts.push(format!("{} times", entry.times));
    }
    if let Some((before, after)) = entry.sizes {
        parts.extend(change(before, after));
    }
    if entry.states > 0 {
        parts.push(states(entry.states));
    }
    match entry {
        TimelineEntry { decided: 0, open: Some(reason), .. } => {
            parts.push(format!("open: {}", reason_text(reason)))
        }
        TimelineEntry { decided: 0, sizes: None, .. } => parts.push("still running".into()),
        TimelineEntry { decided: 0, .. } => {}
        TimelineEntry { decided, times, .. } if decided < times => parts.push(format!("{decided} decided")),
        _ => parts.push("decided".into()),
    }
    if parts.is_empty() { String::new() } else { format!(", {}", parts.join(", ")) }
}

/// The sizes that a pass changed.
fn change(before: Size, after: Size) -> impl Iterator<Item = String> {
    let sizes = [
        ("places", before.places, after.places),
        ("transitions", before.transitions, after.transitions),
        ("formula", before.formula, after.formula),
    ];
    sizes.into_iter().filter(|(_, b, a)| a != b).map(|(what, b, a)| format!("{what} {b} -> {a}"))
}

fn reason_text(reason: &StopReason) -> String {
    match reason {
        // Another member of the portfolio was faster, or the run was interrupted.
        StopReason::Cancelled => "stopped".into(),
        StopReason::Time => "end of its time slice".into(),
        reason => reason.to_string(),
    }
}

/// The timeline as the JSON array `stages`.
pub fn json(timeline: &Timeline) -> Value {
    let size = |size: Size| json!({ "places": size.places, "transitions": size.transitions, "formula": size.formula });
    let entry = |entry: &TimelineEntry| {
        let mut value = json!({
            "stage": entry.what,
            "at_seconds": entry.at.as_secs_f64(),
            "seconds": entry.elapsed.as_secs_f64(),
            "times": entry.times,
            "decided": entry.decided,
            "states": entry.states,
            "open": entry.open.as_ref().map(reason_text),
        });
        if let Some((before, after)) = entry.sizes {
            value["before"] = size(before);
            value["after"] = size(after);
        }
        value
    };
    timeline.entries.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_result() {
        let second = Duration::from_secs(1);
        let entry = |what| TimelineEntry {
            what,
            at: second,
            elapsed: second,
            times: 1,
            decided: 0,
            states: 0,
            sizes: None,
            open: None,
        };
        let size = |places, formula| Size { places, transitions: 4, formula };
        let timeline = Timeline {
            entries: vec![
                TimelineEntry { sizes: Some((size(9, 3), size(5, 3))), ..entry("reduction") },
                TimelineEntry { open: Some(StopReason::Time), states: 12, ..entry("search") },
                TimelineEntry { decided: 1, ..entry("walk") },
                TimelineEntry { decided: 2, times: 5, ..entry("induction") },
            ],
            ..Timeline::default()
        };
        let mut out = Vec::new();
        write(&mut out, &timeline).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "     1.000 s  reduction  took 1.000 s, places 9 -> 5");
        assert_eq!(lines[1], "     1.000 s  search     took 1.000 s, 12 states, open: end of its time slice");
        assert_eq!(lines[2], "     1.000 s  walk       took 1.000 s, decided");
        assert_eq!(lines[3], "     1.000 s  induction  took 1.000 s, 5 times, 2 decided");
        assert_eq!(json(&timeline)[0]["after"]["places"], 5);
        assert_eq!(json(&timeline)[1]["open"], "end of its time slice");
    }
}

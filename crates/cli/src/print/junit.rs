//! Answers as JUnit XML, which build servers display: a suite for each model, a case for each property.
//!
//! A property that fails is a failure, with its counterexample. An unknown property is skipped, with the reason; after an
//! internal fault it is an error, and so is a model with bad input.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use fireset::{Outcome, StopReason, Verdict, io::query};

use super::{AnswerPrinter, Output, evidence, state_space};
use crate::{
    counts::AnswerCounts,
    failure::Failure,
    job::{Job, PropertyAnswer},
};

/// Writes each suite when its model ends.
pub struct JunitPrinter {
    out: Output,
    begun: Instant,
    opened: bool,
}

impl JunitPrinter {
    pub fn new(out: Output) -> Self {
        Self { out, begun: Instant::now(), opened: false }
    }

    /// Writes the head unless it is written already.
    fn open(&mut self) -> io::Result<()> {
        if self.opened {
            return Ok(());
        }
        self.opened = true;
        writeln!(self.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fireset\">")?;
        self.out.flush()
    }

    fn suite(&mut self, path: &str, cases: &[TestCase], time: Duration) -> io::Result<()> {
        self.open()?;
        let count = |element: &str| cases.iter().filter(|case| case.element == element).count();
        let mut text = Vec::new();
        writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">",
            escape(path),
            cases.len(),
            count("failure"),
            count("error"),
            count("skipped"),
            seconds(time)
        )?;
        for TestCase { name, time, element, message, text: inside } in cases {
            let (name, path, time) = (escape(name), escape(path), seconds(*time));
            writeln!(text, "    <testcase name=\"{name}\" classname=\"{path}\" time=\"{time}\">")?;
            let message = match message.as_str() {
                "" => String::new(),
                message => format!(" message=\"{}\"", escape(message)),
            };
            writeln!(text, "      <{element}{message}>{}</{element}>\n    </testcase>", escape(inside))?;
        }
        writeln!(text, "  </testsuite>")?;
        self.out.write_all(&text)?;
        self.out.flush()
    }
}

struct TestCase {
    name: String,
    time: Duration,
    element: &'static str,
    message: String,
    text: String,
}

impl AnswerPrinter for JunitPrinter {
    fn begin(&mut self, _: &Job) -> io::Result<()> {
        self.begun = Instant::now();
        self.open()
    }

    fn end(&mut self, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        let cases: io::Result<Vec<_>> =
            answers.iter().enumerate().map(|(at, answer)| case(job, at, &answer.outcome)).collect();
        self.suite(&job.path, &cases?, self.begun.elapsed())
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        let (name, time, text) = ("model".into(), Duration::ZERO, failure.to_string());
        let message = text.lines().next().unwrap_or_default().to_owned();
        self.suite(path, &[TestCase { name, time, element: "error", message, text }], time)
    }

    fn close(&mut self, _: &AnswerCounts, _: Duration) -> io::Result<()> {
        self.open()?;
        writeln!(self.out, "</testsuites>")?;
        self.out.flush()
    }
}

fn case(job: &Job, at: usize, outcome: &Outcome) -> io::Result<TestCase> {
    let property = &job.properties[at];
    let mut text = query::show_as(&property.formula, property.logic, &*job.model) + "\n";
    let (element, message) = match &outcome.verdict {
        Verdict::Holds => ("system-out", String::new()),
        Verdict::Fails => ("failure", "the property fails".to_owned()),
        Verdict::Bound(bound) => {
            text += &format!("{bound}\n");
            ("system-out", String::new())
        }
        Verdict::StateSpace(size) => {
            text += &state_space::lines(&job.model, size);
            ("system-out", String::new())
        }
        Verdict::Unknown(reason @ StopReason::Fault(_)) => ("error", reason.to_string()),
        Verdict::Unknown(reason) => ("skipped", format!("unknown: {reason}")),
    };
    if let Some(evidence) = &outcome.evidence {
        let mut lines = Vec::new();
        evidence::write(&mut lines, &job.model, &outcome.verdict, evidence)?;
        text += &String::from_utf8_lossy(&lines);
    }
    Ok(TestCase { name: property.name.clone(), time: outcome.statistics.elapsed, element, message, text })
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Escapes text for elements and attributes. Characters that XML cannot represent are replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\r' => escaped.push_str("&#13;"),
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escape("a<b> & \"c\"\n\u{1b}é"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;\u{FFFD}é");
    }
}

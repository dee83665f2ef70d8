//! Answers as JUnit XML, which build servers display: a suite for each model, a case for each property.
//!
//! A property that fails is a failure, with its counterexample; one with an expected verdict is a failure if its verdict is another
//! one. An unknown property is skipped, with the reason; after an internal fault it is an error, and so are a property that is
//! not understood and a model with bad input. Cases of the same name are numbered, since build servers tell them apart by it.

use std::{
    collections::HashSet,
    io::{self, Write},
    time::{Duration, Instant},
};

use fireset::{
    StopReason, Verdict,
    io::{property_file::RefusedProperty, query},
};

use super::{AnswerPrinter, Output, culprits, evidence, state_space};
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
            answers.iter().enumerate().map(|(at, answer)| case(job, at, answer)).collect();
        let mut cases = cases?;
        cases.extend(job.refused.iter().map(refused_case));
        tell_apart(&mut cases);
        self.suite(&job.path, &cases, self.begun.elapsed())
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

/// Numbers the cases of the same name.
fn tell_apart(cases: &mut [TestCase]) {
    let mut names: HashSet<String> = cases.iter().map(|case| case.name.clone()).collect();
    let mut used = HashSet::new();
    for case in cases {
        if !used.insert(case.name.clone()) {
            let mut number = 2;
            while !names.insert(format!("{} ({number})", case.name)) {
                number += 1;
            }
            case.name = format!("{} ({number})", case.name);
        }
    }
}

fn refused_case(refused: &RefusedProperty) -> TestCase {
    let message = format!("not understood: {}", refused.error.message);
    let (name, text) = (refused.name.clone(), refused.error.to_string());
    TestCase { name, time: Duration::ZERO, element: "error", message, text }
}

fn case(job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<TestCase> {
    let (property, outcome) = (&job.properties[at], &answer.outcome);
    let mut text = query::show_with_titles(&property.formula, property.logic, &*job.model) + "\n";
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
        Verdict::PartialStateSpace(known) => {
            text += &state_space::known_lines(&job.model, known);
            ("skipped", format!("unknown in part: {}", known.reason))
        }
        Verdict::Unknown(reason @ StopReason::Fault(_)) => ("error", reason.to_string()),
        Verdict::Unknown(reason) => ("skipped", format!("unknown: {reason}")),
    };
    let (element, message) = match (answer.is_as_expected(), &answer.expected) {
        (Some(true), _) => ("system-out", String::new()),
        (Some(false), Some(expected)) => ("failure", format!("the verdict is not {expected} as expected")),
        _ => (element, message),
    };
    if let Some(evidence) = &outcome.evidence {
        let mut lines = Vec::new();
        evidence::write_for(&mut lines, &job.model, property, &outcome.verdict, evidence)?;
        text += &String::from_utf8_lossy(&lines);
    }
    text += &culprits::lines(job, at, answer)?;
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
    fn cases_of_the_same_name_are_numbered() {
        let case = |name: &str| TestCase {
            name: name.into(),
            time: Duration::ZERO,
            element: "system-out",
            message: String::new(),
            text: String::new(),
        };
        let mut cases = ["a", "b", "a", "a (2)", "a"].map(case);
        tell_apart(&mut cases);
        assert_eq!(cases.map(|case| case.name), ["a", "b", "a (3)", "a (2)", "a (4)"]);
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escape("a<b> & \"c\"\n\u{1b}é"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;\u{FFFD}é");
    }
}

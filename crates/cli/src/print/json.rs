//! Answers as one JSON document, which `fireset replay` reads too.

use std::{
    io::{self, Write},
    mem,
    time::Duration,
};

use fireset::{Outcome, io::witness};
use serde_json::{Map, Value, json};

use super::{Models, Output, Printer};
use crate::{
    explain,
    failure::Failure,
    subject::{Answer, Subject},
    tally::Tally,
};

/// Writes the document when all is answered: that of the model, or `{"models": [...]}`.
pub struct Json {
    out: Output,
    models: Models,
    documents: Vec<Value>,
}

impl Json {
    /// Nothing is answered yet.
    pub fn new(out: Output, models: Models) -> Self {
        Self { out, models, documents: Vec::new() }
    }
}

impl Printer for Json {
    fn begin(&mut self, _: &Subject) -> io::Result<()> {
        // Better now than when all is computed.
        self.out.flush()
    }

    fn end(&mut self, subject: &Subject, answers: &[Answer]) -> io::Result<()> {
        let entries = answers.iter().enumerate().map(|(at, answer)| {
            let mut entry = entry(subject, at, &answer.outcome, Runs::Whole);
            cost(&mut entry, answer);
            entry
        });
        let mut document = witness::document(&subject.model, entries.collect());
        if self.models == Models::Several {
            document["path"] = subject.path.as_str().into();
        }
        self.documents.push(document);
        Ok(())
    }

    fn left_out(&mut self, path: &str, why: &Failure) -> io::Result<()> {
        if self.models == Models::Several {
            self.documents.push(json!({ "path": path, "error": why.to_string() }));
        }
        Ok(())
    }

    fn close(&mut self, _: &Tally, _: Duration) -> io::Result<()> {
        let documents = mem::take(&mut self.documents);
        match self.models {
            Models::Several => write(&mut self.out, &json!({ "models": documents })),
            Models::One => documents.iter().try_for_each(|document| write(&mut self.out, document)),
        }
    }
}

/// What is said of the runs behind an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// All of their steps.
    Whole,
    /// Nothing.
    None,
}

/// One answer.
pub(super) fn entry(subject: &Subject, at: usize, outcome: &Outcome, runs: Runs) -> Map<String, Value> {
    let evidence = outcome.evidence.as_ref().filter(|_| runs == Runs::Whole);
    witness::entry(&subject.model, &subject.properties[at], &outcome.verdict, evidence)
}

/// What it rests on and what it cost.
pub(super) fn cost(entry: &mut Map<String, Value>, answer: &Answer) {
    let techniques: Vec<_> = answer.outcome.techniques.iter().map(|t| t.keyword()).collect();
    entry.insert("techniques".into(), techniques.into());
    entry.insert("statistics".into(), statistics(&answer.outcome));
    entry.insert("stages".into(), explain::json(&answer.timeline));
}

fn statistics(outcome: &Outcome) -> Value {
    let s = &outcome.statistics;
    json!({
        "engine": s.engine,
        "encoding": s.encoding,
        "states": s.states,
        "firings": s.firings,
        "memory_bytes": s.memory,
        "seconds": s.elapsed.as_secs_f64(),
    })
}

/// Writes the answers that have a witness.
pub fn witnesses(out: &mut dyn Write, subject: &Subject, answers: &[Answer]) -> io::Result<()> {
    let shown = answers.iter().enumerate().filter(|(_, answer)| answer.outcome.evidence.is_some());
    let entries = shown.map(|(at, answer)| entry(subject, at, &answer.outcome, Runs::Whole)).collect();
    write(out, &witness::document(&subject.model, entries))
}

fn write(out: &mut dyn Write, document: &Value) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(document)?;
    text.push(b'\n');
    out.write_all(&text)?;
    out.flush()
}

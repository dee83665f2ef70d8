//! Answers as one JSON document, which `fireset replay` reads, too.

use std::{
    io::{self, Write},
    mem,
    time::Duration,
};

use fireset::{
    Outcome,
    io::{property_file::RefusedProperty, witness},
};
use serde_json::{Map, Value, json};

use super::{AnswerPrinter, ModelCount, Output};
use crate::{
    counts::AnswerCounts,
    explain,
    failure::Failure,
    job::{Job, PropertyAnswer},
};

/// Writes the document at the end: that of the model, or `{"models": [...]}`.
pub struct JsonPrinter {
    out: Output,
    models: ModelCount,
    documents: Vec<Value>,
}

impl JsonPrinter {
    pub fn new(out: Output, models: ModelCount) -> Self {
        Self { out, models, documents: Vec::new() }
    }
}

impl AnswerPrinter for JsonPrinter {
    fn begin(&mut self, _: &Job) -> io::Result<()> {
        // Opens the file: an error is reported before the computation.
        self.out.flush()
    }

    fn end(&mut self, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        let entries = answers.iter().enumerate().map(|(at, answer)| {
            let mut entry = entry(job, at, &answer.outcome, EvidenceDetail::Whole);
            details(&mut entry, answer);
            entry
        });
        let entries = entries.chain(job.refused.iter().map(refused_entry));
        let mut document = witness::document(&job.model, entries.collect());
        if self.models == ModelCount::Several {
            document["path"] = job.path.as_str().into();
        }
        self.documents.push(document);
        Ok(())
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        if self.models == ModelCount::Several {
            self.documents.push(json!({ "path": path, "error": failure.to_string() }));
        }
        Ok(())
    }

    fn close(&mut self, _: &AnswerCounts, _: Duration) -> io::Result<()> {
        let documents = mem::take(&mut self.documents);
        match self.models {
            ModelCount::Several => write(&mut self.out, &json!({ "models": documents })),
            ModelCount::One => documents.iter().try_for_each(|document| write(&mut self.out, document)),
        }
    }
}

/// How much of the evidence an entry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvidenceDetail {
    Whole,
    None,
}

/// The entry of one answer.
pub(super) fn entry(job: &Job, at: usize, outcome: &Outcome, detail: EvidenceDetail) -> Map<String, Value> {
    let evidence = outcome.evidence.as_ref().filter(|_| detail == EvidenceDetail::Whole);
    witness::entry(&job.model, &job.properties[at], &outcome.verdict, evidence)
}

/// The entry of a property that is not understood.
pub(super) fn refused_entry(refused: &RefusedProperty) -> Map<String, Value> {
    let RefusedProperty { name, error } = refused;
    let fields = [
        ("name", name.clone()),
        ("verdict", "unknown".to_owned()),
        ("reason", format!("not understood: {}", error.message)),
        ("error", error.to_string()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}

/// Adds the expected verdict, the techniques, the statistics and the stages of an answer.
pub(super) fn details(entry: &mut Map<String, Value>, answer: &PropertyAnswer) {
    if let Some(expected) = &answer.expected {
        entry.insert("expected".into(), expected.to_string().into());
        entry.insert("as_expected".into(), answer.is_as_expected().into());
    }
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

/// Writes the answers that have evidence.
pub fn witnesses(out: &mut dyn Write, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
    let proven = answers.iter().enumerate().filter(|(_, answer)| answer.outcome.evidence.is_some());
    let entries = proven.map(|(at, answer)| entry(job, at, &answer.outcome, EvidenceDetail::Whole)).collect();
    write(out, &witness::document(&job.model, entries))
}

fn write(out: &mut dyn Write, document: &Value) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(document)?;
    text.push(b'\n');
    out.write_all(&text)?;
    out.flush()
}

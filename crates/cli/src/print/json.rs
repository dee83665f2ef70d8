//! Answers as one JSON document, which `fireset replay` reads, too.
//!
//! ```json
//! {"fireset": {"version": "0.1.0"}, "format": 1, "models": [
//!   {"path": "a.pnml", "digest": "85944171f73967e8", "model": "a", "limits": {"seconds": 60.0, "memory_bytes": null},
//!    "notes": [], "warnings": [], "properties": [{"name": "query 1", "query": "EF deadlock", "verdict": "holds"}]},
//!   {"path": "b.pnml", "error": {"kind": "input", "message": "why"}}]}
//! ```
//!
//! The shape is the same for one model and for many.

use std::{
    io::{self, Write},
    mem,
    time::Duration,
};

use fireset::io::witness;
use serde_json::{Map, Value, json};

use super::{
    AnswerPrinter, Output,
    jsonl::ModelLimits,
    record::{self, EvidenceDetail},
};
use crate::{
    counts::AnswerCounts,
    failure::Failure,
    job::{Job, PropertyAnswer},
};

/// Writes the document after the last model.
pub struct JsonPrinter {
    out: Output,
    limits: ModelLimits,
    models: Vec<Map<String, Value>>,
    /// What the document says of the current model, as it was when it was read.
    model: Map<String, Value>,
    /// Internal faults of the current model.
    warnings: Vec<String>,
}

impl JsonPrinter {
    pub fn new(out: Output, limits: ModelLimits) -> Self {
        Self { out, limits, models: Vec::new(), model: Map::new(), warnings: Vec::new() }
    }
}

impl AnswerPrinter for JsonPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        self.model = record::model(job, &self.limits);
        // Opens the file: an error is reported before the computation.
        self.out.flush()
    }

    fn warning(&mut self, warning: &str) {
        self.warnings.push(warning.to_owned());
    }

    fn end(&mut self, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        let properties = answers.iter().enumerate().map(|(at, answer)| {
            let record = record::property(job, at, answer, EvidenceDetail::Whole);
            Value::Object(record)
        });
        let refused = job.refused.iter().map(|refused| Value::Object(record::refused(refused)));
        let mut model = mem::take(&mut self.model);
        model.insert("notes".into(), job.notes.clone().into());
        model.insert("warnings".into(), mem::take(&mut self.warnings).into());
        model.insert("properties".into(), properties.chain(refused).collect());
        self.models.push(model);
        Ok(())
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        if matches!(failure, Failure::Fault(_)) {
            // The answers of this model are unreliable.
            self.models.pop_if(|model| model["path"] == path);
        }
        self.warnings.clear();
        self.models.push(record::failed(path, failure));
        Ok(())
    }

    fn close(&mut self, _: &AnswerCounts, _: Duration) -> io::Result<()> {
        let models = mem::take(&mut self.models);
        let document = json!({ "fireset": record::program(), "format": record::FORMAT, "models": models });
        write(&mut self.out, &document)
    }
}

/// Writes the answers that have evidence.
pub fn witnesses(out: &mut dyn Write, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
    let entry = |(at, answer): (usize, &PropertyAnswer)| {
        let evidence = answer.outcome.evidence.as_ref()?;
        Some(witness::entry(&job.model, &job.properties[at], &answer.outcome.verdict, Some(evidence)))
    };
    let entries = answers.iter().enumerate().filter_map(entry).collect();
    write(out, &witness::document(&job.model, entries))
}

pub(super) fn write(out: &mut dyn Write, document: &Value) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(document)?;
    text.push(b'\n');
    out.write_all(&text)?;
    out.flush()
}

//! Answers as JSON lines: one object per line, written when the answer is known.
//!
//! ```json
//! {"path": "a.pnml", "digest": "85944171f73967e8", "model": "a", "name": "query 1", "query": "EF deadlock", "logic": "CTL", "verdict": "holds",
//!  "evidence_kind": "trace", "techniques": [], "statistics": {}, "stages": [], "limits": {"seconds": 60.0, "memory_bytes": null}}
//! ```
//!
//! The fields are those of the JSON document, and the digest of the model's file. Evidence is left out, since it may be long; a
//! line only has its kind. If the answer is unknown, `stop` has the reason in one word. `limits` are those of the model. A property
//! that is not understood has an unknown answer with the field `error`. A model with bad input or unreliable answers has a line
//! `{"path": "a.pnml", "error": "why"}`.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use fireset::{Evidence, StopReason, Verdict, io::property_file::RefusedProperty};
use serde_json::{Map, Value, json};

use super::{
    AnswerPrinter, Output,
    json::{self, EvidenceDetail},
};
use crate::{
    digest::digest,
    failure::Failure,
    job::{Job, PropertyAnswer},
};

/// The limits of each model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModelLimits {
    pub seconds: Option<f64>,
    pub memory_bytes: Option<u64>,
}

impl ModelLimits {
    pub fn new(time: Option<Duration>, memory_bytes: Option<u64>) -> Self {
        Self { seconds: time.map(|time| time.as_secs_f64()), memory_bytes }
    }
}

pub struct JsonlPrinter {
    out: Output,
    limits: ModelLimits,
    /// The digest of the current model's file.
    digest: String,
}

impl JsonlPrinter {
    pub fn new(out: Output, limits: ModelLimits) -> Self {
        Self { out, limits, digest: String::new() }
    }

    /// The first fields of a line.
    fn head(&self, job: &Job) -> Map<String, Value> {
        let fields = [("path", job.path.as_str()), ("digest", &self.digest), ("model", job.model.name())];
        fields.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
    }

    /// Writes a line in one piece, so that a killed process leaves no partial line.
    fn write(&mut self, line: &Value) -> io::Result<()> {
        self.out.write_all(format!("{line}\n").as_bytes())?;
        self.out.flush()
    }
}

impl AnswerPrinter for JsonlPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        // Without a digest, --resume checks the model again.
        self.digest = digest(Path::new(&job.path)).unwrap_or_default();
        self.out.flush()
    }

    fn refused(&mut self, job: &Job, refused: &RefusedProperty) -> io::Result<()> {
        let mut line = self.head(job);
        line.extend(json::refused_entry(refused));
        line.insert("stop".into(), "not-understood".into());
        self.write(&Value::Object(line))
    }

    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        let outcome = &answer.outcome;
        let mut line = self.head(job);
        line.extend(json::entry(job, at, outcome, EvidenceDetail::None));
        if let Verdict::Unknown(reason) = &outcome.verdict {
            line.insert("stop".into(), stop_word(reason).into());
        }
        if let Some(evidence) = &outcome.evidence {
            line.insert("evidence_kind".into(), evidence_kind(evidence).into());
        }
        json::details(&mut line, answer);
        let ModelLimits { seconds, memory_bytes } = self.limits;
        line.insert("limits".into(), json!({ "seconds": seconds, "memory_bytes": memory_bytes }));
        self.write(&Value::Object(line))
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        match failure {
            // The answers of earlier runs stay valid.
            Failure::Unfinished(..) => Ok(()),
            failure => self.write(&json!({ "path": path, "error": failure.to_string() })),
        }
    }
}

/// The value of `stop` after an interrupt.
pub const CANCELLED: &str = "cancelled";

fn stop_word(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Time => "time",
        StopReason::Memory => "memory",
        StopReason::Cancelled => CANCELLED,
        StopReason::States(_) => "states",
        StopReason::Overflow => "overflow",
        StopReason::Bindings(_) => "bindings",
        StopReason::Formula(_) => "formula",
        StopReason::Unfolding => "unfolding",
        StopReason::Unbounded => "unbounded",
        StopReason::NoEngine => "no-engine",
        StopReason::Fault(_) => "fault",
    }
}

fn evidence_kind(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::Trace(_) => "trace",
        Evidence::Lasso(_) => "lasso",
        Evidence::Branching(_) => "branching",
        Evidence::Certificate(_) => "certificate",
    }
}

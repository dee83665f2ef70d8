//! Answers as JSON lines: one object a line, written as soon as the answer is there.
//!
//! ```json
//! {"path": "a.pnml", "digest": "85944171f73967e8", "model": "a", "name": "query 1", "query": "EF deadlock", "logic": "CTL", "verdict": "holds",
//!  "evidence_kind": "trace", "techniques": [], "statistics": {}, "stages": [], "limits": {"seconds": 60.0, "memory_bytes": null}}
//! ```
//!
//! Fields are those of the JSON document, and the digest of the model's file. Runs are left out, since they may be long; what is said is of which kind they
//! are. Where the answer is unknown, `stop` says why in one word, and `limits` what the model was allowed. A model that cannot
//! be used, or whose answers cannot be relied on, has a line `{"path": "a.pnml", "error": "why"}`.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use fireset::{Evidence, StopReason, Verdict};
use serde_json::{Value, json};

use super::{
    Output, Printer,
    json::{self, Runs},
};
use crate::{
    digest::digest,
    failure::Failure,
    subject::{Answer, Subject},
};

/// What each model may use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allowed {
    /// The time, in seconds, if it is limited.
    pub seconds: Option<f64>,
    /// The memory, if it is limited.
    pub memory_bytes: Option<u64>,
}

impl Allowed {
    /// Limits as they come from the command line.
    pub fn new(time: Option<Duration>, memory_bytes: Option<u64>) -> Self {
        Self { seconds: time.map(|time| time.as_secs_f64()), memory_bytes }
    }
}

/// Writes each answer and sends it off at once.
pub struct Jsonl {
    out: Output,
    allowed: Allowed,
    /// Of the model's file.
    digest: String,
}

impl Jsonl {
    /// Nothing is answered yet.
    pub fn new(out: Output, allowed: Allowed) -> Self {
        Self { out, allowed, digest: String::new() }
    }

    /// Writes a line in one piece, so that a process that is killed leaves it or nothing.
    fn write(&mut self, line: &Value) -> io::Result<()> {
        self.out.write_all(format!("{line}\n").as_bytes())?;
        self.out.flush()
    }
}

impl Printer for Jsonl {
    fn begin(&mut self, subject: &Subject) -> io::Result<()> {
        // Without one it is asked again.
        self.digest = digest(Path::new(&subject.path)).unwrap_or_default();
        self.out.flush()
    }

    fn answer(&mut self, subject: &Subject, at: usize, answer: &Answer) -> io::Result<()> {
        let outcome = &answer.outcome;
        let mut line = serde_json::Map::new();
        line.insert("path".into(), subject.path.as_str().into());
        line.insert("digest".into(), self.digest.as_str().into());
        line.insert("model".into(), subject.model.name().into());
        line.extend(json::entry(subject, at, outcome, Runs::None));
        if let Verdict::Unknown(reason) = &outcome.verdict {
            line.insert("stop".into(), stop_word(reason).into());
        }
        if let Some(evidence) = &outcome.evidence {
            line.insert("evidence_kind".into(), kind(evidence).into());
        }
        json::cost(&mut line, answer);
        let Allowed { seconds, memory_bytes } = self.allowed;
        line.insert("limits".into(), json!({ "seconds": seconds, "memory_bytes": memory_bytes }));
        self.write(&Value::Object(line))
    }

    fn left_out(&mut self, path: &str, why: &Failure) -> io::Result<()> {
        match why {
            // Nothing is wrong with what earlier runs answered.
            Failure::Unfinished(..) => Ok(()),
            why => self.write(&json!({ "path": path, "error": why.to_string() })),
        }
    }
}

/// The word for answers that somebody asked not to wait for.
pub const CANCELLED: &str = "cancelled";

/// A reason in one word.
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

/// What shows an answer.
fn kind(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::Trace(_) => "trace",
        Evidence::Lasso(_) => "lasso",
        Evidence::Branching(_) => "branching",
        Evidence::Certificate(_) => "certificate",
    }
}

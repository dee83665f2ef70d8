//! Answers as JSON lines: one object per line, written when the answer is known.
//!
//! ```json
//! {"format": 1, "path": "a.pnml", "digest": "85944171f73967e8", "model": "a",
//!  "limits": {"seconds": 60.0, "memory_bytes": null}, "name": "query 1", "query": "EF deadlock", "logic": "CTL",
//!  "verdict": "holds", "evidence_kind": "trace", "techniques": [], "statistics": {}, "stages": []}
//! ```
//!
//! A line has the keys of a property and of its model in the JSON document. Evidence is left out, since it may be long; a line
//! only has its kind. A property that is not understood is unknown, with an `error`. A model with bad input or unreliable answers has a line with `path` and `error`.

use std::{
    io::{self, Write},
    time::Duration,
};

use fireset::io::property_file::RefusedProperty;
use serde_json::{Map, Value};

use super::{
    AnswerPrinter, Output,
    record::{self, EvidenceDetail},
};
use crate::{
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
    /// What each line of the current model says of it.
    model: Map<String, Value>,
}

impl JsonlPrinter {
    pub fn new(out: Output, limits: ModelLimits) -> Self {
        Self { out, limits, model: Map::new() }
    }

    /// Writes a line in one piece, so that a killed process leaves no partial line.
    fn write(&mut self, records: [Map<String, Value>; 2]) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("format".into(), record::FORMAT.into());
        records.into_iter().for_each(|record| line.extend(record));
        self.out.write_all(format!("{}\n", Value::Object(line)).as_bytes())?;
        self.out.flush()
    }
}

impl AnswerPrinter for JsonlPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        self.model = record::model(job, &self.limits);
        self.out.flush()
    }

    fn refused(&mut self, _: &Job, refused: &RefusedProperty) -> io::Result<()> {
        self.write([self.model.clone(), record::refused(refused)])
    }

    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        let property = record::property(job, at, answer, EvidenceDetail::Kind);
        self.write([self.model.clone(), property])
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        match failure {
            // The answers of earlier runs stay valid.
            Failure::Unfinished(..) => Ok(()),
            failure => self.write([record::failed(path, failure), Map::new()]),
        }
    }
}

//! The records of `--format json` and `--format jsonl`: one shape for one model and for many. Both formats build their output
//! here, and `docs/src/schema` describes it.

use std::{collections::BTreeSet, path::Path};

use fireset::{
    Evidence, Outcome, StopReason, Verdict,
    io::{InputError, property_file::RefusedProperty, witness},
    net::{Branching, PartialStateSpace, Step},
};
use serde_json::{Map, Value, json};

use crate::{
    digest::digest,
    explain,
    failure::Failure,
    job::{Job, PropertyAnswer},
    print::{culprits, jsonl::ModelLimits},
};

/// The version of the shape. It grows when a program that reads an older one could go wrong: a key is removed or means something
/// else. New keys and new words do not change it.
pub const FORMAT: u64 = 1;

/// The program that writes a document.
pub fn program() -> Value {
    json!({ "version": env!("CARGO_PKG_VERSION") })
}

/// What the record of a model says of it, and each of its lines.
pub(super) fn model(job: &Job, limits: &ModelLimits) -> Map<String, Value> {
    let ModelLimits { seconds, memory_bytes } = limits;
    let mut record = Map::new();
    record.insert("path".into(), job.path.as_str().into());
    // Without a digest, --resume checks the model again.
    record.insert("digest".into(), digest(Path::new(&job.path)).unwrap_or_default().into());
    record.insert("model".into(), job.model.name().into());
    record.insert("limits".into(), json!({ "seconds": seconds, "memory_bytes": memory_bytes }));
    record
}

/// How much of the evidence a record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvidenceDetail {
    Whole,
    /// Only what kind of evidence there is.
    Kind,
}

/// The record of one answer.
pub(super) fn property(
    job: &Job,
    at: usize,
    answer: &PropertyAnswer,
    detail: EvidenceDetail,
) -> Map<String, Value> {
    let outcome = &answer.outcome;
    let whole = outcome.evidence.as_ref().filter(|_| detail == EvidenceDetail::Whole);
    let mut record = witness::entry(&job.model, &job.properties[at], &outcome.verdict, whole);
    if let Verdict::Unknown(reason) | Verdict::PartialStateSpace(PartialStateSpace { reason, .. }) =
        &outcome.verdict
    {
        record.insert("stop".into(), stop_word(reason).into());
    }
    if let Some(evidence) = &outcome.evidence {
        record.insert("evidence_kind".into(), evidence_kind(evidence).into());
    }
    if let Some(labels) = whole.map(|evidence| labels(job, evidence)).filter(|labels| !labels.is_empty()) {
        record.insert("labels".into(), labels.into());
    }
    if let Some(culprits) = &answer.culprits {
        record.insert("culprits".into(), culprits::record(job, culprits, detail));
    }
    if let Some(expected) = &answer.expected {
        record.insert("expected".into(), expected.to_string().into());
        record.insert("as_expected".into(), answer.is_as_expected().into());
    }
    let techniques: Vec<_> = outcome.techniques.iter().map(|technique| technique.keyword()).collect();
    record.insert("techniques".into(), techniques.into());
    record.insert("statistics".into(), statistics(outcome));
    if let Some(is_shortest) = answer.timeline.is_shortest {
        record.insert("shortest".into(), is_shortest.into());
    }
    record.insert("stages".into(), explain::json(&answer.timeline));
    record
}

/// The labels of the transitions in the runs of evidence, by ids.
fn labels(job: &Job, evidence: &Evidence) -> Map<String, Value> {
    let parts: Vec<&[Step]> = match evidence {
        Evidence::Trace(trace) => vec![&trace.0],
        Evidence::Lasso(lasso) => vec![&lasso.prefix, &lasso.cycle],
        Evidence::Branching(Branching { runs, .. }) => runs.iter().map(|run| &run.steps[..]).collect(),
        Evidence::Certificate(_) => Vec::new(),
    };
    let fired: BTreeSet<usize> =
        parts.iter().copied().flatten().map(|step| step.transition.index()).collect();
    let names = &job.model.nodes().transitions;
    let labels = fired.into_iter().map(|at| (names.get(at), names.label(at)));
    labels.filter(|(id, label)| id != label).map(|(id, label)| (id.to_owned(), label.into())).collect()
}

fn statistics(outcome: &Outcome) -> Value {
    let statistics = &outcome.statistics;
    json!({
        "engine": statistics.engine,
        "encoding": statistics.encoding,
        "states": statistics.states,
        "firings": statistics.firings,
        "memory_bytes": statistics.memory,
        "seconds": statistics.elapsed.as_secs_f64(),
    })
}

/// The record of a property that is not understood.
pub(super) fn refused(refused: &RefusedProperty) -> Map<String, Value> {
    let RefusedProperty { name, error } = refused;
    let mut record = Map::new();
    record.insert("name".into(), name.as_str().into());
    record.insert("verdict".into(), "unknown".into());
    record.insert("reason".into(), format!("not understood: {}", error.message).into());
    record.insert("stop".into(), NOT_UNDERSTOOD.into());
    record.insert("error".into(), input_error(error).into());
    record
}

/// The record of a model without answers, or without reliable ones.
pub(super) fn failed(path: &str, failure: &Failure) -> Map<String, Value> {
    let (kind, message, hint) = match failure {
        Failure::Input(error) => return with_path(path, input_error(error)),
        Failure::Properties(errors) => match &errors[..] {
            [error] => return with_path(path, input_error(error)),
            _ => ("input", failure.to_string(), None),
        },
        Failure::Usage(message, hint) => ("usage", message.clone(), Some(hint)),
        Failure::Unfinished(message, hint) => ("unfinished", message.clone(), Some(hint)),
        Failure::Fault(contradiction) => ("fault", contradiction.clone(), None),
        Failure::Output(..) => ("output", failure.to_string(), None),
    };
    let mut error = Map::new();
    error.insert("kind".into(), kind.into());
    error.insert("message".into(), message.into());
    if let Some(hint) = hint {
        error.insert("hint".into(), hint.as_str().into());
    }
    with_path(path, error)
}

fn with_path(path: &str, error: Map<String, Value>) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("path".into(), path.into());
    record.insert("error".into(), error.into());
    record
}

/// An error of a file or a query, with its position.
fn input_error(error: &InputError) -> Map<String, Value> {
    let InputError { source, position, element, message, hint } = error;
    let mut record = Map::new();
    let mut put = |key: &str, value: Value| record.insert(key.into(), value);
    put("kind", "input".into());
    put("message", message.as_str().into());
    put("source", source.as_str().into());
    if let Some(position) = position {
        put("line", position.line.into());
        put("column", position.column.into());
    }
    if let Some(element) = element {
        put("element", element.as_str().into());
    }
    if let Some(hint) = hint {
        put("hint", hint.as_str().into());
    }
    record
}

/// The value of `stop` for a property that is not understood.
const NOT_UNDERSTOOD: &str = "not-understood";

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

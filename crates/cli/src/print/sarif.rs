//! Answers as SARIF 2.1.0, the OASIS format for results of analyses that code hosts and editors read.
//!
//! A log has one run. Each kind of property is a rule, and each answer a result at the net's file: a property that fails is an
//! error with its counterexample as code flow, an unknown one is a warning, one that holds has the kind `pass`, and a number is
//! `informational`. SARIF allows levels for results of the kind `fail` alone, so an unknown property has this kind, too. A model
//! without answers is a notification of the invocation.

use std::{
    io::{self, Write},
    mem,
    path::{Path, PathBuf},
    time::Duration,
};

use fireset::{
    Evidence, Property, Verdict,
    io::{InputError, property_file::RefusedProperty, query},
    net::{Global, NamedProperty, Query, Step, replay},
};
use serde_json::{Value, json};

use super::{AnswerPrinter, Output, culprits, evidence, json, property_files::PropertyFiles, state_space};
use crate::{
    counts::AnswerCounts,
    digest,
    failure::Failure,
    job::{Job, PropertyAnswer, model_file},
};

/// Longer runs are cut here: code hosts show no more steps of a flow.
const SHOWN_STEPS: usize = 1000;

/// The kinds of properties: id, name and description of each rule.
const RULES: [(&str, &str, &str); 18] = [
    ("reachability", "Reachability", "Some reachable marking satisfies a state formula."),
    ("invariant", "Invariant", "All reachable markings satisfy a state formula."),
    ("ctl", "Ctl", "The net satisfies a formula of CTL."),
    ("ltl", "Ltl", "The runs of the net satisfy a formula of LTL."),
    ("bound", "Bound", "The largest number of tokens on some places together."),
    ("state-space", "StateSpace", "The size of the state space."),
    ("one-safe", "OneSafe", "No place ever holds more than one token."),
    (
        "stable-marking",
        "StableMarking",
        "Some place holds the same number of tokens in all reachable markings.",
    ),
    ("quasi-live", "QuasiLive", "Each transition can fire at least once."),
    ("live", "Live", "Each transition can always fire again."),
    ("bounded", "Bounded", "Each of some places has a largest number of tokens."),
    ("k-bounded", "KBounded", "No place ever holds more than a number of tokens."),
    ("reversible", "Reversible", "The initial marking can always be reached again."),
    ("persistent", "Persistent", "No enabled transition is disabled by another one."),
    ("terminating", "Terminating", "Every run is finite."),
    ("repeatable", "Repeatable", "A transition can fire arbitrarily often, or infinitely often."),
    ("ctl-star", "CtlStar", "The net satisfies a formula of CTL*."),
    ("sound", "Sound", "The runs of a workflow can end, and end properly."),
];

/// Writes the log after the last model.
pub struct SarifPrinter {
    out: Output,
    files: PropertyFiles,
    results: Vec<Value>,
    /// The results of earlier models.
    finished: usize,
    notifications: Vec<Value>,
}

impl SarifPrinter {
    pub fn new(out: Output, property_files: &[PathBuf]) -> Self {
        let files = PropertyFiles::new(property_files);
        Self { out, files, results: Vec::new(), finished: 0, notifications: Vec::new() }
    }

    fn notify(&mut self, text: String, place: Value) {
        let message = json!({ "text": text });
        self.notifications.push(json!({ "level": "error", "message": message, "locations": [place] }));
    }

    fn result(&self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<Value> {
        let (property, outcome) = (&job.properties[at], &answer.outcome);
        let (kind, level) = match (answer.is_as_expected(), &outcome.verdict) {
            (Some(true), _) | (None, Verdict::Holds) => ("pass", "none"),
            (Some(false), _) | (None, Verdict::Fails) => ("fail", "error"),
            (None, Verdict::Bound(_) | Verdict::StateSpace(_)) => ("informational", "none"),
            (None, Verdict::PartialStateSpace(_) | Verdict::Unknown(_)) => ("fail", "warning"),
        };
        let rule = rule(property);
        let net = uri(&model_file(Path::new(&job.path)));
        let mut result = json!({
            "ruleId": RULES[rule].0,
            "ruleIndex": rule,
            "kind": kind,
            "level": level,
            "message": { "text": message(job, at, answer)? },
            // The property is about the net as a whole; code hosts want a line nevertheless.
            "locations": [location(&net, Some((1, 1)))],
            "partialFingerprints": { "primaryLocationLineHash": fingerprint(job, property) },
            "properties": { "name": property.name, "query": query_text(job, property) },
        });
        if let Some((file, line)) = self.files.find(&property.name) {
            let mut place = location(&uri(file), Some((line, 1)));
            place["id"] = 1.into();
            place["message"] = json!({ "text": "the property" });
            result["relatedLocations"] = json!([place]);
        }
        if let Some(steps) = outcome.evidence.as_ref().and_then(Evidence::first_run) {
            let flow: Vec<_> =
                steps.iter().take(SHOWN_STEPS).map(|step| flow_step(job, &net, step)).collect();
            if !flow.is_empty() {
                result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
            }
        }
        Ok(result)
    }
}

impl AnswerPrinter for SarifPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        self.files.read(job);
        self.out.flush()
    }

    fn refused(&mut self, job: &Job, refused: &RefusedProperty) -> io::Result<()> {
        let text = format!("{} is not understood: {}", refused.name, refused.error);
        self.notify(text, input_location(&job.path, &refused.error));
        Ok(())
    }

    fn end(&mut self, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        self.finished = self.results.len();
        for (at, answer) in answers.iter().enumerate() {
            self.results.push(self.result(job, at, answer)?);
        }
        Ok(())
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        if matches!(failure, Failure::Fault(_)) {
            // The results of this model are unreliable.
            self.results.truncate(self.finished);
        }
        let place = match failure {
            Failure::Input(error) => input_location(path, error),
            _ => location(&uri(Path::new(path)), None),
        };
        self.notify(failure.to_string(), place);
        Ok(())
    }

    fn close(&mut self, _: &AnswerCounts, _: Duration) -> io::Result<()> {
        let rules = RULES.iter().map(|(id, name, description)| {
            json!({ "id": id, "name": name, "shortDescription": { "text": description } })
        });
        let driver = json!({
            "name": "fireset",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules.collect::<Vec<_>>(),
        });
        let invocation = json!({
            "executionSuccessful": self.notifications.is_empty(),
            "toolExecutionNotifications": mem::take(&mut self.notifications),
        });
        let run = json!({
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": mem::take(&mut self.results),
        });
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        json::write(&mut self.out, &json!({ "$schema": schema, "version": "2.1.0", "runs": [run] }))
    }
}

/// The position of a property's rule in [`RULES`].
fn rule(property: &Property) -> usize {
    match property.query().expect("properties are classified when read") {
        Query::Reachable(_) => 0,
        Query::Invariant(_) => 1,
        Query::Ctl(_) => 2,
        Query::Ltl(..) | Query::Run(_) => 3,
        Query::CtlStar(_) => 16,
        Query::Bound(_) | Query::ColourBound(_) => 4,
        Query::Global(Global::StateSpace) => 5,
        Query::Global(Global::OneSafe) => 6,
        Query::Global(Global::StableMarking) => 7,
        Query::Global(Global::QuasiLiveness) => 8,
        Query::Global(Global::Liveness) => 9,
        Query::Named(NamedProperty::Bounded(_)) => 10,
        Query::Named(NamedProperty::KBounded(..)) => 11,
        Query::Named(NamedProperty::Reversible) => 12,
        Query::Named(NamedProperty::Persistent) => 13,
        Query::Named(NamedProperty::Terminating) => 14,
        Query::Named(NamedProperty::Sound(..)) => 17,
        // The other properties are formulas.
        Query::Named(_) => 15,
    }
}

/// The answer in words, with its formula and evidence on lines of their own.
pub(super) fn message(job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<String> {
    let (property, outcome) = (&job.properties[at], &answer.outcome);
    let name = &property.name;
    let mut text = match &outcome.verdict {
        Verdict::Holds => format!("{name} holds"),
        Verdict::Fails => format!("{name} fails"),
        Verdict::Bound(bound) => format!("{name} is {bound}"),
        Verdict::StateSpace(size) => format!("{name}: {}", state_space::lines(&job.model, size).trim_end()),
        Verdict::PartialStateSpace(known) => {
            let lines = state_space::known_lines(&job.model, known);
            format!("{name} is unknown in part: {}\n{}", known.reason, lines.trim_end())
        }
        Verdict::Unknown(reason) => format!("{name} is unknown: {reason}"),
    };
    match (answer.is_as_expected(), &answer.expected) {
        (Some(true), _) => text += ", as expected",
        (Some(false), Some(expected)) => text += &format!(", not {expected} as expected"),
        _ => {}
    }
    let formula = query::show_with_titles(&property.formula, property.logic, &*job.model);
    text += &format!("\n{}", evidence::shorten(&formula));
    if let Some(evidence) = &outcome.evidence {
        let mut lines = Vec::new();
        evidence::write_for(&mut lines, &job.model, property, &outcome.verdict, evidence)?;
        String::from_utf8_lossy(&lines).lines().for_each(|line| text += &format!("\n{}", line.trim_start()));
    }
    let culprits = culprits::lines(job, at, answer)?;
    culprits.lines().for_each(|line| text += &format!("\n{}", line.trim_start()));
    Ok(text)
}

fn query_text(job: &Job, property: &Property) -> String {
    query::show_as(&property.formula, property.logic, &*job.model)
}

/// Identifies a property in later runs, wherever it then is in its file.
fn fingerprint(job: &Job, property: &Property) -> String {
    digest::of_text(&format!("{}\n{}", property.name, query_text(job, property)))
}

fn flow_step(job: &Job, net: &str, step: &Step) -> Value {
    let nodes = job.model.nodes();
    let title = query::quote_title(nodes.transition_title(step.transition));
    let mut place = location(net, Some((1, 1)));
    let text = title + &replay::show_binding(&job.model, step);
    place["message"] = json!({ "text": text });
    place["logicalLocations"] = json!([{ "name": nodes.transition(step.transition), "kind": "transition" }]);
    json!({ "location": place })
}

/// The position of an error in its file, or the model if the error is in no file.
fn input_location(model: &str, error: &InputError) -> Value {
    if !Path::new(&error.source).exists() {
        return location(&uri(Path::new(model)), None);
    }
    let position = error.position.as_deref().map(|position| (position.line, position.column as u64));
    location(&uri(Path::new(&error.source)), position)
}

/// A file, with line and column if they are known.
fn location(uri: &str, position: Option<(u64, u64)>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri } });
    if let Some((line, column)) = position {
        place["region"] = json!({ "startLine": line, "startColumn": column });
    }
    json!({ "physicalLocation": place })
}

/// A path as a URI reference: relative paths stay relative, since readers resolve them in their checkout.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut uri = String::with_capacity(text.len());
    if path.is_absolute() {
        uri.push_str(if text.starts_with('/') { "file://" } else { "file:///" });
    }
    for &byte in text.strip_prefix("./").unwrap_or(&text).as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_in_uris() {
        assert_eq!(uri(Path::new("./nets/a b:é%.pnml")), "nets/a%20b%3A%C3%A9%25.pnml");
        assert_eq!(uri(Path::new("/nets/a.pnml")), "file:///nets/a.pnml");
        assert_eq!(uri(Path::new("../a.pnml")), "../a.pnml");
    }

    #[test]
    fn every_rule_has_its_own_id() {
        let ids: std::collections::BTreeSet<_> = RULES.iter().map(|(id, ..)| id).collect();
        assert_eq!(ids.len(), RULES.len());
    }
}

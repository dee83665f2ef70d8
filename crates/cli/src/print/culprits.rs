//! The culprits of a property that fails, as text and as JSON.

use std::io;

use fireset::{
    Culprit, Culprits, ShownCulprit,
    io::{query, witness},
    net::{Global, Logic, NamedProperty, Property, Query, SoundnessNotion},
};
use serde_json::{Value, json};

use super::{evidence, record::EvidenceDetail};
use crate::job::{Job, PropertyAnswer};

/// Names that are printed; JSON has all of them.
const SHOWN: usize = 12;

/// The lines about the culprits of an answer; none if it has none.
pub(super) fn lines(job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<String> {
    let Some(culprits) = &answer.culprits else { return Ok(String::new()) };
    let titles: Vec<String> = culprits.nodes.iter().take(SHOWN).map(|&node| title(job, node)).collect();
    let least = if culprits.complete { "" } else { ", at least" };
    let more = match culprits.nodes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let mut text = format!("  {}{least}: {}{more}\n", what(&job.properties[at]), titles.join(", "));
    if let Some(ShownCulprit { culprit, outcome, .. }) = &culprits.shown
        && answer.outcome.evidence.is_none()
        && let Some(run) = &outcome.evidence
    {
        let mut run_lines = Vec::new();
        evidence::write(&mut run_lines, &job.model, &outcome.verdict, run)?;
        text += &format!("  for {}:\n{}", title(job, *culprit), String::from_utf8_lossy(&run_lines));
    }
    Ok(text)
}

/// What the culprits of a property are.
fn what(property: &Property) -> String {
    match property.query() {
        Ok(Query::Global(Global::OneSafe)) => "places with more than one token".into(),
        Ok(Query::Named(NamedProperty::KBounded(1, _))) => "places with more than one token".into(),
        Ok(Query::Named(NamedProperty::KBounded(k, _))) => format!("places with more than {k} tokens"),
        Ok(Query::Named(NamedProperty::Bounded(_))) => "unbounded places".into(),
        Ok(Query::Global(Global::QuasiLiveness)) => "dead transitions".into(),
        Ok(Query::Global(Global::Liveness)) => "transitions that are not live".into(),
        Ok(Query::Named(NamedProperty::Sound(SoundnessNotion::RelaxedSound, _))) => {
            "transitions on no run to the end".into()
        }
        Ok(Query::Named(NamedProperty::Sound(..))) => "dead transitions".into(),
        Ok(Query::Named(NamedProperty::Persistent)) => "transitions in conflict".into(),
        _ => "culprits".into(),
    }
}

fn title(job: &Job, node: Culprit) -> String {
    let nodes = job.model.nodes();
    query::quote_title(match node {
        Culprit::Place(place) => nodes.place_title(place),
        Culprit::Transition(transition) => nodes.transition_title(transition),
    })
}

/// The culprits by their ids, with the evidence for one of them if it is wanted.
pub(super) fn record(job: &Job, culprits: &Culprits, detail: EvidenceDetail) -> Value {
    let nodes = job.model.nodes();
    let id = |node: &Culprit| match *node {
        Culprit::Place(place) => nodes.place(place).to_owned(),
        Culprit::Transition(transition) => nodes.transition(transition).to_owned(),
    };
    let kind = match culprits.nodes.first() {
        Some(Culprit::Transition(_)) => "transitions",
        _ => "places",
    };
    let ids: Vec<String> = culprits.nodes.iter().map(id).collect();
    let mut record = json!({ kind: ids, "complete": culprits.complete });
    let shown = culprits.shown.as_ref().filter(|_| detail == EvidenceDetail::Whole);
    if let Some(ShownCulprit { culprit, query, outcome }) = shown {
        let property = Property { name: id(culprit), formula: query.formula(), logic: Logic::Ctl };
        record["shown"] =
            witness::entry(&job.model, &property, &outcome.verdict, outcome.evidence.as_ref()).into();
    }
    record
}

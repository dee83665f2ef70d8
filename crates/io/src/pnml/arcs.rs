//! Collects arcs from XML: the standard's, and the elements that TAPAAL's engines read.

use std::io::BufRead;

use super::{
    collect::number_of,
    dialect::{LabelOwner, is_untimed_interval},
    draft::{DraftArc, NetDraft},
    labels::{ArcKind, CountText, coloured, marks_inhibitor, number, once, structure, text},
    other_labels::{OtherLabel, bare, other_attribute},
    presentation::KeptPart,
    token_classes::CountOwner,
};
use crate::{
    Fault,
    xml::{Tag, XmlCursor},
};

pub(super) fn new_arc(tag: &Tag, draft: &mut NetDraft) -> Result<DraftArc, Fault> {
    let (mut source, mut target, mut kind) = (None, None, ArcKind::Normal);
    if tag.name() == "inhibitorArc" {
        kind = ArcKind::Inhibitor;
    }
    let (mut weight, mut is_said) = (1, false);
    let number = number_of(draft.arcs.len(), tag)?;
    draft.arc.clear();
    tag.each_attribute(|name, value| {
        match name {
            "id" => draft.arc.push_str(&value),
            "source" => source = Some(draft.intern(&value, tag.offset)?),
            "target" => target = Some(draft.intern(&value, tag.offset)?),
            "type" => kind = kind.or_named(&value, tag.offset)?,
            "weight" => {
                let count = draft.count_text(&value, "an arc's weight", tag.offset)?;
                (weight, is_said) = (draft.count(CountOwner::Arc(number), count), true);
            }
            "inscription" => {
                if let Some(count) = inscription(draft, &value, tag.offset)?.filter(|_| !is_said) {
                    weight = draft.count(CountOwner::Arc(number), count);
                }
            }
            _ => other_attribute(draft, LabelOwner::Arc, (name, &value), tag.offset)?,
        }
        Ok(())
    })?;
    let source = source.ok_or_else(|| tag.lacks("source"))?;
    let target = target.ok_or_else(|| tag.lacks("target"))?;
    Ok(DraftArc { source, target, offset: tag.offset, weight, term: None, kind })
}

/// The count of an inscription in an attribute; `None` for an interval, which says nothing about the weight. The number of a
/// pair of transport arcs may follow an interval.
fn inscription(draft: &NetDraft, text: &str, offset: u64) -> Result<Option<CountText>, Fault> {
    if !text.trim_start().starts_with(['[', '(']) {
        return draft.count_text(text, "an arc's weight", offset).map(Some);
    }
    let interval = text.split(':').next().unwrap_or(text);
    if is_untimed_interval(&draft.with_constants(interval)) {
        return Ok(None);
    }
    Err(timed(format!("the net is timed: the arc takes tokens of an age in `{interval}`"), offset))
}

/// A transport arc keeps the age of the tokens that it moves; without time it is two arcs.
pub(super) fn transport_arc(tag: &Tag, draft: &mut NetDraft) -> Result<[DraftArc; 2], Fault> {
    let [source, transition, target, interval, weight] =
        tag.attributes(["source", "transition", "target", "inscription", "weight"])?;
    if let Some(interval) = &interval {
        inscription(draft, interval, tag.offset)?;
    }
    let weight = match weight {
        Some(weight) => draft.count_text(&weight, "an arc's weight", tag.offset)?.total(),
        None => 1,
    };
    let mut end = |id: Option<std::borrow::Cow<'_, str>>, name: &str| {
        draft.intern(&id.ok_or_else(|| tag.lacks(name))?, tag.offset)
    };
    let (source, target) = (end(source, "source")?, end(target, "target")?);
    let transition = end(transition, "transition")?;
    let arc = |source, target| DraftArc {
        source,
        target,
        offset: tag.offset,
        weight,
        term: None,
        kind: ArcKind::Normal,
    };
    Ok([arc(source, transition), arc(transition, target)])
}

pub(super) fn timed(message: String, offset: u64) -> Fault {
    Fault::at(offset, message).hint("fireset reads untimed nets: all intervals must be [0,inf)")
}

/// Reads the rest of an `arc` element.
pub(super) fn arc<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
    mut arc: DraftArc,
) -> Result<DraftArc, Fault> {
    let (number_of_arc, mut weight) = (draft.arcs.len() as u32, None);
    while let Some(tag) = cursor.child_noting_text()? {
        let (offset, part) = (tag.offset, draft.part(tag.name()));
        match tag.name() {
            "inscription" => {
                bare(&tag, LabelOwner::Arc)?;
                once(&tag, weight.is_some())?;
                let count = number(cursor, "an arc's weight")?;
                weight = count.map(|count| draft.count(CountOwner::Arc(number_of_arc), count));
            }
            "hlinscription" => {
                coloured(draft);
                once(&tag, arc.term.is_some())?;
                arc.term = structure(cursor, draft)?;
            }
            "type" | "arctype" => {
                let [value] = tag.attributes(["value"])?;
                if let Some(value) = &value {
                    arc.kind = arc.kind.or_named(value, offset)?;
                }
                if let Some(text) = text(cursor)? {
                    arc.kind = arc.kind.or_named(&text, offset)?;
                }
            }
            "toolspecific" => {
                let [tool] = tag.attributes(["tool"])?;
                if tool.is_some_and(|tool| tool.to_ascii_lowercase().contains("tapaal")) {
                    if marks_inhibitor(cursor)? {
                        arc.kind = ArcKind::Inhibitor;
                    }
                } else {
                    cursor.pass()?;
                }
            }
            "name" | "graphics" => cursor.pass()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Arc, other, tag.offset);
                label.treat(cursor, draft, &["inscription", "hlinscription", "type"])?;
            }
        }
        let part = match part {
            // The name of an arc is kept as a whole: the net has none.
            KeptPart::Label("name") => KeptPart::Rest,
            KeptPart::Label("type") => KeptPart::Nothing,
            part => part,
        };
        draft.keep(part, cursor);
    }
    arc.weight = weight.unwrap_or(arc.weight);
    Ok(arc)
}

/// Adds an arc; one that reads is an arc in each direction.
pub(super) fn add(draft: &mut NetDraft, arc: DraftArc) {
    let number = draft.arcs.len() as u32;
    if arc.kind != ArcKind::Read {
        draft.arcs.push(arc);
        return;
    }
    let arc = DraftArc { kind: ArcKind::Normal, ..arc };
    if let Some(classes) = draft.classes.get(&CountOwner::Arc(number)).cloned() {
        draft.classes.insert(CountOwner::Arc(number + 1), classes);
    }
    let back = DraftArc { source: arc.target, target: arc.source, ..arc };
    draft.arcs.extend([arc, back]);
}

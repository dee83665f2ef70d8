//! Collects a draft from XML: pages, places and transitions, in any order.

use std::io::BufRead;

use super::{
    arcs::{self, timed},
    dialect::{LabelOwner, STOCHASTIC_TOOL, TIMING, is_untimed_invariant},
    draft::{DeclaredNode, DraftPlace, DraftReference, DraftTransition, NetDraft},
    labels::{CountText, check_priority, coloured, label, number, once, structure, text},
    nupn,
    other_labels::{OtherLabel, bare, other_attribute},
    presentation::{KeptOwner, KeptPart},
    token_classes::CountOwner,
};
use crate::{
    Fault,
    xml::{Tag, XmlCursor},
};

/// The elements of a net or page.
const NODES: [&str; 6] = ["page", "place", "transition", "arc", "referencePlace", "referenceTransition"];

/// The types of ePNK's objects, and the elements that they are.
const OBJECTS: [(&str, &str); 6] = [
    ("Page", "page"),
    ("Place", "place"),
    ("Transition", "transition"),
    ("Arc", "arc"),
    ("RefPlace", "referencePlace"),
    ("RefTrans", "referenceTransition"),
];

/// The hint for the nets of subprocesses.
const SUBPROCESS: &str =
    "WoPeD writes subprocesses so: replace each by its net there, and save the file again";

/// Reads the rest of a `net` element. The contents of pages and modules belong to the net.
pub(super) fn net<R: BufRead>(cursor: &mut XmlCursor<R>, draft: &mut NetDraft) -> Result<(), Fault> {
    let mut pages = 0_u32;
    loop {
        let Some(tag) = cursor.child_noting_text()? else {
            if pages == 0 {
                return Ok(());
            }
            pages -= 1;
            continue;
        };
        match element(&tag)? {
            "page" | "module" => pages += 1,
            "net" => {
                let message = "a net within a net is not supported";
                return Err(Fault::at(tag.offset, message).hint(SUBPROCESS));
            }
            "place" => {
                let place = new_place(&tag, draft)?;
                let id = place.id;
                let read = self::place(cursor, draft, place);
                let place = read.map_err(|fault| fault.within(format!("place {}", draft.ids.get(id))))?;
                draft.places.push(place);
                draft.end_kept(KeptOwner::Node(id));
            }
            "transition" => {
                let transition = new_transition(&tag, draft)?;
                let id = transition.id;
                let read = self::transition(cursor, draft, transition);
                let read = read.map_err(|fault| fault.within(format!("transition {}", draft.ids.get(id))));
                draft.transitions.push(read?);
                draft.end_kept(KeptOwner::Node(id));
            }
            "arc" | "inputArc" | "outputArc" | "inhibitorArc" => {
                let arc = arcs::new_arc(&tag, draft)?;
                let read = arcs::arc(cursor, draft, arc);
                let arc = read.map_err(|fault| fault.within(format!("arc {}", draft.arc)))?;
                draft.end_kept(KeptOwner::Arc(draft.arcs.len()));
                arcs::add(draft, arc);
            }
            "transportArc" => {
                let arcs = arcs::transport_arc(&tag, draft)?;
                draft.arcs.extend(arcs);
                cursor.skip()?;
            }
            "referencePlace" | "referenceTransition" => {
                let reference = new_reference(&tag, draft)?;
                draft.references.push(reference);
                cursor.skip()?;
            }
            "name" if pages == 0 => {
                if let Some(name) = text(cursor)? {
                    draft.name = name.into_owned();
                }
                draft.keep(KeptPart::Label("name"), cursor);
                draft.end_kept(KeptOwner::Net);
            }
            "declaration" => {
                let found = structure(cursor, draft)?;
                draft.declarations.extend(found);
                // The writer makes declarations of its own.
                draft.keep(KeptPart::Nothing, cursor);
            }
            "finalmarkings" => {
                final_markings(cursor, draft)?;
                draft.keep(KeptPart::Nothing, cursor);
            }
            "toolspecific" => {
                let [tool] = tag.attributes(["tool"])?;
                match tool {
                    Some(tool) if tool.eq_ignore_ascii_case("nupn") => nupn::read(cursor, draft)?,
                    _ => cursor.pass()?,
                }
                draft.keep(KeptPart::Rest, cursor);
                draft.end_kept(if pages == 0 { KeptOwner::Net } else { KeptOwner::Page });
            }
            // Pages become one, which has no name and no place of its own.
            "name" | "graphics" => cursor.skip()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Net, other, tag.offset);
                label.treat(cursor, draft, &NODES)?;
                draft.keep(KeptPart::Rest, cursor);
                draft.end_kept(if pages == 0 { KeptOwner::Net } else { KeptOwner::Page });
            }
        }
    }
}

/// The name of an element; ePNK may write an `object` whose type says what it is.
fn element<'t>(tag: &Tag<'t>) -> Result<&'t str, Fault> {
    if tag.name() != "object" {
        return Ok(tag.name());
    }
    let [kind] = tag.attributes(["xsi:type"])?;
    let kind = kind.unwrap_or_default();
    let kind = kind.rsplit(':').next().unwrap_or_default();
    let found = OBJECTS.iter().find(|(name, _)| *name == kind);
    Ok(found.map_or("object", |(_, element)| element))
}

/// Reads the rest of `finalmarkings`, as process miners write them: markings of places by their ids.
fn final_markings<R: BufRead>(cursor: &mut XmlCursor<R>, draft: &mut NetDraft) -> Result<(), Fault> {
    while let Some(tag) = cursor.child()? {
        if tag.name() != "marking" {
            cursor.skip()?;
            continue;
        }
        let mut marking = Vec::new();
        while let Some(tag) = cursor.child()? {
            let [place, id] = tag.attributes(["idref", "id"])?;
            let Some(place) = place.or(id).filter(|_| tag.name() == "place") else {
                cursor.skip()?;
                continue;
            };
            let offset = tag.offset;
            let place = draft.intern(&place, offset)?;
            let tokens = match number(cursor, "a final marking")? {
                Some(CountText::Plain(tokens)) => tokens,
                Some(CountText::Classes(_)) => {
                    return Err(Fault::at(offset, "a final marking with classes of tokens"));
                }
                None => 1,
            };
            if tokens > 0 {
                marking.push((place, tokens, offset));
            }
        }
        draft.final_markings.push(marking);
    }
    Ok(())
}

fn new_place(tag: &Tag, draft: &mut NetDraft) -> Result<DraftPlace, Fault> {
    let number = number_of(draft.places.len(), tag)?;
    let id = draft.declare(&tag.required("id")?, DeclaredNode::Place(number), tag.offset)?;
    let mut place = DraftPlace::new(id, tag.offset);
    if tag.has_at_most_one_attribute() {
        return Ok(place);
    }
    tag.each_attribute(|name, value| {
        match name {
            "id" => {}
            "name" => place.label = (value != draft.ids.get(id)).then(|| value.into()),
            "initialMarking" => {
                let count = draft.count_text(&value, "an initial marking", tag.offset)?;
                place.tokens = Some(draft.count(CountOwner::Place(number), count));
            }
            "invariant" if is_untimed_invariant(&value) => {}
            "invariant" => {
                let message = format!("the net is timed: tokens leave the place at an age `{value}`");
                return Err(timed(message, tag.offset).within(format!("place {}", draft.ids.get(id))));
            }
            "capacity" => place.capacity = capacity(&value, tag.offset)?,
            _ => other_attribute(draft, LabelOwner::Place, (name, &value), tag.offset)?,
        }
        Ok(())
    })?;
    Ok(place)
}

fn new_transition(tag: &Tag, draft: &mut NetDraft) -> Result<DraftTransition, Fault> {
    let node = DeclaredNode::Transition(number_of(draft.transitions.len(), tag)?);
    let id = draft.declare(&tag.required("id")?, node, tag.offset)?;
    let mut transition = DraftTransition { id, label: None, guard: None };
    if tag.has_at_most_one_attribute() {
        return Ok(transition);
    }
    tag.each_attribute(|name, value| {
        match name {
            "id" => {}
            "name" => transition.label = (value != draft.ids.get(id)).then(|| value.into()),
            "priority" => check_priority(draft, &value, tag.offset)?,
            _ => other_attribute(draft, LabelOwner::Transition, (name, &value), tag.offset)?,
        }
        Ok(())
    })?;
    Ok(transition)
}

fn new_reference(tag: &Tag, draft: &mut NetDraft) -> Result<DraftReference, Fault> {
    let [id, to] = tag.attributes(["id", "ref"])?;
    let (id, to) = (id.ok_or_else(|| tag.lacks("id"))?, to.ok_or_else(|| tag.lacks("ref"))?);
    let node = DeclaredNode::Reference(number_of(draft.references.len(), tag)?);
    let id = draft.declare(&id, node, tag.offset)?;
    let to = draft.intern(&to, tag.offset)?;
    Ok(DraftReference { id, to, offset: tag.offset, place: element(tag)? == "referencePlace" })
}

/// The capacity that a text says; 0 means that there is none.
fn capacity(text: &str, offset: u64) -> Result<Option<u64>, Fault> {
    let count = CountText::parse(text, "a capacity", offset)?.total();
    Ok((count > 0).then_some(count))
}

/// The number of a new node; `u32::MAX` is reserved.
pub(super) fn number_of(count: usize, tag: &Tag) -> Result<u32, Fault> {
    let number = u32::try_from(count).ok().filter(|&number| number < u32::MAX);
    number.ok_or_else(|| Fault::at(tag.offset, "the net has more than 2^32 nodes of a kind"))
}

/// Reads the rest of a `place` element.
fn place<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
    mut place: DraftPlace,
) -> Result<DraftPlace, Fault> {
    let number_of_place = draft.places.len() as u32;
    while let Some(tag) = cursor.child_noting_text()? {
        let part = draft.part(tag.name());
        match tag.name() {
            "name" => place.label = label(cursor, draft.ids.get(place.id))?.or(place.label),
            "initialMarking" => {
                bare(&tag, LabelOwner::Place)?;
                once(&tag, place.tokens.is_some())?;
                let count = number(cursor, "an initial marking")?;
                place.tokens = count.map(|count| draft.count(CountOwner::Place(number_of_place), count));
            }
            "hlinitialMarking" => {
                coloured(draft);
                once(&tag, place.marking.is_some())?;
                place.marking = structure(cursor, draft)?;
            }
            "type" => {
                coloured(draft);
                once(&tag, place.sort.is_some())?;
                place.sort = structure(cursor, draft)?;
            }
            "capacity" => {
                let offset = tag.offset;
                if let Some(text) = text(cursor)? {
                    place.capacity = capacity(&text, offset)?;
                }
            }
            "graphics" | "toolspecific" => cursor.pass()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Place, other, tag.offset);
                label.treat(cursor, draft, &["initialMarking", "hlinitialMarking", "type", "name"])?;
            }
        }
        draft.keep(part, cursor);
    }
    Ok(place)
}

/// Reads the rest of a `transition` element.
fn transition<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
    mut transition: DraftTransition,
) -> Result<DraftTransition, Fault> {
    while let Some(tag) = cursor.child_noting_text()? {
        let part = draft.part(tag.name());
        match tag.name() {
            "name" => transition.label = label(cursor, draft.ids.get(transition.id))?.or(transition.label),
            "condition" => {
                coloured(draft);
                once(&tag, transition.guard.is_some())?;
                transition.guard = structure(cursor, draft)?;
            }
            "priority" => {
                let offset = tag.offset;
                if let Some(value) = text(cursor)? {
                    let value = value.into_owned();
                    check_priority(draft, &value, offset)?;
                }
            }
            "delay" => {
                let offset = tag.offset;
                if !is_untimed_delay(cursor)? {
                    return Err(timed("the net is timed: a transition has a delay".into(), offset));
                }
            }
            "toolspecific" => {
                let [tool] = tag.attributes(["tool"])?;
                if tool.is_some_and(|tool| tool == STOCHASTIC_TOOL) {
                    draft.note(STOCHASTIC_TOOL, TIMING);
                }
                cursor.pass()?;
            }
            "graphics" => cursor.pass()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Transition, other, tag.offset);
                label.treat(cursor, draft, &["condition", "name"])?;
            }
        }
        draft.keep(part, cursor);
    }
    Ok(transition)
}

/// Reads the rest of a `delay`, as Tina writes it: an interval of MathML. Whether it excludes nothing, as `[0,infty)`.
fn is_untimed_delay<R: BufRead>(cursor: &mut XmlCursor<R>) -> Result<bool, Fault> {
    let mut is_untimed = true;
    while let Some(tag) = cursor.child_amid_text()? {
        if tag.name() != "interval" {
            is_untimed = false;
            cursor.skip()?;
            continue;
        }
        let [closure] = tag.attributes(["closure"])?;
        let is_closed_at_zero = closure.is_none_or(|closure| closure.starts_with("closed"));
        let mut ends = Vec::new();
        while let Some(tag) = cursor.child()? {
            let is_infinity = tag.name() == "ci";
            let text = cursor.text()?;
            ends.push(if is_infinity { text.starts_with("inf") } else { text.parse() == Ok(0.0) });
        }
        is_untimed &= is_closed_at_zero && ends == [true, true];
    }
    Ok(is_untimed)
}

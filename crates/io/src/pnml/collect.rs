//! Collects a draft from XML: pages, places, transitions and arcs, in any order.

use std::io::BufRead;

use super::{
    dialect::{LabelOwner, Treatment, is_untimed_interval, is_untimed_invariant, treatment},
    draft::{DeclaredNode, DraftArc, DraftPlace, DraftReference, DraftTransition, NetDraft},
    labels::{
        CountText, arc_kind, check_priority, coloured, label, marks_inhibitor, number, once, structure, text,
    },
    nupn,
    token_classes::CountOwner,
};
use crate::{
    Fault,
    suggest::nearest,
    xml::{Tag, XmlCursor},
};

/// The elements of a net or page.
const NODES: [&str; 6] = ["page", "place", "transition", "arc", "referencePlace", "referenceTransition"];

/// Reads the rest of a `net` element. The contents of pages, and of nets in pages, belong to the net.
pub(super) fn net<R: BufRead>(cursor: &mut XmlCursor<R>, draft: &mut NetDraft) -> Result<(), Fault> {
    let mut pages = 0;
    loop {
        let Some(tag) = cursor.child()? else {
            if pages == 0 {
                return Ok(());
            }
            pages -= 1;
            continue;
        };
        match element(&tag)? {
            "page" | "net" => pages += 1,
            "place" => {
                let place = new_place(&tag, draft)?;
                let id = place.id;
                let read = self::place(cursor, draft, place);
                let place = read.map_err(|fault| fault.within(format!("place {}", draft.ids.get(id))))?;
                draft.places.push(place);
            }
            "transition" => {
                let transition = new_transition(&tag, draft)?;
                let id = transition.id;
                let read = self::transition(cursor, draft, transition);
                let read = read.map_err(|fault| fault.within(format!("transition {}", draft.ids.get(id))));
                draft.transitions.push(read?);
            }
            "arc" | "inputArc" | "outputArc" | "inhibitorArc" => {
                let arc = new_arc(&tag, draft)?;
                let read = self::arc(cursor, draft, arc);
                let arc = read.map_err(|fault| fault.within(format!("arc {}", draft.arc)))?;
                draft.arcs.push(arc);
            }
            "transportArc" => {
                let arcs = transport_arc(&tag, draft)?;
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
            }
            "declaration" => {
                let found = structure(cursor, draft)?;
                draft.declarations.extend(found);
            }
            "finalmarkings" => final_markings(cursor, draft)?,
            "toolspecific" => {
                let [tool] = tag.attributes(["tool"])?;
                match tool {
                    Some(tool) if tool.eq_ignore_ascii_case("nupn") => nupn::read(cursor, draft)?,
                    _ => cursor.skip()?,
                }
            }
            "name" | "graphics" => cursor.skip()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Net, other, tag.offset);
                label.treat(cursor, draft, &NODES)?;
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
    let known =
        ["Page", "Place", "Transition", "Arc"].into_iter().zip(["page", "place", "transition", "arc"]);
    let found = known.into_iter().find(|(name, _)| kind.as_deref() == Some(*name));
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

/// A label that is no part of the standard: it might change the meaning of the net, so it is not simply ignored.
struct OtherLabel {
    owner: LabelOwner,
    name: String,
    offset: u64,
}

impl OtherLabel {
    fn new(owner: LabelOwner, name: &str, offset: u64) -> Self {
        Self { owner, name: name.to_owned(), offset }
    }

    /// Reads the rest of the label, or refuses it; `known` are the names that may have been meant.
    fn treat<R: BufRead>(
        self,
        cursor: &mut XmlCursor<R>,
        draft: &mut NetDraft,
        known: &[&'static str],
    ) -> Result<(), Fault> {
        let Self { owner, name, offset } = self;
        let Some(treatment) = treatment(owner, &name) else {
            return Err(unknown_label(&name, "element", offset, owner, known));
        };
        let value = match treatment {
            Treatment::Only(..) => text(cursor)?.map(|value| value.into_owned()).unwrap_or_default(),
            _ => {
                cursor.skip()?;
                String::new()
            }
        };
        treated(draft, treatment, (&name, &value), offset)
    }
}

/// Treats an attribute that is no part of the standard.
fn other_attribute(
    draft: &mut NetDraft,
    owner: LabelOwner,
    (name, value): (&str, &str),
    offset: u64,
) -> Result<(), Fault> {
    match treatment(owner, name) {
        Some(treatment) => treated(draft, treatment, (name, value), offset),
        None => Err(unknown_label(name, "attribute", offset, owner, &[])),
    }
}

fn treated(
    draft: &mut NetDraft,
    treatment: Treatment,
    (name, value): (&str, &str),
    offset: u64,
) -> Result<(), Fault> {
    match treatment {
        Treatment::Passed => Ok(()),
        Treatment::PassedWithNote(why) => {
            draft.note(name, why);
            Ok(())
        }
        Treatment::Only(only, _) if value.is_empty() || value == only => Ok(()),
        Treatment::Only(_, reason) | Treatment::Refused(reason) => {
            Err(Fault::at(offset, format!("{reason} (`{name}`)")))
        }
    }
}

/// The fault of an unknown element or attribute.
fn unknown_label(name: &str, kind: &str, offset: u64, owner: LabelOwner, known: &[&'static str]) -> Fault {
    let shown = if kind == "element" { format!("`<{name}>`") } else { format!("`{name}`") };
    let fault = Fault::at(offset, format!("unknown {kind} {shown} in {}", owner.noun()));
    match nearest(name, known.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean `<{near}>`?")),
        None => fault
            .hint("remove it or put it into `<toolspecific>`, if the net has the same meaning without it"),
    }
}

fn new_place(tag: &Tag, draft: &mut NetDraft) -> Result<DraftPlace, Fault> {
    let number = number_of(draft.places.len(), tag)?;
    let id = draft.declare(&tag.required("id")?, DeclaredNode::Place(number), tag.offset)?;
    let mut place = DraftPlace::new(id, tag.offset);
    for attribute in tag.each_attribute() {
        let (name, value) = attribute?;
        match name {
            "id" => {}
            "name" => place.label = (value != draft.ids.get(id)).then(|| value.into()),
            "initialMarking" => {
                let count = CountText::parse(&value, "an initial marking", tag.offset)?;
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
    }
    Ok(place)
}

fn new_transition(tag: &Tag, draft: &mut NetDraft) -> Result<DraftTransition, Fault> {
    let node = DeclaredNode::Transition(number_of(draft.transitions.len(), tag)?);
    let id = draft.declare(&tag.required("id")?, node, tag.offset)?;
    let mut transition = DraftTransition { id, label: None, guard: None };
    for attribute in tag.each_attribute() {
        let (name, value) = attribute?;
        match name {
            "id" => {}
            "name" => transition.label = (value != draft.ids.get(id)).then(|| value.into()),
            "priority" => check_priority(draft, &value, tag.offset)?,
            _ => other_attribute(draft, LabelOwner::Transition, (name, &value), tag.offset)?,
        }
    }
    Ok(transition)
}

fn new_reference(tag: &Tag, draft: &mut NetDraft) -> Result<DraftReference, Fault> {
    let [id, to] = tag.attributes(["id", "ref"])?;
    let (id, to) = (id.ok_or_else(|| tag.lacks("id"))?, to.ok_or_else(|| tag.lacks("ref"))?);
    let node = DeclaredNode::Reference(number_of(draft.references.len(), tag)?);
    let id = draft.declare(&id, node, tag.offset)?;
    let to = draft.intern(&to, tag.offset)?;
    Ok(DraftReference { id, to, offset: tag.offset, place: tag.name() == "referencePlace" })
}

fn new_arc(tag: &Tag, draft: &mut NetDraft) -> Result<DraftArc, Fault> {
    let (mut source, mut target, mut inhibitor) = (None, None, tag.name() == "inhibitorArc");
    let (mut weight, mut is_said) = (1, false);
    let number = number_of(draft.arcs.len(), tag)?;
    draft.arc.clear();
    for attribute in tag.each_attribute() {
        let (name, value) = attribute?;
        match name {
            "id" => draft.arc.push_str(&value),
            "source" => source = Some(draft.intern(&value, tag.offset)?),
            "target" => target = Some(draft.intern(&value, tag.offset)?),
            "type" => inhibitor |= arc_kind(&value, tag.offset)?,
            "weight" => {
                let count = CountText::parse(&value, "an arc's weight", tag.offset)?;
                (weight, is_said) = (draft.count(CountOwner::Arc(number), count), true);
            }
            "inscription" => {
                if let Some(count) = inscription(&value, tag.offset)?.filter(|_| !is_said) {
                    weight = draft.count(CountOwner::Arc(number), count);
                }
            }
            _ => other_attribute(draft, LabelOwner::Arc, (name, &value), tag.offset)?,
        }
    }
    let source = source.ok_or_else(|| tag.lacks("source"))?;
    let target = target.ok_or_else(|| tag.lacks("target"))?;
    Ok(DraftArc { source, target, offset: tag.offset, weight, term: None, inhibitor })
}

/// The count of an inscription in an attribute; `None` for an interval, which says nothing about the weight. The number of a
/// pair of transport arcs may follow an interval.
fn inscription(text: &str, offset: u64) -> Result<Option<CountText>, Fault> {
    if !text.trim_start().starts_with(['[', '(']) {
        return CountText::parse(text, "an arc's weight", offset).map(Some);
    }
    let interval = text.split(':').next().unwrap_or(text);
    if is_untimed_interval(interval) {
        return Ok(None);
    }
    Err(timed(format!("the net is timed: the arc takes tokens of an age in `{interval}`"), offset))
}

/// A transport arc keeps the age of the tokens that it moves; without time it is two arcs.
fn transport_arc(tag: &Tag, draft: &mut NetDraft) -> Result<[DraftArc; 2], Fault> {
    let [source, transition, target, interval, weight] =
        tag.attributes(["source", "transition", "target", "inscription", "weight"])?;
    if let Some(interval) = &interval {
        inscription(interval, tag.offset)?;
    }
    let weight = match weight {
        Some(weight) => CountText::parse(&weight, "an arc's weight", tag.offset)?.total(),
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
        inhibitor: false,
    };
    Ok([arc(source, transition), arc(transition, target)])
}

fn timed(message: String, offset: u64) -> Fault {
    Fault::at(offset, message).hint("fireset reads untimed nets: all intervals must be [0,inf)")
}

/// The capacity that a text says; 0 means that there is none.
fn capacity(text: &str, offset: u64) -> Result<Option<u64>, Fault> {
    let count = CountText::parse(text, "a capacity", offset)?.total();
    Ok((count > 0).then_some(count))
}

/// Refuses attributes of a label with a number: one that is passed over might be the number.
fn bare(tag: &Tag, owner: LabelOwner) -> Result<(), Fault> {
    let mut others = tag.each_attribute().filter(|attribute| !matches!(attribute, Ok(("id", _))));
    match others.next() {
        None => Ok(()),
        Some(attribute) => Err(unknown_label(attribute?.0, "attribute", tag.offset, owner, &[])),
    }
}

/// The number of a new node; `u32::MAX` is reserved.
fn number_of(count: usize, tag: &Tag) -> Result<u32, Fault> {
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
    while let Some(tag) = cursor.child()? {
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
            "graphics" | "toolspecific" => cursor.skip()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Place, other, tag.offset);
                label.treat(cursor, draft, &["initialMarking", "hlinitialMarking", "type", "name"])?;
            }
        }
    }
    Ok(place)
}

/// Reads the rest of a `transition` element.
fn transition<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
    mut transition: DraftTransition,
) -> Result<DraftTransition, Fault> {
    while let Some(tag) = cursor.child()? {
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
            "graphics" | "toolspecific" => cursor.skip()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Transition, other, tag.offset);
                label.treat(cursor, draft, &["condition", "name"])?;
            }
        }
    }
    Ok(transition)
}

/// Reads the rest of an `arc` element.
fn arc<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
    mut arc: DraftArc,
) -> Result<DraftArc, Fault> {
    let (number_of_arc, mut weight) = (draft.arcs.len() as u32, None);
    while let Some(tag) = cursor.child()? {
        let offset = tag.offset;
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
                    arc.inhibitor |= arc_kind(value, offset)?;
                }
                if let Some(text) = text(cursor)? {
                    arc.inhibitor |= arc_kind(&text, offset)?;
                }
            }
            "toolspecific" => {
                let [tool] = tag.attributes(["tool"])?;
                if tool.is_some_and(|tool| tool.to_ascii_lowercase().contains("tapaal")) {
                    arc.inhibitor |= marks_inhibitor(cursor)?;
                } else {
                    cursor.skip()?;
                }
            }
            "name" | "graphics" => cursor.skip()?,
            other => {
                let label = OtherLabel::new(LabelOwner::Arc, other, tag.offset);
                label.treat(cursor, draft, &["inscription", "hlinscription", "type"])?;
            }
        }
    }
    arc.weight = weight.unwrap_or(arc.weight);
    Ok(arc)
}

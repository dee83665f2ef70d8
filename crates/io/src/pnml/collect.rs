//! Collects a draft from XML: pages, places, transitions and arcs, in any order.

use std::io::BufRead;

use super::{
    draft::{DeclaredNode, DraftArc, DraftPlace, DraftReference, DraftTransition, NetDraft, NetKind},
    labels::{check_coloured, is_inhibitor, label, marks_inhibitor, number, once, structure, text},
    nupn,
};
use crate::{
    Fault,
    suggest::nearest,
    xml::{Tag, XmlCursor},
};

/// The elements of a net or page.
const NODES: [&str; 6] = ["page", "place", "transition", "arc", "referencePlace", "referenceTransition"];

/// Reads a whole PNML text.
pub(super) fn document<R: BufRead>(cursor: &mut XmlCursor<R>) -> Result<NetDraft, Fault> {
    let root = cursor
        .child()?
        .ok_or_else(|| Fault::at(0, "the file has no content").hint("a PNML file starts with `<pnml>`"))?;
    if root.name() != "pnml" {
        let message = format!("the root element is `<{}>`, but `<pnml>` is expected", root.name());
        let hint = match root.name() {
            "property-set" => "this is a property file; give it with --properties, and the net as MODEL",
            _ => "fireset reads nets in PNML; export the net as PNML",
        };
        return Err(Fault::at(root.offset, message).hint(hint));
    }
    let mut draft = None;
    while let Some(tag) = cursor.child()? {
        match tag.name() {
            "net" if draft.is_some() => {
                return Err(
                    Fault::at(tag.offset, "the file has a second net").hint("put each net into its own file")
                );
            }
            "net" => {
                let [id, kind] = tag.attributes(["id", "type"])?;
                let kind = net_kind(kind.as_deref(), tag.offset)?;
                let mut found = NetDraft::new(kind, id.unwrap_or_default().into_owned());
                net(cursor, &mut found)?;
                draft = Some(found);
            }
            _ => cursor.skip()?,
        }
    }
    if let Some(tag) = cursor.child()? {
        return Err(Fault::at(tag.offset, "unexpected element after `</pnml>`"));
    }
    draft.ok_or_else(|| Fault::at(0, "the file has no net").hint("`<pnml>` must contain a `<net>`"))
}

/// The kind of a net by the last part of its type attribute, which is an address.
fn net_kind(name: Option<&str>, offset: u64) -> Result<NetKind, Fault> {
    const NAMES: [(&str, NetKind); 4] = [
        ("ptnet", NetKind::Plain),
        ("symmetricnet", NetKind::Coloured),
        ("highlevelnet", NetKind::Coloured),
        ("pt-hlpng", NetKind::Coloured),
    ];
    let Some(name) = name else {
        return Err(Fault::at(offset, "`<net>` has no attribute `type`")
            .hint("the type is http://www.pnml.org/version-2009/grammar/ptnet or .../symmetricnet"));
    };
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    if let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == last) {
        return Ok(*kind);
    }
    let fault = Fault::at(offset, format!("nets of the type `{name}` are not supported"));
    Err(match nearest(last, NAMES.iter().map(|(known, _)| *known)) {
        Some(known) => fault.hint(format!("did you mean http://www.pnml.org/version-2009/grammar/{known}?")),
        None => {
            fault.hint("supported types: http://www.pnml.org/version-2009/grammar/ptnet and .../symmetricnet")
        }
    })
}

/// Reads the rest of a `net` element. The contents of pages belong to the net.
fn net<R: BufRead>(cursor: &mut XmlCursor<R>, draft: &mut NetDraft) -> Result<(), Fault> {
    let mut pages = 0;
    loop {
        let Some(tag) = cursor.child()? else {
            if pages == 0 {
                return Ok(());
            }
            pages -= 1;
            continue;
        };
        match tag.name() {
            "page" => pages += 1,
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
            "arc" => {
                let arc = new_arc(&tag, draft)?;
                let read = self::arc(cursor, draft, arc);
                let arc = read.map_err(|fault| fault.within(format!("arc {}", draft.arc)))?;
                draft.arcs.push(arc);
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
            "toolspecific" if draft.kind == NetKind::Plain => {
                let [tool] = tag.attributes(["tool"])?;
                match tool {
                    Some(tool) if tool.eq_ignore_ascii_case("nupn") => nupn::read(cursor, draft)?,
                    _ => cursor.skip()?,
                }
            }
            "name" | "graphics" | "toolspecific" => cursor.skip()?,
            _ => return Err(unknown_element(&tag, "a net", &NODES)),
        }
    }
}

/// The fault of an unknown element: it might change the meaning of the net, so it is not ignored.
fn unknown_element(tag: &Tag, parent: &str, known: &[&'static str]) -> Fault {
    let name = tag.name();
    let fault = Fault::at(tag.offset, format!("unknown element `<{name}>` in {parent}"));
    match nearest(name, known.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean `<{near}>`?")),
        None => fault
            .hint("remove it or put it into `<toolspecific>`, if the net has the same meaning without it"),
    }
}

fn new_place(tag: &Tag, draft: &mut NetDraft) -> Result<DraftPlace, Fault> {
    let node = DeclaredNode::Place(number_of(draft.places.len(), tag)?);
    let id = draft.declare(&tag.required("id")?, node, tag.offset)?;
    Ok(DraftPlace { id, label: None, offset: tag.offset, tokens: None, sort: None, marking: None })
}

fn new_transition(tag: &Tag, draft: &mut NetDraft) -> Result<DraftTransition, Fault> {
    let node = DeclaredNode::Transition(number_of(draft.transitions.len(), tag)?);
    let id = draft.declare(&tag.required("id")?, node, tag.offset)?;
    Ok(DraftTransition { id, label: None, guard: None })
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
    let [id, source, target, kind] = tag.attributes(["id", "source", "target", "type"])?;
    draft.arc.clear();
    draft.arc.push_str(&id.unwrap_or_default());
    let source = draft.intern(&source.ok_or_else(|| tag.lacks("source"))?, tag.offset)?;
    let target = draft.intern(&target.ok_or_else(|| tag.lacks("target"))?, tag.offset)?;
    let inhibitor = match kind {
        Some(kind) => is_inhibitor(&kind, tag.offset)?,
        None => false,
    };
    Ok(DraftArc { source, target, offset: tag.offset, weight: 1, term: None, inhibitor })
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
    while let Some(tag) = cursor.child()? {
        match tag.name() {
            "name" => place.label = label(cursor, draft.ids.get(place.id))?,
            "initialMarking" => {
                once(&tag, place.tokens.is_some())?;
                place.tokens = number(cursor, "an initial marking")?;
            }
            "hlinitialMarking" => {
                check_coloured(draft, "hlinitialMarking", tag.offset)?;
                once(&tag, place.marking.is_some())?;
                place.marking = structure(cursor, draft)?;
            }
            "type" => {
                check_coloured(draft, "type", tag.offset)?;
                once(&tag, place.sort.is_some())?;
                place.sort = structure(cursor, draft)?;
            }
            "graphics" | "toolspecific" => cursor.skip()?,
            _ => {
                return Err(unknown_element(
                    &tag,
                    "a place",
                    &["initialMarking", "hlinitialMarking", "type", "name"],
                ));
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
            "name" => transition.label = label(cursor, draft.ids.get(transition.id))?,
            "condition" => {
                check_coloured(draft, "condition", tag.offset)?;
                once(&tag, transition.guard.is_some())?;
                transition.guard = structure(cursor, draft)?;
            }
            "graphics" | "toolspecific" => cursor.skip()?,
            _ => return Err(unknown_element(&tag, "a transition", &["condition", "name"])),
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
    let mut weight = None;
    while let Some(tag) = cursor.child()? {
        let offset = tag.offset;
        match tag.name() {
            "inscription" => {
                once(&tag, weight.is_some())?;
                weight = number(cursor, "an arc's weight")?;
            }
            "hlinscription" => {
                check_coloured(draft, "hlinscription", tag.offset)?;
                once(&tag, arc.term.is_some())?;
                arc.term = structure(cursor, draft)?;
            }
            "type" => {
                let [value] = tag.attributes(["value"])?;
                if let Some(value) = &value {
                    arc.inhibitor |= is_inhibitor(value, offset)?;
                }
                if let Some(text) = text(cursor)? {
                    arc.inhibitor |= is_inhibitor(&text, offset)?;
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
            _ => return Err(unknown_element(&tag, "an arc", &["inscription", "hlinscription", "type"])),
        }
    }
    arc.weight = weight.unwrap_or(arc.weight);
    Ok(arc)
}

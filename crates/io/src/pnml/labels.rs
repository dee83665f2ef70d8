//! Reads the labels of nodes and arcs: names, numbers, terms, and the types of arcs.

use std::{borrow::Cow, io::BufRead};

use super::{
    draft::{NetDraft, NetKind},
    terms::TermId,
};
use crate::{
    Fault,
    xml::{Tag, XmlCursor},
};

/// Whether the type of an arc is inhibitor. Unsupported types are refused.
pub(super) fn is_inhibitor(kind: &str, offset: u64) -> Result<bool, Fault> {
    match kind.trim() {
        "" | "normal" | "default" | "arc" => Ok(false),
        "inhibitor" | "tapnInhibitor" => Ok(true),
        other => Err(Fault::at(offset, format!("arcs of the type `{other}` are not supported"))
            .hint("arcs are `normal` or `inhibitor`")),
    }
}

/// Reads the rest of an arc's `toolspecific` element; true if it marks an inhibitor arc.
pub(super) fn marks_inhibitor<R: BufRead>(cursor: &mut XmlCursor<R>) -> Result<bool, Fault> {
    let (mut found, mut open) = (false, 1);
    while open > 0 {
        let Some(tag) = cursor.child_amid_text()? else {
            open -= 1;
            continue;
        };
        open += 1;
        let says = |text: &str| matches!(text, "inhibitor" | "tapnInhibitor");
        let values = tag.attributes(["type", "value"])?;
        let [flag] = tag.attributes(["inhibitor"])?;
        found |= (says(tag.name()) && values[1].as_deref() != Some("false"))
            || values.iter().flatten().any(|value| says(value))
            || flag.is_some_and(|flag| flag == "true");
    }
    Ok(found)
}

/// Refuses a second label of the same kind.
pub(super) fn once(tag: &Tag, is_repeated: bool) -> Result<(), Fault> {
    match is_repeated {
        true => Err(Fault::at(tag.offset, format!("`<{}>` is given twice", tag.name()))),
        false => Ok(()),
    }
}

/// Reads the rest of a label and returns its `structure`; `None` if the label is empty.
pub(super) fn structure<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
) -> Result<Option<TermId>, Fault> {
    let (mut found, mut said) = (None, None);
    while let Some(tag) = cursor.child()? {
        let offset = tag.offset;
        match tag.name() {
            "structure" => {
                once(&tag, found.is_some())?;
                found = Some(draft.terms.read(cursor, offset)?);
            }
            "text" => {
                if !cursor.text()?.is_empty() {
                    said = Some(offset);
                }
            }
            "graphics" | "toolspecific" => cursor.skip()?,
            _ => return Err(unexpected_element(&tag, "`<structure>`")),
        }
    }
    match (found, said) {
        (None, Some(offset)) => Err(Fault::at(offset, "the label has text, but no `<structure>`")
            .hint("fireset reads the term from the elements of `<structure>`, not from the text")),
        (found, _) => Ok(found),
    }
}

/// Reads the rest of a `name` element; a name equal to the id is not kept.
pub(super) fn label<R: BufRead>(cursor: &mut XmlCursor<R>, id: &str) -> Result<Option<Box<str>>, Fault> {
    Ok(text(cursor)?.filter(|label| label != id).map(|label| label.into()))
}

/// Reads the rest of a label and returns its text, if it has one.
pub(super) fn text<R: BufRead>(cursor: &mut XmlCursor<R>) -> Result<Option<Cow<'_, str>>, Fault> {
    let mut found = false;
    while let Some(tag) = cursor.child()? {
        match tag.name() {
            "text" => {
                once(&tag, found)?;
                cursor.text()?;
                found = true;
            }
            "graphics" | "toolspecific" => cursor.skip()?,
            _ => return Err(unexpected_element(&tag, "`<text>`")),
        }
    }
    found.then(|| cursor.last_text()).transpose()
}

fn unexpected_element(tag: &Tag, expected: &str) -> Fault {
    Fault::at(tag.offset, format!("expected {expected}, found `<{}>`", tag.name()))
}

/// Reads the rest of a label and returns the number in its text.
pub(super) fn number<R: BufRead>(cursor: &mut XmlCursor<R>, what: &str) -> Result<Option<u64>, Fault> {
    let Some(text) = text(cursor)? else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    match parse_count(&text, what) {
        Ok(value) => Ok(Some(value)),
        Err(message) => Err(Fault::at(cursor.text_offset(), message).hint(COUNTS)),
    }
}

/// The hint for numbers out of range.
const COUNTS: &str = "write a whole number from 0 to 18446744073709551615";

/// Parses a count of tokens; messages name it `what`.
pub(super) fn parse_count(text: &str, what: &str) -> Result<u64, String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        if text.strip_prefix('-').is_some_and(digits) {
            format!("{what} cannot be negative, but it is {shown}")
        } else if digits(text.strip_prefix('+').unwrap_or(text)) {
            format!("{what} must fit into 64 bits, but it is {shown}")
        } else {
            format!("{what} must be a whole number, but it is `{shown}`")
        }
    })
}

/// Refuses labels of coloured nets in a place/transition net.
pub(super) fn check_coloured(draft: &NetDraft, name: &str, offset: u64) -> Result<(), Fault> {
    if draft.kind == NetKind::Coloured {
        return Ok(());
    }
    let message = format!("`<{name}>` belongs to a coloured net, but the type of this net is ptnet");
    Err(Fault::at(offset, message).hint("use the type http://www.pnml.org/version-2009/grammar/symmetricnet"))
}

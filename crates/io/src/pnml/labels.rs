//! The labels of nodes and arcs: names, numbers, terms, and what makes an arc an inhibitor arc.

use std::io::BufRead;

use super::{
    draft::{Draft, Kind},
    terms::TermId,
};
use crate::{Fault, xml::Cursor};

/// Whether an arc's type says that it inhibits. Types that mean something else are refused.
pub(super) fn is_inhibitor(kind: &str, offset: u64) -> Result<bool, Fault> {
    match kind.trim() {
        "" | "normal" | "default" | "arc" => Ok(false),
        "inhibitor" | "tapnInhibitor" => Ok(true),
        other => Err(Fault::at(offset, format!("arcs of the type `{other}` are not supported"))
            .hint("arcs are `normal` or `inhibitor`")),
    }
}

/// Reads the rest of a tool's element on an arc: whether anything in it says `inhibitor`.
pub(super) fn marks_inhibitor<R: BufRead>(cursor: &mut Cursor<R>) -> Result<bool, Fault> {
    let (mut found, mut open) = (false, 1);
    while open > 0 {
        let Some(tag) = cursor.child()? else {
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

/// Reads the rest of a label for its `structure`.
pub(super) fn structure<R: BufRead>(
    cursor: &mut Cursor<R>,
    draft: &mut Draft,
) -> Result<Option<TermId>, Fault> {
    let mut found = None;
    while let Some(tag) = cursor.child()? {
        let offset = tag.offset;
        if tag.name() == "structure" && found.is_none() {
            found = Some(draft.terms.read(cursor, offset)?);
        } else {
            cursor.skip()?;
        }
    }
    Ok(found)
}

/// Reads the rest of a `name` element; a name equal to the id is not kept.
pub(super) fn label<R: BufRead>(cursor: &mut Cursor<R>, id: &str) -> Result<Option<Box<str>>, Fault> {
    Ok(cursor.label()?.filter(|label| label != id).map(|label| label.into()))
}

/// Reads the rest of a label for the number in its text.
pub(super) fn number<R: BufRead>(cursor: &mut Cursor<R>, what: &str) -> Result<Option<u64>, Fault> {
    let Some(text) = cursor.label()? else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    match parse_count(&text, what) {
        Ok(value) => Ok(Some(value)),
        Err(message) => Err(Fault::at(cursor.text_offset(), message)),
    }
}

/// A count of tokens.
pub(super) fn parse_count(text: &str, what: &str) -> Result<u64, String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        if text.strip_prefix('-').is_some_and(digits) {
            format!("{what} cannot be negative, but it is {shown}")
        } else if digits(text.strip_prefix('+').unwrap_or(text)) {
            format!("{what} has to fit into 64 bits, but it is {shown}")
        } else {
            format!("{what} is a whole number, but `{shown}` is given")
        }
    })
}

/// Refuses a label of coloured nets elsewhere.
pub(super) fn check_colored(draft: &Draft, name: &str, offset: u64) -> Result<(), Fault> {
    if draft.kind == Kind::Colored {
        return Ok(());
    }
    let message = format!("`<{name}>` belongs to a coloured net, but the type of this net is ptnet");
    Err(Fault::at(offset, message).hint("use the type http://www.pnml.org/version-2009/grammar/symmetricnet"))
}

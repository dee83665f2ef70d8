//! Reads the labels of nodes and arcs: names, numbers, terms, and the types of arcs.

use std::{borrow::Cow, io::BufRead};

use super::{
    draft::{NetDraft, NetKind},
    terms::TermId,
    token_classes,
};
use crate::{
    Fault,
    xml::{Tag, XmlCursor},
};

/// What an arc does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArcKind {
    /// It takes or puts tokens.
    #[default]
    Normal,
    Inhibitor,
    /// It takes tokens and puts them back: a test for their presence.
    Read,
}

impl ArcKind {
    /// The kind that a type names; `self` if it names none. Unsupported types are refused.
    pub(super) fn or_named(self, kind: &str, offset: u64) -> Result<Self, Fault> {
        match kind.trim() {
            "" | "normal" | "default" | "arc" | "ordinary" | "regular" | "timed" | "transport" => Ok(self),
            "inhibitor" | "tapnInhibitor" => Ok(Self::Inhibitor),
            "read" | "test" | "biflow" | "bidirectional" => Ok(Self::Read),
            other if other.eq_ignore_ascii_case("reset") => {
                Err(Fault::at(offset, "reset arcs are not supported").hint(RESET))
            }
            other => Err(Fault::at(offset, format!("arcs of the type `{other}` are not supported"))
                .hint("arcs are `normal`, `inhibitor` or `read`")),
        }
    }
}

/// The hint for reset arcs.
const RESET: &str =
    "if the place is 1-safe, write one transition that takes its token and one that is inhibited by it";

/// A count as a file writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CountText {
    Plain(u64),
    /// Counts by class of tokens.
    Classes(Vec<(String, u64)>),
}

impl CountText {
    pub(super) fn parse(text: &str, what: &str, offset: u64) -> Result<Self, Fault> {
        let text = text.trim();
        let parsed = match token_classes::split(text, what) {
            Some(classes) => classes.map(|classes| {
                Self::Classes(classes.into_iter().map(|(class, count)| (class.to_owned(), count)).collect())
            }),
            None => parse_count(text, what).map(Self::Plain),
        };
        parsed.map_err(|message| Fault::at(offset, message).hint(COUNTS))
    }

    /// The tokens of all classes.
    pub(super) fn total(&self) -> u64 {
        match self {
            Self::Plain(count) => *count,
            Self::Classes(classes) => classes.iter().fold(0, |sum: u64, class| sum.saturating_add(class.1)),
        }
    }
}

/// Refuses transitions of different priorities, which change what can fire.
pub(super) fn check_priority(draft: &mut NetDraft, value: &str, offset: u64) -> Result<(), Fault> {
    match &draft.priority {
        Some(known) if known == value => Ok(()),
        Some(known) => {
            let message = format!("transitions have different priorities: {known} and {value}");
            Err(Fault::at(offset, message).hint("fireset reads nets without priorities"))
        }
        None => {
            draft.priority = Some(value.to_owned());
            Ok(())
        }
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
                if !cursor.text_passing()?.is_empty() {
                    said = Some(offset);
                }
            }
            "graphics" | "toolspecific" => cursor.pass()?,
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
            // PIPE and others say `value`.
            "text" | "value" => {
                once(&tag, found)?;
                cursor.text()?;
                found = true;
            }
            "graphics" | "toolspecific" => cursor.pass()?,
            _ => return Err(unexpected_element(&tag, "`<text>`")),
        }
    }
    found.then(|| cursor.last_text()).transpose()
}

fn unexpected_element(tag: &Tag, expected: &str) -> Fault {
    Fault::at(tag.offset, format!("expected {expected}, found `<{}>`", tag.name()))
}

/// Reads the rest of a label and returns the number in its text.
pub(super) fn number<R: BufRead>(cursor: &mut XmlCursor<R>, what: &str) -> Result<Option<CountText>, Fault> {
    if text(cursor)?.is_none_or(|text| text.is_empty()) {
        return Ok(None);
    }
    CountText::parse(&cursor.last_text()?, what, cursor.text_offset()).map(Some)
}

/// The hint for numbers out of range.
const COUNTS: &str = "write a whole number from 0 to 18446744073709551615";

/// Parses a count of tokens; messages name it `what`.
pub(super) fn parse_count(text: &str, what: &str) -> Result<u64, String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Some tools write whole numbers as `3.0`; in `3.000` the point may separate thousands.
    let number = text.strip_suffix(".0").unwrap_or(text);
    number.parse().map_err(|_| {
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

/// Takes note of a label of coloured nets: what a net has decides its kind, not what its type says.
pub(super) fn coloured(draft: &mut NetDraft) {
    draft.kind = NetKind::Coloured;
}

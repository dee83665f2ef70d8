//! Labels and attributes that are no part of the standard, treated as `dialect` says.

use std::io::BufRead;

use super::{
    dialect::{LabelOwner, Treatment, treatment},
    draft::NetDraft,
    labels::text,
};
use crate::{
    Fault,
    suggest::nearest,
    xml::{Tag, XmlCursor},
};

/// A label that is no part of the standard: it might change the meaning of the net, so it is not simply ignored.
pub(super) struct OtherLabel {
    owner: LabelOwner,
    name: String,
    offset: u64,
}

impl OtherLabel {
    pub(super) fn new(owner: LabelOwner, name: &str, offset: u64) -> Self {
        Self { owner, name: name.to_owned(), offset }
    }

    /// Reads the rest of the label, or refuses it; `known` are the names that may have been meant.
    pub(super) fn treat<R: BufRead>(
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
                cursor.pass()?;
                String::new()
            }
        };
        treated(draft, treatment, (&name, &value), offset)
    }
}

/// Treats an attribute that is no part of the standard.
pub(super) fn other_attribute(
    draft: &mut NetDraft,
    owner: LabelOwner,
    (name, value): (&str, &str),
    offset: u64,
) -> Result<(), Fault> {
    if let Some(kept) = &mut draft.kept {
        kept.attribute(name, value);
    }
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

/// Refuses attributes of a label with a number: one that is passed over might be the number.
pub(super) fn bare(tag: &Tag, owner: LabelOwner) -> Result<(), Fault> {
    tag.each_attribute(|name, _| match name {
        "id" => Ok(()),
        other => Err(unknown_label(other, "attribute", tag.offset, owner, &[])),
    })
}

//! Reads property files; the tree of a formula is built with an explicit stack.

use std::{borrow::Cow, io::BufRead};

use fireset_net::{Formula, Logic, Property};

use super::{
    build::{self, KNOWN},
    operands::{Colours, Element, ElementText},
};
use crate::{
    Fault,
    property_file::{PropertyList, RefusedProperty},
    query::{QueryNames, names::Binder},
    suggest::nearest,
    xml::{Tag, XmlCursor},
};

/// Elements of a property without meaning for its formula.
const IGNORED: [&str; 3] = ["description", "tags", "toolspecific"];

/// Reads a document; `logic` gives the logic of a property by its id.
pub(super) fn document(
    input: impl BufRead,
    names: QueryNames<'_>,
    logic: impl Fn(&str) -> Logic,
) -> Result<PropertyList<Fault>, Fault> {
    let mut document = Document { cursor: XmlCursor::new(input)?, binder: Binder::new(names) };
    let root = document.cursor.child()?;
    let root = root.ok_or_else(|| Fault::at(0, "the file has no element `property-set`"))?;
    if root.name() != "property-set" {
        let message = format!("the root element is `{}`, not `property-set`", root.name());
        let hint = match root.name() {
            "pnml" => "this is a net; give it as MODEL, and a property file with --properties",
            _ => "fireset reads property files of the Model Checking Contest",
        };
        return Err(Fault::at(root.offset, message).hint(hint));
    }
    let mut list = PropertyList::default();
    while let Some(tag) = document.cursor.child()? {
        if tag.name() != "property" {
            return Err(unknown_element(&tag, "`property-set`", &["property"]));
        }
        let start = tag.offset;
        let inside = document.cursor.depth();
        match document.property(start, &logic) {
            Ok(property) => list.properties.push(property.into()),
            Err((_, fault)) if document.cursor.is_broken() => return Err(fault),
            Err((id, error)) => {
                let name = id.unwrap_or_else(|| format!("property {}", list.len() + 1));
                list.refused.push(RefusedProperty { name, error });
                document.cursor.skip_to(inside - 1)?;
            }
        }
    }
    match document.cursor.child()? {
        Some(tag) => Err(Fault::at(tag.offset, "unexpected element after `property-set`")),
        None => Ok(list),
    }
}

struct Document<'n, R> {
    cursor: XmlCursor<R>,
    binder: Binder<'n>,
}

impl<R: BufRead> Document<'_, R> {
    /// Reads the rest of a property and checks its logic; a fault comes with the id, if there is one.
    fn property(
        &mut self,
        start: u64,
        logic: &impl Fn(&str) -> Logic,
    ) -> Result<Property, (Option<String>, Fault)> {
        let (mut id, mut formula) = (None, None);
        let content = self.content(&mut id, &mut formula);
        let missing = |what| Fault::at(start, format!("the property has no `{what}`"));
        let Some(name) = id else {
            return Err((None, content.err().unwrap_or_else(|| missing("id")).within("property")));
        };
        let refused = |fault: Fault| {
            let fault = fault.within(format!("property {name}"));
            (Some(name.clone()), fault)
        };
        content.map_err(refused)?;
        let formula = formula.ok_or_else(|| refused(missing("formula")))?;
        let property = Property { logic: logic(&name), name: name.clone(), formula };
        match property.query() {
            Ok(_) => Ok(property),
            Err(unsupported) => Err(refused(Fault::at(start, unsupported.to_string()))),
        }
    }

    /// Reads the id and the formula of a property.
    fn content(&mut self, id: &mut Option<String>, formula: &mut Option<Formula>) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child()? {
            let offset = tag.offset;
            match tag.name() {
                "id" if id.is_none() => *id = Some(self.cursor.text()?.into_owned()),
                "formula" if formula.is_none() => *formula = Some(self.formula(offset)?),
                name @ ("id" | "formula") => {
                    return Err(Fault::at(offset, format!("`{name}` is given twice")));
                }
                name if IGNORED.contains(&name) => self.cursor.skip()?,
                _ => return Err(unknown_element(&tag, "`property`", &["id", "description", "formula"])),
            }
        }
        Ok(())
    }

    /// Reads the rest of a formula that begins at `offset`.
    fn formula(&mut self, offset: u64) -> Result<Formula, Fault> {
        let mut around = Vec::new();
        let mut here = Element::new("formula", offset);
        loop {
            let Some(tag) = self.cursor.child()? else {
                let Some(outside) = around.pop() else { return here.one() };
                let element = std::mem::replace(&mut here, outside);
                here.add(element.offset, build::value(element)?);
                continue;
            };
            let offset = tag.offset;
            let name = build::known(tag.name()).ok_or_else(|| unknown_element(&tag, "a formula", KNOWN))?;
            match build::reading(name) {
                Some(read) => {
                    let [colour, binding] = tag.attributes(["colour", "binding"])?;
                    let colours = Colours {
                        offset,
                        colour: colour.map(Cow::into_owned),
                        binding: binding.map(Cow::into_owned),
                    };
                    let text = self.cursor.text()?.into_owned();
                    let text = ElementText { text: &text, offset: self.cursor.text_offset(), colours };
                    here.add(offset, read(&text, &self.binder)?);
                }
                None => around.push(std::mem::replace(&mut here, Element::new(name, offset))),
            }
        }
    }
}

fn unknown_element(tag: &Tag<'_>, parent: &str, known: &[&'static str]) -> Fault {
    let fault = Fault::at(tag.offset, format!("unknown element `{}` in {parent}", tag.name()));
    match nearest(tag.name(), known.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None if known.len() < 5 => fault.hint(format!("expected {}", listed(known))),
        None => fault,
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

//! From XML to properties: the frame around the formulas, and their tree as a stack.

use std::{collections::HashSet, io::BufRead};

use fireset_net::{Formula, Logic, Nodes, Property};

use super::{
    build::{self, KNOWN},
    operands::{Element, Text},
};
use crate::{
    Fault,
    query::names::Binder,
    suggest::nearest,
    xml::{Cursor, Tag},
};

/// Elements of a property that say nothing about its meaning.
const PASSED_OVER: [&str; 3] = ["description", "tags", "toolspecific"];

/// Reads a whole document; `logic` tells how a property of this id is read.
pub(super) fn document(
    input: impl BufRead,
    nodes: &Nodes,
    logic: impl Fn(&str) -> Logic,
) -> Result<Vec<Property>, Fault> {
    let mut document = Document { cursor: Cursor::new(input)?, binder: Binder::new(nodes) };
    let root = document.cursor.child()?;
    let root = root.ok_or_else(|| Fault::at(0, "the file has no element `property-set`"))?;
    if root.name() != "property-set" {
        let message = format!("the root element is `{}`, not `property-set`", root.name());
        let hint = match root.name() {
            "pnml" => "this is a net; properties are in a file of their own",
            _ => "is this a property file of the contest?",
        };
        return Err(Fault::at(root.offset, message).hint(hint));
    }
    let (mut properties, mut names) = (Vec::new(), HashSet::new());
    while let Some(tag) = document.cursor.child()? {
        if tag.name() != "property" {
            return Err(stranger(&tag, "`property-set`", &["property"]));
        }
        let start = tag.offset;
        let property = document.property(start, &logic)?;
        if !names.insert(property.name.clone()) {
            let message = format!("the id `{}` is used twice", property.name);
            return Err(Fault::at(start, message).hint("give every property an id of its own"));
        }
        properties.push(property);
    }
    match document.cursor.child()? {
        Some(tag) => Err(Fault::at(tag.offset, "something follows the element `property-set`")),
        None => Ok(properties),
    }
}

struct Document<'n, R> {
    cursor: Cursor<R>,
    binder: Binder<'n>,
}

impl<R: BufRead> Document<'_, R> {
    /// A property whose tag is open.
    fn property(&mut self, start: u64, logic: &impl Fn(&str) -> Logic) -> Result<Property, Fault> {
        let (mut id, mut formula) = (None, None);
        self.content(&mut id, &mut formula).map_err(|fault| match &id {
            Some(id) => fault.within(format!("property {id}")),
            None => fault.within("property"),
        })?;
        let missing = |what| Fault::at(start, format!("the property has no `{what}`"));
        let name = id.ok_or_else(|| missing("id"))?;
        let formula = formula.ok_or_else(|| missing("formula").within(format!("property {name}")))?;
        let property = Property { logic: logic(&name), name, formula };
        match property.query() {
            Ok(_) => Ok(property),
            Err(unsupported) => {
                let fault = Fault::at(start, unsupported.to_string());
                Err(fault.within(format!("property {}", property.name)))
            }
        }
    }

    /// Reads the rest of a property.
    fn content(&mut self, id: &mut Option<String>, formula: &mut Option<Formula>) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child()? {
            let offset = tag.offset;
            match tag.name() {
                "id" if id.is_none() => *id = Some(self.cursor.text()?.into_owned()),
                "formula" if formula.is_none() => *formula = Some(self.formula(offset)?),
                name @ ("id" | "formula") => {
                    return Err(Fault::at(offset, format!("there is a second `{name}`")));
                }
                name if PASSED_OVER.contains(&name) => self.cursor.skip()?,
                _ => return Err(stranger(&tag, "`property`", &["id", "description", "formula"])),
            }
        }
        Ok(())
    }

    /// The formula whose tag is open at `offset`. Its elements are kept on a stack of our own.
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
            let name = build::known(tag.name()).ok_or_else(|| stranger(&tag, "a formula", KNOWN))?;
            match build::reading(name) {
                Some(read) => {
                    let text = self.cursor.text()?.into_owned();
                    let text = Text { text: &text, offset: self.cursor.text_offset() };
                    here.add(offset, read(&text, &self.binder)?);
                }
                None => around.push(std::mem::replace(&mut here, Element::new(name, offset))),
            }
        }
    }
}

/// An element that has no meaning where it stands.
fn stranger(tag: &Tag<'_>, whole: &str, known: &[&'static str]) -> Fault {
    let fault = Fault::at(tag.offset, format!("`{}` is not an element of {whole}", tag.name()));
    match nearest(tag.name(), known.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None if known.len() < 5 => fault.hint(format!("expected {}", listed(known))),
        None => fault,
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

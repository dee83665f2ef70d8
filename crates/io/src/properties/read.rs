//! From the pieces of a document to properties: the frame around the formulas, and their tree as a stack.

use std::io::BufRead;

use fireset_net::{Formula, Logic, Nodes, Property};

use super::{
    build::{self, Element, Value},
    xml::{Piece, Source},
};
use crate::{Fault, query::names::Binder, suggest::nearest};

/// The most elements inside one another in a formula. Contest formulas have a few dozen.
const DEEPEST: usize = 1000;

/// Elements of a property that say nothing about its meaning.
const PASSED_OVER: [&str; 3] = ["description", "tags", "toolspecific"];

/// Reads a whole document; `logic` tells how a property of this id is read.
pub(super) fn document(
    input: impl BufRead,
    nodes: &Nodes,
    logic: impl Fn(&str) -> Logic,
) -> Result<Vec<Property>, Fault> {
    let mut document = Document { source: Source::new(input)?, binder: Binder::new(nodes) };
    let mut properties = Vec::new();
    match document.tag("the file")? {
        (_, Tag::Open(name)) if name == "property-set" => {}
        (offset, Tag::Open(name)) => {
            let message = format!("the root element is `{name}`, not `property-set`");
            return Err(Fault::at(offset, message).hint("is this a property file of the contest?"));
        }
        (offset, _) => return Err(Fault::at(offset, "the file has no element `property-set`")),
    }
    loop {
        match document.tag("property-set")? {
            (offset, Tag::Open(name)) if name == "property" => {
                properties.push(document.property(offset, &logic)?);
            }
            (offset, Tag::Open(name)) => return Err(stranger(offset, &name, "property-set", &["property"])),
            (_, Tag::Close) => break,
            (offset, Tag::End) => return Err(cut_off(offset, "property-set")),
        }
    }
    match document.tag("the file")? {
        (_, Tag::End) => Ok(properties),
        (offset, _) => Err(Fault::at(offset, "something follows the element `property-set`")),
    }
}

/// A piece between elements, where text has no meaning.
enum Tag {
    Open(String),
    Close,
    End,
}

struct Document<'n, R> {
    source: Source<R>,
    binder: Binder<'n>,
}

impl<R: BufRead> Document<'_, R> {
    /// The next tag inside `element`, behind white space only.
    fn tag(&mut self, element: &str) -> Result<(u64, Tag), Fault> {
        loop {
            let (offset, piece) = self.source.next()?;
            match piece {
                Piece::Open(name) => return Ok((offset, Tag::Open(name))),
                Piece::Close => return Ok((offset, Tag::Close)),
                Piece::End => return Ok((offset, Tag::End)),
                Piece::Text(text) => no_text(offset, &text, element)?,
            }
        }
    }

    /// A property whose tag is open.
    fn property(&mut self, start: u64, logic: &impl Fn(&str) -> Logic) -> Result<Property, Fault> {
        let (mut id, mut formula): (Option<String>, Option<Formula>) = (None, None);
        let named = |fault: Fault, id: &Option<String>| match id {
            Some(id) => fault.within(format!("property {id}")),
            None => fault.within("property"),
        };
        let content = ["id", "description", "formula"];
        loop {
            match self.tag("property").map_err(|fault| named(fault, &id))? {
                (offset, Tag::Open(name)) => match &*name {
                    "id" if id.is_none() => id = Some(self.text("id")?),
                    "formula" if formula.is_none() => {
                        formula = Some(self.formula(offset).map_err(|fault| named(fault, &id))?);
                    }
                    "id" | "formula" => {
                        return Err(named(Fault::at(offset, format!("there is a second `{name}`")), &id));
                    }
                    other if PASSED_OVER.contains(&other) => self.pass_over(other)?,
                    other => return Err(named(stranger(offset, other, "property", &content), &id)),
                },
                (_, Tag::Close) => break,
                (offset, Tag::End) => return Err(cut_off(offset, "property")),
            }
        }
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

    /// The text of an element that is open and holds nothing else.
    fn text(&mut self, element: &str) -> Result<String, Fault> {
        let mut text = String::new();
        loop {
            match self.source.next()? {
                (_, Piece::Text(more)) => text.push_str(&more),
                (_, Piece::Close) => break,
                (offset, Piece::Open(name)) => return Err(stranger(offset, &name, element, &[])),
                (offset, Piece::End) => return Err(cut_off(offset, element)),
            }
        }
        Ok(text.trim().to_owned())
    }

    /// Reads to the end of an element that is open.
    fn pass_over(&mut self, element: &str) -> Result<(), Fault> {
        let mut open = 1;
        while open > 0 {
            match self.source.next()? {
                (_, Piece::Open(_)) => open += 1,
                (_, Piece::Close) => open -= 1,
                (_, Piece::Text(_)) => {}
                (offset, Piece::End) => return Err(cut_off(offset, element)),
            }
        }
        Ok(())
    }

    /// The formula whose tag is open at `offset`. Its elements are kept on a stack of our own.
    fn formula(&mut self, offset: u64) -> Result<Formula, Fault> {
        let mut around: Vec<Element> = Vec::new();
        let mut here = Element::new("formula".into(), offset);
        loop {
            match self.source.next()? {
                (offset, Piece::Open(name)) => {
                    if !build::KNOWN.contains(&&*name) {
                        return Err(stranger(offset, &name, "a formula", build::KNOWN));
                    }
                    if around.len() == DEEPEST {
                        return Err(Fault::at(offset, "the formula is nested too deeply"));
                    }
                    around.push(std::mem::replace(&mut here, Element::new(name, offset)));
                }
                (offset, Piece::Text(text)) if here.has_text() => here.add_text(offset, &text),
                (offset, Piece::Text(text)) => no_text(offset, &text, here.name())?,
                (_, Piece::Close) => match around.pop() {
                    Some(outside) => {
                        let element = std::mem::replace(&mut here, outside);
                        here.add(element.offset(), element.value(&self.binder)?);
                    }
                    None => match here.value(&self.binder)? {
                        Value::Formula(formula) => return Ok(formula),
                        _ => unreachable!("the element `formula` is a formula"),
                    },
                },
                (offset, Piece::End) => return Err(cut_off(offset, here.name())),
            }
        }
    }
}

/// Refuses text where there are only elements.
fn no_text(offset: u64, text: &str, element: &str) -> Result<(), Fault> {
    let blank = text.len() - text.trim_start().len();
    if blank == text.len() {
        return Ok(());
    }
    Err(Fault::at(offset + blank as u64, format!("text has no meaning in `{element}`")))
}

/// An element that has no meaning where it stands.
fn stranger(offset: u64, name: &str, element: &str, known: &[&'static str]) -> Fault {
    let fault = Fault::at(offset, format!("`{name}` is not an element of {}", quoted(element)));
    match nearest(name, known.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None if !known.is_empty() && known.len() < 5 => fault.hint(format!("expected {}", listed(known))),
        None => fault,
    }
}

fn quoted(element: &str) -> String {
    if element.contains(' ') { element.into() } else { format!("`{element}`") }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn cut_off(offset: u64, element: &str) -> Fault {
    Fault::at(offset, format!("the file ends inside of `{element}`"))
}

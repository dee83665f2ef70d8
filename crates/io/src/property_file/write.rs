//! Writes properties in fireset's text form.

use std::io::{self, Write};

use fireset_net::Count;

use super::{AskedProperty, Expectation};
use crate::query::{self, QueryNames};

/// Writes properties so that [`read_property_file`](super::read_property_file) reads the same: one statement each, with the
/// verdict that is expected.
///
/// # Panics
/// If a formula refers to a place or transition that the net does not have, or to colours and only nodes are given.
pub fn write<'n>(
    properties: &[AskedProperty],
    names: impl Into<QueryNames<'n>>,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let names = names.into();
    for AskedProperty { property, expected } in properties {
        let formula = query::show_as(&property.formula, property.logic, names);
        writeln!(out, "property {}: {formula}", name(&property.name))?;
        match expected {
            None => {}
            Some(Expectation::Number(Count::Infinite)) => writeln!(out, "  expect inf")?,
            Some(expected) => writeln!(out, "  expect {expected}")?,
        }
    }
    Ok(())
}

/// The name of a property, quoted unless it can be read without.
fn name(name: &str) -> String {
    let is_plain = name.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        && name.trim_end() == name
        && !name.contains(|letter: char| letter.is_control() || "\":#".contains(letter));
    if is_plain { name.to_owned() } else { query::in_quotes(name) }
}

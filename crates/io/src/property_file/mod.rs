//! A file with properties, in any format: the content decides which one it is.

mod expectation;
mod list;
mod query_lines;
mod statements;
mod text;
mod write;

use std::path::Path;

use fireset_net::Nodes;

pub use expectation::Expectation;
pub use list::{AskedProperty, PropertyList, RefusedProperty};
pub use write::write;

use crate::{
    Fault, InputError,
    net_file::{Head, foreign},
    properties,
    source::Source,
};

/// A property file before its format is known.
pub(crate) struct PropertyText<'t> {
    pub(crate) text: &'t str,
    /// The name of the file without its ending; the contest's files tell their logic by it.
    pub(crate) stem: &'t str,
}

/// A format in which properties are read.
struct PropertyFormat {
    /// As messages call it.
    name: &'static str,
    recognises: fn(&Head<'_>) -> bool,
    /// A property that is not understood is listed as refused; a fault ends the reading of the whole file. A reader of plain
    /// properties ends with `.map(PropertyList::from)`.
    read: fn(&PropertyText<'_>, &Nodes) -> Result<PropertyList<Fault>, Fault>,
}

/// Every format; the first that recognises a file reads it. Bare queries come last, since they are any other text.
const FORMATS: [PropertyFormat; 3] = [
    PropertyFormat {
        name: "contest XML",
        recognises: properties::recognises,
        read: |file, nodes| properties::read_named(file.text.as_bytes(), file.stem, nodes),
    },
    PropertyFormat {
        name: "fireset's text form",
        recognises: text::recognises,
        read: |file, nodes| text::read(file.text, nodes),
    },
    PropertyFormat {
        name: "lines with a query each",
        recognises: query_lines::recognises,
        read: |file, nodes| query_lines::read(file.text, nodes),
    },
];

/// The first bytes of a file, which tell whether it is an archive or the like.
const HEAD: u64 = 64;

/// Reads the properties of a file, compressed or not; `-` is the standard input.
///
/// # Errors
///
/// The file cannot be opened, or it is no property file. A single property that is not understood is listed in
/// [`PropertyList::refused`] instead.
pub fn read_property_file(path: &Path, nodes: &Nodes) -> Result<PropertyList, InputError> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    read_properties(&Source::open(path)?, stem, nodes)
}

/// Reads the properties of a source; `stem` is the name of a file without its ending.
pub fn read_properties(source: &Source, stem: &str, nodes: &Nodes) -> Result<PropertyList, InputError> {
    if let Some(fault) = foreign::beginning(&source.head(HEAD)?) {
        return Err(source.locate(fault));
    }
    let text = source.input()?.text().map_err(|fault| source.locate(fault))?;
    let head = Head::new(&text);
    let read = match FORMATS.iter().find(|format| (format.recognises)(&head)) {
        Some(format) => (format.read)(&PropertyText { text: &text, stem }, nodes),
        None => Err(no_property_file(&head)),
    };
    read.map(|list| list.located(source.name(), &text)).map_err(|fault| source.locate(fault))
}

/// The fault of a file in none of the formats.
fn no_property_file(head: &Head<'_>) -> Fault {
    let names = FORMATS.map(|format| format.name).join(", ");
    let formats = format!("fireset reads properties in {names}");
    match head.root {
        Some(root) => {
            let offset = head.text.find(root).unwrap_or(0) as u64;
            let hint = match root {
                "pnml" => "this is a net; give it as MODEL, and a property file with --properties".to_owned(),
                _ => formats,
            };
            Fault::at(offset, format!("no property file has the root element `<{root}>`")).hint(hint)
        }
        None => Fault::at(0, "the file is not a property file").hint(formats),
    }
}

//! A file with properties, in any format: the content decides which one it is.

mod expectation;
mod list;
mod query_lines;
mod statements;
mod text;
mod write;

use std::{ffi::OsStr, path::Path};

pub use expectation::Expectation;
pub use list::{AskedProperty, PropertyList, RefusedProperty};
pub use write::write;

use crate::{
    Fault, InputError, lola,
    net_file::{Head, foreign},
    properties,
    query::QueryNames,
    source::Source,
    tapaal,
};

/// A property file before its format is known.
pub(crate) struct PropertyText<'t> {
    pub(crate) text: &'t str,
    /// The name of the file without its ending; the contest's files tell their logic by it.
    pub(crate) stem: &'t str,
    /// The ending of the file's name, without its dot.
    pub(crate) ending: &'t str,
    pub(crate) head: Head<'t>,
}

/// A format in which properties are read.
struct PropertyFormat {
    /// As messages call it.
    name: &'static str,
    recognises: fn(&PropertyText<'_>) -> bool,
    /// A property that is not understood is listed as refused; a fault ends the reading of the whole file. A reader of plain
    /// properties ends with `.map(PropertyList::from)`.
    read: fn(&PropertyText<'_>, QueryNames<'_>) -> Result<PropertyList<Fault>, Fault>,
}

/// Every format; the first that recognises a file reads it. Bare queries come last, since they are any other text.
const FORMATS: [PropertyFormat; 5] = [
    PropertyFormat {
        name: "contest XML",
        recognises: |file| properties::recognises(&file.head),
        read: |file, names| properties::read_named(file.text.as_bytes(), file.stem, names),
    },
    PropertyFormat {
        name: "fireset's text form",
        recognises: |file| text::recognises(&file.head),
        read: |file, names| text::read(file.text, names),
    },
    PropertyFormat {
        name: "LoLA's formulas",
        recognises: |file| lola::recognises_formulas(&file.head),
        read: |file, names| lola::read_properties(file.text, names.nodes()).map(PropertyList::from),
    },
    PropertyFormat {
        name: "TAPAAL's queries (.q)",
        // They look like queries of fireset, but operators bind differently.
        recognises: |file| file.ending == "q",
        read: |file, names| tapaal::read_properties(file.text, names.nodes()).map(PropertyList::from),
    },
    PropertyFormat {
        name: "lines with a query each",
        recognises: |file| query_lines::recognises(&file.head),
        read: |file, names| query_lines::read(file.text, names),
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
pub fn read_property_file<'n>(
    path: &Path,
    names: impl Into<QueryNames<'n>>,
) -> Result<PropertyList, InputError> {
    read_properties(&Source::open(path)?, path, names)
}

/// Reads the properties of a source that has the name of this file: the contest's files tell their logic by it, and TAPAAL's
/// their format.
pub fn read_properties<'n>(
    source: &Source,
    file: impl AsRef<Path>,
    names: impl Into<QueryNames<'n>>,
) -> Result<PropertyList, InputError> {
    if let Some(fault) = foreign::beginning(&source.head(HEAD)?) {
        return Err(source.locate(fault));
    }
    let text = source.input()?.text().map_err(|fault| source.locate(fault))?;
    // The name of a compressed file has one more ending.
    let name = file.as_ref().to_str().unwrap_or_default();
    let name = Path::new(name.strip_suffix(".gz").unwrap_or(name));
    let part = |part: Option<&'_ OsStr>| part.and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let (stem, ending) = (part(name.file_stem()), part(name.extension()));
    let file = PropertyText { text: &text, stem: &stem, ending: &ending, head: Head::new(&text) };
    let read = match FORMATS.iter().find(|format| (format.recognises)(&file)) {
        Some(format) => (format.read)(&file, names.into()),
        None => Err(no_property_file(&file.head)),
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

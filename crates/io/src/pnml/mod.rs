//! Petri Net Markup Language: place/transition nets and symmetric nets, read as a stream and written.
//!
//! A file is read in two steps. While its text is parsed, `collect` keeps a compact draft, in which ids are
//! numbers and colour terms are trees in one array; arcs may come before their nodes and declarations after
//! everything else. At the end, `bind` resolves all names. Memory is in proportion to the net, not to the text.
//!
//! Input is not trusted: entities are never expanded, nesting and sizes are bounded, and nothing recurses
//! deeper than the bounds allow.

mod bags;
mod bind;
mod bind_coloured;
mod collect;
mod colours;
mod declarations;
mod draft;
mod labels;
mod nupn;
mod sort_table;
mod symbols;
mod terms;
mod write;
mod write_terms;

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use fireset_net::Model;
pub use write::write;

use crate::{Fault, InputError, xml::XmlCursor};

/// The size of the read buffer in bytes.
const BUFFER: usize = 1 << 18;

/// Reads the net in a PNML file.
pub fn read_file(path: &Path) -> Result<Model, InputError> {
    let file = File::open(path).map_err(|error| InputError::unreadable(path, &error))?;
    read(BufReader::with_capacity(BUFFER, file)).map_err(|fault| InputError::locate(path, fault))
}

/// Reads the net in a PNML text.
pub fn read(reader: impl BufRead) -> Result<Model, Fault> {
    let mut cursor = XmlCursor::new(reader)?;
    let draft = collect::document(&mut cursor)?;
    bind::bind(draft)
}

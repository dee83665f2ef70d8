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
mod components;
mod declarations;
mod dialect;
mod document;
mod draft;
mod labels;
mod nupn;
mod sort_table;
mod symbols;
mod terms;
mod token_classes;
mod write;
mod write_terms;

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

pub use document::NetChoice;
use fireset_net::{Model, PlaceId};
pub use write::write;

use crate::{Fault, InputError, xml::XmlCursor};

/// The size of the read buffer in bytes.
const BUFFER: usize = 1 << 18;

/// What a file says of a net.
#[derive(Clone, Debug)]
pub struct NetFile {
    /// Of the chosen net, or of all components together.
    pub model: Model,
    /// The markings in which a run should end, as process miners give them: places with their tokens.
    pub final_markings: Vec<Vec<(PlaceId, u64)>>,
    /// What was passed over, each in one sentence.
    pub notes: Vec<String>,
}

/// Reads the only net in a PNML file.
pub fn read_file(path: &Path) -> Result<Model, InputError> {
    read_net_file(path, NetChoice::Only).map(|file| file.model)
}

/// Reads a net in a PNML file, with what the file says beside it.
pub fn read_net_file(path: &Path, choice: NetChoice<'_>) -> Result<NetFile, InputError> {
    let file = File::open(path).map_err(|error| InputError::unreadable(path, &error))?;
    read_net(BufReader::with_capacity(BUFFER, file), choice).map_err(|fault| InputError::locate(path, fault))
}

/// Reads the only net in a PNML text.
pub fn read(reader: impl BufRead) -> Result<Model, Fault> {
    read_net(reader, NetChoice::Only).map(|file| file.model)
}

/// Reads a net in a PNML text, with what the text says beside it.
pub fn read_net(reader: impl BufRead, choice: NetChoice<'_>) -> Result<NetFile, Fault> {
    let mut cursor = XmlCursor::new(reader)?;
    let draft = document::document(&mut cursor, choice)?;
    bind::bind(draft)
}

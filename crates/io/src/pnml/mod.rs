//! Petri Net Markup Language: place/transition nets and symmetric nets, read as a stream and written.
//!
//! A file is read in two steps. While its text is parsed, `collect` keeps a compact draft, in which ids are
//! numbers and colour terms are trees in one array; arcs may come before their nodes and declarations after
//! everything else. At the end, `bind` resolves all names. Memory is in proportion to the net, not to the text.
//!
//! Input is not trusted: entities are never expanded, nesting and sizes are bounded, and nothing recurses
//! deeper than the bounds allow.

mod arcs;
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
mod other_labels;
mod presentation;
mod queries;
mod sort_table;
mod symbols;
mod terms;
mod token_classes;
mod write;
mod write_terms;

use std::io::BufRead;

pub(crate) use bags::{sum, times};
use fireset_net::Model;
pub use presentation::{ArcEnds, Keeping, Presentation};
pub use write::{write, write_with};

use crate::{
    Fault,
    net_file::{Head, NetChoice, NetFile},
    xml::XmlCursor,
};

/// Whether a file is PNML.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    head.root == Some("pnml")
}

/// Reads the only net in a PNML text.
pub fn read(reader: impl BufRead) -> Result<Model, Fault> {
    read_net(reader, NetChoice::Only).map(|file| file.model)
}

/// Reads a net in a PNML text, with what the text says beside it.
pub fn read_net(reader: impl BufRead, choice: NetChoice<'_>) -> Result<NetFile, Fault> {
    read_net_keeping(reader, choice, Keeping::Meaning)
}

/// Reads a net in a PNML text, with as much of its presentation as is asked for.
pub fn read_net_keeping(
    reader: impl BufRead,
    choice: NetChoice<'_>,
    keeping: Keeping,
) -> Result<NetFile, Fault> {
    let mut cursor = XmlCursor::new(reader)?;
    document::document(&mut cursor, choice, keeping).and_then(bind::bind)
}

//! XML as a stream of tags and texts with their places in the file.

use std::io::BufRead;

use quick_xml::{Reader, events::Event};

use crate::Fault;

/// A piece of a document.
pub(super) enum Piece {
    /// An element begins; its local name.
    Open(String),
    /// The element at hand ends.
    Close,
    /// Text with its references resolved. One text may come in several pieces.
    Text(String),
    /// The document ends.
    End,
}

/// Reads pieces; comments, declarations and processing instructions are passed over.
pub(super) struct Source<R> {
    reader: Reader<R>,
    buffer: Vec<u8>,
    /// Bytes before what the reader counts.
    skipped: u64,
}

impl<R: BufRead> Source<R> {
    /// At the start of a document.
    pub(super) fn new(mut input: R) -> Result<Self, Fault> {
        // The reader would pass over a byte order mark without counting it.
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        let start = input.fill_buf().map_err(|error| unreadable(0, &error))?;
        let skipped = if start.starts_with(MARK) { MARK.len() } else { 0 };
        input.consume(skipped);
        let mut reader = Reader::from_reader(input);
        reader.config_mut().expand_empty_elements = true;
        Ok(Self { reader, buffer: Vec::new(), skipped: skipped as u64 })
    }

    /// The next piece and where it begins.
    pub(super) fn next(&mut self) -> Result<(u64, Piece), Fault> {
        loop {
            let offset = self.skipped + self.reader.buffer_position();
            self.buffer.clear();
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(error)) => return Err(unreadable(offset, &error)),
                Err(error) => {
                    let at = self.skipped + self.reader.error_position();
                    return Err(Fault::at(at, format!("this is not well-formed XML: {error}")));
                }
            };
            let piece = match event {
                Event::Start(tag) | Event::Empty(tag) => Piece::Open(tag.local_name().as_ref().to_owned()),
                Event::End(_) => Piece::Close,
                Event::Text(text) => Piece::Text((*text).to_owned()),
                Event::CData(text) => Piece::Text((*text).to_owned()),
                Event::GeneralRef(reference) => Piece::Text(resolve(&reference, offset)?),
                Event::Eof => Piece::End,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            };
            return Ok((offset, piece));
        }
    }
}

fn unreadable(offset: u64, error: &std::io::Error) -> Fault {
    Fault::at(offset, format!("the file cannot be read: {error}"))
}

/// The character that a reference stands for.
fn resolve(reference: &quick_xml::events::BytesRef<'_>, offset: u64) -> Result<String, Fault> {
    match reference.resolve_char_ref() {
        Ok(Some(letter)) => return Ok(letter.into()),
        Ok(None) => {}
        Err(error) => return Err(Fault::at(offset, format!("this is not well-formed XML: {error}"))),
    }
    let letter = match &**reference {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        name => {
            let fault = Fault::at(offset, format!("the entity `&{name};` is not supported"));
            return Err(fault.hint("write the text itself; `&` is written `&amp;`"));
        }
    };
    Ok(letter.into())
}

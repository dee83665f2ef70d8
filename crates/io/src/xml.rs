//! A cursor over the elements of an XML text, one at a time, with byte offsets and bounds.
//!
//! After [`XmlCursor::child`] has returned a child, the caller reads it to its end, with `skip`, `text` or a loop over its own
//! children, before it asks for the next one.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{self, BufRead},
};

use quick_xml::{
    Error, Reader,
    encoding::EncodingError,
    errors::SyntaxError,
    escape::{EscapeError, escape, unescape},
    events::{
        Event,
        attributes::{Attribute, Attributes},
    },
};

use crate::{
    Fault,
    limited::{Limited, TooLong},
};

/// The largest nesting depth of elements. Contest files nest sums to the left, a hundred levels and more.
const MAX_DEPTH: usize = 1_000;

/// The largest length of a tag, comment or text in bytes, so that a broken file does not fill the memory.
const MAX_PIECE: usize = 1 << 28;

/// The hint for truncated files.
const CUT: &str = "the file may be cut off: compare its size with the original";

/// The message for text between elements.
const STRAY: &str = "expected an XML element, found text";

/// The message for text before the root element.
const NOT_XML: &str = "not an XML file; fireset reads PNML models and contest XML properties";

/// The message for text after the root element.
const TRAILING: &str = "unexpected text after the root element";

pub(crate) struct XmlCursor<R> {
    reader: Reader<Limited<R>>,
    buffer: Vec<u8>,
    /// Raw text of the element that [`XmlCursor::text`] reads; references are not resolved yet.
    text: String,
    text_start: u64,
    depth: usize,
    /// Set at the root element.
    is_xml: bool,
    /// Set at the first piece that is not XML; what follows it cannot be trusted.
    is_broken: bool,
    /// The length of a byte order mark, which the reader does not count.
    mark: u64,
    /// The offset of the last piece.
    offset: u64,
    /// The offset of the first text between elements that was passed over.
    stray: Option<u64>,
    /// The length of the last start tag.
    open: usize,
    /// The source of the element that [`XmlCursor::source`] reads.
    source: String,
    /// The end of the last start tag in `source`.
    inner: usize,
    /// Sources of passed elements that have not been taken yet; `None` if they are not kept.
    kept: Option<String>,
}

pub(crate) struct Tag<'a> {
    content: &'a str,
    name_end: usize,
    pub(crate) offset: u64,
}

/// What the cursor does with text.
#[derive(Clone, Copy, PartialEq)]
enum TextPolicy {
    Pass,
    /// Passed over, but remembered in `stray`.
    Note,
    Keep,
    /// Written to `source` together with the tags.
    Source,
    Refuse,
}

/// A piece that the cursor has read.
enum XmlPiece {
    Open { length: usize, name_end: usize },
    Close,
    Other,
    End,
}

impl<R: BufRead> XmlCursor<R> {
    pub(crate) fn new(mut input: R) -> Result<Self, Fault> {
        let start = input.fill_buf().map_err(|error| unreadable(0, &error))?;
        if start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]) {
            return Err(Fault::at(0, "the file is in UTF-16").hint("convert it to UTF-8"));
        }
        if start.starts_with(&[0x1F, 0x8B]) || start.starts_with(b"PK\x03\x04") {
            return Err(Fault::at(0, "the file is compressed").hint("unpack it first"));
        }
        let mark = if start.starts_with(&[0xEF, 0xBB, 0xBF]) { 3 } else { 0 };
        let mut reader = Reader::from_reader(Limited { input, left: MAX_PIECE });
        reader.config_mut().expand_empty_elements = true;
        let (buffer, text) = (Vec::new(), String::new());
        let (text_start, depth, is_xml, offset, stray, open) = (0, 0, false, 0, None, 0);
        let (source, inner, kept) = (String::new(), 0, None);
        Ok(Self {
            reader,
            buffer,
            text,
            text_start,
            depth,
            is_xml,
            is_broken: false,
            mark,
            offset,
            stray,
            open,
            source,
            inner,
            kept,
        })
    }

    /// Whether text between elements was passed over by [`XmlCursor::child_noting_text`].
    pub(crate) fn has_stray_text(&self) -> bool {
        self.stray.is_some()
    }

    /// The start tag of the next child of the current element; `None` at the element's end. Text between elements is refused.
    pub(crate) fn child(&mut self) -> Result<Option<Tag<'_>>, Fault> {
        self.next_child(TextPolicy::Refuse)
    }

    /// The next child; text between elements is passed over, and remembered.
    pub(crate) fn child_noting_text(&mut self) -> Result<Option<Tag<'_>>, Fault> {
        self.next_child(TextPolicy::Note)
    }

    /// The next child; text between elements is ignored.
    pub(crate) fn child_amid_text(&mut self) -> Result<Option<Tag<'_>>, Fault> {
        self.next_child(TextPolicy::Pass)
    }

    fn next_child(&mut self, text: TextPolicy) -> Result<Option<Tag<'_>>, Fault> {
        loop {
            match self.advance(text)? {
                XmlPiece::Open { length, name_end } => {
                    let content = std::str::from_utf8(&self.buffer[1..=length])
                        .map_err(|_| Fault::at(self.offset, "the tag is not UTF-8"))?;
                    return Ok(Some(Tag { content, name_end, offset: self.offset }));
                }
                XmlPiece::Close | XmlPiece::End => return Ok(None),
                XmlPiece::Other => {}
            }
        }
    }

    /// Skips the rest of the current element.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        self.skip_to(self.depth.saturating_sub(1))
    }

    /// The number of open elements.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether a piece was not XML, so that no later element can be read.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Skips the rest of all elements inside of the outermost `outside` ones.
    pub(crate) fn skip_to(&mut self, outside: usize) -> Result<(), Fault> {
        while self.depth > outside {
            self.advance(TextPolicy::Pass)?;
        }
        Ok(())
    }

    /// Reads the rest of the current element as text, trimmed; elements in it are refused.
    pub(crate) fn text(&mut self) -> Result<Cow<'_, str>, Fault> {
        self.text.clear();
        self.text_start = self.reader.buffer_position() + self.mark;
        loop {
            match self.advance(TextPolicy::Keep)? {
                XmlPiece::Open { .. } => {
                    return Err(Fault::at(self.offset, "expected text, found an element"));
                }
                XmlPiece::Close | XmlPiece::End => break,
                XmlPiece::Other => {}
            }
        }
        self.text_start += (self.text.len() - self.text.trim_start().len()) as u64;
        self.last_text()
    }

    /// The source of the element whose start tag was read last, up to its end, without comments.
    pub(crate) fn source(&mut self) -> Result<String, Fault> {
        let outside = self.depth.saturating_sub(1);
        self.source.clear();
        self.keep_start(self.open);
        while self.depth > outside {
            match self.advance(TextPolicy::Source)? {
                XmlPiece::Open { length, .. } => self.keep_start(length),
                XmlPiece::Close | XmlPiece::Other => {}
                XmlPiece::End => break,
            }
        }
        Ok(std::mem::take(&mut self.source))
    }

    /// From now on [`XmlCursor::pass`] keeps sources.
    pub(crate) fn keep_sources(&mut self) {
        self.kept = Some(String::new());
    }

    /// Passes over the rest of the current element; its source is kept if that is asked for.
    pub(crate) fn pass(&mut self) -> Result<(), Fault> {
        if self.kept.is_none() {
            return self.skip();
        }
        let source = self.source()?;
        self.kept.get_or_insert_default().push_str(&source);
        Ok(())
    }

    /// The sources that were kept since the last call, if there are any.
    pub(crate) fn take_kept(&mut self) -> Option<String> {
        self.kept.as_mut().filter(|kept| !kept.is_empty()).map(std::mem::take)
    }

    /// Adds the start tag in the buffer to the source.
    fn keep_start(&mut self, length: usize) {
        let tag = String::from_utf8_lossy(&self.buffer[1..=length]);
        self.source.push('<');
        self.source.push_str(tag.trim_end());
        self.source.push('>');
        self.inner = self.source.len();
    }

    /// As [`XmlCursor::text`] for a `text` element; its source is kept if that is asked for.
    pub(crate) fn text_passing(&mut self) -> Result<Cow<'_, str>, Fault> {
        self.text()?;
        let text = self.text.trim();
        if let Some(kept) = self.kept.as_mut().filter(|_| !text.is_empty()) {
            kept.push_str("<text>");
            kept.push_str(text);
            kept.push_str("</text>");
        }
        self.last_text()
    }

    /// The offset of the text that was read last.
    pub(crate) fn text_offset(&self) -> u64 {
        self.text_start
    }

    /// The text that was read last.
    pub(crate) fn last_text(&self) -> Result<Cow<'_, str>, Fault> {
        resolve(self.text.trim(), self.text_start)
    }

    /// Reads one piece; text that is kept goes to `self.text`.
    fn advance(&mut self, text: TextPolicy) -> Result<XmlPiece, Fault> {
        // Nothing is read after an error, so it is enough to take this back at each end without one.
        self.is_broken = true;
        self.buffer.clear();
        self.reader.get_mut().left = MAX_PIECE;
        // Between elements there is mostly white space, which is then passed over without a copy.
        self.reader.config_mut().trim_text_start = !matches!(text, TextPolicy::Keep | TextPolicy::Source);
        self.offset = self.reader.buffer_position() + self.mark;
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => {
                let there = self.reader.error_position() + self.mark;
                // What is in the buffer ends here and holds no white space before the piece.
                let piece = self.reader.buffer_position() + self.mark;
                return Err(fault(error, piece.saturating_sub(self.buffer.len() as u64), there));
            }
        };
        let outside = self.depth == 0;
        let keep = matches!(text, TextPolicy::Keep | TextPolicy::Source);
        let kept = if text == TextPolicy::Source { &mut self.source } else { &mut self.text };
        let notes = text == TextPolicy::Note;
        let refuse = text == TextPolicy::Refuse || outside;
        match event {
            Event::Start(start) => {
                let (length, name_end) = (start.len(), start.name().as_ref().len());
                // The buffer holds the tag with its brackets, and no white space before it.
                self.offset = self.reader.buffer_position() + self.mark - self.buffer.len() as u64;
                self.depth += 1;
                self.open = length;
                self.is_xml = true;
                if self.depth > MAX_DEPTH {
                    let message = format!("elements nest more than {MAX_DEPTH} levels deep");
                    return Err(Fault::at(self.offset, message));
                }
                self.is_broken = false;
                return Ok(XmlPiece::Open { length, name_end });
            }
            Event::End(end) => {
                if text == TextPolicy::Source {
                    close_source(&mut self.source, self.inner, end.name().as_ref());
                }
                self.depth = self.depth.saturating_sub(1);
                self.is_broken = false;
                return Ok(XmlPiece::Close);
            }
            Event::Text(text) if refuse && !text.trim().is_empty() => {
                let start = self.reader.buffer_position() + self.mark - text.trim_start().len() as u64;
                let message = match (outside, self.is_xml) {
                    (true, false) => NOT_XML,
                    (true, true) => TRAILING,
                    (false, _) => STRAY,
                };
                return Err(Fault::at(start, message));
            }
            Event::CData(_) | Event::GeneralRef(_) if refuse => {
                let start = self.reader.buffer_position() + self.mark - self.buffer.len() as u64;
                return Err(Fault::at(start, STRAY));
            }
            Event::Text(text) if notes && !text.trim().is_empty() => {
                self.stray.get_or_insert(self.offset);
            }
            Event::CData(_) | Event::GeneralRef(_) if notes => {
                self.stray.get_or_insert(self.offset);
            }
            Event::Text(text) if keep => kept.push_str(&text),
            Event::CData(data) if keep => kept.push_str(&escape(&*data)),
            Event::GeneralRef(name) if keep => {
                kept.push('&');
                kept.push_str(&name);
                kept.push(';');
            }
            Event::Eof if outside => {
                self.is_broken = false;
                return Ok(XmlPiece::End);
            }
            Event::Eof => {
                return Err(Fault::at(self.offset, "the file ends before its elements are closed").hint(CUT));
            }
            // Entities that a document type declares are never expanded.
            _ => {}
        }
        if self.text.len().max(self.source.len()) > MAX_PIECE {
            return Err(too_long(self.offset));
        }
        self.is_broken = false;
        Ok(XmlPiece::Other)
    }
}

/// Ends an element in a copy of the source; an element without content stays an empty one.
#[cold]
fn close_source(source: &mut String, inner: usize, name: &str) {
    if source.len() == inner {
        source.truncate(inner - 1);
        source.push_str("/>");
    } else {
        source.push_str("</");
        source.push_str(name);
        source.push('>');
    }
}

impl<'a> Tag<'a> {
    /// The name without its namespace prefix.
    pub(crate) fn name(&self) -> &'a str {
        let name = &self.content[..self.name_end];
        match name.bytes().position(|byte| byte == b':') {
            Some(colon) => &name[colon + 1..],
            None => name,
        }
    }

    /// The values of the attributes with these names.
    pub(crate) fn attributes<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<Cow<'a, str>>; N], Fault> {
        let mut values = [const { None }; N];
        for attribute in Attributes::new(self.content, self.name_end).with_checks(false) {
            let attribute =
                attribute.map_err(|error| Fault::at(self.offset, format!("malformed attribute: {error}")))?;
            let key = attribute.key.as_ref();
            let Some(at) = names.iter().position(|&name| name == key) else { continue };
            if values[at].is_some() {
                return Err(Fault::at(self.offset, format!("the attribute `{key}` is given twice")));
            }
            values[at] = Some(match attribute.value {
                Cow::Borrowed(raw) => resolve(raw, self.offset)?,
                Cow::Owned(raw) => resolve(&raw, self.offset)?.into_owned().into(),
            });
        }
        Ok(values)
    }

    /// The declarations of prefixes of namespaces, as attributes.
    pub(crate) fn namespaces(&self) -> String {
        let mut attributes = Attributes::new(self.content, self.name_end);
        let attributes = attributes.with_checks(false).flatten();
        let declarations = attributes.filter(|attribute| attribute.key.as_ref().starts_with("xmlns:"));
        let shown = |attribute: Attribute<'_>| {
            format!(" {}=\"{}\"", attribute.key.as_ref(), attribute.value.replace('"', "&quot;"))
        };
        declarations.map(shown).collect()
    }

    /// Whether the tag has one attribute or none. It may say no where a value contains `=`.
    pub(crate) fn has_at_most_one_attribute(&self) -> bool {
        self.content.as_bytes()[self.name_end..].iter().filter(|&&byte| byte == b'=').count() <= 1
    }

    /// Visits all attributes with their values, without those of other namespaces.
    pub(crate) fn each_attribute(
        &self,
        mut visit: impl FnMut(&'a str, Cow<'a, str>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // Most tags have few attributes, and an allocation for each tag would show in large files.
        let (mut first, mut count, mut others) = ([""; 8], 0, HashSet::new());
        for attribute in Attributes::new(self.content, self.name_end).with_checks(false) {
            let attribute =
                attribute.map_err(|error| Fault::at(self.offset, format!("malformed attribute: {error}")))?;
            let key = attribute.key.into_inner();
            if key == "xmlns" || key.bytes().any(|byte| byte == b':') {
                continue;
            }
            let is_new = if first[..count].contains(&key) {
                false
            } else if count < first.len() {
                first[count] = key;
                count += 1;
                true
            } else {
                others.insert(key)
            };
            if !is_new {
                return Err(Fault::at(self.offset, format!("the attribute `{key}` is given twice")));
            }
            let value = match attribute.value {
                Cow::Borrowed(raw) => resolve(raw, self.offset)?,
                Cow::Owned(raw) => resolve(&raw, self.offset)?.into_owned().into(),
            };
            visit(key, value)?;
        }
        Ok(())
    }

    /// The value of a mandatory attribute.
    pub(crate) fn required(&self, name: &str) -> Result<Cow<'a, str>, Fault> {
        let [value] = self.attributes([name])?;
        value.ok_or_else(|| self.lacks(name))
    }

    /// The fault of a missing attribute.
    pub(crate) fn lacks(&self, attribute: &str) -> Fault {
        Fault::at(self.offset, format!("`<{}>` has no attribute `{attribute}`", self.name()))
    }
}

fn unreadable(offset: u64, error: &io::Error) -> Fault {
    Fault::at(offset, format!("cannot read the file: {error}"))
}

fn too_long(offset: u64) -> Fault {
    Fault::at(offset, format!("a tag, comment or text is longer than {} MB", MAX_PIECE >> 20))
}

/// Resolves the references of a raw text.
fn resolve(raw: &str, offset: u64) -> Result<Cow<'_, str>, Fault> {
    // Most values are short and plain, so one pass over the bytes is enough.
    if !raw.bytes().any(|byte| byte == b'&' || byte == 0) {
        return Ok(Cow::Borrowed(raw));
    }
    if raw.contains('\0') {
        // XML cannot represent a zero byte.
        return Err(Fault::at(offset, "the text contains a zero byte"));
    }
    unescape(raw).map_err(|error| {
        let what = match error {
            EscapeError::UnrecognizedEntity(_, name) => format!("`&{name};`"),
            error => error.to_string(),
        };
        Fault::at(offset, format!("unknown reference {what}"))
            .hint("only &amp; &lt; &gt; &apos; &quot; and character references are allowed")
    })
}

/// The fault for an error of the XML library; `piece` is the offset of the piece, `there` the position that the error reports.
fn fault(error: Error, piece: u64, there: u64) -> Fault {
    match error {
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<TooLong>()) => too_long(piece),
        Error::Io(error) => unreadable(piece, &error),
        Error::Encoding(EncodingError::Utf8(error)) => {
            Fault::at(piece + error.valid_up_to() as u64, "the text is not UTF-8").hint("convert it to UTF-8")
        }
        Error::Syntax(SyntaxError::InvalidBangMarkup) => {
            Fault::at(there, "not XML: unknown markup after `<!`")
        }
        Error::Syntax(error) => Fault::at(there, format!("not XML: {error}")).hint(CUT),
        Error::IllFormed(error) => Fault::at(there, format!("not XML: {error}")),
        error => Fault::at(there, format!("not XML: {error}")),
    }
}

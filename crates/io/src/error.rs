//! Errors in input, with their position in the file and a hint.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

/// An error at a byte of an input. Parsers return it; [`InputError::locate`] adds the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In bytes from the start of the input.
    pub offset: u64,
    /// The enclosing element, such as `place p1` or `arc a7`.
    pub element: Option<String>,
    /// One sentence without a full stop.
    pub message: String,
    /// How to correct the input.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault at a byte, without element and hint.
    pub fn at(offset: u64, message: impl Into<String>) -> Self {
        Self { offset, element: None, message: message.into(), hint: None }
    }

    /// Adds the enclosing element, unless an inner one is set.
    #[must_use]
    pub fn within(mut self, element: impl Into<String>) -> Self {
        self.element.get_or_insert_with(|| element.into());
        self
    }

    /// Adds a hint how to correct the input.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A position in a text as error messages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The first line has number 1.
    pub line: u64,
    /// Counts characters from 1.
    pub column: usize,
    /// The text of the line; a long line is cut around the column.
    pub text: String,
    /// The column within `text`, in characters from 0.
    pub marker: usize,
}

/// An error in an input, as users see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The path of the file, or a name such as `query 2`.
    pub source: String,
    /// `None` for an error of the whole file.
    pub position: Option<Box<Position>>,
    /// The enclosing element, such as `place p1`.
    pub element: Option<String>,
    /// One sentence without a full stop.
    pub message: String,
    /// How to correct the input.
    pub hint: Option<String>,
}

/// Longer lines are cut to this number of characters.
const SHOWN: usize = 100;

impl InputError {
    /// An error of a whole file.
    pub fn whole(source: impl Into<String>, message: impl Into<String>) -> Self {
        let (position, element, hint) = (None, None, None);
        Self { source: source.into(), position, element, message: message.into(), hint }
    }

    /// A file that cannot be opened.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let missing = error.kind() == io::ErrorKind::NotFound;
        let hint = missing.then(|| "check the path".into());
        Self { hint, ..Self::whole(path.display().to_string(), format!("cannot read the file: {error}")) }
    }

    /// Finds the line and column of a fault by reading the file again up to there.
    pub fn locate(path: &Path, fault: Fault) -> Self {
        Self::locate_from(&path.display().to_string(), File::open(path).ok().map(BufReader::new), fault)
    }

    /// Finds the line and column of a fault in the bytes of an input, if it can be read again.
    pub(crate) fn locate_from(source: &str, bytes: Option<impl BufRead>, fault: Fault) -> Self {
        let position = bytes.and_then(|bytes| position(bytes, fault.offset));
        Self::join(source.to_owned(), position, fault)
    }

    /// Finds the line and column of a fault in a text.
    pub fn locate_in(source: impl Into<String>, text: &str, fault: Fault) -> Self {
        let position = position(text.as_bytes(), fault.offset);
        Self::join(source.into(), position, fault)
    }

    fn join(source: String, position: Option<Box<Position>>, fault: Fault) -> Self {
        let Fault { element, message, hint, .. } = fault;
        Self { source, position, element, message, hint }
    }
}

/// The position of the byte at `offset`; past the end, that of the end.
fn position(mut text: impl BufRead, offset: u64) -> Option<Box<Position>> {
    let (mut line, mut start, mut bytes) = (0, 0, Vec::new());
    while line == 0 || offset >= start + bytes.len() as u64 {
        let mut next = Vec::new();
        if text.read_until(b'\n', &mut next).ok()? == 0 {
            break;
        }
        start += bytes.len() as u64;
        bytes = next;
        line += 1;
    }
    let before = (offset.saturating_sub(start) as usize).min(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..before]).trim_end_matches(['\n', '\r']).to_owned();
    let tail = String::from_utf8_lossy(&bytes[before..]);
    let column = head.chars().count();
    let skip = column.saturating_sub(SHOWN / 2);
    let text: String =
        head.chars().skip(skip).chain(tail.trim_end_matches(['\n', '\r']).chars()).take(SHOWN).collect();
    Some(Box::new(Position { line: line.max(1), column: column + 1, text, marker: column - skip }))
}

/// The message, the position, the source line with a marker, and the hint.
impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(element) = &self.element {
            write!(f, " (in {element})")?;
        }
        match self.position.as_deref() {
            Some(Position { line, column, text, marker }) => {
                let (number, bar) = (line.to_string(), " ".repeat(line.to_string().len()));
                // The file's control characters must not reach the terminal.
                let shown = text.replace(char::is_control, " ");
                write!(f, "\n{bar}--> {}:{line}:{column}", self.source)?;
                write!(f, "\n{bar} |\n{number} | {shown}\n{bar} | {}^", " ".repeat(*marker))?;
            }
            None => write!(f, "\n --> {}", self.source)?,
        }
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for InputError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_shown_with_its_line() {
        let fault = Fault::at(9, "no such place").within("arc a1").hint("did you mean `p1`?");
        let error = InputError::locate_in("net.pnml", "first\nsecond\n", fault);
        assert_eq!(
            error.to_string(),
            "no such place (in arc a1)\n --> net.pnml:2:4\n  |\n2 | second\n  |    ^\nhint: did you mean `p1`?"
        );
    }

    #[test]
    fn a_fault_past_the_end_is_shown_behind_the_last_line() {
        let error = InputError::locate_in("q", "AG", Fault::at(7, "more expected"));
        assert_eq!(error.position.map(|p| (p.line, p.column)), Some((1, 3)));
    }

    #[test]
    fn the_end_of_a_text_is_behind_its_last_character() {
        let position = |text: &str| {
            let fault = Fault::at(text.len() as u64, "more expected");
            let position = InputError::locate_in("q", text, fault).position.unwrap();
            (position.line, position.column)
        };
        assert_eq!(position("AG p ="), (1, 7));
        assert_eq!(position("AG\np ="), (2, 4));
        assert_eq!(position("AG\n"), (1, 3));
    }

    #[test]
    fn control_characters_are_not_passed_on() {
        let error = InputError::locate_in("q", "a\x1b[31mb\tc", Fault::at(0, "red"));
        assert!(!error.to_string().contains(['\x1b', '\t']), "{error:?}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_fault() {
        let text = "x".repeat(1_000);
        let position = InputError::locate_in("q", &text, Fault::at(500, "here")).position.unwrap();
        assert_eq!((position.column, position.marker, position.text.len()), (501, SHOWN / 2, SHOWN));
    }

    #[test]
    fn an_empty_input_has_a_position() {
        assert_eq!(InputError::locate_in("q", "", Fault::at(0, "empty")).position.unwrap().line, 1);
    }
}

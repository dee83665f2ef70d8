//! Where a file's bytes come from: a file, a compressed file or the standard input. Errors are located by reading it again.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use flate2::bufread::MultiGzDecoder;

use crate::{
    Fault, InputError,
    encoding::{Decoded, SingleByte},
};

/// The size of the read buffer in bytes.
const BUFFER: usize = 1 << 18;

/// The first bytes of a file in gzip's format.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The first bytes of a UTF-8 text as some editors write it.
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// The path of the standard input.
const STANDARD_INPUT: &str = "-";

/// The largest file in a format that is read as a whole, in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// An input that can be read from its start as often as needed.
#[derive(Debug)]
pub struct Source {
    name: String,
    bytes: SourceBytes,
}

#[derive(Debug)]
enum SourceBytes {
    File(PathBuf),
    /// The standard input and pipes can be read only once.
    Memory(Vec<u8>),
}

/// The bytes of a source, uncompressed; XML in a single-byte encoding is in UTF-8.
pub(crate) enum Input<'s> {
    /// Plain files are the large ones, so they are read without a detour.
    File(BufReader<File>),
    Other(Box<dyn BufRead + 's>),
}

impl Source {
    /// The file at a path; `-` is the standard input.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let unreadable = |error: io::Error| InputError::unreadable(path, &error);
        if path == Path::new(STANDARD_INPUT) {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
            return Ok(Self::memory("standard input", bytes));
        }
        let name = path.display().to_string();
        if fs::metadata(path).map_err(unreadable)?.is_file() {
            return Ok(Self { name, bytes: SourceBytes::File(path.to_owned()) });
        }
        fs::read(path).map(|bytes| Self::memory(name, bytes)).map_err(unreadable)
    }

    /// Bytes that are in memory, under a name for messages.
    pub fn memory(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes: SourceBytes::Memory(bytes) }
    }

    /// What messages call it: its path, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads it from its start, uncompressed.
    pub(crate) fn input(&self) -> Result<Input<'_>, InputError> {
        self.open_again().map_err(|error| InputError::unreadable(Path::new(&self.name), &error))
    }

    /// Its first bytes, at most `length`.
    pub(crate) fn head(&self, length: u64) -> Result<Vec<u8>, InputError> {
        let mut head = Vec::new();
        let read = self.input()?.take(length).read_to_end(&mut head);
        // A damaged end of a compressed file does not matter here.
        read.map_or_else(
            |error| {
                if head.is_empty() {
                    Err(InputError::unreadable(Path::new(&self.name), &error))
                } else {
                    Ok(())
                }
            },
            |_| Ok(()),
        )?;
        Ok(head)
    }

    fn open_again(&self) -> io::Result<Input<'_>> {
        Ok(match &self.bytes {
            SourceBytes::File(path) => {
                let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
                let start = file.fill_buf()?;
                match (start.starts_with(&GZIP), SingleByte::declared(start)) {
                    (true, _) => Input::unpacked(file)?,
                    (false, Some(encoding)) => Input::Other(Box::new(Decoded::new(file, encoding))),
                    (false, None) => Input::File(file),
                }
            }
            SourceBytes::Memory(bytes) if bytes.starts_with(&GZIP) => Input::unpacked(&bytes[..])?,
            SourceBytes::Memory(bytes) => Input::decoded(&bytes[..])?,
        })
    }

    /// Finds the line and column of a fault by reading the source again up to there.
    pub(crate) fn locate(&self, fault: Fault) -> InputError {
        InputError::locate_from(&self.name, self.open_again().ok(), fault)
    }
}

impl<'s> Input<'s> {
    fn unpacked(packed: impl BufRead + 's) -> io::Result<Self> {
        Self::decoded(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(packed)))
    }

    /// In UTF-8, if the text declares an encoding.
    fn decoded(mut text: impl BufRead + 's) -> io::Result<Self> {
        Ok(match SingleByte::declared(text.fill_buf()?) {
            Some(encoding) => Self::Other(Box::new(Decoded::new(text, encoding))),
            None => Self::Other(Box::new(text)),
        })
    }

    /// The whole text, for formats that are not read as a stream.
    pub(crate) fn text(self) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        let read = self.take(MAX_TEXT + 1).read_to_end(&mut bytes);
        read.map_err(|error| Fault::at(bytes.len() as u64, format!("cannot read the file: {error}")))?;
        if bytes.len() as u64 > MAX_TEXT {
            return Err(Fault::at(MAX_TEXT, "the file is larger than 1 GiB")
                .hint("larger nets can be read from PNML, which is read as a stream"));
        }
        if bytes.starts_with(BYTE_ORDER_MARK) {
            // Offsets stay those of the file: the mark becomes spaces.
            bytes[..BYTE_ORDER_MARK.len()].fill(b' ');
        }
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to() as u64;
            let message = "the text is not in UTF-8";
            Fault::at(at, message).hint("convert it, for example with `iconv -t UTF-8`")
        })
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Other(other) => other.read(buffer),
        }
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::File(file) => file.fill_buf(),
            Self::Other(other) => other.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::File(file) => file.consume(amount),
            Self::Other(other) => other.consume(amount),
        }
    }
}

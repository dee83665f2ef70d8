//! Where answers go.

use std::{
    fs::OpenOptions,
    io::{self, Write, stdout},
    path::PathBuf,
};

/// The standard output, or a file, which is opened when something is written or flushed for the first time: input that
/// cannot be used leaves an old file as it is.
pub enum Output {
    /// Not opened yet.
    File {
        /// Where it is.
        path: PathBuf,
        /// What happens to what is in it.
        old: Old,
    },
    /// Opened.
    Open(Box<dyn Write>),
}

/// What happens to what a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Old {
    /// It is overwritten.
    Lost,
    /// It stays, and the new comes behind it.
    Kept,
}

impl Output {
    /// A file, or the standard output.
    pub fn to(path: Option<PathBuf>, old: Old) -> Self {
        match path {
            Some(path) => Self::File { path, old },
            None => Self::Open(Box::new(anstream::AutoStream::auto(stdout()))),
        }
    }

    fn opened(&mut self) -> io::Result<&mut dyn Write> {
        if let Self::File { path, old } = self {
            let keep = *old == Old::Kept;
            let file = OpenOptions::new().create(true).write(true).append(keep).truncate(!keep).open(path)?;
            // Colours are for terminals.
            *self = Self::Open(Box::new(anstream::StripStream::new(file)));
        }
        match self {
            Self::Open(out) => Ok(out),
            Self::File { .. } => unreachable!("it was opened"),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.opened()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.opened()?.flush()
    }
}

//! The output of answers: a file or the standard output.

use std::{
    fs::OpenOptions,
    io::{self, Write, stdout},
    path::PathBuf,
};

/// A file is opened when it is written or flushed for the first time, so that bad input leaves an existing file as it is.
pub enum Output {
    /// Not opened yet.
    File {
        path: PathBuf,
        existing: ExistingFile,
    },
    Open(Box<dyn Write>),
}

/// What happens to an existing output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFile {
    Overwrite,
    Append,
}

impl Output {
    /// The file, or the standard output without a path.
    pub fn to(path: Option<PathBuf>, existing: ExistingFile) -> Self {
        match path {
            Some(path) => Self::File { path, existing },
            None => Self::Open(Box::new(anstream::AutoStream::auto(stdout()))),
        }
    }

    fn opened(&mut self) -> io::Result<&mut dyn Write> {
        if let Self::File { path, existing } = self {
            let append = *existing == ExistingFile::Append;
            let file =
                OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path)?;
            // Colours are for terminals.
            *self = Self::Open(Box::new(anstream::StripStream::new(file)));
        }
        match self {
            Self::Open(out) => Ok(out),
            Self::File { .. } => unreachable!("the file was opened above"),
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

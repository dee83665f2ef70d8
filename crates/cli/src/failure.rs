//! What ends a command early, and its exit code.

use std::{fmt, io, path::Path, process::ExitCode};

use anstyle::{AnsiColor, Style};
use fireset::io::{InputError, properties::WriteError};

/// Exit code for input that cannot be used.
pub const BAD_INPUT: u8 = 2;

/// Exit code for work that a limit ended.
pub const UNFINISHED: u8 = 3;

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// A file or a query is wrong.
    Input(InputError),
    /// The command line asks for something that does not exist; with a hint.
    Usage(String, String),
    /// A limit was reached; what was not done and why, and a hint.
    Unfinished(String, String),
    /// Engines said different things about a model; which things.
    Fault(String),
    /// Something cannot be written.
    Output(String, io::Error),
}

impl Failure {
    /// A file that cannot be written.
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Output(path.display().to_string(), error)
    }

    /// Tells about it on the standard error; the exit code.
    pub fn report(&self) -> ExitCode {
        // Whoever read the output has closed it, as `head` does: nothing is wrong.
        if matches!(self, Self::Output(_, error) if error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        self.tell();
        ExitCode::from(if matches!(self, Self::Unfinished(..) | Self::Fault(_)) {
            UNFINISHED
        } else {
            BAD_INPUT
        })
    }

    /// Tells about it on the standard error.
    pub fn tell(&self) {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        anstream::eprintln!("{red}error{red:#}: {self}");
    }
}

/// The message, and the hint in a line of its own.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Usage(message, hint) | Self::Unfinished(message, hint) => {
                write!(f, "{message}\nhint: {hint}")
            }
            Self::Fault(what) => write!(
                f,
                "no answer about this model can be relied on: {what}\n\
                 hint: this is a fault of fireset; please report it, with the model and the properties"
            ),
            Self::Output(what, error) => write!(f, "{what} cannot be written: {error}"),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

/// Properties that cannot be written as XML.
impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Usage(error.to_string(), "write them in the query language with --to text".into())
    }
}

/// Errors of the standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output("the standard output".into(), error)
    }
}

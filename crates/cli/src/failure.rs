//! Why a command ends early, with its message and exit code.

use std::{fmt, io, path::Path, process::ExitCode};

use anstyle::{AnsiColor, Style};
use fireset::io::{InputError, net_file::NetWriteError, properties::WriteError};

/// Exit code for input that cannot be used.
pub const BAD_INPUT: u8 = 2;

/// Exit code for work that a limit or a signal ended.
pub const UNFINISHED: u8 = 3;

#[derive(Debug)]
pub enum Failure {
    Input(InputError),
    /// Properties of a model that are not understood, when no other is.
    Properties(Vec<InputError>),
    /// A message about the command line, and a hint.
    Usage(String, String),
    /// A message about a limit that was reached, and a hint.
    Unfinished(String, String),
    /// A contradiction between engines.
    Fault(String),
    /// The name of an output, and the error of writing to it.
    Output(String, io::Error),
}

impl Failure {
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Output(path.display().to_string(), error)
    }

    /// Prints the failure and returns its exit code.
    pub fn report(&self) -> ExitCode {
        // The reader has closed the pipe, as `head` does: nothing is wrong.
        if matches!(self, Self::Output(_, error) if error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        self.print();
        ExitCode::from(if matches!(self, Self::Unfinished(..) | Self::Fault(_)) {
            UNFINISHED
        } else {
            BAD_INPUT
        })
    }

    /// Prints the failure on the standard error.
    pub fn print(&self) {
        match self {
            Self::Properties(errors) => print_refused(errors.iter()),
            _ => print_error(self),
        }
    }
}

/// Refused properties beyond this number are only counted.
const MOST_PRINTED: usize = 20;

/// Prints why properties are not understood on the standard error.
pub fn print_refused<'e>(errors: impl ExactSizeIterator<Item = &'e InputError>) {
    let more = errors.len().saturating_sub(MOST_PRINTED);
    errors.take(MOST_PRINTED).for_each(print_error);
    if more > 0 {
        anstream::eprintln!("and {more} more properties are not understood");
    }
}

fn print_error(error: &impl fmt::Display) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    anstream::eprintln!("{red}error{red:#}: {error}");
}

/// The message, then the hint on a line of its own.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Properties(errors) => {
                let shown: Vec<_> = errors.iter().take(MOST_PRINTED).map(InputError::to_string).collect();
                f.write_str(&shown.join("\n"))
            }
            Self::Usage(message, hint) | Self::Unfinished(message, hint) => {
                write!(f, "{message}\nhint: {hint}")
            }
            Self::Fault(what) => write!(
                f,
                "the answers about this model are unreliable: {what}\n\
                 hint: this is a defect of fireset; please report it with the model and the properties"
            ),
            Self::Output(what, error) => write!(f, "cannot write {what}: {error}"),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<NetWriteError> for Failure {
    fn from(error: NetWriteError) -> Self {
        match error {
            NetWriteError::Inexpressible { .. } => {
                let hint = "PNML can express every net; a coloured net can be unfolded first, with --unfold";
                Self::Usage(error.to_string(), hint.into())
            }
            NetWriteError::Io(error) => error.into(),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Usage(error.to_string(), "write the properties in the query language with --to text".into())
    }
}

/// An I/O error without a path is one of the standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output("the standard output".into(), error)
    }
}

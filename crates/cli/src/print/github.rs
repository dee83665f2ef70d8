//! Answers as workflow commands of GitHub Actions, which show them as annotations of a commit.
//!
//! ```text
//! ::error file=net.pnml,title=query 1 fails::query 1 fails%0AAG !deadlock%0Acounterexample, 1 step: t1
//! ```
//!
//! A property that fails and a model without answers are errors, an unknown property is a warning, and a number is a notice.
//! Properties that hold have no annotation, since the number of annotations of a step is limited; the last line counts them.
//! Source: the workflow commands of the GitHub Actions manual, and the escapes of its toolkit.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use fireset::{
    Verdict,
    io::{InputError, property_file::RefusedProperty},
};

use super::{AnswerPrinter, Output, property_files::PropertyFiles, sarif};
use crate::{
    counts::AnswerCounts,
    failure::Failure,
    job::{Job, PropertyAnswer, model_file},
};

/// Prints each annotation when its answer is known.
pub struct GithubPrinter {
    out: Output,
    files: PropertyFiles,
}

impl GithubPrinter {
    pub fn new(out: Output, property_files: &[PathBuf]) -> Self {
        Self { out, files: PropertyFiles::new(property_files) }
    }

    /// Writes an error at its position in a file, or else at the model.
    fn error(
        &mut self,
        model: &str,
        error: Option<&InputError>,
        title: String,
        message: String,
    ) -> io::Result<()> {
        let error = error.filter(|error| Path::new(&error.source).exists());
        let position = error.and_then(|error| error.position.as_deref());
        self.write(&Annotation {
            command: "error",
            file: Path::new(error.map_or(model, |error| &error.source)),
            position: position.map(|position| (position.line, position.column as u64)),
            title,
            message,
        })
    }

    fn write(&mut self, annotation: &Annotation<'_>) -> io::Result<()> {
        let Annotation { command, file, position, title, message } = annotation;
        let mut place = format!("file={}", escape_property(&file.to_string_lossy()));
        if let Some((line, column)) = position {
            place += &format!(",line={line},col={column}");
        }
        let title = escape_property(title);
        writeln!(self.out, "::{command} {place},title={title}::{}", escape_message(message))?;
        self.out.flush()
    }
}

struct Annotation<'a> {
    command: &'static str,
    file: &'a Path,
    position: Option<(u64, u64)>,
    title: String,
    message: String,
}

impl AnswerPrinter for GithubPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        self.files.read(job);
        self.out.flush()
    }

    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        let name = &job.properties[at].name;
        let (command, title) = match (answer.is_as_expected(), &answer.outcome.verdict) {
            (Some(true), _) | (None, Verdict::Holds) => return Ok(()),
            (Some(false), _) => ("error", format!("{name} is not as expected")),
            (None, Verdict::Fails) => ("error", format!("{name} fails")),
            (None, Verdict::Bound(bound)) => ("notice", format!("{name} is {bound}")),
            (None, Verdict::StateSpace(_)) => ("notice", format!("{name} is computed")),
            (None, Verdict::PartialStateSpace(_)) => ("warning", format!("{name} is unknown in part")),
            (None, Verdict::Unknown(_)) => ("warning", format!("{name} is unknown")),
        };
        let message = sarif::message(job, at, answer)?;
        let (net, source) = (model_file(Path::new(&job.path)), self.files.find(name));
        // An annotation of the property's line would not say which net it is about.
        let message = match source {
            Some((file, line)) => format!("{message}\nproperty: {}:{line}", file.display()),
            None => message,
        };
        self.write(&Annotation { command, file: &net, position: None, title, message })
    }

    fn refused(&mut self, job: &Job, refused: &RefusedProperty) -> io::Result<()> {
        let title = format!("{} is not understood", refused.name);
        self.error(&job.path, Some(&refused.error), title, refused.error.to_string())
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        let error = if let Failure::Input(error) = failure { Some(error) } else { None };
        self.error(path, error, format!("no answer about {path}"), failure.to_string())
    }

    fn close(&mut self, counts: &AnswerCounts, elapsed: Duration) -> io::Result<()> {
        writeln!(self.out, "{counts} ({:.2} s)", elapsed.as_secs_f64())?;
        self.out.flush()
    }
}

/// Escapes the message of a command.
fn escape_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a command's parameter, which ends at a colon or comma.
fn escape_property(text: &str) -> String {
    escape_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_their_command() {
        assert_eq!(escape_message("50%: a,b\r\n::error::c"), "50%25: a,b%0D%0A::error::c");
        assert_eq!(escape_property("a,b: 1%\n"), "a%2Cb%3A 1%25%0A");
    }
}

//! Answers in the contest's lines.
//!
//! What stays open is told on the standard error and gets no line on the standard output, as if the run had
//! been cut there; an examination without any answer gets `CANNOT_COMPUTE`.

use std::io::{self, Write, stdout};

use fireset::Verdict;

use super::Printer;
use crate::{
    failure::Failure,
    subject::{Answer, Subject},
};

/// Prints each answer and sends it off at once.
#[derive(Debug)]
pub struct Contest;

impl Printer for Contest {
    fn answer(&mut self, subject: &Subject, at: usize, answer: &Answer) -> io::Result<()> {
        let outcome = &answer.outcome;
        let name = &subject.properties[at].name;
        let techniques: Vec<_> = outcome.techniques.iter().map(|t| t.keyword()).collect();
        let techniques = techniques.join(" ");
        let mut out = stdout().lock();
        match &outcome.verdict {
            Verdict::Holds => writeln!(out, "FORMULA {name} TRUE TECHNIQUES {techniques}")?,
            Verdict::Fails => writeln!(out, "FORMULA {name} FALSE TECHNIQUES {techniques}")?,
            Verdict::Bound(bound) => writeln!(out, "FORMULA {name} {bound} TECHNIQUES {techniques}")?,
            Verdict::StateSpace(figures) => {
                for (what, count) in [
                    ("STATES", &figures.states),
                    ("TRANSITIONS", &figures.firings),
                    ("MAX_TOKEN_PER_MARKING", &figures.max_in_marking),
                    ("MAX_TOKEN_IN_PLACE", &figures.max_in_place),
                ] {
                    writeln!(out, "STATE_SPACE {what} {count} TECHNIQUES {techniques}")?;
                }
            }
            Verdict::Unknown(reason) => anstream::eprintln!("{name} stays open: {reason}"),
        }
        out.flush()
    }

    fn end(&mut self, _: &Subject, answers: &[Answer]) -> io::Result<()> {
        let none = answers.iter().all(|answer| answer.outcome.is_open());
        if none { cannot_compute() } else { Ok(()) }
    }

    fn left_out(&mut self, _: &str, _: &Failure) -> io::Result<()> {
        cannot_compute()
    }
}

fn cannot_compute() -> io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "CANNOT_COMPUTE")?;
    out.flush()
}

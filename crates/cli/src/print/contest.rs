//! Answers as lines of the Model Checking Contest.
//!
//! An unknown property gets a line on the standard error and none on the standard output, as if the run had been cut there; an
//! examination without any answer gets `CANNOT_COMPUTE`.

use std::io::{self, Write, stdout};

use fireset::{Verdict, net::PartialStateSpace};

use super::AnswerPrinter;
use crate::{
    failure::Failure,
    job::{Job, PropertyAnswer},
};

const STATES: &str = "STATES";
const FIRINGS: &str = "TRANSITIONS";
const MAX_IN_MARKING: &str = "MAX_TOKEN_PER_MARKING";
const MAX_IN_PLACE: &str = "MAX_TOKEN_IN_PLACE";

#[derive(Debug)]
pub struct ContestPrinter;

impl AnswerPrinter for ContestPrinter {
    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        let outcome = &answer.outcome;
        let name = &job.properties[at].name;
        let techniques: Vec<_> = outcome.techniques.iter().map(|t| t.keyword()).collect();
        let techniques = techniques.join(" ");
        let mut out = stdout().lock();
        match &outcome.verdict {
            Verdict::Holds => writeln!(out, "FORMULA {name} TRUE TECHNIQUES {techniques}")?,
            Verdict::Fails => writeln!(out, "FORMULA {name} FALSE TECHNIQUES {techniques}")?,
            Verdict::Bound(bound) => writeln!(out, "FORMULA {name} {bound} TECHNIQUES {techniques}")?,
            Verdict::StateSpace(size) => {
                for (what, count) in [
                    (STATES, &size.states),
                    (FIRINGS, &size.firings),
                    (MAX_IN_MARKING, &size.max_in_marking),
                    (MAX_IN_PLACE, &size.max_in_place),
                ] {
                    writeln!(out, "STATE_SPACE {what} {count} TECHNIQUES {techniques}")?;
                }
            }
            Verdict::PartialStateSpace(PartialStateSpace { max_in_marking, max_in_place, reason }) => {
                for (what, count) in [
                    (STATES, &None),
                    (FIRINGS, &None),
                    (MAX_IN_MARKING, max_in_marking),
                    (MAX_IN_PLACE, max_in_place),
                ] {
                    match count {
                        Some(count) => writeln!(out, "STATE_SPACE {what} {count} TECHNIQUES {techniques}")?,
                        None => anstream::eprintln!("{name} {what}: unknown: {reason}"),
                    }
                }
            }
            Verdict::Unknown(reason) => anstream::eprintln!("{name}: unknown: {reason}"),
        }
        out.flush()
    }

    fn end(&mut self, _: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        let none = answers.iter().all(|answer| answer.outcome.is_open());
        if none { cannot_compute() } else { Ok(()) }
    }

    fn failed(&mut self, _: &str, _: &Failure) -> io::Result<()> {
        cannot_compute()
    }
}

fn cannot_compute() -> io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "CANNOT_COMPUTE")?;
    out.flush()
}

//! Printers of answers, one file for each format.

mod contest;
mod culprits;
mod evidence;
mod explanation;
mod github;
mod human;
mod json;
pub mod jsonl;
mod junit;
mod ordered;
mod output;
mod property_files;
pub mod record;
mod sarif;
mod state_space;
mod steps;

use std::{io, time::Duration};

use fireset::{Event, io::property_file::RefusedProperty};

pub use contest::ContestPrinter;
pub use evidence::{formula, one_step, role, write as write_evidence, write_claims};
pub use github::GithubPrinter;
pub use human::HumanPrinter;
pub use json::{JsonPrinter, witnesses};
pub use jsonl::JsonlPrinter;
pub use junit::JunitPrinter;
pub use ordered::OrderedPrinter;
pub use output::{ExistingFile, Output};
pub use sarif::SarifPrinter;
pub use state_space::states;
pub use steps::{column_title, why_blocked, write as write_steps};

use crate::{
    args::StepsArgs,
    counts::AnswerCounts,
    failure::Failure,
    job::{Job, PropertyAnswer},
};

/// Prints answers in one format. Formats of single answers print each one when it is known; documents are printed at the end.
pub trait AnswerPrinter {
    /// Called when a model is read.
    fn begin(&mut self, _: &Job) -> io::Result<()> {
        Ok(())
    }

    /// Called once for each property that is not understood, after `begin`. The error is already printed on the standard error.
    fn refused(&mut self, _: &Job, _: &RefusedProperty) -> io::Result<()> {
        Ok(())
    }

    /// Called when a stage begins or ends work on the property at this position.
    fn record(&mut self, _at: usize, _: &Event) {}

    /// Called for an internal fault that cost no answer; it is already printed on the standard error.
    fn warning(&mut self, _: &str) {}

    /// Called once for each property, in the order in which the answers are found.
    fn answer(&mut self, _: &Job, _: usize, _: &PropertyAnswer) -> io::Result<()> {
        Ok(())
    }

    /// Called with all answers of a model, in the order of the properties.
    fn end(&mut self, _: &Job, _: &[PropertyAnswer]) -> io::Result<()> {
        Ok(())
    }

    /// Called for a model without answers, or without reliable ones. The failure is already printed on the standard error.
    fn failed(&mut self, _path: &str, _failure: &Failure) -> io::Result<()> {
        Ok(())
    }

    /// Called after the last model.
    fn close(&mut self, _: &AnswerCounts, _: Duration) -> io::Result<()> {
        Ok(())
    }
}

/// How evidence is printed for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceForm {
    /// The transitions of a run in a line.
    Line,
    /// A table with a line for each step; values of CTL formulas are explained to this depth.
    Table { depth: usize },
}

impl From<&StepsArgs> for EvidenceForm {
    fn from(args: &StepsArgs) -> Self {
        if args.steps { Self::Table { depth: args.depth } } else { Self::Line }
    }
}

/// How many models a command has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelCount {
    /// Answers do not name the model.
    One,
    /// Every answer names its model.
    Several,
}

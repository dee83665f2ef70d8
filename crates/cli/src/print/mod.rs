//! Answers in each format, one file a format.

mod contest;
mod evidence;
mod figures;
mod human;
mod json;
pub mod jsonl;
mod junit;
mod output;

use std::{io, time::Duration};

use fireset::Event;

pub use contest::Contest;
pub use evidence::write_claims;
pub use human::Human;
pub use json::{Json, witnesses};
pub use jsonl::Jsonl;
pub use junit::Junit;
pub use output::{Old, Output};

use crate::{
    failure::Failure,
    subject::{Answer, Subject},
    tally::Tally,
};

/// Prints answers in one format. What it prints when, is up to it; what it has not printed when it is closed is lost.
pub trait Printer {
    /// A model is read.
    fn begin(&mut self, _: &Subject) -> io::Result<()> {
        Ok(())
    }

    /// Something is done for one of its properties.
    fn record(&mut self, _at: usize, _: &Event) {}

    /// The answer to one of its properties, by position; each has one, in any order.
    fn answer(&mut self, _: &Subject, _: usize, _: &Answer) -> io::Result<()> {
        Ok(())
    }

    /// All of its answers, in the order of its properties.
    fn end(&mut self, _: &Subject, _: &[Answer]) -> io::Result<()> {
        Ok(())
    }

    /// A model about which there is no answer, or none to rely on, and why; people are told on the standard error.
    fn left_out(&mut self, _path: &str, _why: &Failure) -> io::Result<()> {
        Ok(())
    }

    /// There are no more models.
    fn close(&mut self, _: &Tally, _: Duration) -> io::Result<()> {
        Ok(())
    }
}

/// How many models a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    /// One: nothing need say which.
    One,
    /// Several: everything says which.
    Several,
}

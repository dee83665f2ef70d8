//! Answers in the order of the properties, for any format.

use std::{collections::BTreeMap, io, time::Duration};

use fireset::{Event, io::property_file::RefusedProperty};

use super::AnswerPrinter;
use crate::{
    counts::AnswerCounts,
    failure::Failure,
    job::{Job, PropertyAnswer},
};

/// Holds each answer back until those to all earlier properties are printed.
pub struct OrderedPrinter {
    printer: Box<dyn AnswerPrinter>,
    next: usize,
    waiting: BTreeMap<usize, PropertyAnswer>,
}

impl OrderedPrinter {
    pub fn new(printer: Box<dyn AnswerPrinter>) -> Self {
        Self { printer, next: 0, waiting: BTreeMap::new() }
    }
}

impl AnswerPrinter for OrderedPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        (self.next, self.waiting) = (0, BTreeMap::new());
        self.printer.begin(job)
    }

    fn refused(&mut self, job: &Job, refused: &RefusedProperty) -> io::Result<()> {
        self.printer.refused(job, refused)
    }

    fn record(&mut self, at: usize, event: &Event) {
        self.printer.record(at, event);
    }

    fn warning(&mut self, warning: &str) {
        self.printer.warning(warning);
    }

    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        self.waiting.insert(at, answer.clone());
        while let Some(answer) = self.waiting.remove(&self.next) {
            self.printer.answer(job, self.next, &answer)?;
            self.next += 1;
        }
        Ok(())
    }

    fn end(&mut self, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        self.printer.end(job, answers)
    }

    fn failed(&mut self, path: &str, failure: &Failure) -> io::Result<()> {
        self.printer.failed(path, failure)
    }

    fn close(&mut self, counts: &AnswerCounts, elapsed: Duration) -> io::Result<()> {
        self.printer.close(counts, elapsed)
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc, sync::Arc};

    use fireset::{Model, StopReason};
    use fireset_oracle::tiny;

    use super::*;

    /// Notes the positions of the answers that it prints.
    struct PositionLog(Rc<RefCell<Vec<usize>>>);

    impl AnswerPrinter for PositionLog {
        fn answer(&mut self, _: &Job, at: usize, _: &PropertyAnswer) -> io::Result<()> {
            self.0.borrow_mut().push(at);
            Ok(())
        }
    }

    #[test]
    fn an_answer_waits_for_those_before_it() {
        let model = Arc::new(Model::Plain(tiny::net("p:1; t: p -> ")));
        let (notes, properties, expected, refused) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (path, earlier) = (String::new(), AnswerCounts::default());
        let job = Job { path, model, notes, properties, expected, refused, earlier };
        let printed = Rc::new(RefCell::new(Vec::new()));
        let mut printer = OrderedPrinter::new(Box::new(PositionLog(printed.clone())));
        let answer = PropertyAnswer::unknown(StopReason::Time);
        for expected in [&[0, 1, 2, 3][..], &[0, 1, 2, 3, 0, 1]] {
            printer.begin(&job).unwrap();
            for at in if expected.len() == 4 { vec![2, 0, 3, 1] } else { vec![1, 0] } {
                printer.answer(&job, at, &answer).unwrap();
            }
            assert_eq!(*printed.borrow(), expected);
        }
    }
}

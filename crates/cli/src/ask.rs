//! One model asked everything: a thread reads and checks it, this one prints each answer as it comes.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{Budget, Options, Outcome, StopReason, Verdict, check};

use crate::{
    failure::Failure,
    guard::{Allowance, Ending, Guard},
    print::Printer,
    subject::{Request, Subject},
};

/// What is to be done.
#[derive(Debug)]
pub struct Task {
    /// The model's file or directory.
    pub path: PathBuf,
    /// What is asked of it.
    pub request: Arc<Request>,
    /// How it is decided.
    pub options: Options,
    /// What that may use.
    pub allowance: Allowance,
}

/// What came out: an outcome for each property.
#[derive(Debug)]
pub struct Answers {
    /// What was asked.
    pub subject: Arc<Subject>,
    /// In the order of the properties.
    pub outcomes: Vec<Outcome>,
    /// What broke so that none of them can be relied on.
    pub fault: Option<String>,
}

/// What the thread that works tells.
enum News {
    Read(Arc<Subject>),
    Answer(usize, Box<Outcome>),
}

/// Prints all answers of a model; what is open when a limit is reached or a signal comes, is said. The outer error is one of
/// the output, the inner one says why the model was not asked anything.
pub fn ask(guard: &mut Guard, printer: &mut dyn Printer, task: Task) -> io::Result<Result<Answers, Failure>> {
    let Task { path, request, options, allowance } = task;
    let budget = allowance.budget.clone();
    let mut hearing = Hearing { printer, budget: &allowance.budget, subject: None, outcomes: Vec::new() };
    let ending = guard.watch(
        &allowance,
        {
            let path = path.clone();
            move |tell| work(&path, &request, &options, &budget, tell)
        },
        &mut |news| hearing.hear(news),
    )?;
    let (reason, fault) = match ending {
        Ending::Done(Err(failure)) => return Ok(Err(failure)),
        Ending::Done(Ok(fault)) => (StopReason::NoEngine, fault),
        Ending::Stopped(reason) => (reason, None),
    };
    let answers = hearing.close(&reason)?;
    Ok(answers
        .map(|(subject, outcomes)| Answers { subject, outcomes, fault })
        .ok_or_else(|| unread(&path, &reason)))
}

/// Reads and checks a model; what broke on the way.
fn work(
    path: &Path,
    request: &Request,
    options: &Options,
    budget: &Budget,
    tell: &dyn Fn(News),
) -> Result<Option<String>, Failure> {
    let subject = Arc::new(Subject::read(path, request)?);
    tell(News::Read(subject.clone()));
    if subject.properties.is_empty() {
        // An earlier run answered them all.
        return Ok(None);
    }
    let mut answer = |at: usize, outcome: &Outcome| tell(News::Answer(at, outcome.clone().into()));
    Ok(check(&subject.problem(), options, budget, &mut answer).fault)
}

/// A model that was not read.
fn unread(path: &Path, reason: &StopReason) -> Failure {
    let hint = match reason {
        StopReason::Cancelled => "nothing was asked of it; run the command again",
        StopReason::Fault(_) => "please report this, with the file",
        _ => "nothing was asked of it; allow it more",
    };
    Failure::Unfinished(format!("{} is not read: {reason}", path.display()), hint.into())
}

/// Takes news and prints them.
struct Hearing<'a> {
    printer: &'a mut dyn Printer,
    budget: &'a Budget,
    subject: Option<Arc<Subject>>,
    outcomes: Vec<Option<Outcome>>,
}

impl Hearing<'_> {
    fn hear(&mut self, news: News) -> io::Result<()> {
        match (news, &self.subject) {
            (News::Read(subject), _) => {
                self.outcomes = vec![None; subject.properties.len()];
                self.printer.begin(&subject)?;
                self.subject = Some(subject);
                Ok(())
            }
            (News::Answer(at, outcome), Some(subject)) => {
                let outcome = as_a_whole(*outcome, self.budget);
                self.printer.answer(subject, at, &outcome)?;
                self.outcomes[at] = Some(outcome);
                Ok(())
            }
            (News::Answer(..), None) => unreachable!("a model is read before it is asked"),
        }
    }

    /// Says what is open, and why.
    fn close(mut self, reason: &StopReason) -> io::Result<Option<(Arc<Subject>, Vec<Outcome>)>> {
        let Some(subject) = self.subject.clone() else { return Ok(None) };
        for at in 0..subject.properties.len() {
            if self.outcomes[at].is_none() {
                self.hear(News::Answer(at, Outcome::unknown(reason.clone()).into()))?;
            }
        }
        let outcomes: Vec<_> = self.outcomes.into_iter().flatten().collect();
        self.printer.end(&subject, &outcomes)?;
        Ok(Some((subject, outcomes)))
    }
}

/// What ended the whole run counts more than what ended a part of it: a query that had used up its part of the time is
/// cancelled if the rest was, and may be asked again.
fn as_a_whole(outcome: Outcome, budget: &Budget) -> Outcome {
    let Verdict::Unknown(reason) = &outcome.verdict else { return outcome };
    match (reason, budget.go_on()) {
        (StopReason::Fault(_), _) => outcome,
        (_, Err(why @ StopReason::Cancelled)) | (StopReason::Time, Err(why @ StopReason::Memory)) => {
            Outcome { verdict: Verdict::Unknown(why), ..outcome }
        }
        _ => outcome,
    }
}

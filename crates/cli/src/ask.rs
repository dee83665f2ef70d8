//! One model asked everything: a thread reads and checks it, this one prints each answer as it comes.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{Budget, Event, Observer, Options, Outcome, StopReason, Timeline, Verdict, check};

use crate::{
    failure::Failure,
    guard::{Allowance, Ending, Guard},
    print::Printer,
    subject::{Answer, Request, Subject},
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

/// What came out: an answer for each property.
#[derive(Debug)]
pub struct Answers {
    /// What was asked.
    pub subject: Arc<Subject>,
    /// In the order of the properties.
    pub answers: Vec<Answer>,
    /// What broke so that none of them can be relied on.
    pub fault: Option<String>,
}

/// What the thread that works tells.
enum News {
    Read(Arc<Subject>),
    Event(usize, Event),
    Answer(usize, Box<Answer>),
}

/// Tells what it hears of a check.
struct Teller<'a>(&'a dyn Fn(News));

impl Observer for Teller<'_> {
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline) {
        let (outcome, timeline) = (outcome.clone(), timeline.clone());
        (self.0)(News::Answer(at, Answer { outcome, timeline }.into()));
    }

    fn record(&mut self, at: usize, event: &Event) {
        (self.0)(News::Event(at, event.clone()));
    }
}

/// Prints all answers of a model; what is open when a limit is reached or a signal comes, is said. The outer error is one of
/// the output, the inner one says why the model was not asked anything.
pub fn ask(guard: &mut Guard, printer: &mut dyn Printer, task: Task) -> io::Result<Result<Answers, Failure>> {
    let Task { path, request, options, allowance } = task;
    let budget = allowance.budget.clone();
    let mut hearing = Hearing { printer, budget: &allowance.budget, subject: None, answers: Vec::new() };
    let ending = guard.watch(
        &allowance,
        {
            let path = path.clone();
            move |tell| work(&path, &request, &options, &budget, tell)
        },
        &mut |news| hearing.report(news),
    )?;
    let (reason, fault) = match ending {
        Ending::Done(Err(failure)) => return Ok(Err(failure)),
        Ending::Done(Ok(fault)) => (StopReason::NoEngine, fault),
        Ending::Stopped(reason) => (reason, None),
    };
    let told = hearing.close(&reason)?;
    Ok(told
        .map(|(subject, answers)| Answers { subject, answers, fault })
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
    Ok(check(&subject.problem(), options, budget, &mut Teller(tell)).fault)
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
    answers: Vec<Option<Answer>>,
}

impl Hearing<'_> {
    fn report(&mut self, news: News) -> io::Result<()> {
        match (news, &self.subject) {
            (News::Read(subject), _) => {
                self.answers = vec![None; subject.properties.len()];
                self.printer.begin(&subject)?;
                self.subject = Some(subject);
                Ok(())
            }
            (News::Event(at, event), _) => {
                self.printer.record(at, &event);
                Ok(())
            }
            (News::Answer(at, answer), Some(subject)) => {
                let answer = as_a_whole(*answer, self.budget);
                self.printer.answer(subject, at, &answer)?;
                self.answers[at] = Some(answer);
                Ok(())
            }
            (News::Answer(..), None) => unreachable!("a model is read before it is asked"),
        }
    }

    /// Says what is open, and why.
    fn close(mut self, reason: &StopReason) -> io::Result<Option<(Arc<Subject>, Vec<Answer>)>> {
        let Some(subject) = self.subject.clone() else { return Ok(None) };
        for at in 0..subject.properties.len() {
            if self.answers[at].is_none() {
                self.report(News::Answer(at, Answer::unknown(reason.clone()).into()))?;
            }
        }
        let answers: Vec<_> = self.answers.into_iter().flatten().collect();
        self.printer.end(&subject, &answers)?;
        Ok(Some((subject, answers)))
    }
}

/// What ended the whole run counts more than what ended a part of it: a query that had used up its part of the time, or the
/// states of a first look, is cancelled if the rest was, and may be asked again.
fn as_a_whole(mut answer: Answer, budget: &Budget) -> Answer {
    let Verdict::Unknown(reason) = &mut answer.outcome.verdict else { return answer };
    let of_a_part = matches!(reason, StopReason::Time | StopReason::States(_));
    match budget.go_on() {
        Err(StopReason::Cancelled) if !matches!(reason, StopReason::Fault(_)) => {
            *reason = StopReason::Cancelled;
        }
        Err(why @ (StopReason::Time | StopReason::Memory)) if of_a_part => *reason = why,
        _ => {}
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_reason_is_that_of_the_whole() {
        let stopped = |reason: StopReason| {
            let budget = Budget::unlimited();
            budget.stop(reason);
            budget
        };
        let told =
            |reason: StopReason, budget: &Budget| as_a_whole(Answer::unknown(reason), budget).outcome.verdict;
        let (cancelled, memory) = (stopped(StopReason::Cancelled), stopped(StopReason::Memory));
        let late = Budget::unlimited().with_timeout(Duration::ZERO);
        let fault = StopReason::Fault("it broke".into());
        for (reason, budget, whole) in [
            (StopReason::Time, &cancelled, StopReason::Cancelled),
            (StopReason::Time, &memory, StopReason::Memory),
            (StopReason::States(7), &late, StopReason::Time),
            (StopReason::Overflow, &late, StopReason::Overflow),
            (StopReason::States(7), &Budget::unlimited(), StopReason::States(7)),
            (fault.clone(), &cancelled, fault),
        ] {
            assert_eq!(told(reason, budget), Verdict::Unknown(whole));
        }
    }
}

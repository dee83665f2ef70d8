//! Runs the job of one model: a thread reads and checks the model, the first thread prints each answer when it arrives.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{
    Budget, Culprits, Event, Observer, Options, Outcome, StopReason, Timeline, Verdict, check_unwatched,
    net::PartialStateSpace,
};

use crate::{
    failure::{Failure, print_refused},
    job::{Job, PropertyAnswer, PropertySelection},
    print::AnswerPrinter,
    supervisor::{Allowance, Supervisor, WorkEnding},
};

/// A job before its files are read.
#[derive(Debug)]
pub struct JobSpec {
    /// A PNML file, or a directory in the contest's layout.
    pub path: PathBuf,
    pub selection: Arc<PropertySelection>,
    pub options: Options,
    pub allowance: Allowance,
}

/// A finished job, with one answer for each property in their order.
#[derive(Debug)]
pub struct JobReport {
    pub job: Arc<Job>,
    pub answers: Vec<PropertyAnswer>,
    /// A contradiction between engines: none of the answers is reliable.
    pub fault: Option<String>,
}

/// A message from the checking thread to the printing thread; numbers are positions of properties.
enum JobMessage {
    Read(Arc<Job>),
    Event(usize, Event),
    Answer(usize, Box<PropertyAnswer>),
    /// An internal fault that cost no answer.
    Warning(String),
}

/// Sends everything that it observes of a check.
struct MessageObserver<'a> {
    send: &'a (dyn Fn(JobMessage) + Sync),
    /// Culprits come before the answer that they belong to.
    culprits: HashMap<usize, Culprits>,
}

impl Observer for MessageObserver<'_> {
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline) {
        let (outcome, timeline) = (outcome.clone(), timeline.clone());
        let culprits = self.culprits.remove(&at);
        let answer = PropertyAnswer { outcome, timeline, culprits, expected: None };
        (self.send)(JobMessage::Answer(at, answer.into()));
    }

    fn culprits(&mut self, at: usize, culprits: &Culprits) {
        self.culprits.insert(at, culprits.clone());
    }

    fn record(&mut self, at: usize, event: &Event) {
        (self.send)(JobMessage::Event(at, event.clone()));
    }
}

/// Runs a job and prints its answers; properties that a limit or a signal leaves open are printed as unknown. The outer error
/// is one of the output; the inner error says why the job was not started.
pub fn ask(
    supervisor: &mut Supervisor,
    printer: &mut dyn AnswerPrinter,
    spec: JobSpec,
) -> io::Result<Result<JobReport, Failure>> {
    let JobSpec { path, selection, options, allowance } = spec;
    let budget = allowance.budget.clone();
    let mut events = EventLoop { printer, budget: &allowance.budget, job: None, answers: Vec::new() };
    let ending = supervisor.run(
        &allowance,
        {
            let path = path.clone();
            move |send| work(&path, &selection, &options, &budget, send)
        },
        &mut |message| events.handle(message),
    )?;
    let (reason, fault) = match ending {
        WorkEnding::Done(Err(failure)) => return Ok(Err(failure)),
        WorkEnding::Done(Ok(fault)) => (StopReason::NoEngine, fault),
        WorkEnding::Stopped(reason) => (reason, None),
    };
    let finished = events.close(&reason)?;
    Ok(finished.map(|(job, answers)| JobReport { job, answers, fault }).ok_or_else(|| unread(&path, &reason)))
}

/// Reads and checks a model; returns the contradiction between engines, if there is one.
fn work(
    path: &Path,
    selection: &PropertySelection,
    options: &Options,
    budget: &Budget,
    send: &(dyn Fn(JobMessage) + Sync),
) -> Result<Option<String>, Failure> {
    let job = Arc::new(Job::read(path, selection)?);
    send(JobMessage::Read(job.clone()));
    if job.properties.is_empty() {
        // An earlier run has answered all of them.
        return Ok(None);
    }
    let report = check_unwatched(
        &job.problem(),
        options,
        budget,
        &mut MessageObserver { send, culprits: HashMap::new() },
    );
    report.warnings.into_iter().for_each(|warning| send(JobMessage::Warning(warning)));
    Ok(report.fault)
}

/// The failure of a job whose model is still being read when the job ends.
fn unread(path: &Path, reason: &StopReason) -> Failure {
    let hint = match reason {
        StopReason::Cancelled => "no property was checked; run the command again",
        StopReason::Fault(_) => "this is a defect of fireset; please report it with the file",
        _ => "no property was checked; raise --timeout or --memory",
    };
    Failure::Unfinished(format!("{} was not read: {reason}", path.display()), hint.into())
}

/// The first thread's state: it receives messages and prints answers.
struct EventLoop<'a> {
    printer: &'a mut dyn AnswerPrinter,
    budget: &'a Budget,
    job: Option<Arc<Job>>,
    answers: Vec<Option<PropertyAnswer>>,
}

impl EventLoop<'_> {
    fn handle(&mut self, message: JobMessage) -> io::Result<()> {
        match (message, &self.job) {
            (JobMessage::Read(job), _) => {
                self.answers = vec![None; job.properties.len()];
                print_refused(job.refused.iter().map(|refused| &refused.error));
                self.printer.begin(&job)?;
                job.refused.iter().try_for_each(|refused| self.printer.refused(&job, refused))?;
                self.job = Some(job);
                Ok(())
            }
            (JobMessage::Event(at, event), _) => {
                self.printer.record(at, &event);
                Ok(())
            }
            (JobMessage::Warning(fault), _) => {
                anstream::eprintln!("warning: internal fault, please report it: {fault}");
                self.printer.warning(&fault);
                Ok(())
            }
            (JobMessage::Answer(at, answer), Some(job)) => {
                let mut answer = with_global_reason(*answer, self.budget);
                answer.expected.clone_from(&job.expected[at]);
                self.printer.answer(job, at, &answer)?;
                self.answers[at] = Some(answer);
                Ok(())
            }
            (JobMessage::Answer(..), None) => unreachable!("a model is read before it is checked"),
        }
    }

    /// Prints open properties as unknown for this reason, and ends the model.
    fn close(mut self, reason: &StopReason) -> io::Result<Option<(Arc<Job>, Vec<PropertyAnswer>)>> {
        let Some(job) = self.job.clone() else { return Ok(None) };
        for at in 0..job.properties.len() {
            if self.answers[at].is_none() {
                self.handle(JobMessage::Answer(at, PropertyAnswer::unknown(reason.clone()).into()))?;
            }
        }
        let answers: Vec<_> = self.answers.into_iter().flatten().collect();
        self.printer.end(&job, &answers)?;
        Ok(Some((job, answers)))
    }
}

/// The reason that ended the whole run replaces one that ended a stage: a query that had used up its time slice, or the state
/// limit of the pre-check, counts as cancelled if the run was cancelled, and `--resume` checks it again.
fn with_global_reason(mut answer: PropertyAnswer, budget: &Budget) -> PropertyAnswer {
    let (Verdict::Unknown(reason) | Verdict::PartialStateSpace(PartialStateSpace { reason, .. })) =
        &mut answer.outcome.verdict
    else {
        return answer;
    };
    let of_a_stage = matches!(reason, StopReason::Time | StopReason::States(_));
    match budget.go_on() {
        Err(StopReason::Cancelled) if !matches!(reason, StopReason::Fault(_)) => {
            *reason = StopReason::Cancelled;
        }
        Err(why @ (StopReason::Time | StopReason::Memory)) if of_a_stage => *reason = why,
        _ => {}
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_reason_of_the_whole_run_wins() {
        let stopped = |reason: StopReason| {
            let budget = Budget::unlimited();
            budget.stop(reason);
            budget
        };
        let printed = |reason: StopReason, budget: &Budget| {
            with_global_reason(PropertyAnswer::unknown(reason), budget).outcome.verdict
        };
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
            assert_eq!(printed(reason, budget), Verdict::Unknown(whole));
        }
    }
}

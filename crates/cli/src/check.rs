//! `fireset check`: properties of nets, for people and programs.

use std::{io, path::Path, process::ExitCode, sync::Arc, time::Instant};

use fireset::{Event, Options, io::query};

use crate::{
    args::{AnswerFormat, Certificates, CheckArgs},
    ask::{Answers, Task, ask},
    failure::Failure,
    guard::{Allowance, Guard},
    load,
    print::{self, Human, Json, Jsonl, Junit, Models, Old, Output, Printer, jsonl::Allowed},
    progress::Progress,
    resume::Known,
    subject::{Answer, Request, Subject, model_file},
    tally::{Kind, Tally},
};

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.help_queries {
        load::write_to(None, |out| out.write_all(query::HELP.as_bytes()))?;
        return Ok(ExitCode::SUCCESS);
    }
    refuse_what_does_not_fit(args)?;
    let known = match &args.output {
        Some(file) if args.resume => Known::resume(file, &allowed(args))?,
        _ => Known::default(),
    };
    let request = Request { asked: args.asked.clone(), examinations: args.examinations.clone(), known };
    let start = Instant::now();
    let mut batch = Batch {
        args,
        request: Arc::new(request),
        guard: Guard::new(),
        printer: printer(args),
        tally: Tally::default(),
    };
    args.models.iter().try_for_each(|path| batch.check(path))?;
    let Batch { mut printer, tally, .. } = batch;
    printer.close(&tally, start.elapsed()).map_err(output_failure(args))?;
    Ok(tally.exit_code())
}

/// Options that contradict each other.
fn refuse_what_does_not_fit(args: &CheckArgs) -> Result<(), Failure> {
    let refused = |message: &str, hint: &str| Err(Failure::Usage(message.into(), hint.into()));
    if args.witness.is_some() && args.models.len() > 1 {
        return refused(
            "--witness writes one file, and there are several models",
            "check one model at a time, or print the runs of all with --format json",
        );
    }
    let inputs = || args.models.iter().chain(&args.asked.properties);
    for out in args.output.iter().chain(&args.witness) {
        if let Some(input) = inputs().find(|input| is_same_file(&model_file(input), out)) {
            let message = format!("{} would be overwritten, and it is asked about", input.display());
            return refused(&message, "write the answers to another file");
        }
        if let Some(directory) = out.parent().filter(|at| !at.as_os_str().is_empty() && !at.is_dir()) {
            let message = format!("there is no directory {} to write to", directory.display());
            return refused(&message, "make it first, or check the path");
        }
    }
    if args.resume && (args.output.is_none() || args.format != AnswerFormat::Jsonl) {
        return refused("--resume needs a file of JSON lines", "add --format jsonl -o FILE");
    }
    Ok(())
}

/// Whether two paths lead to one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// What each model may use, as result files have it.
fn allowed(args: &CheckArgs) -> Allowed {
    Allowed::new(args.limits.timeout, load::budget(&args.limits).memory())
}

/// How answers are looked for.
fn options(args: &CheckArgs) -> Options {
    let certificates = match args.certificates {
        Certificates::On => fireset::Certificates::On,
        Certificates::Off => fireset::Certificates::Off,
    };
    Options { certificates, ..args.techniques.options() }
}

/// The printer that the options ask for.
fn printer(args: &CheckArgs) -> Box<dyn Printer> {
    let models = if args.models.len() > 1 { Models::Several } else { Models::One };
    let old = if args.resume { Old::Kept } else { Old::Lost };
    let out = Output::to(args.output.clone(), old);
    match args.format {
        AnswerFormat::Human => Box::new(Human::new(out, models, args.explain.then(|| options(args)))),
        AnswerFormat::Json => Box::new(Json::new(out, models)),
        AnswerFormat::Jsonl => Box::new(Jsonl::new(out, allowed(args))),
        AnswerFormat::Junit => Box::new(Junit::new(out)),
    }
}

/// An error of where the answers go.
fn output_failure(args: &CheckArgs) -> impl Fn(io::Error) -> Failure {
    move |error| match &args.output {
        Some(path) => Failure::writing(path)(error),
        None => error.into(),
    }
}

/// All models of a call.
struct Batch<'a> {
    args: &'a CheckArgs,
    request: Arc<Request>,
    guard: Guard,
    printer: Box<dyn Printer>,
    tally: Tally,
}

impl Batch<'_> {
    /// Asks one of them. Input that cannot be used is told, and does not end the others.
    fn check(&mut self, path: &Path) -> Result<(), Failure> {
        if self.guard.is_interrupted() {
            let failure = Failure::Unfinished(
                format!("{} is not asked: interrupted", path.display()),
                "run the command again; --resume goes on where a file of JSON lines ends".into(),
            );
            return self.leave_out(path, &failure);
        }
        let allowance = Allowance::of(load::budget(&self.args.limits));
        let (request, options) = (self.request.clone(), options(self.args));
        let task = Task { path: path.into(), request, options, allowance };
        let mut shown = Watched { printer: &mut *self.printer, progress: None };
        match ask(&mut self.guard, &mut shown, task).map_err(output_failure(self.args))? {
            Ok(answers) => self.take(path, &answers),
            Err(failure) => self.leave_out(path, &failure),
        }
    }

    fn take(&mut self, path: &Path, answers: &Answers) -> Result<(), Failure> {
        let Answers { subject, answers, fault } = answers;
        if let Some(fault) = fault {
            return self.leave_out(path, &Failure::Fault(fault.clone()));
        }
        self.tally.add(&subject.before);
        answers.iter().for_each(|answer| self.tally.count(Kind::from(&answer.outcome.verdict)));
        match &self.args.witness {
            Some(file) => load::write_to(Some(file), |out| print::witnesses(out, subject, answers)),
            None => Ok(()),
        }
    }

    /// Says that there is no answer about a model, and why.
    fn leave_out(&mut self, path: &Path, failure: &Failure) -> Result<(), Failure> {
        failure.tell();
        match failure {
            Failure::Unfinished(..) => self.tally.unread += 1,
            Failure::Fault(_) => self.tally.broken += 1,
            _ => self.tally.refused += 1,
        }
        let path = path.display().to_string();
        if self.args.models.len() > 1 && !failure.to_string().contains(&path) {
            anstream::eprintln!("there is no answer about {path}");
        }
        self.printer.left_out(&path, failure).map_err(output_failure(self.args))
    }
}

/// A printer beside which somebody watches.
struct Watched<'a> {
    printer: &'a mut dyn Printer,
    progress: Option<Progress>,
}

impl Printer for Watched<'_> {
    fn begin(&mut self, subject: &Subject) -> io::Result<()> {
        self.printer.begin(subject)?;
        self.progress =
            Some(Progress::start(subject.properties.iter().map(|property| property.name.clone())));
        Ok(())
    }

    fn record(&mut self, at: usize, event: &Event) {
        if let Some(progress) = &self.progress {
            progress.record(at, event);
        }
    }

    fn answer(&mut self, subject: &Subject, at: usize, answer: &Answer) -> io::Result<()> {
        match &self.progress {
            Some(progress) => {
                progress.suspend(|| self.printer.answer(subject, at, answer))?;
                progress.answered(at);
                Ok(())
            }
            None => self.printer.answer(subject, at, answer),
        }
    }

    fn end(&mut self, subject: &Subject, answers: &[Answer]) -> io::Result<()> {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        self.printer.end(subject, answers)
    }
}

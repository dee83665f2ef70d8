//! `fireset check`: checks properties of one or more models and prints the answers.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use fireset::{
    Event, Options, ShownRun, Switch,
    io::{property_file::RefusedProperty, query},
};

use crate::{
    args::{AnswerFormat, CheckArgs},
    ask::{JobReport, JobSpec, ask},
    counts::{AnswerCounts, AnswerKind},
    failure::Failure,
    job::{Job, PropertyAnswer, PropertySelection, model_file},
    load,
    print::{
        self, AnswerPrinter, ExistingFile, GithubPrinter, HumanPrinter, JsonPrinter, JsonlPrinter,
        JunitPrinter, ModelCount, OrderedPrinter, Output, SarifPrinter, jsonl::ModelLimits,
    },
    progress::LiveTable,
    resume::EarlierAnswers,
    supervisor::{Allowance, Supervisor},
};

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.help_queries {
        load::write_to(None, |out| out.write_all(query::HELP.as_bytes()))?;
        return Ok(ExitCode::SUCCESS);
    }
    reject_contradictions(args)?;
    let earlier = match &args.output {
        Some(file) if args.resume => EarlierAnswers::resume(file, &model_limits(args))?,
        _ => EarlierAnswers::default(),
    };
    let (named, examinations) = (args.properties.clone(), args.examinations.clone());
    let selection = PropertySelection { net: args.net.clone(), named, examinations, earlier };
    let start = Instant::now();
    let mut batch = ModelBatch {
        args,
        selection: Arc::new(selection),
        supervisor: Supervisor::new(),
        printer: printer(args),
        counts: AnswerCounts::default(),
    };
    args.models.iter().try_for_each(|path| batch.check(path))?;
    let ModelBatch { mut printer, counts, .. } = batch;
    printer.close(&counts, start.elapsed()).map_err(output_failure(args))?;
    Ok(counts.exit_code())
}

/// Options that contradict each other, and output files that would overwrite input.
fn reject_contradictions(args: &CheckArgs) -> Result<(), Failure> {
    let rejected = |message: &str, hint: &str| Err(Failure::Usage(message.into(), hint.into()));
    if args.witness.is_some() && args.models.len() > 1 {
        return rejected(
            "--witness writes one file for one model, but several models are given",
            "check one model at a time, or write the evidence of all models with --format json",
        );
    }
    let of_input = |paths: &[PathBuf]| paths.iter().filter(|path| path.as_os_str() == "-").count();
    let (nets, files) = (of_input(&args.models), of_input(&args.properties.properties));
    if nets + files * args.models.len() > 1 {
        return rejected(
            "the standard input can be read only once",
            "`-` can be one model, or one file of --properties for one model",
        );
    }
    let inputs = || args.models.iter().chain(&args.properties.properties);
    for out in args.output.iter().chain(&args.witness) {
        if let Some(input) = inputs().find(|input| is_same_file(&model_file(input), out)) {
            let message = format!("{} is an input file and would be overwritten", input.display());
            return rejected(&message, "write the answers to another file");
        }
        if let Some(directory) = out.parent().filter(|at| !at.as_os_str().is_empty() && !at.is_dir()) {
            let message = format!("the output directory {} does not exist", directory.display());
            return rejected(&message, "create the directory, or correct the path");
        }
    }
    if args.resume && (args.output.is_none() || args.format != AnswerFormat::Jsonl) {
        return rejected("--resume needs an output file of JSON lines", "add --format jsonl -o FILE");
    }
    Ok(())
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The limits of each model as result files have them.
fn model_limits(args: &CheckArgs) -> ModelLimits {
    ModelLimits::new(args.limits.timeout, load::budget(&args.limits).memory())
}

fn options(args: &CheckArgs) -> Options {
    let options = args.techniques.options(args.threads.threads);
    options.with_portfolio(|portfolio| {
        portfolio.certificates = args.certificates;
        portfolio.shown_run = match args.short_runs {
            _ if args.shortest => ShownRun::Shortest,
            Switch::On => ShownRun::Short,
            Switch::Off => ShownRun::First,
        };
        portfolio.culprits = args.culprits;
    })
}

fn printer(args: &CheckArgs) -> Box<dyn AnswerPrinter> {
    let models = if args.models.len() > 1 { ModelCount::Several } else { ModelCount::One };
    let existing = if args.resume { ExistingFile::Append } else { ExistingFile::Overwrite };
    let out = Output::to(args.output.clone(), existing);
    let printer: Box<dyn AnswerPrinter> = match args.format {
        AnswerFormat::Human => {
            let explain = args.explain.then(|| options(args));
            Box::new(HumanPrinter::new(out, models, (&args.steps).into(), explain))
        }
        AnswerFormat::Json => Box::new(JsonPrinter::new(out, model_limits(args))),
        AnswerFormat::Jsonl => Box::new(JsonlPrinter::new(out, model_limits(args))),
        AnswerFormat::Junit => Box::new(JunitPrinter::new(out)),
        AnswerFormat::Sarif => Box::new(SarifPrinter::new(out, &args.properties.properties)),
        AnswerFormat::Github => Box::new(GithubPrinter::new(out, &args.properties.properties)),
    };
    if args.ordered { Box::new(OrderedPrinter::new(printer)) } else { printer }
}

/// Names the output in an error of writing to it.
fn output_failure(args: &CheckArgs) -> impl Fn(io::Error) -> Failure {
    move |error| match &args.output {
        Some(path) => Failure::writing(path)(error),
        None => error.into(),
    }
}

/// All models of a command, checked one after the other.
struct ModelBatch<'a> {
    args: &'a CheckArgs,
    selection: Arc<PropertySelection>,
    supervisor: Supervisor,
    printer: Box<dyn AnswerPrinter>,
    counts: AnswerCounts,
}

impl ModelBatch<'_> {
    /// Runs the job of one model. Bad input is reported and does not end the other jobs.
    fn check(&mut self, path: &Path) -> Result<(), Failure> {
        if self.supervisor.is_interrupted() {
            let failure = Failure::Unfinished(
                format!("{} was not checked: interrupted", path.display()),
                "run the command again; --resume continues an output file of JSON lines".into(),
            );
            return self.report_failure(path, &failure);
        }
        let allowance = Allowance::of(load::budget(&self.args.limits));
        let (selection, options) = (self.selection.clone(), options(self.args));
        let spec = JobSpec { path: path.into(), selection, options, allowance };
        let mut printer = PrinterWithTable { printer: &mut *self.printer, table: None };
        match ask(&mut self.supervisor, &mut printer, spec).map_err(output_failure(self.args))? {
            Ok(report) => self.take(path, &report),
            Err(failure) => self.report_failure(path, &failure),
        }
    }

    fn take(&mut self, path: &Path, report: &JobReport) -> Result<(), Failure> {
        let JobReport { job, answers, fault } = report;
        if let Some(fault) = fault {
            return self.report_failure(path, &Failure::Fault(fault.clone()));
        }
        self.counts.add(&job.earlier);
        self.counts.misread += job.refused.len();
        for answer in answers {
            self.counts.count(AnswerKind::from(&answer.outcome.verdict), answer.is_as_expected());
        }
        match &self.args.witness {
            Some(file) => load::write_to(Some(file), |out| print::witnesses(out, job, answers)),
            None => Ok(()),
        }
    }

    /// Reports a model without answers, or without reliable ones.
    fn report_failure(&mut self, path: &Path, failure: &Failure) -> Result<(), Failure> {
        failure.print();
        match failure {
            Failure::Unfinished(..) => self.counts.unread += 1,
            Failure::Fault(_) => self.counts.broken += 1,
            _ => self.counts.refused += 1,
        }
        let path = path.display().to_string();
        if self.args.models.len() > 1 && !failure.to_string().contains(&path) {
            anstream::eprintln!("no answer about {path}");
        }
        self.printer.failed(&path, failure).map_err(output_failure(self.args))
    }
}

/// A printer and the live table, which is hidden while answers are printed.
struct PrinterWithTable<'a> {
    printer: &'a mut dyn AnswerPrinter,
    table: Option<LiveTable>,
}

impl AnswerPrinter for PrinterWithTable<'_> {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        self.printer.begin(job)?;
        self.table = Some(LiveTable::start(job.properties.iter().map(|property| property.name.clone())));
        Ok(())
    }

    fn refused(&mut self, job: &Job, refused: &RefusedProperty) -> io::Result<()> {
        match &self.table {
            Some(table) => table.suspend(|| self.printer.refused(job, refused)),
            None => self.printer.refused(job, refused),
        }
    }

    fn record(&mut self, at: usize, event: &Event) {
        if let Some(table) = &self.table {
            table.record(at, event);
        }
    }

    fn warning(&mut self, warning: &str) {
        self.printer.warning(warning);
    }

    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        match &self.table {
            Some(table) => {
                table.suspend(|| self.printer.answer(job, at, answer))?;
                table.answered(at);
                Ok(())
            }
            None => self.printer.answer(job, at, answer),
        }
    }

    fn end(&mut self, job: &Job, answers: &[PropertyAnswer]) -> io::Result<()> {
        if let Some(table) = self.table.take() {
            table.finish();
        }
        self.printer.end(job, answers)
    }
}

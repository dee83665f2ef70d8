//! `fireset check`: properties of a net, for people and programs.

use std::{
    fs::File,
    io::{BufWriter, Write, stdout},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use fireset::{Budget, Model, Options, Outcome, Problem, Property, Verdict, check, io::query};

use crate::{
    args::{Certificates, CheckArgs, Format},
    failure::{Failure, UNFINISHED},
    load,
    progress::Progress,
    report::{self, Human},
};

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.help_queries {
        load::write_to(None, |out| out.write_all(query::HELP.as_bytes()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = args.model.as_deref().expect("clap asks for a model");
    let budget = load::budget(&args.limits);
    let model = load::model(path)?;
    let properties = load::asked(&args.asked, &model)?;
    if properties.is_empty() {
        return Err(Failure::Usage(
            "there is nothing to check".into(),
            "give a property, such as -q 'EF deadlock', or a file with --properties; \
             --help-queries explains the language"
                .into(),
        ));
    }
    let outcomes = decide(args, Arc::new(model), &properties, &budget)?;
    Ok(exit_code(&outcomes))
}

/// Decides all properties and prints the answers.
fn decide(
    args: &CheckArgs,
    model: Arc<Model>,
    properties: &[Property],
    budget: &Budget,
) -> Result<Vec<Outcome>, Failure> {
    let start = Instant::now();
    let queries =
        properties.iter().map(|p| p.query().expect("properties are classified when read")).collect();
    let problem = Problem { model: model.clone(), queries };
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(Failure::writing(path))?)),
        None => Box::new(anstream::AutoStream::auto(stdout())),
    };
    let progress = Progress::start(budget, properties.len());
    let mut human = Human::new(&model, properties, args.explain);
    let mut written = Ok(());
    let certificates = match args.certificates {
        Certificates::On => fireset::Certificates::On,
        Certificates::Off => fireset::Certificates::Off,
    };
    let options = Options { certificates, ..args.techniques.options() };
    let report = check(&problem, &options, budget, &mut |at: usize, outcome: &Outcome| {
        if args.format == Format::Human && written.is_ok() {
            written = progress.suspend(|| human.answer(&mut *out, at, outcome));
        }
        progress.answered();
    });
    progress.finish();
    match args.format {
        Format::Human => written.and_then(|()| human.summary(&mut *out, start.elapsed())),
        Format::Json => report::json(&mut *out, &model, properties, &report.outcomes),
    }
    .and_then(|()| out.flush())
    .map_err(|error| match &args.output {
        Some(path) => Failure::writing(path)(error),
        None => error.into(),
    })?;
    if let Some(path) = &args.witness {
        load::write_to(Some(path), |out| report::witnesses(out, &model, properties, &report.outcomes))?;
    }
    Ok(report.outcomes)
}

/// Fails before unknown before holds; a bound or a size that was found counts as holding.
fn exit_code(outcomes: &[Outcome]) -> ExitCode {
    let any = |test: fn(&Verdict) -> bool| outcomes.iter().any(|o| test(&o.verdict));
    if any(|v| matches!(v, Verdict::Fails)) {
        ExitCode::from(1)
    } else if any(|v| matches!(v, Verdict::Unknown(_))) {
        ExitCode::from(UNFINISHED)
    } else {
        ExitCode::SUCCESS
    }
}

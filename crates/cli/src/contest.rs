//! `fireset mcc`: one examination of the Model Checking Contest, answers in the contest's lines.
//!
//! What stays open is told on the standard error and gets no line on the standard output, as if the run had
//! been cut there; an examination without any answer gets `CANNOT_COMPUTE`.

use std::{
    io::{self, Write, stdout},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use fireset::{
    Budget, Certificates, Model, Options, Outcome, Problem, Property, Verdict, check,
    io::properties,
    net::{Formula, Global, Logic},
};

use crate::{args::MccArgs, failure::Failure, load};

/// What an examination asks.
enum Asks {
    /// The properties of `<Examination>.xml`.
    File,
    /// One property, named like the examination.
    One(Formula),
}

/// What the examination of that name asks, if there is one.
fn asks(examination: &str) -> Option<Asks> {
    let global = |global| Some(Asks::One(Formula::Global(global)));
    match examination {
        "StateSpace" => global(Global::StateSpace),
        "OneSafe" => global(Global::OneSafe),
        "StableMarking" => global(Global::StableMarking),
        "QuasiLiveness" => global(Global::QuasiLiveness),
        "Liveness" => global(Global::Liveness),
        "ReachabilityDeadlock" => Some(Asks::One(Formula::Deadlock.possible())),
        "UpperBounds"
        | "ReachabilityCardinality"
        | "ReachabilityFireability"
        | "CTLCardinality"
        | "CTLFireability"
        | "LTLCardinality"
        | "LTLFireability" => Some(Asks::File),
        _ => None,
    }
}

/// Runs the command.
pub fn run(args: &MccArgs) -> Result<ExitCode, Failure> {
    let Some(asks) = asks(&args.examination) else {
        load::write_to(None, |out| writeln!(out, "DO_NOT_COMPETE"))?;
        return Ok(ExitCode::SUCCESS);
    };
    let budget = budget(args);
    match read(args, asks) {
        Ok((model, properties)) => {
            // Nobody sees them there.
            let options = Options { certificates: Certificates::Off, ..args.techniques.options() };
            answer(model, &properties, &options, &budget)
        }
        Err(failure) => {
            load::write_to(None, |out| writeln!(out, "CANNOT_COMPUTE"))?;
            Err(failure)
        }
    }
}

/// The time and memory of the run, less what it takes to end in order.
fn budget(args: &MccArgs) -> Budget {
    let budget = Budget::unlimited();
    let in_order = |time: Duration| time.mul_f64(0.95);
    let budget = args.time.map_or(budget.clone(), |time| budget.with_timeout(in_order(time)));
    let bytes = args.memory.map(|mb| mb.saturating_mul(1 << 20) / 10 * 9);
    bytes.map_or(budget.clone(), |bytes| budget.with_memory(bytes))
}

fn read(args: &MccArgs, asks: Asks) -> Result<(Model, Vec<Property>), Failure> {
    let model = load::model(&args.directory.join("model.pnml"))?;
    let properties = match asks {
        Asks::File => {
            let file = args.directory.join(format!("{}.xml", args.examination));
            properties::read_file(&file, model.nodes())?
        }
        Asks::One(formula) => {
            vec![Property { name: args.examination.clone(), formula, logic: Logic::Ctl }]
        }
    };
    Ok((model, properties))
}

fn answer(
    model: Model,
    properties: &[Property],
    options: &Options,
    budget: &Budget,
) -> Result<ExitCode, Failure> {
    let queries =
        properties.iter().map(|p| p.query().expect("properties are classified when read")).collect();
    let problem = Problem { model: Arc::new(model), queries };
    let mut written = Ok(());
    let report = check(&problem, options, budget, &mut |at: usize, outcome: &Outcome| {
        if written.is_ok() {
            written = print(&properties[at].name, outcome);
        }
    });
    written?;
    let open = report.outcomes.iter().filter(|o| matches!(o.verdict, Verdict::Unknown(_))).count();
    if open == properties.len() {
        load::write_to(None, |out| writeln!(out, "CANNOT_COMPUTE"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints one answer and sends it off at once.
fn print(name: &str, outcome: &Outcome) -> io::Result<()> {
    let mut out = stdout().lock();
    let techniques: Vec<_> = outcome.techniques.iter().map(|t| t.keyword()).collect();
    let techniques = techniques.join(" ");
    match &outcome.verdict {
        Verdict::Holds => writeln!(out, "FORMULA {name} TRUE TECHNIQUES {techniques}")?,
        Verdict::Fails => writeln!(out, "FORMULA {name} FALSE TECHNIQUES {techniques}")?,
        Verdict::Bound(bound) => writeln!(out, "FORMULA {name} {bound} TECHNIQUES {techniques}")?,
        Verdict::StateSpace(figures) => {
            for (what, count) in [
                ("STATES", &figures.states),
                ("TRANSITIONS", &figures.firings),
                ("MAX_TOKEN_PER_MARKING", &figures.max_in_marking),
                ("MAX_TOKEN_IN_PLACE", &figures.max_in_place),
            ] {
                writeln!(out, "STATE_SPACE {what} {count} TECHNIQUES {techniques}")?;
            }
        }
        Verdict::Unknown(reason) => anstream::eprintln!("{name} stays open: {reason}"),
    }
    out.flush()
}

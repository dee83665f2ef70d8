//! `fireset draw`: draws a net as SVG, or plays a run of it in a page.

use std::{path::Path, process::ExitCode};

use fireset::{
    Model,
    io::{net_file::NetFile, witness},
    run_table::{RunColumn, RunRow, RunTable, RunValue},
};
use fireset_draw::{AnimatedRun, Picture, net_diagram, page, take_positions};

use crate::{args::DrawArgs, failure::Failure, load, print};

pub fn run(args: &DrawArgs) -> Result<ExitCode, Failure> {
    let net = load::whole_net_file(&args.model, &args.net)?;
    let text = match &args.run {
        None => {
            let mut svg = Vec::new();
            picture(&net).to_svg(&mut svg)?;
            svg
        }
        Some(file) => animation(args, &net, file)?.into_bytes(),
    };
    load::write_to(args.output.as_deref(), |out| out.write_all(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// The net where its file has its nodes, or laid out.
fn picture(net: &NetFile) -> Picture {
    let mut diagram = net_diagram(&net.model);
    if let Some(presentation) = &net.presentation {
        take_positions(&mut diagram, &net.model, presentation);
    }
    Picture::new(diagram)
}

/// The page that plays the run of a witness.
fn animation(args: &DrawArgs, net: &NetFile, file: &Path) -> Result<String, Failure> {
    let witnesses = witness::read_file(file, net, &args.model)?;
    let asked = args.property.as_deref();
    let (witness, run) = load::witness_with_run(file, &witnesses, asked, AnimatedRun::of)?;
    let model = &net.model;
    let refused = |refusal: fireset::net::replay::Refusal| {
        let hint = "`fireset replay` tells which witnesses fit to the net";
        Failure::Usage(
            format!("the run of {} is none of this net: {}", witness.property.name, refusal.describe(model)),
            hint.into(),
        )
    };
    let table = RunTable::new(model, &witness.property, &witness.evidence).map_err(refused)?;
    let run = AnimatedRun { notes: notes(model, &witness.property, &table), ..run };
    let role = print::role(&witness.verdict);
    let title = format!("{}: {role} for {}", model.name(), print::formula(model, &witness.property));
    page(model, &picture(net), &run, &title).map_err(refused)
}

/// What is told of each marking of the first run: what the step has changed, and the atoms that hold.
fn notes(model: &Model, property: &fireset::Property, table: &RunTable) -> Vec<String> {
    let Some(run) = table.runs.first() else { return Vec::new() };
    let legend: Vec<String> =
        table.columns.iter().map(|column| print::column_title(model, property, column)).collect();
    let values = |values: &[RunValue]| {
        let texts = values.iter().zip(&table.columns).zip(&legend).filter_map(|((value, column), title)| {
            match (value, column) {
                (RunValue::Truth(true), RunColumn::Atom(_)) => Some(format!("✓ {title}")),
                (RunValue::Truth(false), RunColumn::Atom(_)) => None,
                (RunValue::Count(count), _) => Some(format!("{title} = {count}")),
                (RunValue::Truth(_), RunColumn::Tokens(_)) => None,
            }
        });
        texts.collect::<Vec<_>>().join("; ")
    };
    let joined =
        |parts: [String; 2]| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    let changes =
        |row: &RunRow| row.changes.iter().map(|change| change.text.as_str()).collect::<Vec<_>>().join(", ");
    let first = values(&run.values);
    let rows = run.rows.iter().map(|row| joined([changes(row), values(&row.values)]));
    std::iter::once(first).chain(rows).collect()
}

//! `fireset replay`: witnesses against a net, without any engine.

use std::process::ExitCode;

use fireset::{io::witness, net::replay};

use crate::{args::ReplayArgs, failure::Failure, load};

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let model = load::model(&args.model)?;
    let witnesses = witness::read_file(&args.witness, &model)?;
    let mut refused = 0;
    load::write_to(None, |out| {
        for w in &witnesses {
            let query = w.property.query().expect("properties are classified when read");
            match replay::confirm(&model, &query, &w.verdict, &w.evidence) {
                Ok(()) => match w.evidence.claims().len() {
                    0 => writeln!(out, "{}: accepted", w.property.name)?,
                    n => writeln!(
                        out,
                        "{}: accepted, if what it claims without a run is right ({n} formulas)",
                        w.property.name
                    )?,
                },
                Err(refusal) => {
                    refused += 1;
                    writeln!(out, "{}: refused: {}", w.property.name, refusal.describe(&model))?;
                }
            }
        }
        writeln!(out, "{} of {} witnesses accepted", witnesses.len() - refused, witnesses.len())
    })?;
    Ok(ExitCode::from(u8::from(refused > 0)))
}

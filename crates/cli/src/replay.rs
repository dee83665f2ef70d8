//! `fireset replay`: checks witnesses against a net, without any engine.

use std::process::ExitCode;

use fireset::{io::witness, net::replay};

use crate::{
    args::ReplayArgs,
    failure::Failure,
    load,
    print::{self, EvidenceForm},
};

pub fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let net = load::net_file(&args.model, &args.net)?;
    let witnesses = witness::read_file(&args.witness, &net, &args.model)?;
    let model = net.model;
    let mut refused = 0;
    load::write_to(None, |out| {
        for w in &witnesses {
            let query = w.property.query().expect("properties are classified when read");
            match replay::confirm(&model, &query, &w.verdict, &w.evidence) {
                Ok(()) => {
                    let claims = w.evidence.claims();
                    let assumptions = match claims.len() {
                        0 => String::new(),
                        1 => ", assuming 1 claim that no run shows".into(),
                        n => format!(", assuming {n} claims that no run shows"),
                    };
                    writeln!(out, "{}: accepted{assumptions}", w.property.name)?;
                    match EvidenceForm::from(&args.steps) {
                        EvidenceForm::Line => {
                            print::write_claims(out, &model, w.property.logic_of_claims(), claims)?;
                        }
                        EvidenceForm::Table { depth } => {
                            let shown = (&w.verdict, &w.evidence);
                            print::write_steps(out, &model, &w.property, shown, depth)?;
                        }
                    }
                }
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

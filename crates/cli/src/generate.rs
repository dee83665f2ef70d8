//! `fireset generate`: writes nets of scalable families.

use std::process::ExitCode;

use fireset::{
    io::pnml,
    net::families::{self, FamilyKind},
};

use crate::{args::GenerateArgs, failure::Failure, load};

pub fn run(args: &GenerateArgs) -> Result<ExitCode, Failure> {
    let Some(name) = args.family.as_deref().filter(|_| !args.list) else {
        return list();
    };
    let see_list = || "`fireset generate --list` lists the families and their parameters".to_owned();
    let family =
        families::find(name).ok_or_else(|| Failure::Usage(format!("unknown family `{name}`"), see_list()))?;
    let kind = if args.coloured { FamilyKind::Coloured } else { FamilyKind::Plain };
    let model = family
        .generate(kind, &args.parameters)
        .map_err(|error| Failure::Usage(error.to_string(), see_list()))?;
    load::write_to(args.output.as_deref(), |mut out| pnml::write(&model, &mut out))?;
    Ok(ExitCode::SUCCESS)
}

fn list() -> Result<ExitCode, Failure> {
    load::write_to(None, |out| {
        for family in families::all() {
            let parameters: Vec<_> = family.parameters.iter().map(|p| p.name).collect();
            let coloured = if family.offers(FamilyKind::Coloured) { " [--coloured]" } else { "" };
            writeln!(out, "{} {}{coloured}\n    {}", family.name, parameters.join(" "), family.about)?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

//! `fireset convert`: writes a net or its properties in another format.

use std::process::ExitCode;

use fireset::{
    Model, StopReason,
    io::{dot, pnml, properties as contest_xml, query},
    unfold, unfold_all_places,
};

use crate::{
    args::{ConvertArgs, ConvertFormat},
    failure::Failure,
    load,
};

pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let model = read(args)?;
    let properties = load::properties(&args.properties, &model)?;
    let of_properties = matches!(args.to, ConvertFormat::Xml | ConvertFormat::Text);
    if of_properties == properties.is_empty() {
        let (message, hint) = if of_properties {
            ("no properties to convert", "give some with -q or --properties")
        } else {
            (
                "--to pnml and --to dot write the net, not properties",
                "write properties with --to xml or --to text",
            )
        };
        return Err(Failure::Usage(message.into(), hint.into()));
    }
    // Properties are written to memory first: if one cannot be written as XML, no partial file is left.
    let mut xml = Vec::new();
    if args.to == ConvertFormat::Xml {
        contest_xml::write(&properties, &model, &mut xml)?;
    }
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        ConvertFormat::Pnml => pnml::write(&model, &mut out),
        ConvertFormat::Dot => dot::write(&model, &mut out),
        ConvertFormat::Xml => out.write_all(&xml),
        ConvertFormat::Text => {
            let mut lines = properties.iter().map(|p| query::show_as(&p.formula, p.logic, &model));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the net and unfolds it if `--unfold` is given.
fn read(args: &ConvertArgs) -> Result<Model, Failure> {
    let model = load::model(&args.model, &args.net)?;
    let Model::Coloured(net) = &model else { return Ok(model) };
    if !args.unfold {
        return Ok(model);
    }
    let budget = load::budget(&args.limits);
    // Places that are never marked are written too, so that queries about them are not refused.
    let unfolding = unfold_all_places(net, &budget).or_else(|_| {
        let unfolding = unfold(net, &budget)?;
        anstream::eprintln!("note: {}: places that are never marked are left out", args.model.display());
        Ok(unfolding)
    });
    let unfolding = unfolding.map_err(|reason: StopReason| {
        let hint = "nothing was written; raise --timeout or --memory, or take a smaller net";
        Failure::Unfinished(format!("the net was not unfolded: {reason}"), hint.into())
    })?;
    Ok(Model::Plain(unfolding.net))
}

//! `fireset convert`: a net or its properties in another format.

use std::process::ExitCode;

use fireset::{
    Model,
    io::{dot, pnml, properties, query},
    unfold,
};

use crate::{
    args::{ConvertArgs, Target},
    failure::Failure,
    load,
};

/// Runs the command.
pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let model = read(args)?;
    let asked = load::asked(&args.asked, &model)?;
    let of_properties = matches!(args.to, Target::Xml | Target::Text);
    if of_properties == asked.is_empty() {
        let (message, hint) = if of_properties {
            ("there are no properties to convert", "give some with -q or --properties")
        } else {
            ("properties are not part of a net's file", "write them with --to xml or --to text")
        };
        return Err(Failure::Usage(message.into(), hint.into()));
    }
    // Properties are written in memory first: one that has no XML form leaves no half a file.
    let mut xml = Vec::new();
    if args.to == Target::Xml {
        properties::write(&asked, model.nodes(), &mut xml)?;
    }
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        Target::Pnml => pnml::write(&model, &mut out),
        Target::Dot => dot::write(&model, &mut out),
        Target::Xml => out.write_all(&xml),
        Target::Text => {
            let mut lines = asked.iter().map(|p| query::show_as(&p.formula, p.logic, model.nodes()));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The net, unfolded where that is asked for.
fn read(args: &ConvertArgs) -> Result<Model, Failure> {
    let model = load::model(&args.model)?;
    let Model::Coloured(net) = &model else { return Ok(model) };
    if !args.unfold {
        return Ok(model);
    }
    let unfolding = unfold(net, &load::budget(&args.limits)).map_err(|reason| {
        let hint = "nothing was written; allow it more, or take a smaller net";
        Failure::Unfinished(format!("the net is not unfolded: {reason}"), hint.into())
    })?;
    Ok(Model::Plain(unfolding.net))
}

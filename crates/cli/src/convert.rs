//! `fireset convert`: writes a net or its properties in another format.

use std::process::ExitCode;

use fireset::{
    Model,
    io::{
        Source, dot,
        net_file::{self, NetChoice, NetFile},
        pnml, properties as contest_xml, query,
    },
    unfold,
};

use crate::{
    args::{ConvertArgs, ConvertFormat},
    failure::Failure,
    load,
};

pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let NetFile { model, presentation, .. } = read(args)?;
    let presentation = presentation.unwrap_or_default();
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
        contest_xml::write(&properties, model.nodes(), &mut xml)?;
    }
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        ConvertFormat::Pnml => pnml::write_with(&model, &presentation, &mut out),
        ConvertFormat::Dot => dot::write(&model, &mut out),
        ConvertFormat::Xml => out.write_all(&xml),
        ConvertFormat::Text => {
            let mut lines = properties.iter().map(|p| query::show_as(&p.formula, p.logic, model.nodes()));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the net with its presentation, and unfolds it if `--unfold` is given.
fn read(args: &ConvertArgs) -> Result<NetFile, Failure> {
    let choice = args.net.net.as_deref().map_or(NetChoice::Only, NetChoice::Named);
    let file = match args.to {
        // A directory of the contest is read as everywhere else.
        ConvertFormat::Pnml if !args.unfold && !args.model.is_dir() => {
            net_file::read_whole_net(&Source::open(&args.model)?, choice)?
        }
        _ => fireset::read_net(&args.model, choice)?,
    };
    file.notes.iter().for_each(|note| anstream::eprintln!("note: {}: {note}", args.model.display()));
    let Model::Coloured(net) = &file.model else { return Ok(file) };
    if !args.unfold {
        return Ok(file);
    }
    let unfolding = unfold(net, &load::budget(&args.limits)).map_err(|reason| {
        let hint = "nothing was written; raise --timeout or --memory, or take a smaller net";
        Failure::Unfinished(format!("the net was not unfolded: {reason}"), hint.into())
    })?;
    Ok(NetFile { model: Model::Plain(unfolding.net), ..file })
}

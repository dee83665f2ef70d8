//! `fireset convert`: writes a net or its properties in another format.

use std::process::ExitCode;

use fireset::{
    Model, Property,
    io::{
        dot,
        net_file::NetFile,
        pnml, properties as contest_xml,
        property_file::{self, AskedProperty},
    },
    unfold,
};

use crate::{
    args::{ConvertArgs, ConvertFormat},
    failure::Failure,
    load,
};

pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let of_properties = matches!(args.to, ConvertFormat::Xml | ConvertFormat::Text);
    if !of_properties && !args.properties.is_empty() {
        return Err(Failure::Usage(
            "--to pnml and --to dot write the net, not properties".into(),
            "write properties with --to xml or --to text".into(),
        ));
    }
    let NetFile { model, properties: own, .. } = read(args)?;
    let properties = if of_properties { properties(args, &model, own)? } else { Vec::new() };
    // Properties are written to memory first: if one cannot be written as XML, no partial file is left.
    let mut xml = Vec::new();
    if args.to == ConvertFormat::Xml {
        if properties.iter().any(|asked| asked.expected.is_some()) {
            anstream::eprintln!("note: contest XML has no expected verdicts; they are not written");
        }
        let plain: Vec<_> = properties.iter().map(|asked| asked.property.clone()).collect();
        contest_xml::write(&plain, model.nodes(), &mut xml)?;
    }
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        ConvertFormat::Pnml => pnml::write(&model, &mut out),
        ConvertFormat::Dot => dot::write(&model, &mut out),
        ConvertFormat::Xml => out.write_all(&xml),
        ConvertFormat::Text => property_file::write(&properties, model.nodes(), out),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The properties to be written: those of the command line, or else those that the file of the net asks. All of them must be
/// understood.
fn properties(args: &ConvertArgs, model: &Model, own: Vec<Property>) -> Result<Vec<AskedProperty>, Failure> {
    if args.properties.is_empty() && !own.is_empty() {
        return Ok(own.into_iter().map(AskedProperty::from).collect());
    }
    let list = load::properties(&args.properties, model.nodes());
    if !list.refused.is_empty() {
        return Err(Failure::Properties(list.refused.into_iter().map(|refused| refused.error).collect()));
    }
    if list.properties.is_empty() {
        return Err(Failure::Usage(
            "no properties to convert".into(),
            "give some with -q or --properties".into(),
        ));
    }
    Ok(list.properties)
}

/// Reads the net and unfolds it if `--unfold` is given.
fn read(args: &ConvertArgs) -> Result<NetFile, Failure> {
    let file = load::net_file(&args.model, &args.net)?;
    let Model::Coloured(net) = &file.model else { return Ok(file) };
    if !args.unfold {
        return Ok(file);
    }
    let unfolding = unfold(net, &load::budget(&args.limits)).map_err(|reason| {
        let hint = "nothing was written; raise --timeout or --memory, or take a smaller net";
        Failure::Unfinished(format!("the net was not unfolded: {reason}"), hint.into())
    })?;
    // Properties and final markings are about the places of the coloured net.
    let (properties, final_markings) = (Vec::new(), Vec::new());
    Ok(NetFile { model: Model::Plain(unfolding.net), properties, final_markings, ..file })
}

//! `fireset convert`: writes a net or its properties in another format.

use std::process::ExitCode;

use fireset::{
    Model, StopReason,
    io::{
        apt, lola,
        net_file::NetFile,
        pnml, properties as contest_xml,
        property_file::{self, AskedProperty},
        tina,
    },
    unfold, unfold_all_places,
};

use fireset_draw::{dot, net_diagram};

use crate::{
    args::{ConvertArgs, ConvertFormat},
    failure::Failure,
    load,
};

pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let of_properties = matches!(args.to, ConvertFormat::Xml | ConvertFormat::Text);
    if !of_properties && !args.properties.is_empty() {
        return Err(Failure::Usage(
            "this format is one of nets, but properties are given".into(),
            "write properties with --to xml or --to text".into(),
        ));
    }
    let file = read(args)?;
    // All is written to memory first: what cannot be expressed in the format leaves no partial file.
    let mut text = Vec::new();
    let notes = if of_properties {
        write_properties(args, file, &mut text)
    } else {
        write_net(args, file, &mut text)
    }?;
    notes.iter().for_each(|note| anstream::eprintln!("note: {note}"));
    load::write_to(args.output.as_deref(), |out| out.write_all(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the net; gives notes on what the format cannot express.
fn write_net(args: &ConvertArgs, file: NetFile, out: &mut Vec<u8>) -> Result<Vec<String>, Failure> {
    let NetFile { model, presentation, final_markings, .. } = file;
    match args.to {
        ConvertFormat::Pnml => pnml::write_with(&model, &presentation.unwrap_or_default(), out)?,
        ConvertFormat::Dot => dot::write(&net_diagram(&model), out)?,
        ConvertFormat::Lola => return Ok(lola::write(&model, out)?),
        ConvertFormat::Tina => return Ok(tina::write(&model, out)?),
        ConvertFormat::Apt => return Ok(apt::write_with_final_markings(&model, &final_markings, out)?),
        ConvertFormat::Xml | ConvertFormat::Text => unreachable!("formats of properties"),
    }
    Ok(Vec::new())
}

/// Writes the properties; gives notes on what the format cannot express.
fn write_properties(args: &ConvertArgs, file: NetFile, out: &mut Vec<u8>) -> Result<Vec<String>, Failure> {
    let properties = properties(args, &file)?;
    let model = &file.model;
    if args.to == ConvertFormat::Text {
        property_file::write(&properties, model, out)?;
        return Ok(Vec::new());
    }
    let plain: Vec<_> = properties.iter().map(|asked| asked.property.clone()).collect();
    contest_xml::write(&plain, model, out)?;
    let is_expected = properties.iter().any(|asked| asked.expected.is_some());
    let note = "contest XML has no expected verdicts; they are not written".to_owned();
    Ok(is_expected.then_some(note).into_iter().collect())
}

/// The properties to be written: those of the command line, or else those that the file of the net asks. All of them must be
/// understood.
fn properties(args: &ConvertArgs, net: &NetFile) -> Result<Vec<AskedProperty>, Failure> {
    if args.properties.is_empty() && !net.properties.is_empty() {
        return Ok(net.properties.iter().cloned().map(AskedProperty::from).collect());
    }
    let list = load::properties(&args.properties, net);
    let list = load::under_fairness(list, &args.properties.fair, &net.model)?;
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

/// Reads the net, with its presentation if that is written again, and unfolds it if `--unfold` is given.
fn read(args: &ConvertArgs) -> Result<NetFile, Failure> {
    let is_presented = matches!(args.to, ConvertFormat::Pnml) && !args.unfold;
    let read = if is_presented { load::whole_net_file } else { load::net_file };
    let file = read(&args.model, &args.net)?;
    let Model::Coloured(net) = &file.model else { return Ok(file) };
    if !args.unfold {
        return Ok(file);
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
    // Properties and final markings are about the places of the coloured net.
    let (properties, final_markings) = (Vec::new(), Vec::new());
    Ok(NetFile { model: Model::Plain(unfolding.net), properties, final_markings, ..file })
}

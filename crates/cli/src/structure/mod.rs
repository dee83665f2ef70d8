//! `fireset structure`: prints semiflows, siphons, traps, components and classes of a net, and what follows from them.
//!
//! The structure of a coloured net is that of its unfolding.

mod drawing;
mod json;
mod sentences;
mod text;

use std::process::ExitCode;

use fireset::{
    Model,
    net::Net,
    structure::{AnalysisLimits, StructuralAnalysis},
    unfold,
};

use fireset_draw::{Picture, dot};

pub use self::drawing::HighlightChoice;
use crate::{
    args::{LimitArgs, StructureArgs, StructureFormat},
    failure::Failure,
    load,
};

/// A net with its analysis and the arguments of the command.
struct AnalysedNet<'a> {
    args: &'a StructureArgs,
    net: &'a Net,
    is_unfolded: bool,
    analysis: StructuralAnalysis,
}

pub fn run(args: &StructureArgs) -> Result<ExitCode, Failure> {
    if args.highlight.is_some() && !matches!(args.format, StructureFormat::Dot | StructureFormat::Svg) {
        return Err(Failure::Usage(
            "--highlight colours a drawing, but no drawing is asked for".into(),
            "add --format svg, or --format dot for Graphviz".into(),
        ));
    }
    let model = load::model(&args.model, &args.net)?;
    let is_unfolded = matches!(model, Model::Coloured(_));
    let net = plain(args, model)?;
    let limits = AnalysisLimits { number: args.limit, time: Some(args.timeout) };
    let analysis = StructuralAnalysis::of(&net, limits);
    let analysed = AnalysedNet { args, net: &net, is_unfolded, analysis };
    match args.format {
        StructureFormat::Human => load::write_to(args.output.as_deref(), |out| text::write(&analysed, out))?,
        StructureFormat::Json => {
            let document = json::document(&analysed);
            load::write_to(args.output.as_deref(), |out| writeln!(out, "{document:#}"))?;
        }
        StructureFormat::Dot => {
            let diagram = drawing::diagram(&analysed)?;
            load::write_to(args.output.as_deref(), |mut out| dot::write(&diagram, &mut out))?;
        }
        StructureFormat::Svg => {
            let picture = Picture::new(drawing::diagram(&analysed)?);
            load::write_to(args.output.as_deref(), |mut out| picture.to_svg(&mut out))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The net itself, or the unfolding of a coloured net.
fn plain(args: &StructureArgs, model: Model) -> Result<Net, Failure> {
    match model {
        Model::Plain(net) => Ok(net),
        Model::Coloured(net) => {
            let budget = load::budget(&LimitArgs { timeout: Some(args.timeout), memory: args.memory });
            let unfolding = unfold(&net, &budget).map_err(|reason| {
                let hint = "raise --timeout or --memory, or take a smaller net";
                Failure::Unfinished(format!("the coloured net was not unfolded: {reason}"), hint.into())
            })?;
            let (path, nodes) = (args.model.display(), unfolding.net.nodes());
            anstream::eprintln!(
                "note: {path}: the structure of a coloured net is that of its unfolding, which has {} places and {} \
                 transitions",
                nodes.places.len(),
                nodes.transitions.len()
            );
            Ok(unfolding.net)
        }
    }
}

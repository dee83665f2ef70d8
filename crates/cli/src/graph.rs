//! `fireset graph`: writes the reachability graph of a small net, or the coverability graph of one that may be unbounded.
//!
//! The graph is that of the reference checker: every marking and every firing, without reduction. The output file is opened
//! only when the graph is complete, so that a limit leaves neither a partial file nor touches an old one.

use std::process::ExitCode;

use fireset::{
    Budget, Model, StopReason,
    io::{
        graph::{StateGraph, aut, dot, json},
        marking_text::PrintableMarkings,
    },
    net::reachability::{CoverabilityNet, GraphLimits, ReachabilityGraph, TabulatedNet},
};

use fireset_draw::{Picture, state_diagram};

use crate::{
    args::{GraphArgs, GraphFormat},
    failure::Failure,
    load,
};

pub fn run(args: &GraphArgs) -> Result<ExitCode, Failure> {
    let budget = load::budget(&args.limits);
    let model = load::model(&args.model, &args.net)?;
    let limits = GraphLimits { states: args.limit, edges: true };
    match &model {
        _ if args.coverability => coverability(args, &model, limits, &budget)?,
        Model::Plain(net) => explore(args, &model, net, &budget)?,
        Model::Coloured(net) => {
            let table = TabulatedNet::new(net, &budget).map_err(|reason| unfinished(&reason))?;
            explore(args, &model, &table, &budget)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Explores `net`, which is `model` in the reference checker's form, and writes its graph.
fn explore<S: PrintableMarkings>(
    args: &GraphArgs,
    model: &Model,
    net: &S,
    budget: &Budget,
) -> Result<(), Failure> {
    let limits = GraphLimits { states: args.limit, edges: true };
    write(args, model, &ReachabilityGraph::explore(net, limits, budget, &mut ()))
}

/// Writes the coverability graph.
fn coverability(
    args: &GraphArgs,
    model: &Model,
    limits: GraphLimits,
    budget: &Budget,
) -> Result<(), Failure> {
    let refused = |what: &str, hint: &str| {
        Failure::Usage(format!("{what}, so there is no coverability graph"), hint.into())
    };
    let Model::Plain(net) = model else {
        return Err(refused("the net is coloured", "`fireset convert` unfolds it to a place/transition net"));
    };
    let Some(net) = CoverabilityNet::new(net) else {
        return Err(refused(
            "the net has inhibitor arcs",
            "without --coverability its reachability graph is written",
        ));
    };
    write(args, model, &net.graph(limits, budget))
}

fn write<S: PrintableMarkings>(
    args: &GraphArgs,
    model: &Model,
    graph: &ReachabilityGraph<'_, S>,
) -> Result<(), Failure> {
    let graph = StateGraph::new(model, graph).map_err(|reason| unfinished(&reason))?;
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        GraphFormat::Dot => dot::write(&graph, &mut out),
        GraphFormat::Svg => Picture::new(state_diagram(&graph)).to_svg(&mut out),
        GraphFormat::Aut => aut::write(&graph, &mut out),
        GraphFormat::Json => json::write(&graph, &mut out),
    })
}

fn unfinished(reason: &StopReason) -> Failure {
    let hint = match reason {
        StopReason::States(_) => "raise the limit with --limit",
        StopReason::Time | StopReason::Memory => {
            "nothing was written; raise --timeout or --memory, or take a smaller net"
        }
        StopReason::Unbounded => "the net is unbounded; --coverability writes its coverability graph",
        _ => {
            "the graph is infinite or cannot be computed; `fireset check` may still decide properties of the net"
        }
    };
    Failure::Unfinished(format!("no reachability graph is written: {reason}"), hint.into())
}

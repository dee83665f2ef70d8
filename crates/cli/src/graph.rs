//! `fireset graph`: writes the reachability graph of a small net.
//!
//! The graph is that of the reference checker: every marking and every firing, without reduction. The output file is opened
//! only when the graph is complete, so that a limit leaves neither a partial file nor touches an old one.

use std::process::ExitCode;

use fireset::{
    Budget, Model, StopReason,
    io::graph::{PrintableMarkings, StateGraph, aut, dot, json},
    net::{reachability::GraphLimits, reachability::ReachabilityGraph, reachability::TabulatedNet},
};

use crate::{
    args::{GraphArgs, GraphFormat},
    failure::Failure,
    load,
};

pub fn run(args: &GraphArgs) -> Result<ExitCode, Failure> {
    let budget = load::budget(&args.limits);
    let model = load::model(&args.model, &args.net)?;
    match &model {
        Model::Plain(net) => write(args, &model, net, &budget)?,
        Model::Coloured(net) => {
            let table = TabulatedNet::new(net, &budget).map_err(|reason| unfinished(&reason))?;
            write(args, &model, &table, &budget)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Explores `net`, which is `model` in the reference checker's form, and writes its graph.
fn write<S: PrintableMarkings>(
    args: &GraphArgs,
    model: &Model,
    net: &S,
    budget: &Budget,
) -> Result<(), Failure> {
    let limits = GraphLimits { states: args.limit, edges: true };
    let graph = ReachabilityGraph::explore(net, limits, budget, &mut ());
    let graph = StateGraph::new(model, &graph).map_err(|reason| unfinished(&reason))?;
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        GraphFormat::Dot => dot::write(&graph, &mut out),
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
        _ => {
            "the graph is infinite or cannot be computed; `fireset check` may still decide properties of the net"
        }
    };
    Failure::Unfinished(format!("no reachability graph is written: {reason}"), hint.into())
}

//! `fireset graph`: the reachability graph of a small net, for eyes and other tools.
//!
//! The graph is whole: every marking and every firing, nothing reduced. The output is opened
//! only when the graph is complete, so that a limit leaves no half a file and does not touch an old one.

use std::process::ExitCode;

use fireset::{
    Budget, Model, StopReason,
    io::graph::{Markings, StateGraph, aut, dot, json},
    net::reachability::{GraphLimits, ReachabilityGraph, TabulatedNet},
};

use crate::{
    args::{GraphArgs, GraphFormat},
    failure::Failure,
    load,
};

/// Runs the command.
pub fn run(args: &GraphArgs) -> Result<ExitCode, Failure> {
    let budget = load::budget(&args.limits);
    let model = load::model(&args.model)?;
    match &model {
        Model::Plain(net) => write(args, &model, net, &budget)?,
        Model::Coloured(net) => {
            let table = TabulatedNet::new(net, &budget).map_err(|reason| unfinished(&reason))?;
            write(args, &model, &table, &budget)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Explores `net`, which is `model`, and writes its graph.
fn write<S: Markings>(args: &GraphArgs, model: &Model, net: &S, budget: &Budget) -> Result<(), Failure> {
    let limits = GraphLimits { states: args.limit, edges: true };
    let graph = ReachabilityGraph::explore(net, limits, budget, &mut ());
    let graph = StateGraph::new(model, &graph).map_err(|reason| unfinished(&reason))?;
    load::write_to(args.output.as_deref(), |mut out| match args.to {
        GraphFormat::Dot => dot::write(&graph, &mut out),
        GraphFormat::Aut => aut::write(&graph, &mut out),
        GraphFormat::Json => json::write(&graph, &mut out),
    })
}

/// No graph, why, and what helps.
fn unfinished(reason: &StopReason) -> Failure {
    let hint = match reason {
        StopReason::States(_) => "allow more states with --limit",
        StopReason::Time | StopReason::Memory => "nothing was written; allow it more, or take a smaller net",
        _ => "no limit is large enough; `fireset check` may still decide properties of the net",
    };
    Failure::Unfinished(format!("there is no reachability graph to write: {reason}"), hint.into())
}

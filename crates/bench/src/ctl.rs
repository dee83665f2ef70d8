//! What the algorithms for CTL answer in each order, and what that costs: both CTL examinations of contest nets.

use std::error::Error;

use fireset::{CtlAlgorithm, Options, Order, Switch, net::Statistics};

use crate::{
    ltl,
    nets::{Plan, megabytes},
    runs::{self, Row},
};

/// The examinations of an instance.
const EXAMINATIONS: [&str; 2] = ["CTLCardinality", "CTLFireability"];

/// What is compared: none of the orders is depth-first at first and best-first then.
const WAYS: [(&str, CtlAlgorithm, Option<Order>); 9] = [
    ("`--ctl local`", CtlAlgorithm::Local, None),
    ("`--ctl local --order depth-first`", CtlAlgorithm::Local, Some(Order::DepthFirst)),
    ("`--ctl local --order breadth-first`", CtlAlgorithm::Local, Some(Order::BreadthFirst)),
    ("`--ctl local --order best-first`", CtlAlgorithm::Local, Some(Order::BestFirst)),
    ("`--ctl graph`", CtlAlgorithm::DependencyGraph, None),
    ("`--ctl graph --order depth-first`", CtlAlgorithm::DependencyGraph, Some(Order::DepthFirst)),
    ("`--ctl graph --order breadth-first`", CtlAlgorithm::DependencyGraph, Some(Order::BreadthFirst)),
    ("`--ctl graph --order best-first`", CtlAlgorithm::DependencyGraph, Some(Order::BestFirst)),
    ("`--ctl global`", CtlAlgorithm::Global, None),
];

/// Checks all nets of a plan in each way. Formulas that are decided without the CTL search do not count, and what it
/// costs is compared on those that were answered in all ways.
pub fn measure(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let best = Options::exploring().with_portfolio(|portfolio| portfolio.labelling = Switch::Off);
    let ways =
        WAYS.map(|(_, ctl, order)| best.with_search(|search| (search.ctl, search.order) = (ctl, order)));
    let mut rows = Vec::new();
    println!("formulas answered, in each way:");
    for file in runs::asked(plan, &ltl::INSTANCES) {
        let row = runs::compare(&file, &EXAMINATIONS, &ways, plan)?;
        let answered: Vec<usize> = (0..ways.len()).map(|way| searched(&row, way).flatten().count()).collect();
        println!("{} {answered:?} of {}", row.net, searched(&row, 0).count());
        rows.push(row);
    }
    println!("\n| way | answered | s | MB | firings |\n|---|---|---|---|---|");
    for (way, (name, ..)) in WAYS.iter().enumerate() {
        let answered = rows.iter().flat_map(|row| searched(row, way)).flatten().count();
        let costs = || rows.iter().flat_map(|row| by_all(row, way));
        println!(
            "| {name} | {answered} | {:.1} | {:.0} | {} |",
            costs().map(|cost| cost.elapsed.as_secs_f64()).sum::<f64>(),
            megabytes(costs().map(|cost| cost.memory).sum()),
            costs().map(|cost| cost.firings).sum::<u64>(),
        );
    }
    Ok(())
}

/// The formulas for which some way needed the CTL search: what each cost in one way, if it was answered.
fn searched(row: &Row, way: usize) -> impl Iterator<Item = Option<&Statistics>> {
    let needed = |at: usize| row.runs.iter().any(|run| run.answers[at].cost.engine == "ctl");
    let answers = row.runs[way].answers.iter().enumerate().filter(move |(at, _)| needed(*at));
    answers.map(|(_, answer)| (!answer.is_open()).then_some(&answer.cost))
}

/// What those cost in one way that were answered in all.
fn by_all(row: &Row, way: usize) -> impl Iterator<Item = &Statistics> {
    let all = |at: usize| {
        row.runs.iter().all(|run| !run.answers[at].is_open() && run.answers[at].cost.engine == "ctl")
    };
    row.runs[way].answers.iter().enumerate().filter(move |(at, _)| all(*at)).map(|(_, answer)| &answer.cost)
}

//! The answers and costs of the CTL algorithms in each order, on both CTL examinations of contest nets.

use std::error::Error;

use fireset::{CtlAlgorithm, Options, Order, Switch, net::Statistics};

use crate::{
    ltl,
    nets::{BenchPlan, megabytes},
    runs::{self, NetMeasurement},
};

/// The examinations of an instance.
const EXAMINATIONS: [&str; 2] = ["CTLCardinality", "CTLFireability"];

/// The algorithms and orders that are compared. Without an order the search is depth-first at first and then best-first.
const CONFIGURATIONS: [(&str, CtlAlgorithm, Option<Order>); 9] = [
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

/// Checks all nets of a plan in each configuration. Formulas that are decided without the CTL search do not count;
/// costs are compared on those that all configurations answered.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let best = Options::exploring().with_portfolio(|portfolio| portfolio.labelling = Switch::Off);
    let configurations = CONFIGURATIONS.map(|(_, ctl, order)| {
        best.with_search(|search| search.ctl = ctl).with_search(|search| search.order = order)
    });
    let mut rows = Vec::new();
    println!("formulas answered, in each configuration:");
    for file in runs::asked(plan, &ltl::INSTANCES) {
        let row = runs::compare(&file, &EXAMINATIONS, &configurations, plan)?;
        let answered: Vec<usize> = (0..configurations.len())
            .map(|configuration| searched(&row, configuration).flatten().count())
            .collect();
        println!("{} {answered:?} of {}", row.net, searched(&row, 0).count());
        rows.push(row);
    }
    println!("\n| configuration | answered | s | MB | firings |\n|---|---|---|---|---|");
    for (configuration, (name, ..)) in CONFIGURATIONS.iter().enumerate() {
        let answered = rows.iter().flat_map(|row| searched(row, configuration)).flatten().count();
        let costs = || rows.iter().flat_map(|row| by_all(row, configuration));
        println!(
            "| {name} | {answered} | {:.1} | {:.0} | {} |",
            costs().map(|cost| cost.elapsed.as_secs_f64()).sum::<f64>(),
            megabytes(costs().map(|cost| cost.memory).sum()),
            costs().map(|cost| cost.firings).sum::<u64>(),
        );
    }
    Ok(())
}

/// The cost in one configuration of each formula for which any configuration needed the CTL search; none if it stayed open.
fn searched(row: &NetMeasurement, configuration: usize) -> impl Iterator<Item = Option<&Statistics>> {
    let needed = |at: usize| row.runs.iter().any(|run| run.answers[at].cost.engine == "ctl");
    let answers = row.runs[configuration].answers.iter().enumerate().filter(move |(at, _)| needed(*at));
    answers.map(|(_, answer)| (!answer.is_open()).then_some(&answer.cost))
}

/// The cost in one configuration of the formulas that all configurations answered.
fn by_all(row: &NetMeasurement, configuration: usize) -> impl Iterator<Item = &Statistics> {
    let all = |at: usize| {
        row.runs.iter().all(|run| !run.answers[at].is_open() && run.answers[at].cost.engine == "ctl")
    };
    row.runs[configuration]
        .answers
        .iter()
        .enumerate()
        .filter(move |(at, _)| all(*at))
        .map(|(_, answer)| &answer.cost)
}

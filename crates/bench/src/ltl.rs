//! The savings of each technique of the LTL search, in the form of EnPAC's Tables III, IV and V: both LTL examinations of
//! contest nets, with the technique and without it.

use std::error::Error;

use fireset::{Access, AutomatonOrder, Deepening, Encoding, FiresetMode, LayoutChoice, Options, Switch};

use crate::{
    ablation::Ablation,
    nets::BenchPlan,
    runs::{MeasuredRun, NetMeasurement, asked, compare},
};

/// Contest instances that are checked if the directory of instances has them.
pub const INSTANCES: [&str; 13] = [
    "AirplaneLD-PT-0010",
    "AutoFlight-PT-01a",
    "CloudDeployment-PT-2a",
    "Dekker-PT-020",
    "NQueens-PT-05",
    "Peterson-PT-3",
    "Philosophers-PT-000020",
    "Raft-PT-02",
    "Railroad-PT-005",
    "SafeBus-PT-03",
    "SmallOperatingSystem-PT-MT0016DC0008",
    "SwimmingPool-PT-01",
    "TokenRing-PT-005",
];

/// The examinations of an instance.
pub const EXAMINATIONS: [&str; 2] = ["LTLCardinality", "LTLFireability"];

/// The techniques of the LTL search, each with the options of a search without it.
pub fn ablations() -> [Ablation; 6] {
    let best = Options::exploring();
    let (wide, plain) = (LayoutChoice::Only(Encoding::Wide), AutomatonOrder::Plain);
    [
        Ablation::new(
            "dynamic fireset",
            "--fireset full",
            best.with_search(|search| search.fireset = FiresetMode::Full),
        ),
        Ablation::new(
            "direct access",
            "--access decode",
            best.with_search(|search| search.access = Access::Decode),
        ),
        Ablation::new(
            "packed encoding",
            "--encoding wide",
            best.with_search(|search| search.encoding = wide),
        ),
        Ablation::new(
            "heuristic automaton",
            "--automaton-order plain",
            best.with_search(|search| search.automaton_order = plain),
        ),
        Ablation::new(
            "paths without a bound",
            "--deepening on",
            best.with_search(|search| search.deepening = Deepening::GROWING),
        ),
        Ablation::new(
            "simplification",
            "--simplification off",
            best.with_portfolio(|portfolio| portfolio.simplification = Switch::Off),
        ),
    ]
}

/// Checks all nets of a plan with each technique and without it, and prints a table a technique.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let ablations = ablations();
    let configurations: Vec<Options> =
        [Options::exploring()].into_iter().chain(ablations.iter().map(|ablation| ablation.without)).collect();
    let mut rows = Vec::new();
    for file in asked(plan, &INSTANCES) {
        let row = compare(&file, &EXAMINATIONS, &configurations, plan)?;
        println!("{} ({} encoding) is done", row.net, row.runs[0].encoding());
        rows.push(row);
    }
    let means: Vec<[f64; 3]> =
        (ablations.iter().enumerate()).map(|(at, ablation)| print_table(ablation, &rows, at + 1)).collect();
    println!("\n| without | s x | MB x | states x |\n|---|---|---|---|");
    for (Ablation { technique, option, .. }, means) in ablations.iter().zip(means) {
        println!("| {technique} (`{option}`) | {} |", means.map(|mean| format!("{mean:.2}")).join(" | "));
    }
    Ok(())
}

/// Prints the costs with a technique (the first configuration) and without it (the one at a position). Gives the geometric means of
/// the ratios of time, memory and states.
fn print_table(ablation: &Ablation, rows: &[NetMeasurement], without: usize) -> [f64; 3] {
    println!("\n### {} (`{}`)\n", ablation.technique, ablation.option);
    println!(
        "| net | answered without | with | s without | with | MB without | with | states without | with \
         | s x | MB x | states x |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut logarithms = [0.0; 3];
    for NetMeasurement { net, runs } in rows {
        let (off, on) = (&runs[without], &runs[0]);
        // A ratio of two zeros is 1.
        let ratio =
            |of: fn(&MeasuredRun) -> f64| of(off).max(f64::MIN_POSITIVE) / of(on).max(f64::MIN_POSITIVE);
        let ratios = [ratio(|run| run.seconds), ratio(MeasuredRun::memory), ratio(|run| run.states() as f64)];
        for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
            *sum += ratio.ln() / rows.len() as f64;
        }
        let pair = |of: fn(&MeasuredRun) -> String| format!("{} | {}", of(off), of(on));
        println!(
            "| {net} | {} | {} | {} | {} | {} |",
            pair(|run| run.answered().to_string()),
            pair(|run| format!("{:.3}", run.seconds)),
            pair(|run| format!("{:.1}", run.memory())),
            pair(|run| run.states().to_string()),
            ratios.map(|ratio| format!("{ratio:.2}")).join(" | ")
        );
    }
    logarithms.map(f64::exp)
}

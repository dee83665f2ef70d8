//! What each technique of the LTL search saves, in the form of EnPAC's Tables III, IV and V: both LTL examinations of
//! contest nets, with the technique and without it.

use std::error::Error;

use fireset::{
    Access, AutomatonOrder, Deepening, Encoding, FiresetMode, LayoutChoice, Options, Simplification,
};

use crate::{
    nets::Plan,
    runs::{Row, Run, asked, compare},
};

/// Contest instances that are checked where they are at hand.
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

/// A technique, and how to do without it.
pub struct Technique {
    pub name: &'static str,
    /// The option of the command line that switches it off.
    pub option: &'static str,
    pub without: Options,
}

/// What is compared with the best.
pub fn techniques() -> [Technique; 6] {
    let best = Options::exploring();
    let (wide, plain) = (LayoutChoice::Only(Encoding::Wide), AutomatonOrder::Plain);
    [
        Technique {
            name: "dynamic fireset",
            option: "--fireset full",
            without: Options { fireset: FiresetMode::Full, ..best },
        },
        Technique {
            name: "direct access",
            option: "--access decode",
            without: Options { access: Access::Decode, ..best },
        },
        Technique {
            name: "packed encoding",
            option: "--encoding wide",
            without: Options { encoding: wide, ..best },
        },
        Technique {
            name: "heuristic automaton",
            option: "--automaton-order plain",
            without: Options { automaton_order: plain, ..best },
        },
        Technique {
            name: "deepening",
            option: "--deepening off",
            without: Options { deepening: Deepening::Off, ..best },
        },
        Technique {
            name: "simplification",
            option: "--simplification off",
            without: Options { simplification: Simplification::Off, ..best },
        },
    ]
}

/// Checks all nets of a plan with each technique and without it, and prints a table a technique.
pub fn measure(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let techniques = techniques();
    let ways: Vec<Options> =
        [Options::exploring()].into_iter().chain(techniques.iter().map(|t| t.without)).collect();
    let mut rows = Vec::new();
    for file in asked(plan, &INSTANCES) {
        let row = compare(&file, &EXAMINATIONS, &ways, plan)?;
        println!("{} ({} encoding) is done", row.net, row.runs[0].encoding());
        rows.push(row);
    }
    let means: Vec<[f64; 3]> = (techniques.iter().enumerate())
        .map(|(at, technique)| print_table(technique, &rows, at + 1))
        .collect();
    println!("\n| without | s x | MB x | states x |\n|---|---|---|---|");
    for (Technique { name, option, .. }, means) in techniques.iter().zip(means) {
        println!("| {name} (`{option}`) | {} |", means.map(|mean| format!("{mean:.2}")).join(" | "));
    }
    Ok(())
}

/// Prints what one technique does: the first way has it, and the one at a position does not. Gives the means of
/// how many times as much time, memory and states it takes without.
fn print_table(technique: &Technique, rows: &[Row], without: usize) -> [f64; 3] {
    println!("\n### {} (`{}`)\n", technique.name, technique.option);
    println!(
        "| net | answered without | with | s without | with | MB without | with | states without | with \
         | s x | MB x | states x |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut logarithms = [0.0; 3];
    for Row { net, runs } in rows {
        let (off, on) = (&runs[without], &runs[0]);
        // Nothing is as much as nothing.
        let ratio = |of: fn(&Run) -> f64| of(off).max(f64::MIN_POSITIVE) / of(on).max(f64::MIN_POSITIVE);
        let ratios = [ratio(|run| run.seconds), ratio(Run::memory), ratio(|run| run.states() as f64)];
        for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
            *sum += ratio.ln() / rows.len() as f64;
        }
        let pair = |of: fn(&Run) -> String| format!("{} | {}", of(off), of(on));
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

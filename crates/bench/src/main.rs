//! Measurements of fireset; `cargo run --release -p fireset-bench -- --help` lists them.
#![allow(clippy::print_stdout, clippy::print_stderr)] // An app.

mod ablation;
mod coloured;
mod ctl;
mod deepening;
mod evidence;
mod explore;
mod ltl;
mod methods;
mod nets;
mod pnml;
mod reduce;
mod report;
mod runs;
mod simplify;
mod startup;
mod stubborn;
mod tuning;
mod walk;

use std::{error::Error, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::nets::BenchPlan;

/// Measures fireset.
#[derive(Debug, Parser)]
struct BenchArgs {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(Debug, Subcommand)]
enum Measurement {
    /// Reads a generated PNML file and shows speed and memory.
    Pnml {
        /// About how large the file is.
        #[arg(long, default_value_t = 150)]
        megabytes: u64,
    },
    /// Explores state spaces with each technique on and off; the fastest run counts. The files come beside
    /// generated nets.
    Explore(BenchPlan),
    /// Checks LTL formulas of contest instances with each technique on and off; the run of median time counts.
    Ltl(BenchPlan),
    /// Checks the same formulas with different schedules of the bound on paths.
    Deepening(BenchPlan),
    /// Checks CTL formulas of contest instances with each algorithm in each order.
    Ctl(BenchPlan),
    /// Decides LTL formulas of coloured nets with each binding method; the files are names of families.
    Coloured(BenchPlan),
    /// Simplifies formulas of contest instances with each step alone and with all.
    Simplify(BenchPlan),
    /// Reduces contest nets structurally for each of their formulas.
    Reduce(BenchPlan),
    /// Checks deadlocks, reachability, bounds and LTL of generated nets and contest instances with stubborn sets and
    /// without.
    Stubborn(BenchPlan),
    /// Decides reachability on large contest nets, and shows by which method.
    Methods(BenchPlan),
    /// Walks at random on generated nets and contest instances, unguided and guided by the goals.
    Walk(BenchPlan),
    /// Counts answers with a run, and the steps of runs, as the engines find them and short; without files all instances.
    Evidence(BenchPlan),
    /// Checks each of the formulas in a process of its own.
    Startup(BenchPlan),
    /// Measures the tables of three papers again, each technique on and off, and writes a report with plots.
    Report(report::ReportArgs),
    /// Measures each share of the portfolio at half, as it is and at double.
    Tuning(tuning::TuningArgs),
    #[command(hide = true)]
    One(startup::SingleFormula),
}

fn main() -> ExitCode {
    match measure(BenchArgs::parse().measurement) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(measurement: Measurement) -> Result<(), Box<dyn Error>> {
    match measurement {
        Measurement::Pnml { megabytes } => pnml::measure(megabytes),
        Measurement::Explore(plan) => explore::measure(&plan),
        Measurement::Ltl(plan) => ltl::measure(&plan),
        Measurement::Deepening(plan) => deepening::measure(&plan),
        Measurement::Ctl(plan) => ctl::measure(&plan),
        Measurement::Coloured(plan) => coloured::measure(&plan),
        Measurement::Simplify(plan) => simplify::measure(&plan),
        Measurement::Reduce(plan) => reduce::measure(&plan),
        Measurement::Stubborn(plan) => stubborn::measure(&plan),
        Measurement::Methods(plan) => methods::measure(&plan),
        Measurement::Walk(plan) => walk::measure(&plan),
        Measurement::Evidence(plan) => evidence::measure(&plan),
        Measurement::Startup(plan) => startup::measure(&plan),
        Measurement::Report(args) => report::measure(&args),
        Measurement::Tuning(args) => tuning::measure(&args),
        Measurement::One(one) => startup::one(&one),
    }
}

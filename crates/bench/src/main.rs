//! Measurements of fireset; `cargo run --release -p fireset-bench -- --help` lists them.
#![allow(clippy::print_stdout, clippy::print_stderr)] // An app.

mod coloured;
mod ctl;
mod deepening;
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
mod walk;

use std::{error::Error, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::nets::Plan;

/// Measures fireset.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Reads a generated PNML file and shows speed and memory.
    Pnml {
        /// About how large the file is.
        #[arg(long, default_value_t = 150)]
        megabytes: u64,
    },
    /// Explores state spaces with each technique on and off; the fastest run counts. The files come beside
    /// generated nets.
    Explore(Plan),
    /// Checks LTL formulas of contest instances with each technique on and off; the run of median time counts.
    Ltl(Plan),
    /// Checks the same formulas with different schedules of the bound on paths.
    Deepening(Plan),
    /// Checks CTL formulas of contest instances with each algorithm in each order.
    Ctl(Plan),
    /// Decides LTL formulas of coloured nets in each way to bindings; the files are names of families.
    Coloured(Plan),
    /// Simplifies formulas of contest instances with each step alone and with all.
    Simplify(Plan),
    /// Makes contest nets smaller for each of their formulas.
    Reduce(Plan),
    /// Checks deadlocks, reachability, bounds and LTL of generated nets and contest instances with stubborn sets and
    /// without.
    Stubborn(Plan),
    /// Decides reachability on large contest nets, and shows by which method.
    Methods(Plan),
    /// Walks on generated nets and contest instances, blindly and steered by what is asked.
    Walk(Plan),
    /// Checks each of the formulas in a process of its own.
    Startup(Plan),
    /// Measures the tables of three papers again, each technique on and off, and writes a report with plots.
    Report(report::Args),
    #[command(hide = true)]
    One(startup::One),
}

fn main() -> ExitCode {
    match measure(Cli::parse().what) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(what: What) -> Result<(), Box<dyn Error>> {
    match what {
        What::Pnml { megabytes } => pnml::measure(megabytes),
        What::Explore(plan) => explore::measure(&plan),
        What::Ltl(plan) => ltl::measure(&plan),
        What::Deepening(plan) => deepening::measure(&plan),
        What::Ctl(plan) => ctl::measure(&plan),
        What::Coloured(plan) => coloured::measure(&plan),
        What::Simplify(plan) => simplify::measure(&plan),
        What::Reduce(plan) => reduce::measure(&plan),
        What::Stubborn(plan) => stubborn::measure(&plan),
        What::Methods(plan) => methods::measure(&plan),
        What::Walk(plan) => walk::measure(&plan),
        What::Startup(plan) => startup::measure(&plan),
        What::Report(args) => report::measure(&args),
        What::One(one) => startup::one(&one),
    }
}

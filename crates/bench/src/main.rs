//! Measurements of fireset; `cargo run --release -p fireset-bench -- --help` lists them.
#![allow(clippy::print_stdout)] // An app.

mod colored;
mod explore;
mod pnml;

use std::{path::PathBuf, time::Duration};

use clap::{Parser, Subcommand};

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
    /// Explores state spaces with each technique on and off.
    Explore {
        /// Nets, or directories of contest instances, beside the generated ones.
        files: Vec<PathBuf>,
        /// A directory of unpacked contest instances; some small ones are explored if they are there.
        #[arg(long, value_name = "DIR")]
        instances: Option<PathBuf>,
        /// Seconds for one exploration.
        #[arg(long, default_value_t = 60)]
        timeout: u64,
        /// How often each exploration runs; the fastest counts.
        #[arg(long, default_value_t = 1)]
        runs: usize,
    },
    /// Decides LTL formulas of coloured nets in each way to bindings.
    Colored {
        /// A directory of unpacked contest instances.
        #[arg(long, value_name = "DIR")]
        instances: PathBuf,
        /// Seconds for one formula in one way.
        #[arg(long, default_value_t = 20)]
        timeout: u64,
    },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().what {
        What::Pnml { megabytes } => pnml::measure(megabytes),
        What::Explore { files, instances, timeout, runs } => {
            let timeout = Duration::from_secs(timeout);
            explore::measure(&explore::Plan { files, instances, timeout, runs })
        }
        What::Colored { instances, timeout } => {
            let timeout = Duration::from_secs(timeout);
            colored::measure(&colored::Plan { instances, timeout })
        }
    }
}

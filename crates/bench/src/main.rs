//! Measurements of fireset; `cargo run --release -p fireset-bench -- --help` lists them.
#![allow(clippy::print_stdout)] // An app.

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
        /// Seconds for one exploration.
        #[arg(long, default_value_t = 60)]
        timeout: u64,
    },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().what {
        What::Pnml { megabytes } => pnml::measure(megabytes),
        What::Explore { files, timeout } => explore::measure(&files, Duration::from_secs(timeout)),
    }
}

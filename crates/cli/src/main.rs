//! `fireset`: decides properties of Petri nets from the command line.

mod args;
mod ask;
mod automaton;
mod check;
mod contest;
mod convert;
mod digest;
mod examination;
mod explain;
mod failure;
mod generate;
mod graph;
mod guard;
mod info;
mod load;
mod print;
mod progress;
mod replay;
mod resume;
mod shell;
mod subject;
mod tally;
mod techniques;
mod units;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Mcc(args) => contest::run(args),
        Command::Info(args) => info::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Graph(args) => graph::run(args),
        Command::Automaton(args) => automaton::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man_pages(args),
    };
    ended.unwrap_or_else(|failure| failure.report())
}

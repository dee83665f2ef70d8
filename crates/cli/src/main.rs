//! `fireset`: model checking of Petri nets on the command line.

mod args;
mod ask;
mod automaton;
mod check;
mod contest;
mod convert;
mod counts;
mod digest;
mod draw;
mod examination;
mod explain;
mod failure;
mod generate;
mod graph;
mod info;
mod job;
mod load;
mod play;
mod print;
mod progress;
mod replay;
mod resume;
mod shell;
mod sound;
mod structure;
mod supervisor;
mod techniques;
mod units;

use std::{env, path::Path, process::ExitCode};

use clap::{
    FromArgMatches,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::args::{CommandLine, Subcommands};

fn main() -> ExitCode {
    let matches = CommandLine::describe().try_get_matches().unwrap_or_else(|error| with_hint(error).exit());
    let line = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let ended = match &line.command {
        Subcommands::Check(args) => check::run(args),
        Subcommands::Mcc(args) => contest::run(args),
        Subcommands::Sound(args) => sound::run(args),
        Subcommands::Info(args) => info::run(args),
        Subcommands::Structure(args) => structure::run(args),
        Subcommands::Convert(args) => convert::run(args),
        Subcommands::Draw(args) => draw::run(args),
        Subcommands::Play(args) => play::run(args),
        Subcommands::Graph(args) => graph::run(args),
        Subcommands::Automaton(args) => automaton::run(args),
        Subcommands::Generate(args) => generate::run(args),
        Subcommands::Replay(args) => replay::run(args),
        Subcommands::Completions(args) => shell::completions(args),
        Subcommands::Man(args) => shell::man_pages(args),
        Subcommands::Techniques(_) => shell::techniques(),
    };
    ended.unwrap_or_else(|failure| failure.report())
}

/// A file in the place of a command is probably a net to be checked.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let first = env::args().nth(1).filter(|_| error.kind() == ErrorKind::InvalidSubcommand);
    if let Some(path) = first.filter(|path| Path::new(path).exists()) {
        let hint = format!("to check a net: fireset check {path} -q 'EF deadlock'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

//! Completion scripts and manual pages.

use std::{fs, process::ExitCode};

use clap::CommandFactory;

use crate::{
    args::{Cli, CompletionsArgs, ManArgs},
    failure::Failure,
    load,
};

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "fireset", &mut script);
    load::write_to(None, |out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes one for each command.
pub fn man_pages(args: &ManArgs) -> Result<ExitCode, Failure> {
    match &args.directory {
        None => load::write_to(None, |mut out| clap_mangen::Man::new(Cli::command()).render(&mut out))?,
        Some(directory) => {
            fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), directory))
                .map_err(Failure::writing(directory))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

//! Completion scripts, manual pages, and the page of the techniques.

use std::{fs, process::ExitCode};

use crate::{
    args::{CommandLine, CompletionsArgs, ManArgs},
    failure::Failure,
    load,
};

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::describe(), "fireset", &mut script);
    load::write_to(None, |out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the page of the techniques.
pub fn techniques() -> Result<ExitCode, Failure> {
    let mut line = CommandLine::describe();
    line.build();
    let page = line.find_subcommand_mut("techniques").map(|page| page.render_long_help().to_string());
    load::write_to(None, |out| out.write_all(page.unwrap_or_default().as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes one for each command.
pub fn man_pages(args: &ManArgs) -> Result<ExitCode, Failure> {
    match &args.directory {
        None => {
            load::write_to(None, |mut out| clap_mangen::Man::new(CommandLine::describe()).render(&mut out))?
        }
        Some(directory) => {
            fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(CommandLine::describe(), directory))
                .map_err(Failure::writing(directory))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

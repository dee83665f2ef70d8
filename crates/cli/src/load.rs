//! Reads the models and properties of the command line, and opens output files.

use std::{
    fs::File,
    io::{BufWriter, Write, stdout},
    path::Path,
};

use fireset::{
    Budget, Model, Property,
    io::{
        InputError,
        net_file::{NetChoice, NetFile},
        properties, query,
    },
    physical_memory,
};

use crate::{
    args::{LimitArgs, NetArgs, PropertyArgs},
    failure::Failure,
};

/// Reads a net; what its file says and the net does not is told on the standard error.
pub fn model(path: &Path, net: &NetArgs) -> Result<Model, Failure> {
    let choice = net.net.as_deref().map_or(NetChoice::Only, NetChoice::Named);
    let NetFile { model, notes, .. } = fireset::read_net(path, choice)?;
    notes.iter().for_each(|note| anstream::eprintln!("note: {}: {note}", path.display()));
    Ok(model)
}

/// Reads the properties of files and then those of the command line.
pub fn properties(args: &PropertyArgs, model: &Model) -> Result<Vec<Property>, Failure> {
    let mut all = Vec::new();
    for path in &args.properties {
        all.extend(properties::read_file(path, model)?);
    }
    for (at, text) in args.queries.iter().enumerate() {
        let property = query::read(&format!("query {}", at + 1), text, model);
        all.push(property.map_err(|error| {
            let hint = error.hint.or(Some("`fireset check --help-queries` explains the language".into()));
            InputError { hint, ..error }
        })?);
    }
    Ok(all)
}

/// Without a memory limit, a quarter of the machine's memory is left to other processes.
pub fn budget(limits: &LimitArgs) -> Budget {
    let budget = Budget::unlimited();
    let budget = limits.timeout.map_or(budget.clone(), |time| budget.with_timeout(time));
    let memory = limits.memory.or_else(|| physical_memory().map(|bytes| bytes / 4 * 3));
    memory.map_or(budget.clone(), |bytes| budget.with_memory(bytes))
}

/// Calls `write` with a file, or with the standard output.
pub fn write_to(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    match path {
        None => {
            let mut out = BufWriter::new(stdout().lock());
            write(&mut out)?;
            Ok(out.flush()?)
        }
        Some(path) => {
            let file = File::create(path).map_err(Failure::writing(path))?;
            let mut out = BufWriter::new(file);
            write(&mut out).and_then(|()| out.flush()).map_err(Failure::writing(path))
        }
    }
}

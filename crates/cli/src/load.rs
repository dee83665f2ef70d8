//! Reads the models and properties of the command line, and opens output files.

use std::{
    fs::File,
    io::{BufWriter, Write, stdout},
    path::Path,
};

use fireset::{
    Budget, Evidence, Model,
    io::{
        InputError,
        net_file::{NetChoice, NetFile},
        property_file::{self, AskedProperty, PropertyList, RefusedProperty},
        query,
        witness::Witness,
    },
    net::Fairness,
    physical_memory,
};

use crate::{
    args::{LimitArgs, NetArgs, PropertyArgs},
    failure::Failure,
};

/// Reads a net; what its file says and the net does not is told on the standard error.
pub fn model(path: &Path, net: &NetArgs) -> Result<Model, Failure> {
    net_file(path, net).map(|file| file.model)
}

/// Reads a net with what its file says beside it.
pub fn net_file(path: &Path, net: &NetArgs) -> Result<NetFile, Failure> {
    let file = fireset::read_net(path, choice(net))?;
    tell_notes(path, &file);
    Ok(file)
}

/// [`net_file`] with how the file presents the net.
pub fn whole_net_file(path: &Path, net: &NetArgs) -> Result<NetFile, Failure> {
    let file = fireset::read_whole_net(path, choice(net))?;
    tell_notes(path, &file);
    Ok(file)
}

fn choice(net: &NetArgs) -> NetChoice<'_> {
    net.net.as_deref().map_or(NetChoice::Only, NetChoice::Named)
}

/// Tells on the standard error what a file says and the net does not.
pub fn tell_notes(path: &Path, file: &NetFile) {
    file.notes.iter().for_each(|note| anstream::eprintln!("note: {}: {note}", path.display()));
}

/// Reads the properties of files and then those of the command line. A property or a file that is not understood is listed as
/// refused. Notes are told on the standard error.
pub fn properties(args: &PropertyArgs, net: &NetFile) -> PropertyList {
    let mut all = PropertyList::default();
    for path in &args.properties {
        add_file(&mut all, path, net);
    }
    for (at, text) in args.queries.iter().enumerate() {
        let name = format!("query {}", at + 1);
        match query::read_with_notes(&name, text, net) {
            Ok((property, notes)) => {
                if property.formula.is_state_predicate() {
                    all.notes.push(about_initial_marking(&name, text.trim()));
                }
                all.properties.push(property.into());
                all.notes.extend(notes);
            }
            Err(error) => {
                let hint = error.hint.or(Some("`fireset check --help-queries` explains the language".into()));
                all.refused.push(RefusedProperty { name, error: InputError { hint, ..error } });
            }
        }
    }
    all.notes.drain(..).for_each(|note| anstream::eprintln!("note: {note}"));
    all
}

/// The properties asked about fair runs alone. One that is neither LTL nor the same on fair runs is listed as refused.
pub fn under_fairness(list: PropertyList, fair: &[String], model: &Model) -> Result<PropertyList, Failure> {
    let mut fairness = Fairness::default();
    for text in fair {
        fairness.0.extend(query::read_fairness("--fair", text, model)?.0);
    }
    if fairness.is_empty() {
        return Ok(list);
    }
    let mut all = PropertyList { refused: list.refused, notes: list.notes, ..PropertyList::default() };
    for AskedProperty { property, expected } in list.properties {
        let name = property.name.clone();
        match property.under(&fairness) {
            Ok(property) => all.properties.push(AskedProperty { property, expected }),
            Err(unsupported) => {
                let hint = Some("LTL has one quantifier in front or none; leave out --fair for CTL".into());
                let error = InputError { hint, ..InputError::whole(&name, unsupported.to_string()) };
                all.refused.push(RefusedProperty { name, error });
            }
        }
    }
    Ok(all)
}

/// People who write `deadlock` mostly mean all reachable markings.
fn about_initial_marking(name: &str, text: &str) -> String {
    format!(
        "{name} has no temporal operator, so it is about the initial marking alone; `EF ({text})` asks whether it \
         can become true, `AG ({text})` whether it is always true"
    )
}

/// Adds the properties of a file to a list.
pub fn add_file(list: &mut PropertyList, path: &Path, net: &NetFile) {
    match property_file::read_property_file(path, net) {
        Ok(read) => list.append(read),
        Err(error) => list.refused.push(RefusedProperty { name: path.display().to_string(), error }),
    }
}

/// Without a memory limit, a quarter of the machine's memory is left to other processes.
pub fn budget(limits: &LimitArgs) -> Budget {
    let budget = Budget::unlimited();
    let budget = limits.timeout.map_or(budget.clone(), |time| budget.with_timeout(time));
    let memory = limits.memory.or_else(|| physical_memory().map(|bytes| bytes / 4 * 3));
    memory.map_or(budget.clone(), |bytes| budget.with_memory(bytes))
}

/// The first witness of a file with a run, of all or of one property.
pub fn witness_with_run<'w, R>(
    file: &Path,
    witnesses: &'w [Witness],
    property: Option<&str>,
    run: impl Fn(&Evidence) -> Option<R>,
) -> Result<(&'w Witness, R), Failure> {
    let is_asked = |name: &str| property.is_none_or(|asked| asked == name);
    let mut asked = witnesses.iter().filter(|witness| is_asked(&witness.property.name)).peekable();
    if asked.peek().is_none() {
        let what = match property {
            Some(name) => format!("{} has no evidence for a property `{name}`", file.display()),
            None => format!("{} has no evidence", file.display()),
        };
        let names: Vec<&str> = witnesses.iter().map(|witness| witness.property.name.as_str()).collect();
        let hint = match names.len() {
            0 => "`fireset check MODEL -q QUERY --witness FILE` writes runs that show its answers".into(),
            _ => format!("it has evidence for {}", names.join(", ")),
        };
        return Err(Failure::Usage(what, hint));
    }
    asked.find_map(|witness| Some((witness, run(&witness.evidence)?))).ok_or_else(|| {
        let what = format!("{} has certificates, but no run", file.display());
        Failure::Usage(what, "a property that holds everywhere has no run to play".into())
    })
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

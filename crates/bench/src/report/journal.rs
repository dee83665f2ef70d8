//! The measurements so far, in a file: a report that was interrupted continues where it stopped, and its parts can be
//! measured one after the other.
//!
//! A line has the name of a measurement and its cost, separated by tabs. Other lines are ignored: the last one
//! may be half written.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::Path,
};

use super::measure::{FormulaCost, SearchEnd};

/// Costs by the name of their measurement.
pub struct Journal {
    known: HashMap<String, FormulaCost>,
    file: File,
}

impl Journal {
    /// Opens a journal, or begins one.
    pub fn open(path: &Path) -> io::Result<Self> {
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let known = text.lines().filter_map(parsed).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Self { known, file })
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn get(&self, key: &str) -> Option<&FormulaCost> {
        self.known.get(key)
    }

    /// Takes note of a measurement.
    pub fn record(&mut self, key: String, cost: FormulaCost) -> io::Result<()> {
        let FormulaCost { end, seconds, memory, states, encoding } = &cost;
        writeln!(self.file, "{key}\t{}\t{seconds}\t{memory}\t{states}\t{encoding}", end.word())?;
        self.known.insert(key, cost);
        Ok(())
    }
}

/// The name of a measurement in a journal.
pub fn key(parts: &[&str]) -> String {
    parts.iter().map(|part| part.replace(['\t', '\n', '\r'], " ")).collect::<Vec<_>>().join("\t")
}

/// The measurement of a line: the last five fields are the cost.
fn parsed(line: &str) -> Option<(String, FormulaCost)> {
    let mut fields = line.rsplitn(6, '\t');
    let encoding = fields.next()?.to_owned();
    let states = fields.next()?.parse().ok()?;
    let memory = fields.next()?.parse().ok()?;
    let seconds = fields.next()?.parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
    let end = SearchEnd::of(fields.next()?)?;
    Some((fields.next()?.to_owned(), FormulaCost { end, seconds, memory, states, encoding }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_and_passes_over_what_it_does_not_understand() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let cost =
            FormulaCost { end: SearchEnd::Time, seconds: 1.5, memory: 7, states: 3, encoding: String::new() };
        let name = key(&["a\tnet", "0", "configuration"]);
        assert_eq!(name, "a net\t0\tconfiguration");
        Journal::open(&path).unwrap().record(name.clone(), cost.clone()).unwrap();
        let mut text = fs::read(&path).unwrap();
        text.extend(b"noise\n\xff\nb\tanswered\tNaN\t1\t2\tsafe\nc\tanswered\t1\t2");
        fs::write(&path, text).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!((journal.len(), journal.get(&name)), (1, Some(&cost)));
        journal.record("d".into(), cost.clone()).unwrap();
        assert_eq!(Journal::open(&path).unwrap().get("d"), Some(&cost), "it begins a line of its own");
    }
}

//! Where properties are written: the files of `--properties`, and those of a directory of the contest.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{examination, job::Job};

/// The lines of properties in the files of one model.
#[derive(Debug, Default)]
pub(super) struct PropertyFiles {
    /// The files of the command line.
    named: Vec<PathBuf>,
    /// File and line of each property, by the name as XML writes it.
    lines: HashMap<String, (PathBuf, u64)>,
}

impl PropertyFiles {
    pub(super) fn new(named: &[PathBuf]) -> Self {
        Self { named: named.to_owned(), lines: HashMap::new() }
    }

    /// Looks up the properties of a model. A file that cannot be read again has no lines: the answers are printed without them.
    pub(super) fn read(&mut self, job: &Job) {
        let directory = Path::new(&job.path);
        let examinations = examination::ALL.iter().filter_map(|examination| examination.file(directory));
        let of_directory = examinations.filter(|_| directory.is_dir());
        let files: Vec<_> = self.named.iter().cloned().chain(of_directory).collect();
        self.lines.clear();
        for file in files {
            let text = fs::read_to_string(&file).unwrap_or_default();
            for (at, line) in text.lines().enumerate() {
                if let Some(id) = id_of(line) {
                    self.lines.entry(id.to_owned()).or_insert_with(|| (file.clone(), at as u64 + 1));
                }
            }
        }
    }

    /// The file and line of a property; none if it comes from elsewhere, or its id has escapes.
    pub(super) fn find(&self, name: &str) -> Option<(&Path, u64)> {
        self.lines.get(name).map(|(file, line)| (file.as_path(), *line))
    }
}

/// The property id in a line of contest XML.
fn id_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<id>")?;
    rest.split_once("</id>").map(|(id, _)| id.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_their_lines() {
        assert_eq!(id_of("  <id> a-00</id><description/>"), Some("a-00"));
        assert_eq!(id_of("<id>a"), None);
        assert_eq!(id_of("</id><formula>"), None);
    }
}

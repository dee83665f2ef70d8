//! Checks of Markdown files.

use std::path::Path;

use super::{Repository, comments::VAGUE};

/// Documents with the most lines or words that they may have.
const LENGTHS: [(&str, Length); 2] =
    [("README.md", Length::Lines(120)), ("ARCHITECTURE.md", Length::Words(1_800))];

enum Length {
    Lines(usize),
    Words(usize),
}

/// Directories of the repository with which a path begins.
const DIRECTORIES: [&str; 6] = ["crates/", "docs/", "examples/", "contest/", ".ci/", ".cargo/"];

pub fn too_long(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for (name, length) in LENGTHS {
        let Some((_, text)) = repository.documents.iter().find(|(path, _)| path == name) else {
            found.push(format!("{name} is missing"));
            continue;
        };
        let (count, most, unit) = match length {
            Length::Lines(most) => (text.lines().count(), most, "lines"),
            Length::Words(most) => (text.split_whitespace().count(), most, "words"),
        };
        if count > most {
            found.push(format!("{name}: {count} {unit} of {most}"));
        }
    }
    found
}

pub fn vague_phrases(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in &repository.documents {
        for (at, line) in text.lines().enumerate() {
            let phrases = VAGUE.iter().filter(|phrase| line.to_lowercase().contains(*phrase));
            found.extend(phrases.map(|phrase| format!("{path}:{} {phrase}", at + 1)));
        }
    }
    found
}

/// Paths between backticks. One without a directory, such as `net.rs`, is the end of some path.
pub fn missing_paths(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for (document, text) in &repository.documents {
        for (at, line) in without_blocks(text).enumerate() {
            for word in line.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
                if !exists(repository, word) {
                    found.push(format!("{document}:{} {word}", at + 1));
                }
            }
        }
    }
    found
}

/// The lines of a text; those of code blocks are empty.
fn without_blocks(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().map(move |line| {
        inside ^= line.starts_with("```");
        if inside { "" } else { line }
    })
}

fn is_path(word: &str) -> bool {
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    is_plain && (DIRECTORIES.iter().any(|directory| word.starts_with(directory)) || word.ends_with(".rs"))
}

fn exists(repository: &Repository, path: &str) -> bool {
    let whole = DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    if whole {
        return repository.root.join(path).exists();
    }
    repository.paths.iter().any(|known| known.ends_with(&format!("/{path}")))
}

/// Targets of Markdown links and of the book's includes, relative to their document.
pub fn broken_links(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for (document, text) in &repository.documents {
        let directory = repository.root.join(document).parent().map(Path::to_owned).unwrap_or_default();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let includes = text.split("{{#include ").skip(1).filter_map(|rest| rest.split_once("}}"));
        for (target, _) in links.chain(includes) {
            let file = target.split('#').next().unwrap_or_default();
            let is_local = !target.contains("://") && !file.is_empty() && !file.contains(' ');
            if is_local && !directory.join(file).exists() {
                found.push(format!("{document}: {target}"));
            }
        }
    }
    found
}

//! Checks of comments, doc comments and messages.

use super::{
    Repository, SourceFile,
    source::{is_word, words_of},
};

/// Phrases that make a reader guess the subject.
pub const VAGUE: [&str; 7] =
    ["somebody", "nobody", "so many", "what is left", "what is asked", "what is wanted", "who watches"];

/// American spellings of words that this repository spells in the British way. APIs of others keep theirs.
const AMERICAN: [&str; 6] = ["colored", "neighbor", "labeling", "labeled", "behavior", "modeling"];

/// A doc comment with at most so many characters says nothing that a name could not.
const SHORT: usize = 14;

/// Words that add nothing to a name.
const FILLERS: [&str; 15] =
    ["a", "an", "the", "it", "its", "of", "this", "that", "these", "is", "are", "in", "for", "to", "and"];

/// This test names the words that it looks for.
fn own(file: &SourceFile) -> bool {
    file.path.contains("tests/tidy")
}

pub fn vague_phrases(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for file in repository.sources.iter().filter(|file| !own(file)) {
        let prose = file.comments.lines().zip(file.literals.lines());
        for (at, (comment, literal)) in prose.enumerate() {
            let text = format!("{comment} {literal}").to_lowercase();
            let phrases = VAGUE.iter().filter(|phrase| text.contains(*phrase));
            found.extend(phrases.map(|phrase| format!("{}:{} {phrase}: {}", file.path, at + 1, text.trim())));
        }
    }
    found
}

pub fn spellings(repository: &Repository) -> Vec<String> {
    lines_with(repository, &AMERICAN, |line| {
        // Titles of papers, and names that other programs chose.
        line.contains('"')
            || line.contains("colored Petri nets")
            || line.contains("//! on-the-fly")
            || line.contains('`')
    })
}

/// Comments that contain one of some words, but for exempt lines.
fn lines_with(repository: &Repository, words: &[&str], exempt: fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in repository.sources.iter().filter(|file| !own(file)) {
        for (at, line) in file.comments.lines().enumerate() {
            let text = line.to_lowercase();
            if words.iter().any(|word| text.contains(word)) && !exempt(line) {
                found.push(format!("{}:{} {}", file.path, at + 1, line.trim()));
            }
        }
    }
    found
}

/// Doc comments whose words are all in the name and the type of their item, or that are very short.
pub fn hollow(repository: &Repository) -> Vec<String> {
    repository.sources.iter().filter(|file| !own(file)).flat_map(hollow_in).collect()
}

fn hollow_in(file: &SourceFile) -> Vec<String> {
    let mut found = Vec::new();
    let (mut doc, mut start) = (String::new(), 0);
    for (at, line) in file.text.lines().map(str::trim).enumerate() {
        if let Some(text) = line.strip_prefix("///").filter(|text| !text.starts_with('/')) {
            start = if doc.is_empty() { at } else { start };
            doc += text;
        } else if !doc.is_empty() && !line.starts_with("#[") {
            if is_hollow(doc.trim(), line) {
                found.push(format!("{}:{}{doc} | {line}", file.path, start + 1));
            }
            doc.clear();
        }
    }
    found
}

fn is_hollow(doc: &str, item: &str) -> bool {
    let known = words_of(item);
    let mut words = doc.split(|c| !is_word(c)).flat_map(words_of);
    doc.len() <= SHORT || words.all(|word| FILLERS.contains(&&*word) || known.contains(&word))
}

#[test]
fn hollow_comments_repeat_their_item() {
    assert!(is_hollow("The net.", "net: Net,"));
    assert!(is_hollow("The places of the net.", "places: Vec<NetPlace>,"));
    assert!(is_hollow("Its cost.", "price: u64,"));
    assert!(!is_hollow("The most tokens that the place has held.", "tokens: u64,"));
}

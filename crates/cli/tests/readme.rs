//! The README and the book in `docs/` are tests: every `console` block is run, and its output compared.
//!
//! The blocks of a page share a directory that has a copy of `examples/`. A block whose info string says `file=NAME` is
//! written there as a file. Times may differ, and so may the order of answers. `FIRESET_BLESS=1 cargo test -p fireset-cli
//! --test readme` writes the output of today into the pages instead of comparing it, with answers in the order of queries.

mod common;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use common::{fireset, root};

/// The README and all pages of the book.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let book = fs::read_dir(root().join("docs/src")).expect("the book is there");
    pages.extend(
        book.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "md")),
    );
    pages.sort();
    pages
}

/// Runs the commands of a page in order; gives the page with the output that they have today, and how many there are.
fn replay_page(text: &str, directory: &Path) -> (String, usize) {
    let (mut page, mut commands) = (String::new(), 0);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        page += &format!("{line}\n");
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let mut block = String::new();
        while let Some(line) = lines.next_if(|line| *line != "```") {
            block += &format!("{line}\n");
        }
        if let Some((_, name)) = info.split_once("file=") {
            fs::write(directory.join(name), &block).unwrap();
        } else if info == "console" {
            commands += block.lines().filter(|line| line.starts_with("$ ")).count();
            block = replay_block(&block, directory);
        }
        page += &block;
        page += &format!("{}\n", lines.next().expect("a block ends"));
    }
    (page, commands)
}

/// A `console` block with the output that its commands have today. Output that differs in times and in the order of
/// answers alone stays as it is written.
fn replay_block(block: &str, directory: &Path) -> String {
    assert!(block.starts_with("$ fireset "), "a console block starts with `$ fireset`: {block}");
    let mut replayed = String::new();
    for session in format!("\n{block}").split("\n$ fireset ").skip(1) {
        let (command, expected) = session.split_once('\n').unwrap_or((session, ""));
        let output = fireset(directory).args(words(command)).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        let is_same = normal(&shown) == normal(expected);
        let kept = if is_same { expected.to_owned() } else { in_order_of_queries(&shown) };
        replayed += &format!("$ fireset {command}\n{kept}");
        if !replayed.ends_with('\n') {
            replayed.push('\n');
        }
    }
    replayed
}

/// The words of a command; single quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The text without times, its parts sorted.
fn normal(text: &str) -> Vec<String> {
    let without_times: String = text.lines().map(|line| without_times(line) + "\n").collect();
    let mut parts = parts(&without_times);
    parts.retain(|part| !part.trim().is_empty());
    parts.sort();
    parts
}

/// The text with the answers to `query 1`, `query 2` and so on in that order; all other parts stay where they are.
fn in_order_of_queries(text: &str) -> String {
    let mut parts = parts(text);
    let mut answers: Vec<String> = parts.iter().filter(|part| part.starts_with("query ")).cloned().collect();
    answers.sort();
    let places = parts.iter_mut().filter(|part| part.starts_with("query "));
    places.zip(answers).for_each(|(place, answer)| *place = answer);
    parts.concat()
}

/// The parts of an output: a line with the indented ones below it.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        match parts.last_mut() {
            Some(part) if line.starts_with(' ') => *part += &format!("{line}\n"),
            _ => parts.push(format!("{line}\n")),
        }
    }
    parts
}

/// A line with `0.12 s` as `TIME`.
fn without_times(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for at in 1..words.len() {
        let is_unit = words[at].trim_end_matches([',', ')']) == "s";
        if is_unit && words[at - 1].trim_start_matches('(').parse::<f64>().is_ok() {
            words[at - 1] = "TIME";
        }
    }
    words.join(" ")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn commands_of_all_pages_print_what_the_pages_say() {
    let mut commands = 0;
    for path in pages() {
        let directory = tempfile::tempdir().unwrap();
        copy(&root().join("examples"), &directory.path().join("examples"));
        let text = fs::read_to_string(&path).unwrap();
        let (page, count) = replay_page(&text, directory.path());
        commands += count;
        if env::var_os("FIRESET_BLESS").is_some() {
            fs::write(&path, page).unwrap();
        } else {
            assert_eq!(page, text, "{} (FIRESET_BLESS=1 rewrites it)", path.display());
        }
    }
    assert!(commands >= 15, "the pages show commands: {commands}");
}

#[test]
fn the_tutorial_writes_the_net_that_is_shipped() {
    let tutorial = fs::read_to_string(root().join("docs/src/tutorial.md")).unwrap();
    let shipped = fs::read_to_string(root().join("examples/two-locks.pnml")).unwrap();
    assert!(tutorial.contains(&shipped), "docs/src/tutorial.md shows examples/two-locks.pnml");
}

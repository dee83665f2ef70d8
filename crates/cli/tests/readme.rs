//! Every `console` block of the README is run, and its output compared, but for times.

mod common;

use std::fs;

use common::{fireset, root};

/// Commands and what should come out, of all `console` blocks.
fn sessions(text: &str) -> Vec<Vec<(String, String)>> {
    let mut blocks = text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap_or(rest));
    let mut sessions = Vec::new();
    for block in &mut blocks {
        let mut session: Vec<(String, String)> = Vec::new();
        for line in block.lines() {
            match (line.strip_prefix("$ fireset "), session.last_mut()) {
                (Some(command), _) => session.push((command.to_owned(), String::new())),
                (None, Some((_, expected))) => *expected += &format!("{line}\n"),
                (None, None) => panic!("a console block starts with `$ fireset`: {line}"),
            }
        }
        sessions.push(session);
    }
    sessions
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

/// The text with `(0.12 s)` as `(TIME)`.
fn without_times(text: &str) -> String {
    text.lines()
        .map(|line| match (line.rfind('('), line.ends_with(" s)")) {
            (Some(at), true) => format!("{}(TIME)\n", &line[..at]),
            _ => format!("{line}\n"),
        })
        .collect()
}

#[test]
fn its_commands_do_what_it_says() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let sessions = sessions(&readme);
    assert!(sessions.len() >= 3, "the README shows commands");
    for session in sessions {
        let directory = tempfile::tempdir().unwrap();
        copy(&root().join("examples"), &directory.path().join("examples"));
        for (command, expected) in session {
            // The order of answers may differ from run to run.
            let ordered = command.starts_with("check ").then_some("--ordered");
            let output = fireset(directory.path()).args(words(&command)).args(ordered).output().unwrap();
            let shown =
                String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            assert_eq!(without_times(&shown), without_times(&expected), "of `fireset {command}`");
        }
    }
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
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

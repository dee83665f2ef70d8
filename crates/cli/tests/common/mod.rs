//! What the tests of the command share.
#![allow(dead_code)] // Each test file uses its part.

use std::{
    path::{Path, PathBuf},
    process::Output,
};

use assert_cmd::Command;

/// The command `fireset`, run in `directory`.
pub fn fireset(directory: &Path) -> Command {
    let mut command = Command::cargo_bin("fireset").expect("the binary is built for the tests");
    command.current_dir(directory);
    for variable in ["BK_EXAMINATION", "BK_TIME_CONFINEMENT", "BK_MEMORY_CONFINEMENT"] {
        command.env_remove(variable);
    }
    command
}

pub fn run(directory: &Path, arguments: &[&str]) -> Output {
    fireset(directory).args(arguments).output().expect("the command runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is text")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is text")
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A fresh directory that holds the given files.
pub fn directory_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("a file is written");
    }
    directory
}

/// A PNML file of a place/transition net with this inside.
pub fn pnml(inside: &str) -> String {
    format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n\
         <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">\n\
         {inside}\n</page></net></pnml>\n"
    )
}

/// A place `p1` with a token, a place `p2`, and `t1` that moves it.
pub const MOVE: &str = "<place id=\"p1\"><initialMarking><text>1</text></initialMarking></place>\n\
    <place id=\"p2\"/>\n<transition id=\"t1\"/>\n\
    <arc id=\"a1\" source=\"p1\" target=\"t1\"/>\n<arc id=\"a2\" source=\"t1\" target=\"p2\"/>";

//! `fireset play` in a terminal, which tmux plays. Without tmux nothing is tested here, except where `CI` is set.

mod common;

use std::{
    env,
    path::Path,
    process::{self, Command},
    thread,
    time::{Duration, Instant},
};

use common::{directory_with, run, stderr, stdout};

/// The longest time until the screen shows what is expected.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a program in it; the server is that of the test alone.
struct PlayTerminal {
    socket: String,
}

impl PlayTerminal {
    /// Begins `fireset` with some arguments; `None` without tmux.
    fn start(directory: &Path, arguments: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(env::var_os("CI").is_none(), "the tests need tmux");
            return None;
        }
        let this = Self { socket: format!("fireset-{}", process::id()) };
        let command = format!("{} {arguments}; echo ended; sleep 60", env!("CARGO_BIN_EXE_fireset"));
        let directory = directory.to_str().expect("a path in UTF-8");
        this.tmux(&["new-session", "-d", "-x", "110", "-y", "24", "-c", directory, &command]);
        Some(this)
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let command = [&["-L", &self.socket, "-f", "/dev/null"], arguments].concat();
        let output = Command::new("tmux").args(command).output().expect("tmux runs");
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// Types keys, and waits until the screen shows some text.
    #[track_caller]
    fn press(&self, keys: &[&str], shown: &str) {
        if !keys.is_empty() {
            self.tmux(&[&["send-keys"], keys].concat());
        }
        let begun = Instant::now();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if screen.contains(shown) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "no `{shown}` on\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for PlayTerminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn a_run_is_played_undone_saved_and_accepted() {
    let directory = directory_with(&[]);
    let path = directory.path();
    assert!(run(path, &["generate", "philosophers", "2", "-o", "net.pnml"]).status.success());
    let Some(game) = PlayTerminal::start(path, "play net.pnml") else { return };
    game.press(&[], "the initial marking");
    game.press(&["Enter"], "after step 1");
    game.press(&["u"], "the initial marking, 1 to redo");
    game.press(&["r"], "after step 1");
    game.press(&["e", "EF deadlock", "Enter"], "steps that show it can be redone");
    game.press(&["$"], "a deadlock: no transition is enabled");
    game.tmux(&["resize-window", "-x", "70", "-y", "12"]);
    game.press(&["a"], "Transitions: ");
    game.press(&["s", "run.json", "Enter"], "saved as run.json");
    game.press(&["q"], "ended");
    let replayed = run(path, &["replay", "net.pnml", "run.json"]);
    assert!(replayed.status.success(), "{}", stdout(&replayed));
    assert!(stdout(&replayed).contains("run: accepted"), "{}", stdout(&replayed));
    drop(game);
    let game = PlayTerminal::start(path, "play net.pnml --run run.json").expect("tmux is there");
    game.press(&[], "r plays it");
    game.press(&["$"], "a deadlock");
    game.press(&["C-c"], "ended");
}

#[test]
fn without_a_terminal_it_says_so() {
    let directory = directory_with(&[]);
    let path = directory.path();
    assert!(run(path, &["generate", "philosophers", "2", "-o", "net.pnml"]).status.success());
    let refused = run(path, &["play", "net.pnml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("`play` needs a terminal"), "{}", stderr(&refused));
    let missing = run(path, &["play", "nothing.pnml"]);
    assert_eq!(missing.status.code(), Some(2));
}

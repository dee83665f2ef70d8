//! The commands of the token game and their keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What the player can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayCommand {
    Fire,
    Undo,
    Redo,
    ToStart,
    ToEnd,
    Random,
    Run,
    GoTo,
    Search,
    AllTransitions,
    AllPlaces,
    Breakpoint,
    NoBreakpoints,
    Ask,
    Save,
    NextPane,
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Help,
    Cancel,
    Quit,
}

/// A command with its keys.
struct KeyBinding {
    command: PlayCommand,
    /// How the keys are told.
    keys: &'static str,
    codes: &'static [KeyCode],
    /// What it does, in the line of keys; empty if it is not there.
    short: &'static str,
    /// What it does, in the help.
    help: &'static str,
}

const fn key(
    command: PlayCommand,
    keys: &'static str,
    codes: &'static [KeyCode],
    short: &'static str,
    help: &'static str,
) -> KeyBinding {
    KeyBinding { command, keys, codes, short, help }
}

use KeyCode::Char;

/// In the order of the help.
const KEYS: [KeyBinding; 25] = [
    key(
        PlayCommand::Fire,
        "Enter",
        &[KeyCode::Enter, Char(' ')],
        "fire",
        "fire the selected step, or go to the selected marking of the run",
    ),
    key(
        PlayCommand::Undo,
        "u",
        &[Char('u'), KeyCode::Backspace, KeyCode::Left],
        "undo",
        "go back one step (also ←)",
    ),
    key(
        PlayCommand::Redo,
        "r",
        &[Char('r'), KeyCode::Right],
        "redo",
        "go forward one step of the run (also →)",
    ),
    key(PlayCommand::ToStart, "0", &[Char('0')], "", "go to the initial marking"),
    key(PlayCommand::ToEnd, "$", &[Char('$')], "", "go to the end of the run"),
    key(PlayCommand::GoTo, "g", &[Char('g')], "go to", "go to the marking after a number of steps"),
    key(PlayCommand::Random, "n", &[Char('n')], "random", "fire a random step"),
    key(
        PlayCommand::Run,
        "c",
        &[Char('c')],
        "run",
        "fire random steps until a breakpoint, a deadlock or 1,000 steps",
    ),
    key(
        PlayCommand::Breakpoint,
        "b",
        &[Char('b')],
        "break",
        "add a breakpoint: a predicate of markings such as `p >= 2 || deadlock`",
    ),
    key(PlayCommand::NoBreakpoints, "B", &[Char('B')], "", "remove all breakpoints"),
    key(
        PlayCommand::Search,
        "/",
        &[Char('/')],
        "search",
        "list only transitions and places whose names contain a text",
    ),
    key(
        PlayCommand::AllTransitions,
        "a",
        &[Char('a')],
        "all",
        "list also the transitions that are not enabled, and why they are not",
    ),
    key(PlayCommand::AllPlaces, "m", &[Char('m')], "", "list also the places without tokens"),
    key(
        PlayCommand::Ask,
        "e",
        &[Char('e')],
        "ask",
        "ask a query from the marking on, such as `EF deadlock`; a run that shows the answer can be redone",
    ),
    key(
        PlayCommand::Save,
        "s",
        &[Char('s')],
        "save",
        "save the run to the marking as a witness, for `fireset replay`",
    ),
    key(PlayCommand::NextPane, "Tab", &[KeyCode::Tab], "pane", "go to the next list"),
    key(PlayCommand::Up, "↑", &[KeyCode::Up, Char('k')], "", "select the line above (also k)"),
    key(PlayCommand::Down, "↓", &[KeyCode::Down, Char('j')], "", "select the line below (also j)"),
    key(PlayCommand::PageUp, "PgUp", &[KeyCode::PageUp], "", "go up a page"),
    key(PlayCommand::PageDown, "PgDn", &[KeyCode::PageDown], "", "go down a page"),
    key(PlayCommand::First, "Home", &[KeyCode::Home], "", "select the first line"),
    key(PlayCommand::Last, "End", &[KeyCode::End], "", "select the last line"),
    key(
        PlayCommand::Cancel,
        "Esc",
        &[KeyCode::Esc],
        "",
        "leave the help or the query that is checked, and list everything again",
    ),
    key(PlayCommand::Help, "?", &[Char('?'), Char('h')], "help", "show these keys"),
    key(PlayCommand::Quit, "q", &[Char('q')], "quit", "leave (also Ctrl-C)"),
];

impl PlayCommand {
    /// The command of a key.
    pub fn of(event: KeyEvent) -> Option<Self> {
        if event.modifiers.contains(KeyModifiers::CONTROL) {
            return (event.code == Char('c')).then_some(Self::Quit);
        }
        KEYS.iter().find(|key| key.codes.contains(&event.code)).map(|key| key.command)
    }
}

/// The keys that the last line shows, each with what it does.
pub fn shown_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().filter(|key| !key.short.is_empty()).map(|key| (key.keys, key.short))
}

/// All keys, each with what it does.
pub fn all_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().map(|key| (key.keys, key.help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_commands() {
        for (at, key) in KEYS.iter().enumerate() {
            for other in &KEYS[..at] {
                assert!(key.codes.iter().all(|code| !other.codes.contains(code)), "{}", key.keys);
                assert_ne!(key.command, other.command);
            }
        }
    }
}

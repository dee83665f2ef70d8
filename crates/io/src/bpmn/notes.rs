//! What the translation decides where a diagram leaves something open, in sentences.

use std::collections::BTreeMap;

/// Elements that a note names; more are counted.
const NAMED: usize = 5;

/// Notes by their sentence, each with the elements that it is about.
#[derive(Debug, Default)]
pub(super) struct TranslationNotes(BTreeMap<&'static str, Vec<String>>);

impl TranslationNotes {
    /// Says a sentence about one more element.
    pub(super) fn add(&mut self, note: &'static str, element: &str) {
        self.0.entry(note).or_default().push(element.to_owned());
    }

    /// Says a sentence about the whole file.
    pub(super) fn say(&mut self, note: &'static str) {
        self.0.entry(note).or_default();
    }

    /// One sentence each, with the elements in brackets.
    pub(super) fn sentences(self) -> Vec<String> {
        let sentence = |(note, mut elements): (&str, Vec<String>)| {
            let more = elements.len().saturating_sub(NAMED);
            elements.truncate(NAMED);
            let list = elements.join(", ");
            match (elements.is_empty(), more) {
                (true, _) => note.to_owned(),
                (false, 0) => format!("{note}: {list}"),
                (false, _) => format!("{note}: {list}, and {more} more"),
            }
        };
        self.0.into_iter().map(sentence).collect()
    }
}

pub(super) const TIMERS: &str = "a timer may go off at any time";
pub(super) const SIGNALS: &str =
    "a signal may come at any time, whether or not an event of the file sends it";
pub(super) const CONDITIONS: &str =
    "conditions are not evaluated: an event that waits for one may occur at any time";
pub(super) const BLACK_BOXES: &str = "messages from and to pools without a process, or with an end that is not drawn, can always be received and sent";
pub(super) const CALLS: &str = "a call activity is read as a task, without the process that it calls";
pub(super) const INSTANCES: &str = "a task with several instances is read as one task";
pub(super) const MULTIPLE: &str = "an event with several triggers occurs as soon as one of them does";
pub(super) const STARTS: &str = "a process with several start events is started once, by one of them";
pub(super) const SHARED: &str =
    "each message to a start event starts an instance; their tokens are not told apart if there are several";
pub(super) const WITHOUT_TOKEN: &str =
    "nodes without an incoming flow never get a token, since their process has a start event";
pub(super) const LOOSE: &str = "a sequence flow without a target keeps its tokens, and one without a source gets none; an end is not drawn";
pub(super) const ONE_AT_A_TIME: &str =
    "a sub-process runs once at a time, and a second token waits for its end";
pub(super) const ERRORS: &str = "an error or escalation that no inner event causes may occur at any time";
pub(super) const REMOVED: &str =
    "where a process or sub-process is ended early, transitions remove its tokens one by one";
pub(super) const UNREAD: &str = "a message that is never received stays in its place";
pub(super) const EXCHANGE: &str = "a task with message flows in both directions may send before it receives";
pub(super) const JOINS: &str = "an inclusive gateway has a transition for each set of flows that it may join; some of them may never fire";
pub(super) const LOOPS: &str = "a loop may be repeated any number of times";
pub(super) const POOLS: &str = "a pool with several participants is read as one";

//! Counts of answers by kind, and the exit code.

use std::{fmt, process::ExitCode};

use fireset::Verdict;

use crate::failure::{BAD_INPUT, UNFINISHED};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    Holds,
    Fails,
    /// A bound or the size of the state space.
    Computed,
    Unknown,
}

impl From<&Verdict> for AnswerKind {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Holds,
            Verdict::Fails => Self::Fails,
            Verdict::Bound(_) | Verdict::StateSpace(_) => Self::Computed,
            // The exit code says that a part is missing.
            Verdict::PartialStateSpace(_) | Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

/// Counts of answers, and of models without answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    held: usize,
    failed: usize,
    computed: usize,
    unknown: usize,
    /// Answers that make the exit code 1: failing properties, and those whose expected verdict is another one.
    against: usize,
    /// Answers that are not the expected ones.
    unexpected: usize,
    /// Properties that are not understood.
    pub misread: usize,
    /// Models with bad input.
    pub refused: usize,
    /// Models that a limit or a signal left unchecked.
    pub unread: usize,
    /// Models about which engines contradict each other.
    pub broken: usize,
}

impl AnswerCounts {
    /// Counts an answer; `as_expected` tells whether it is the expected one, if one is expected.
    pub fn count(&mut self, kind: AnswerKind, as_expected: Option<bool>) {
        *match kind {
            AnswerKind::Holds => &mut self.held,
            AnswerKind::Fails => &mut self.failed,
            AnswerKind::Computed => &mut self.computed,
            AnswerKind::Unknown => &mut self.unknown,
        } += 1;
        if kind != AnswerKind::Unknown {
            self.unexpected += usize::from(as_expected == Some(false));
            self.against += usize::from(!as_expected.unwrap_or(kind != AnswerKind::Fails));
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.held += other.held;
        self.failed += other.failed;
        self.computed += other.computed;
        self.unknown += other.unknown;
        self.against += other.against;
        self.unexpected += other.unexpected;
        self.misread += other.misread;
        self.refused += other.refused;
        self.unread += other.unread;
        self.broken += other.broken;
    }

    /// The most serious code: bad input, then failed, then unknown, then holding properties. A computed bound or size counts
    /// as holding. A property with an expected verdict counts as holding if it has that verdict, and as failed if it has
    /// another. A contradiction between engines counts as unknown, and comes before failed properties.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.refused + self.misread > 0 {
            BAD_INPUT
        } else if self.broken > 0 {
            UNFINISHED
        } else if self.against > 0 {
            1
        } else if self.unknown + self.unread > 0 {
            UNFINISHED
        } else {
            0
        })
    }
}

/// `2 hold, 1 fail`
impl fmt::Display for AnswerCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.held, "hold"),
            (self.failed, "fail"),
            (self.computed, "computed"),
            (self.unknown, "unknown"),
            (self.unexpected, "not as expected"),
            (self.misread, "not understood"),
            (self.refused, "refused"),
            (self.unread, "not checked"),
            (self.broken, "unreliable"),
        ];
        let counts = kinds.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, kind)| format!("{count} {kind}")).collect();
        f.write_str(&counts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_serious_answer_counts() {
        let mut counts = AnswerCounts::default();
        let mut code = |change: &dyn Fn(&mut AnswerCounts)| {
            change(&mut counts);
            counts.exit_code()
        };
        assert_eq!(code(&|t| t.count(AnswerKind::Holds, None)), ExitCode::from(0));
        assert_eq!(code(&|t| t.count(AnswerKind::Computed, None)), ExitCode::from(0));
        assert_eq!(code(&|t| t.count(AnswerKind::Unknown, None)), ExitCode::from(3));
        assert_eq!(code(&|t| t.count(AnswerKind::Fails, None)), ExitCode::from(1));
        assert_eq!(code(&|t| t.refused += 1), ExitCode::from(2));
        assert_eq!(counts.to_string(), "1 hold, 1 fail, 1 computed, 1 unknown, 1 refused");
    }

    #[test]
    fn an_expected_answer_is_a_good_one() {
        let code = |kind, as_expected| {
            let mut counts = AnswerCounts::default();
            counts.count(kind, as_expected);
            (counts.exit_code(), counts.to_string())
        };
        let text = str::to_owned;
        assert_eq!(code(AnswerKind::Fails, Some(true)), (ExitCode::from(0), text("1 fail")));
        assert_eq!(
            code(AnswerKind::Holds, Some(false)),
            (ExitCode::from(1), text("1 hold, 1 not as expected"))
        );
        assert_eq!(code(AnswerKind::Computed, Some(false)).0, ExitCode::from(1));
        assert_eq!(code(AnswerKind::Computed, Some(true)).0, ExitCode::from(0));
        assert_eq!(code(AnswerKind::Unknown, None), (ExitCode::from(3), text("1 unknown")));
        let counts = AnswerCounts { misread: 2, ..AnswerCounts::default() };
        assert_eq!((counts.exit_code(), counts.to_string()), (ExitCode::from(2), text("2 not understood")));
    }
}

//! How many properties have which answer, and the exit code that follows.

use std::{fmt, process::ExitCode};

use fireset::Verdict;

use crate::failure::{BAD_INPUT, UNFINISHED};

/// Kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The property holds.
    Holds,
    /// It fails.
    Fails,
    /// A bound or the size of the state space.
    Computed,
    /// There is no answer.
    Unknown,
}

impl From<&Verdict> for Kind {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Holds,
            Verdict::Fails => Self::Fails,
            Verdict::Bound(_) | Verdict::StateSpace(_) => Self::Computed,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

/// Counts of answers, and of models that had none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    held: usize,
    failed: usize,
    computed: usize,
    unknown: usize,
    /// Models that cannot be used.
    pub refused: usize,
    /// Models that a limit or a signal kept from being asked.
    pub unread: usize,
    /// Models whose answers cannot be relied on.
    pub broken: usize,
}

impl Tally {
    /// One more answer.
    pub fn count(&mut self, kind: Kind) {
        *match kind {
            Kind::Holds => &mut self.held,
            Kind::Fails => &mut self.failed,
            Kind::Computed => &mut self.computed,
            Kind::Unknown => &mut self.unknown,
        } += 1;
    }

    /// All answers of another one.
    pub fn add(&mut self, other: &Self) {
        self.held += other.held;
        self.failed += other.failed;
        self.computed += other.computed;
        self.unknown += other.unknown;
        self.refused += other.refused;
        self.unread += other.unread;
        self.broken += other.broken;
    }

    /// Bad input before fails before unknown before holds; a bound or a size that was found counts as holding, and what
    /// cannot be relied on as unknown.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.refused > 0 {
            BAD_INPUT
        } else if self.broken > 0 {
            UNFINISHED
        } else if self.failed > 0 {
            1
        } else if self.unknown + self.unread > 0 {
            UNFINISHED
        } else {
            0
        })
    }
}

/// `2 hold, 1 fail`
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.held, "hold"),
            (self.failed, "fail"),
            (self.computed, "computed"),
            (self.unknown, "unknown"),
            (self.refused, "refused"),
            (self.unread, "not asked"),
            (self.broken, "not to be relied on"),
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
    fn the_worst_answer_counts() {
        let mut tally = Tally::default();
        let mut code = |change: &dyn Fn(&mut Tally)| {
            change(&mut tally);
            tally.exit_code()
        };
        assert_eq!(code(&|t| t.count(Kind::Holds)), ExitCode::from(0));
        assert_eq!(code(&|t| t.count(Kind::Computed)), ExitCode::from(0));
        assert_eq!(code(&|t| t.count(Kind::Unknown)), ExitCode::from(3));
        assert_eq!(code(&|t| t.count(Kind::Fails)), ExitCode::from(1));
        assert_eq!(code(&|t| t.refused += 1), ExitCode::from(2));
        assert_eq!(tally.to_string(), "1 hold, 1 fail, 1 computed, 1 unknown, 1 refused");
    }
}

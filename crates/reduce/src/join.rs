//! Queries that are asked in parts: how the answers to the parts make the answer to the whole.

use fireset_net::{Query, Verdict};

/// How the answers to several queries make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    /// There is one, and its answer it is.
    Same,
    /// It holds where all hold.
    All,
    /// It holds where some holds.
    Some,
}

impl Join {
    /// Whether the answer of one part decides the whole at once.
    pub(crate) fn decides(self, verdict: &Verdict) -> bool {
        match self {
            Self::Same => true,
            Self::All => *verdict == Verdict::Fails,
            Self::Some => *verdict == Verdict::Holds,
        }
    }
}

/// A query as it was asked.
struct Whole {
    query: Query,
    join: Join,
    /// How many of its parts are not decided. One that nobody asks is never decided.
    open: usize,
}

/// Queries, and what has become of their parts. Each part costs the same, however many there are.
#[derive(Default)]
pub(crate) struct Wholes {
    wholes: Vec<Whole>,
    asked_for: Vec<usize>,
    decided: Vec<bool>,
}

impl Wholes {
    /// Adds a query that is asked in so many parts; `unasked` more belong to it that nobody asks.
    pub(crate) fn add(&mut self, query: Query, join: Join, parts: usize, unasked: usize) {
        let at = self.wholes.len();
        self.asked_for.extend((0..parts).map(|_| at));
        self.decided.extend((0..parts).map(|_| false));
        self.wholes.push(Whole { query, join, open: parts + unasked });
    }

    /// For each part, the query that it belongs to.
    pub(crate) fn asked_for(&self) -> &[usize] {
        &self.asked_for
    }

    /// Takes note of the verdict on a part, which is not unknown. Where it decides the whole it is the verdict on the
    /// whole as well, and this is the query.
    pub(crate) fn decided_by(&mut self, part: usize, verdict: &Verdict) -> Option<&Query> {
        let whole = &mut self.wholes[self.asked_for[part]];
        if !std::mem::replace(&mut self.decided[part], true) {
            whole.open -= 1;
        }
        (whole.join.decides(verdict) || whole.open == 0).then_some(&whole.query)
    }
}

//! Queries that are decided in parts: how the verdicts on the parts make the verdict on the query.

use fireset_net::{Query, Verdict};

/// How the verdicts on the parts of a query make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerdictJoin {
    /// There is one part, and its verdict is that on the query.
    Same,
    /// The query holds where all parts hold.
    All,
    /// The query holds where some part holds.
    Some,
}

impl VerdictJoin {
    /// Whether the verdict on one part decides the query at once.
    pub(crate) fn decides(self, verdict: &Verdict) -> bool {
        match self {
            Self::Same => true,
            Self::All => *verdict == Verdict::Fails,
            Self::Some => *verdict == Verdict::Holds,
        }
    }
}

struct DecomposedQuery {
    query: Query,
    join: VerdictJoin,
    /// How many of its parts are not decided. A part that was left out is never decided.
    open: usize,
}

/// Queries, and which of their parts are decided. Each verdict costs the same, however many parts there are.
#[derive(Default)]
pub(crate) struct DecomposedQueries {
    queries: Vec<DecomposedQuery>,
    asked_for: Vec<usize>,
    decided: Vec<bool>,
}

impl DecomposedQueries {
    /// Adds a query with this number of parts; `unasked` further parts were left out.
    pub(crate) fn add(&mut self, query: Query, join: VerdictJoin, parts: usize, unasked: usize) {
        let at = self.queries.len();
        self.asked_for.extend((0..parts).map(|_| at));
        self.decided.extend((0..parts).map(|_| false));
        self.queries.push(DecomposedQuery { query, join, open: parts + unasked });
    }

    /// For each part, the query that it belongs to.
    pub(crate) fn asked_for(&self) -> &[usize] {
        &self.asked_for
    }

    /// Records the verdict on a part, which is not unknown. Where it decides a query it is the verdict on the query as well, and
    /// the query is returned.
    pub(crate) fn decided_by(&mut self, part: usize, verdict: &Verdict) -> Option<&Query> {
        let asked = &mut self.queries[self.asked_for[part]];
        if !std::mem::replace(&mut self.decided[part], true) {
            asked.open -= 1;
        }
        (asked.join.decides(verdict) || asked.open == 0).then_some(&asked.query)
    }
}

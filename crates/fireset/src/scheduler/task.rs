//! A problem whose queries have ids.

use fireset_net::{Problem, Query};

use crate::results::QueryId;

#[derive(Clone)]
pub(super) struct Task {
    pub(super) problem: Problem,
    /// One for each query of the problem.
    pub(super) ids: Vec<QueryId>,
}

impl Task {
    /// The task of some of the queries.
    pub(super) fn filter(&self, keeps: impl Fn(QueryId, &Query) -> bool) -> Self {
        let queries = self.ids.iter().zip(&self.problem.queries);
        let kept = queries.filter(|(id, query)| keeps(**id, query));
        let (ids, queries) = kept.map(|(id, query)| (*id, query.clone())).unzip();
        Self { problem: Problem { model: self.problem.model.clone(), queries }, ids }
    }

    /// The task of one query.
    pub(super) fn only(&self, id: QueryId) -> Self {
        self.filter(|other, _| other == id)
    }
}

//! Certificates for answers that something is never reached. An answer waits a second at most.

use std::time::Duration;

use fireset_net::{Budget, Evidence, Outcome, Query, Verdict};
use fireset_reduce::Certifier;

use crate::Tuning;

/// Whether a certificate could be the evidence that an answer lacks: the answer says that something is never reached.
pub(super) fn is_missing(query: &Query, outcome: &Outcome) -> bool {
    let unreachable = match query {
        Query::Reachable(_) => outcome.verdict == Verdict::Fails,
        Query::Invariant(_) => outcome.verdict == Verdict::Holds,
        _ => false,
    };
    unreachable && outcome.evidence.is_none()
}

/// The time of a search.
pub(super) fn time(tuning: &Tuning, budget: &Budget) -> Duration {
    let (limit, part) = (tuning.certificate_limit, tuning.certificate_part);
    budget.time_left().map_or(limit, |left| limit.min(left / part))
}

/// Certificates that may show the answer to a query, each to be checked.
pub(super) fn search<'c>(
    query: &'c Query,
    certifier: &'c Certifier<'_>,
    time: Duration,
) -> impl Iterator<Item = Evidence> + 'c {
    let goal = match query {
        Query::Reachable(predicate) => Some((predicate, true)),
        Query::Invariant(predicate) => Some((predicate, false)),
        _ => None,
    };
    let found = goal.map(|(predicate, value)| certifier.certificates(predicate, value, time));
    found.into_iter().flatten().map(Evidence::Certificate)
}

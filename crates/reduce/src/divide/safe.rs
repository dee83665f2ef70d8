//! One-safe: each place has at most one token in every reachable marking.
//!
//! A walk that meets a second token shows that it fails, and is the witness. Places that invariants bound by 1 need no
//! query; the file's own claim that its units are safe is not believed. Many places that are left are asked about
//! together in a few conjunctions, since each of them fails where one place does.
//! Sound for: everything, it is the definition. Test: `tests/divide.rs`.

use fireset_net::{Comparison, Expr, Formula, Query};

use super::{Division, Pool, Scene, survey::Survey};
use crate::join::Join;

/// Queries that places are asked about in.
const MAX_QUERIES: usize = 64;

pub(super) fn divide(scene: &Scene<'_>, survey: Survey) -> Division {
    if let Some(run) = survey.unsafe_run {
        return Division { shown: Some(run), ..Division::known(false) };
    }
    let safe = |pool: &Pool| {
        Query::Invariant(Formula::Compare(Comparison::LessEqual, pool.tokens(), Expr::Constant(1)))
    };
    let division = scene.settle(Join::All, scene.subjects.places.iter().map(safe).collect());
    if division.answer().is_some() { division } else { together(division) }
}

/// The same in a few conjunctions.
fn together(division: Division) -> Division {
    let size = division.parts.len().div_ceil(MAX_QUERIES);
    let predicate = |query: &Query| match query {
        Query::Invariant(f) => f.clone(),
        _ => panic!("a place that is safe is an invariant"),
    };
    let all = |parts: &[Query]| match parts {
        [one] => one.clone(),
        several => Query::Invariant(Formula::And(several.iter().map(predicate).collect())),
    };
    let parts = division.parts.chunks(size).map(all).collect();
    Division { parts, ..division }
}

//! One-safe: each place has at most one token in every reachable marking.
//!
//! A walk that meets a second token shows that it fails, and is the witness. Places that invariants bound by 1 need no
//! query; the file's own claim that its units are safe is not believed. Many open places are put
//! together in a few conjunctions, since each of them fails where one place does.
//! Sound for: everything, it is the definition. Test: `tests/divide.rs`.

use fireset_net::{Comparison, Expr, Query, StateAtom, StatePredicate};

use super::{Decomposition, DecompositionContext, PlaceSum, simulation::SimulationFacts};
use crate::join::VerdictJoin;

const MAX_QUERIES: usize = 64;

pub(super) fn decompose(context: &DecompositionContext<'_>, facts: SimulationFacts) -> Decomposition {
    if let Some(run) = facts.unsafe_run {
        return Decomposition { witness: Some(run), ..Decomposition::known(false) };
    }
    let safe = |places: &PlaceSum| {
        Query::Invariant(StateAtom::Compare(Comparison::LessEqual, places.tokens(), Expr::Constant(1)).into())
    };
    let decomposition =
        context.decide_parts(VerdictJoin::All, context.scope.places.iter().map(safe).collect());
    if decomposition.answer().is_some() { decomposition } else { conjoined(decomposition) }
}

/// Puts the parts together in at most `MAX_QUERIES` conjunctions.
fn conjoined(decomposition: Decomposition) -> Decomposition {
    let size = decomposition.parts.len().div_ceil(MAX_QUERIES);
    // That a place is safe is an invariant.
    let predicate = |part: &Query| part.goal().map(|(predicate, _)| predicate.clone());
    let all = |parts: &[Query]| match parts {
        [one] => one.clone(),
        several => Query::Invariant(StatePredicate::And(several.iter().filter_map(predicate).collect())),
    };
    let parts = decomposition.parts.chunks(size).map(all).collect();
    Decomposition { parts, ..decomposition }
}

//! What the tests of engines share.

use fireset_engine::Engine;
use fireset_net::{Budget, Model, Outcome, Problem, Query};

/// What an engine says of all queries, within so many bytes.
pub fn outcomes(engine: &dyn Engine, model: &Model, queries: &[Query], memory: u64) -> Vec<Outcome> {
    let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
    let mut all: Vec<Option<Outcome>> = vec![None; queries.len()];
    engine.decide(&problem, &Budget::unlimited().with_memory(memory), &mut |at: usize, outcome: Outcome| {
        assert!(all[at].replace(outcome).is_none(), "a query is answered once");
    });
    all.into_iter().map(|outcome| outcome.expect("every query is answered")).collect()
}

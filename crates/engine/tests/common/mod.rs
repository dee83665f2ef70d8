//! What the tests of engines share.

use fireset_engine::Engine;
use fireset_net::{Budget, Model, Outcome, Problem, Quantifier, Query};
use fireset_oracle::random::{self, NetShape, TestRng};

/// What an engine says of all queries, within a number of bytes.
#[allow(dead_code, reason = "not every test asks an engine alone")]
pub fn outcomes(engine: &dyn Engine, model: &Model, queries: &[Query], memory: u64) -> Vec<Outcome> {
    let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
    let mut all: Vec<Option<Outcome>> = vec![None; queries.len()];
    engine.decide(&problem, &Budget::unlimited().with_memory(memory), &mut |at: usize, outcome: Outcome| {
        assert!(all[at].replace(outcome).is_none(), "a query is answered once");
    });
    all.into_iter().map(|outcome| outcome.expect("every query is answered")).collect()
}

/// Decides a problem for `against_oracle`.
#[allow(dead_code, reason = "not every test compares with the oracle")]
pub fn ask(engine: &dyn Engine, problem: &Problem, budget: &Budget, report: &mut dyn FnMut(usize, Outcome)) {
    engine.decide(problem, budget, &mut |at: usize, outcome: Outcome| report(at, outcome));
}

/// A net of a structured family for some seeds; otherwise one without a plan, in which some have inhibitor arcs and many
/// claim units that are not safe.
#[allow(dead_code, reason = "not every test draws such nets")]
pub fn any_net(random: &mut TestRng, seed: u64) -> Model {
    if let Some(net) = random::structured(random, seed) {
        return Model::Plain(net);
    }
    let shape = NetShape { inhibitors: if random.percent(30) { 30 } else { 0 }, ..NetShape::default() };
    let net = random::net(random, &shape);
    let claims = random.percent(60).then(|| random::units(random, &net));
    Model::Plain(net.with_nupn(claims))
}

/// LTL queries with one level of nested operators, two, and so on.
#[allow(dead_code, reason = "not every test asks LTL")]
pub fn ltl_queries(random: &mut TestRng, model: &Model, most_nested: usize) -> Vec<Query> {
    let query = |nesting| {
        let quantifier = if random.percent(70) { Quantifier::ForAll } else { Quantifier::Exists };
        Query::Ltl(quantifier, random::nested_path(random, model.nodes(), nesting))
    };
    (1..=most_nested).map(query).collect()
}

//! The whole line as it is by default, with its first look at small nets, against the oracle: all kinds of
//! queries together, on random nets of both kinds.

mod common;

use fireset::{
    Budget, Options, Query, check,
    net::{Global, Quantifier},
};
use fireset_oracle::{
    OracleTest, against_oracle,
    random::{self, NetShape},
};

#[test]
fn all_kinds_of_queries_together() {
    let test = OracleTest {
        seeds: 0..300,
        model: &|random, seed| {
            if seed.is_multiple_of(3) {
                return common::coloured(random, 0);
            }
            let inhibitors = if seed.is_multiple_of(2) { 25 } else { 0 };
            common::plain(
                random,
                seed,
                &NetShape { places: 5, transitions: 5, inhibitors, ..NetShape::default() },
            )
        },
        queries: &|random, model| {
            let nodes = model.nodes();
            vec![
                Query::Reachable(random::predicate(random, nodes, 2)),
                Query::Invariant(random::predicate(random, nodes, 2)),
                Query::Ctl(random::ctl(random, nodes, 3)),
                Query::Ltl(Quantifier::ForAll, random::path(random, nodes, 3)),
                random::run_query(random, model),
                Query::Bound(nodes.place_ids().filter(|_| random.percent(40)).collect()),
                Query::Global(*random.pick(&[Global::OneSafe, Global::QuasiLiveness, Global::Liveness])),
                Query::Global(Global::StateSpace),
            ]
        },
        max_states: 300,
        configurations: &|case| common::on_finite_nets(case, &[Options::default()]),
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(
        &test,
        |options, problem, budget, report| {
            let found = check(problem, options, budget, &mut ());
            assert_eq!(found.fault, None);
            assert!(
                found.timelines.iter().all(|timeline| !timeline.entries.is_empty()),
                "what was done is told"
            );
            found.outcomes.into_iter().enumerate().for_each(|(at, outcome)| report(at, outcome));
        },
        |_, _, _| {},
    );
    assert!(counts.compared > 1_000 && counts.with_evidence > 300, "{counts:?}");
}

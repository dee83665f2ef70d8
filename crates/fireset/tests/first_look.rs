//! The whole line as it is by default, with its first look at small nets, against the reference checker: all kinds of
//! queries together, on random nets of both kinds.

use fireset::{
    Budget, Model, Options, Problem, Query, Verdict, check,
    net::{Count, Global, Quantifier, replay},
};
use fireset_oracle::random::{self, NetShape, TestRng};

#[test]
fn all_kinds_of_queries_together() {
    let (mut compared, mut shown) = (0, 0);
    for seed in 0..300 {
        let mut random = TestRng::new(seed);
        let model = if seed.is_multiple_of(3) {
            Model::Coloured(random::coloured(&mut random, 0))
        } else {
            let inhibitors = if seed.is_multiple_of(2) { 25 } else { 0 };
            let shape = NetShape { places: 5, transitions: 5, inhibitors, ..NetShape::default() };
            Model::Plain(random::net(&mut random, &shape))
        };
        let nodes = model.nodes();
        let queries = vec![
            Query::Reachable(random::predicate(&mut random, nodes, 2)),
            Query::Invariant(random::predicate(&mut random, nodes, 2)),
            Query::Ctl(random::ctl(&mut random, nodes, 3)),
            Query::Ltl(Quantifier::ForAll, random::path(&mut random, nodes, 3)),
            Query::Bound(nodes.place_ids().filter(|_| random.percent(40)).collect()),
            Query::Global(*random.pick(&[Global::OneSafe, Global::QuasiLiveness, Global::Liveness])),
            Query::Global(Global::StateSpace),
        ];
        let expected = fireset_oracle::outcomes(&model, &queries, 300, &Budget::unlimited());
        // A search of a net with infinitely many states may not end.
        let size = &expected.last().expect("the last query asks for it").verdict;
        if !matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite) {
            continue;
        }
        let problem = Problem { model: model.into(), queries };
        let report = check(&problem, &Options::default(), &Budget::unlimited(), &mut ());
        assert_eq!(report.fault, None);
        for (at, (given, expected)) in report.outcomes.iter().zip(&expected).enumerate() {
            let query = &problem.queries[at];
            assert_eq!(given.verdict, expected.verdict, "seed {seed} {query:?} {problem:?}");
            compared += 1;
            if let Some(evidence) = &given.evidence {
                let confirmed = replay::confirm(&problem.model, query, &given.verdict, evidence);
                assert_eq!(confirmed, Ok(()), "seed {seed} {query:?}");
                shown += 1;
            }
            assert!(!report.timelines[at].entries.is_empty(), "what was done is told");
        }
    }
    assert!(compared > 1_000 && shown > 300, "{compared} compared, {shown} shown");
}

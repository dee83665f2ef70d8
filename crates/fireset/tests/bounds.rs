//! Bounds through the whole line against the reference checker, with proven ceilings and without, on random nets of both
//! kinds.

use fireset::{
    Budget, Model, Options, Problem, Query, Simplification, Switch, Verdict, check,
    net::{Count, Global},
};
use fireset_oracle::random::{self, NetShape, TestRng};

#[test]
fn bounds_on_random_nets() {
    let (mut compared, mut at_once) = (0, 0);
    for seed in 0..600 {
        let mut random = TestRng::new(seed);
        let model = if seed.is_multiple_of(3) {
            Model::Coloured(random::coloured(&mut random, 0))
        } else {
            Model::Plain(random::net(
                &mut random,
                &NetShape { places: 5, transitions: 5, ..NetShape::default() },
            ))
        };
        let some = |_| model.nodes().place_ids().filter(|_| random.percent(40)).collect();
        let mut queries: Vec<Query> = (0..4).map(some).map(Query::Bound).collect();
        queries.push(Query::Global(Global::StateSpace));
        let mut expected = fireset_oracle::outcomes(&model, &queries, 300, &Budget::unlimited());
        let size = expected.pop().expect("the last query asks for it").verdict;
        // A search of a net with infinitely many states may not end.
        if !matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite) {
            continue;
        }
        queries.pop();
        let problem = Problem { model: model.into(), queries };
        for simplification in [Simplification::On, Simplification::Off] {
            let options = Options { simplification, first_look: Switch::Off, ..Options::default() };
            let report = check(&problem, &options, &Budget::unlimited(), &mut ());
            for (at, (given, expected)) in report.outcomes.iter().zip(&expected).enumerate() {
                let query = &problem.queries[at];
                assert_eq!(given.verdict, expected.verdict, "seed {seed} {options:?} {query:?} {problem:?}");
                compared += 1;
                at_once += usize::from(given.statistics.states == 0);
            }
        }
    }
    assert!(compared > 2_000 && at_once > 300, "{compared} compared, {at_once} without a search");
}

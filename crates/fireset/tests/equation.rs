//! Reachability through the whole line, with the state equation among the engines: against the reference checker.

use std::time::Duration;

use fireset::{
    Budget, Model, Options, Problem, Query, Simplification, Verdict, check,
    net::{
        Technique,
        random::{self, NetShape, Random},
        reference,
    },
};

#[test]
fn reachability_on_random_nets() {
    let (mut compared, mut by_equation) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
        let shape = NetShape { places: 5, transitions: 6, inhibitors, ..NetShape::default() };
        let model = Model::Plain(random::net(&mut random, &shape));
        let queries: Vec<Query> = (0..4)
            .map(|at| {
                let predicate = random::predicate(&mut random, model.nodes(), 2);
                if at % 2 == 0 { Query::Reachable(predicate) } else { Query::Invariant(predicate) }
            })
            .collect();
        let expected = reference::outcomes(&model, &queries, 300, &Budget::unlimited());
        let problem = Problem { model: model.into(), queries };
        // Simplified queries are mostly decided before any engine is asked.
        let options = Options { simplification: Simplification::Off, ..Options::default() };
        let budget = Budget::unlimited().with_timeout(Duration::from_millis(400));
        let report = check(&problem, &options, &budget, &mut |_, _| {});
        for (at, (given, expected)) in report.outcomes.iter().zip(&expected).enumerate() {
            if [given, expected].into_iter().any(|o| matches!(o.verdict, Verdict::Unknown(_))) {
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "seed {seed} {:?} {problem:?}", problem.queries[at]);
            compared += 1;
            by_equation += usize::from(given.techniques.contains(&Technique::StateEquation));
        }
    }
    assert!(compared > 1_000 && by_equation > 500, "{compared} compared, {by_equation} by the equation");
}

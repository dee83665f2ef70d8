//! Answers that nothing is reached come with certificates, whatever decided them, and with the same verdicts.

use fireset::{
    Budget, Certificates, Evidence, Model, Options, Outcome, Problem, Query, Switch, Verdict, check,
    net::{Formula, replay},
};
use fireset_oracle::random::{self, NetShape, TestRng};

fn decided(problem: &Problem, certificates: Certificates) -> Vec<Outcome> {
    let options = Options { threads: 1, certificates, first_look: Switch::Off, ..Options::default() };
    check(problem, &options, &Budget::unlimited(), &mut ()).outcomes
}

#[test]
fn most_of_what_is_never_reached_is_certified() {
    let (mut never, mut certified) = (0, 0);
    for seed in 0..150 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed % 3 == 0 { 20 } else { 0 };
        let shape = NetShape { places: 5, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
        let model = Model::Plain(random::net(&mut random, &shape));
        let mut queries = vec![Query::Reachable(Formula::Deadlock)];
        for _ in 0..4 {
            let predicate = random::predicate(&mut random, model.nodes(), 2);
            queries.extend([Query::Reachable(predicate.clone()), Query::Invariant(predicate)]);
        }
        let expected = fireset_oracle::outcomes(&model, &queries, 400, &Budget::unlimited());
        let problem = Problem { model: model.into(), queries };
        if expected.iter().any(|outcome| matches!(outcome.verdict, Verdict::Unknown(_))) {
            continue;
        }
        let (with, without) = (decided(&problem, Certificates::On), decided(&problem, Certificates::Off));
        for (at, query) in problem.queries.iter().enumerate() {
            let verdict = &expected[at].verdict;
            assert_eq!(
                (&with[at].verdict, &without[at].verdict),
                (verdict, verdict),
                "seed {seed}: {query:?}"
            );
            let is_never = matches!(
                (query, verdict),
                (Query::Reachable(_), Verdict::Fails) | (Query::Invariant(_), Verdict::Holds)
            );
            never += usize::from(is_never);
            assert!(!is_never || without[at].evidence.is_none(), "seed {seed}: {query:?}");
            if let Some(evidence @ Evidence::Certificate(_)) = &with[at].evidence {
                assert!(is_never, "seed {seed}: {query:?}");
                assert_eq!(replay::confirm(&problem.model, query, verdict, evidence), Ok(()));
                certified += 1;
            }
        }
    }
    assert!(never > 200 && 2 * certified > never, "{certified} of {never}");
}

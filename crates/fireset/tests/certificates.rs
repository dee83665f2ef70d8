//! Answers that nothing is reached come with certificates, whatever decided them, and with the same verdicts.

mod common;

use fireset::{Budget, Evidence, Options, Query, Switch, Verdict, net::Formula};
use fireset_oracle::{
    OracleTest, against_oracle, query,
    random::{self, NetShape},
};

#[test]
fn most_of_what_is_never_reached_is_certified() {
    let (mut never, mut certified) = (0, 0);
    let options = [Switch::On, Switch::Off].map(|certificates| {
        Options { threads: 1, ..Options::default() }.with_portfolio(|portfolio| {
            portfolio.certificates = certificates;
            portfolio.pre_check = Switch::Off;
        })
    });
    let test = OracleTest {
        seeds: 0..150,
        model: &|random, seed| {
            let inhibitors = if seed % 3 == 0 { 20 } else { 0 };
            let shape = NetShape { places: 5, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
            common::plain(random, seed, &shape)
        },
        queries: &|random, model| {
            let mut queries = vec![query::reachable(Formula::Deadlock)];
            for _ in 0..4 {
                let predicate = random::predicate(random, model.nodes(), 2);
                queries.extend([Query::Reachable(predicate.clone()), Query::Invariant(predicate)]);
            }
            queries
        },
        max_states: 400,
        configurations: &|case| if case.is_decided() { options.to_vec() } else { vec![] },
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(&test, common::ask, |case, options, given| {
        for (at, given) in given.iter().enumerate() {
            let given = given.as_ref().expect("all are answered");
            let is_never = matches!(
                (&case.problem.queries[at], &given.verdict),
                (Query::Reachable(_), Verdict::Fails) | (Query::Invariant(_), Verdict::Holds)
            );
            if options.portfolio.certificates == Switch::Off {
                assert!(!is_never || given.evidence.is_none(), "{}", case.describe(at));
                continue;
            }
            never += usize::from(is_never);
            if let Some(Evidence::Certificate(_)) = &given.evidence {
                assert!(is_never, "{}", case.describe(at));
                certified += 1;
            }
        }
    });
    assert_eq!(counts.too_hard, 0, "every certificate that is given out can be checked");
    assert!(never > 200 && 2 * certified > never, "{certified} of {never}");
}

//! Token counts that leave 64 bits: a verdict that would need them is unknown with that reason, never an internal fault, and
//! no other verdict is wrong.

mod common;

use std::ops::Range;

use fireset::{
    Budget, Model, Options, Problem, Query, StopReason, Switch, Verdict, check,
    net::{Comparison, Expr, Formula, Global, PlaceId},
};
use fireset_oracle::{
    OracleTest, against_oracle, query,
    random::{self, NetFamily},
    tiny,
};

const HALF: u64 = i64::MAX as u64;

fn at_least(place: usize, count: i64) -> Formula {
    let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
    Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(count))
}

/// The verdicts with and without reductions and a first look.
fn verdicts(net: &str, queries: Vec<Query>) -> Vec<Vec<Verdict>> {
    let problem = Problem { model: Model::Plain(tiny::net(net)).into(), queries };
    let first_looks = [Switch::On, Switch::Off];
    let checked = first_looks.map(|first_look| {
        let options = Options { threads: 1, ..Options::default() }
            .with_portfolio(|portfolio| portfolio.pre_check = first_look);
        let budget = Budget::unlimited().with_timeout(std::time::Duration::from_secs(60));
        let report = check(&problem, &options, &budget, &mut ());
        assert_eq!(report.fault, None, "{net}");
        report.outcomes.into_iter().map(|outcome| outcome.verdict).collect()
    });
    checked.into()
}

#[test]
fn a_run_that_overflows_on_the_net_as_written_decides_nothing() {
    // Reductions remove `q`, which no query counts, so that engines find a run on which it overflows.
    let net = format!("p:3 q s; t: p -> s, {HALF}*q");
    let queries = vec![query::reachable(at_least(2, 3)), Query::Bound(vec![PlaceId::new(2)])];
    for given in verdicts(&net, queries) {
        assert_eq!(given, vec![Verdict::Unknown(StopReason::Overflow); 2]);
    }
    // Two firings fit.
    for given in verdicts(&net, vec![query::reachable(at_least(2, 2))]) {
        assert_eq!(given, [Verdict::Holds]);
    }
}

#[test]
fn a_full_place_that_is_doubled() {
    let net = format!("p:{HALF} q:2; double: {HALF}*p, q -> {HALF}*p, {HALF}*p; half: {HALF}*p -> q");
    let queries = vec![
        query::reachable(at_least(1, 3)),
        query::invariant(at_least(0, 1)),
        Query::Global(Global::OneSafe),
        Query::Global(Global::QuasiLiveness),
        Query::Global(Global::StateSpace),
        query::reachable(Formula::Deadlock),
        query::ctl(at_least(1, 3).possible().invariant()),
    ];
    for given in verdicts(&net, queries) {
        let [three, never_empty, one_safe, quasi_live, size, ..] = &given[..] else { panic!("{given:?}") };
        assert_eq!([three, never_empty], [&Verdict::Holds, &Verdict::Fails], "{given:?}");
        assert_eq!([one_safe, quasi_live], [&Verdict::Fails, &Verdict::Holds], "{given:?}");
        // It cannot be both doubled again and counted.
        assert!(!matches!(size, Verdict::Unknown(StopReason::Fault(_))), "{given:?}");
    }
}

/// Nets with counts near 2^63 and 2^64, all kinds of queries: right, or unknown for that reason.
/// Seeds are halved, so that both halves are tested at the same time.
#[test]
fn random_nets_with_huge_counts() {
    compare(0..125);
}

#[test]
fn more_random_nets_with_huge_counts() {
    compare(125..250);
}

fn compare(seeds: Range<u64>) {
    let options = [Switch::On, Switch::Off].map(|first_look| {
        Options { threads: 1, ..Options::default() }
            .with_portfolio(|portfolio| portfolio.pre_check = first_look)
    });
    let test = OracleTest {
        seeds,
        model: &|random, _| Model::Plain(NetFamily::Huge.draw(random)),
        queries: &|random, model| (0..4).map(|_| random::query(random, model.nodes(), 2)).collect(),
        max_states: 300,
        configurations: &|case| vec![options[case.seed as usize % 2]],
        // Nets with such counts have more markings than can be explored, whatever the limit is that ends it.
        may_stop: &|case, reason| match reason {
            StopReason::Fault(_) => false,
            StopReason::Formula(_) => true,
            _ => !case.is_finite() || *reason == StopReason::Overflow,
        },
        budget: &|_| Budget::unlimited().with_memory(1 << 26).with_timeout(std::time::Duration::from_secs(2)),
    };
    let counts = against_oracle(&test, common::ask, |_, _, _| {});
    assert!(counts.overflows > 10 && counts.compared > 150, "{counts:?}");
}

//! Properties of the whole net through the whole line, against the oracle.

mod common;

use std::ops::Range;

use fireset::{Budget, Model, Options, Query, StopReason, Switch, Verdict, net::Global};
use fireset_oracle::{
    OracleCounts, OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
};

const MAX_STATES: usize = 300;
const ASKED: [Global; 4] = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];

fn compare(seeds: Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> OracleCounts {
    let test = OracleTest {
        seeds,
        model,
        queries: &|_, _| ASKED.map(Query::Global).into(),
        max_states: MAX_STATES,
        configurations: &|case| if case.is_decided() { vec![options(case.seed)] } else { vec![] },
        may_stop: &|case, reason| *reason == StopReason::Overflow && case.may_overflow(),
        budget: &|_| Budget::unlimited(),
    };
    against_oracle(&test, common::ask, |case, _, given| {
        for (at, (given, expected)) in given.iter().zip(&case.expected).enumerate() {
            let given = given.as_ref().expect("all are answered");
            let is_shown = given.evidence.is_some() == expected.evidence.is_some();
            assert!(is_shown || matches!(given.verdict, Verdict::Unknown(_)), "{}", case.describe(at));
        }
    })
}

/// Whether of each property at least this many were found to hold, and more than this many to fail.
fn is_enough(counts: &OracleCounts, holds: [usize; 4], fails: usize) -> bool {
    let kinds = ["one-safe", "stable-marking", "quasi-liveness", "liveness"].map(|kind| counts.kind(kind));
    kinds.iter().zip(holds).all(|(kind, holds)| kind.fails > fails && kind.holds >= holds)
}

fn options(seed: u64) -> Options {
    let options = Options { threads: 1, ..Options::default() }
        .with_portfolio(|portfolio| portfolio.pre_check = Switch::Off);
    match seed % 5 {
        0 => options.with_portfolio(|portfolio| portfolio.simplification = Switch::Off),
        1 => options.with_portfolio(|portfolio| portfolio.reduction = Switch::Off),
        _ => options,
    }
}

#[test]
fn plain_nets() {
    let shape = NetShape { inhibitors: 20, tokens: 2, ..NetShape::default() };
    let counts = compare(0..800, &|random, seed| {
        // Structured families take every fourth seed, which is odd.
        let net = random::structured(random, seed);
        let net = net.or_else(|| (seed % 2 == 1).then(|| random::grown(random, 25)));
        Model::Plain(net.unwrap_or_else(|| random::net(random, &shape)))
    });
    assert!(is_enough(&counts, [15; 4], 15), "{counts:?}");
    assert_eq!(counts.unknown, 0, "{counts:?}");
}

#[test]
fn coloured_nets() {
    let counts = compare(0..200, &|random, _| common::coloured(random, 15));
    // A random coloured net has two tokens in its first place.
    assert!(is_enough(&counts, [0, 30, 30, 2], 30), "{counts:?}");
    assert_eq!(counts.unknown, 0, "{counts:?}");
}

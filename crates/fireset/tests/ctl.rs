//! CTL through the whole line against the oracle, with each pass and without, on random nets of both
//! kinds: the same verdicts, no faults, and evidence that replays on the formula as asked.

mod common;

use std::ops::Range;

use fireset::{Budget, Model, Options, Query, Switch};
use fireset_oracle::{
    OracleCounts, OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 300;

/// What shows verdicts.
#[derive(Debug, Default)]
struct ShownVerdicts {
    by_runs: usize,
    with_claims: usize,
}

/// What all options say of random formulas, against the oracle.
fn compare(
    seeds: Range<u64>,
    model: &dyn Fn(&mut TestRng, u64) -> Model,
    options: &[Options],
) -> (OracleCounts, ShownVerdicts) {
    let mut shown = ShownVerdicts::default();
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| {
            (1..=4).map(|nesting| Query::Ctl(random::nested_ctl(random, model.nodes(), nesting))).collect()
        },
        max_states: MAX_STATES,
        configurations: &|case| common::on_finite_nets(case, options),
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(&test, common::ask, |_, _, given| {
        for evidence in given.iter().flatten().filter_map(|outcome| outcome.evidence.as_ref()) {
            *if evidence.claims().is_empty() { &mut shown.by_runs } else { &mut shown.with_claims } += 1;
        }
    });
    (counts, shown)
}

fn options(simplification: Switch, unfolding: Switch) -> Options {
    Options { threads: 1, ..Options::default() }
        .with_portfolio(|portfolio| {
            portfolio.simplification = simplification;
            portfolio.pre_check = Switch::Off;
        })
        .with_coloured(|coloured| coloured.unfolding = unfolding)
}

#[test]
fn plain_nets() {
    let options = [Switch::On, Switch::Off].map(|s| options(s, Switch::On));
    let drawn = |random: &mut TestRng, seed: u64| {
        let inhibitors = if seed.is_multiple_of(3) { 30 } else { 0 };
        common::plain(random, seed, &NetShape { inhibitors, ..NetShape::default() })
    };
    let (counts, shown) = compare(0..800, &drawn, &options);
    assert!(counts.holds > 1_500 && counts.fails > 1_500, "{counts:?}");
    assert!(shown.by_runs * 2 > counts.holds + counts.fails, "{counts:?} {shown:?}");
}

/// Compares coloured nets with three options, with a first look or without.
fn coloured(first_look: Switch) -> (OracleCounts, ShownVerdicts) {
    let options =
        [options(Switch::On, Switch::On), options(Switch::Off, Switch::On), options(Switch::On, Switch::Off)];
    let options = options.map(|options| options.with_portfolio(|portfolio| portfolio.pre_check = first_look));
    let drawn = |random: &mut TestRng, seed: u64| {
        common::coloured(random, if seed.is_multiple_of(3) { 30 } else { 0 })
    };
    let (counts, shown) = compare(0..600, &drawn, &options);
    assert!(counts.holds > 1_500 && counts.fails > 1_500, "{counts:?}");
    (counts, shown)
}

#[test]
fn coloured_nets() {
    let (counts, shown) = coloured(Switch::On);
    assert!(shown.by_runs * 2 > counts.holds + counts.fails, "{counts:?} {shown:?}");
}

#[test]
fn coloured_nets_without_a_first_look() {
    // What easier queries decide beside a formula is not shown by runs.
    let (counts, shown) = coloured(Switch::Off);
    assert!(shown.by_runs * 100 > 46 * (counts.holds + counts.fails), "{counts:?} {shown:?}");
}

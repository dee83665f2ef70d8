//! Bounds through the whole line against the oracle, with proven ceilings and without, on random nets of both
//! kinds.

mod common;

use fireset::{Budget, Options, Query, Switch};
use fireset_oracle::{OracleTest, against_oracle, random::NetShape};

#[test]
fn bounds_on_random_nets() {
    let options = [Switch::On, Switch::Off].map(|simplification| {
        Options::default().with_portfolio(|portfolio| {
            portfolio.simplification = simplification;
            portfolio.pre_check = Switch::Off;
        })
    });
    let mut at_once = 0;
    let test = OracleTest {
        seeds: 0..600,
        model: &|random, seed| {
            if seed.is_multiple_of(3) {
                return common::coloured(random, 0);
            }
            common::plain(random, seed, &NetShape { places: 5, transitions: 5, ..NetShape::default() })
        },
        queries: &|random, model| {
            let mut some = || model.nodes().place_ids().filter(|_| random.percent(40)).collect();
            (0..4).map(|_| Query::Bound(some())).collect()
        },
        max_states: 300,
        configurations: &|case| common::on_finite_nets(case, &options),
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(&test, common::ask, |_, _, given| {
        at_once += given.iter().flatten().filter(|outcome| outcome.statistics.states == 0).count();
    });
    assert!(counts.bounds > 2_000 && at_once > 300, "{counts:?}, {at_once} without a search");
}

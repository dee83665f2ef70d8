//! Questions about colours through the whole line against the oracle, on the coloured net and on its unfolding, with each pass
//! and without: the same verdicts, no faults, and evidence that replays on the question as asked.

mod common;

use fireset::{
    Budget, Model, Options, Query, Switch,
    net::{Net, StateAtom},
};
use fireset_oracle::{
    OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 200;

/// Queries of all kinds that have states or runs, most of them about colours.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let Model::Coloured(net) = model else { panic!("the net is coloured") };
    let mut queries: Vec<Query> = (0..5).map(|_| random::coloured_query(random, net, 2)).collect();
    queries.push(random::query(random, net.nodes(), 1));
    queries.retain(|query| !matches!(query, Query::Ltl(_, path) if path.temporal_operators() > 6));
    queries
}

fn options() -> Vec<Options> {
    let all = [
        (Switch::On, Switch::On, Switch::On),
        (Switch::Off, Switch::On, Switch::Off),
        (Switch::On, Switch::Off, Switch::Off),
        (Switch::Off, Switch::Off, Switch::Off),
    ];
    let options = all.map(|(simplification, unfolding, pre_check)| {
        Options { threads: 1, ..Options::default() }
            .with_portfolio(|portfolio| {
                portfolio.simplification = simplification;
                portfolio.pre_check = pre_check;
            })
            .with_coloured(|coloured| coloured.unfolding = unfolding)
    });
    options.into()
}

#[test]
fn answers_agree_with_the_oracle() {
    let options = options();
    let test = OracleTest {
        seeds: 0..2_000,
        model: &|random, seed| common::coloured(random, if seed.is_multiple_of(3) { 30 } else { 0 }),
        queries: &queries,
        max_states: MAX_STATES,
        configurations: &|case| common::on_finite_nets(case, &options),
        may_stop: &common::too_large_formula,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(&test, common::ask, |_, _, _| {});
    let kinds = ["reachable", "invariant", "ctl", "ltl", "bound"];
    assert!(kinds.iter().all(|kind| counts.kind(kind).compared > 1_500), "{counts:?}");
    assert!(counts.with_evidence > 8_000, "{counts:?}");
}

/// Whether a plain net has what a query names.
fn is_of(net: &Net, query: &Query) -> bool {
    let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
    let mut is_of = match query {
        Query::ColourBound(tokens) => tokens.iter().all(|some| some.place.index() < places),
        Query::Bound(tokens) => tokens.iter().all(|place| place.index() < places),
        _ => true,
    };
    query.state_atoms(&mut |atom| match atom {
        StateAtom::Deadlock => {}
        StateAtom::Fireable(ts) => is_of &= ts.iter().all(|t| t.index() < transitions),
        StateAtom::BindingFireable(bindings) => is_of &= bindings.transition().index() < transitions,
        StateAtom::Compare(_, a, b) => {
            for side in [a, b] {
                side.places(&mut |place| is_of &= place.index() < places);
            }
        }
    });
    is_of
}

/// The library may be asked so, although no query language can: plain tokens have the only colour, and variables none.
#[test]
fn colours_of_a_plain_net() {
    let test = OracleTest {
        seeds: 0..600,
        model: &|random, seed| common::plain(random, seed, &NetShape::default()),
        queries: &|random, model| {
            let Model::Plain(net) = model else { panic!("the net is plain") };
            let other = random::coloured(random, 0);
            let mut drawn: Vec<Query> = (0..12).map(|_| random::coloured_query(random, &other, 2)).collect();
            drawn.retain(|query| is_of(net, query) && !matches!(query, Query::Ltl(..)));
            drawn
        },
        max_states: MAX_STATES,
        configurations: &|case| common::on_finite_nets(case, &options()),
        may_stop: &common::too_large_formula,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(&test, common::ask, |_, _, _| {});
    assert!(counts.holds > 1_000 && counts.fails > 1_000, "{counts:?}");
}

//! Named properties through the whole line, against the oracle, which follows their definitions.

mod common;

use std::{ops::Range, time::Duration};

use fireset::{
    Budget, Model, Options, Outcome, Problem, Query, StopReason, Switch, Verdict,
    net::{Formula, LivenessLevel, Logic, NamedProperty, Nodes, coloured::PlaceColours},
};
use fireset_oracle::{
    KindCounts, OracleCounts, OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
    tiny,
};

const MAX_STATES: usize = 200;

fn query(property: NamedProperty) -> Query {
    Query::classify(&Formula::Named(property), Logic::Ctl).expect("a property that stands alone")
}

/// One query of each kind, about random places and transitions.
fn drawn(random: &mut TestRng, nodes: &Nodes, is_plain: bool) -> Vec<Query> {
    let all: Vec<_> = nodes.place_ids().collect();
    let ts: Vec<_> = nodes.transition_ids().collect();
    let mut properties = vec![
        NamedProperty::Bounded(all.clone()),
        NamedProperty::KBounded(random.within(1, 3), all.clone()),
        NamedProperty::DeadlockFree,
        NamedProperty::Reversible,
        NamedProperty::Terminating,
    ];
    if !all.is_empty() {
        properties.push(NamedProperty::Bounded(vec![*random.pick(&all)]));
        let whole = |place| PlaceColours { place, colours: Default::default() };
        let tokens = all.iter().map(|&place| (whole(place), random.below(3) as u64)).collect();
        properties.push(NamedProperty::Home(tokens));
    }
    if let [first, ..] = ts[..] {
        properties.push(NamedProperty::Dead(vec![*random.pick(&ts)]));
        properties.push(NamedProperty::Live(vec![*random.pick(&ts)], LivenessLevel::L1));
        properties.push(NamedProperty::Live(vec![first], LivenessLevel::L4));
    }
    if is_plain {
        properties.push(NamedProperty::Persistent);
        if !ts.is_empty() {
            let group = [*random.pick(&ts), *random.pick(&ts)];
            properties.push(NamedProperty::Live(vec![group[0]], LivenessLevel::L2));
            properties.push(NamedProperty::Live(vec![group[0]], LivenessLevel::L3));
            properties.push(NamedProperty::Live(group.into(), LivenessLevel::L3));
        }
    }
    properties.into_iter().map(query).collect()
}

fn compare(seeds: Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> OracleCounts {
    let options = Options { threads: 1, ..Options::default() }
        .with_portfolio(|portfolio| portfolio.certificates = Switch::Off);
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| drawn(random, model.nodes(), matches!(model, Model::Plain(_))),
        max_states: MAX_STATES,
        // The searches of unbounded nets do not end, so these get little time.
        configurations: &|case| match case.is_finite() {
            true => vec![(options, Duration::from_secs(60))],
            false if case.seed % 4 < 2 => vec![(options, Duration::from_millis(200))],
            false => vec![],
        },
        may_stop: &|case, reason| {
            !case.is_finite() && !matches!(reason, StopReason::Fault(_) | StopReason::NoEngine)
        },
        budget: &|(_, time)| Budget::unlimited().with_timeout(*time),
    };
    let ask = |(options, _): &(Options, Duration),
               problem: &Problem,
               budget: &Budget,
               report: &mut dyn FnMut(usize, Outcome)| {
        common::ask(options, problem, budget, report);
    };
    against_oracle(&test, ask, |_, _, _| {})
}

fn both(counts: KindCounts, least: usize) -> bool {
    counts.holds >= least && counts.fails >= least
}

#[test]
fn plain_nets() {
    let shape = NetShape { inhibitors: 15, tokens: 2, ..NetShape::default() };
    let counts = compare(0..500, &|random, seed| {
        let net = random::structured(random, seed);
        let net = net.or_else(|| (seed % 2 == 1).then(|| random::grown(random, 15)));
        Model::Plain(net.unwrap_or_else(|| random::net(random, &shape)))
    });
    assert!(counts.kind("bounded").fails > 12, "{counts:?}");
    for kind in ["k-bounded", "reversible", "repeatable", "persistent", "terminating"] {
        assert!(both(counts.kind(kind), 20), "{kind}: {counts:?}");
    }
    assert!(counts.with_evidence > 1_000, "{counts:?}");
}

#[test]
fn coloured_nets() {
    let counts = compare(0..150, &|random, _| common::coloured(random, 15));
    for kind in ["k-bounded", "reversible", "terminating"] {
        assert!(both(counts.kind(kind), 3), "{kind}: {counts:?}");
    }
}

/// A transition that can fire any number of times, but not infinitely often: Murata's example of L2 without L3.
#[test]
fn the_levels_of_liveness_differ() {
    let net = tiny::net("p:1 q r; grow: p -> p, q; stop: p -> r; use: r, q -> r; never: 2*r ->");
    let model = Model::Plain(net);
    let transition =
        |name: &str| model.nodes().transitions.find(name).map(fireset::net::TransitionId::new).unwrap();
    let verdict = |name: &str, level| {
        let queries = vec![query(NamedProperty::Live(vec![transition(name)], level))];
        let problem = Problem { model: model.clone().into(), queries };
        let budget = Budget::unlimited().with_timeout(Duration::from_secs(5));
        fireset::check(&problem, &Options::default(), &budget, &mut ()).outcomes[0].verdict.clone()
    };
    use LivenessLevel::{L1, L2, L3};
    assert_eq!(
        ["grow", "stop", "use", "never"].map(|t| verdict(t, L1)),
        [true, true, true, false].map(Verdict::from)
    );
    assert_eq!(["grow", "stop", "never"].map(|t| verdict(t, L2)), [true, false, false].map(Verdict::from));
    assert_eq!(["grow", "stop", "never"].map(|t| verdict(t, L3)), [true, false, false].map(Verdict::from));
    // What takes an unbounded number of tokens that no run refills cannot go on for ever; engines may leave it open.
    assert_ne!(verdict("use", L3), Verdict::Holds);
    assert_ne!(verdict("use", L2), Verdict::Fails);
}

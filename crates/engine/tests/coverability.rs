//! Coverability against the reference checker, which has the textbook tree for unbounded nets; forward and backward search
//! against each other.

mod common;

use std::ops::Range;

use common::ask;
use fireset_engine::{CoverabilityDirection, CoverabilityEngine, Engine};
use fireset_net::{
    Budget, Comparison, Count, Expr, Formula, Global, Model, Net, NetBuilder, Outcome, PlaceId, Problem,
    Query, StateAtom, StatePredicate, Verdict,
};
use fireset_oracle::{
    KindCounts, OracleCounts, OracleTest, against_oracle, query,
    random::{self, TestRng},
    tiny,
};

const FORWARD: CoverabilityEngine =
    CoverabilityEngine { direction: CoverabilityDirection::Forward, max_nodes: 2_000 };
const BACKWARD: CoverabilityEngine =
    CoverabilityEngine { direction: CoverabilityDirection::Backward, max_nodes: 2_000 };

/// Nodes of a coverability graph that the oracle may hold.
const MAX_STATES: usize = 300;

/// A net without a plan, of which about half are unbounded: transitions may take nothing or give nothing.
fn wild_net(random: &mut TestRng) -> Net {
    let mut builder = NetBuilder::new("wild");
    let places: Vec<PlaceId> = (0..random.within(1, 5))
        .map(|at| builder.place(&format!("p{at}"), random.within(0, 2)).expect("a new name"))
        .collect();
    for at in 0..random.within(1, 6) {
        let transition = builder.transition(&format!("t{at}")).expect("a new name");
        for _ in 0..random.within(0, 2) {
            builder.input(*random.pick(&places), transition, random.within(1, 2));
        }
        for _ in 0..random.within(0, 2) {
            builder.output(transition, *random.pick(&places), random.within(1, 3));
        }
    }
    builder.build().expect("small weights do not overflow")
}

/// A predicate that more tokens keep true.
fn growing(random: &mut TestRng, net: &Net, depth: usize) -> StatePredicate {
    if depth > 0 && random.percent(60) {
        let parts = (0..2).map(|_| growing(random, net, depth - 1)).collect();
        return if random.percent(60) { StatePredicate::And(parts) } else { StatePredicate::Or(parts) };
    }
    if random.percent(20) {
        let transitions = net.nodes().transition_ids().filter(|_| random.percent(40)).collect();
        return StateAtom::Fireable(transitions).into();
    }
    let places: Vec<PlaceId> = net.nodes().place_ids().filter(|_| random.percent(40)).collect();
    let number = Expr::Constant(random.within(0, 6) as i64);
    StateAtom::Compare(Comparison::GreaterEqual, Expr::Tokens(places), number).into()
}

fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let Model::Plain(net) = model else { return Vec::new() };
    let mut queries: Vec<Query> =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness]
            .map(Query::Global)
            .into();
    queries.push(query::reachable(Formula::Deadlock));
    for _ in 0..4 {
        queries.push(Query::Reachable(growing(random, net, 2)));
        queries.push(Query::Invariant(growing(random, net, 2).negate()));
        queries.push(Query::Invariant(growing(random, net, 2)));
        queries.push(Query::Bound(net.nodes().place_ids().filter(|_| random.percent(40)).collect()));
        queries.push(Query::Reachable(random::predicate(random, net.nodes(), 2)));
    }
    queries.retain(|query| FORWARD.accepts(model, query));
    queries
}

fn compare(seeds: Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> OracleCounts {
    let test = OracleTest {
        seeds,
        model,
        queries: &queries,
        max_states: MAX_STATES,
        configurations: &|case| {
            case.ask_coverability_graph(MAX_STATES);
            vec![FORWARD, BACKWARD]
        },
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let mut forward: Vec<Option<Outcome>> = Vec::new();
    against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, engine, given| {
            if engine.direction == CoverabilityDirection::Forward {
                forward = given.to_vec();
                return;
            }
            for (at, (a, b)) in forward.iter().zip(given).enumerate() {
                let (Some(a), Some(b)) = (a, b) else { continue };
                assert_eq!(a.verdict, b.verdict, "{}", case.describe(at));
            }
        },
    )
}

#[test]
fn unbounded_nets() {
    let counts = compare(0..400, &|random, _| Model::Plain(wild_net(random)));
    assert!(counts.infinite > 200 && counts.compared > 9_000 && counts.with_evidence > 5_000, "{counts:?}");
    for kind in ["reachable", "invariant", "one-safe", "stable-marking", "quasi-liveness"] {
        let KindCounts { holds, fails, .. } = counts.kind(kind);
        assert!(holds > 30 && fails > 100, "{kind}: {counts:?}");
    }
    assert!(counts.bounds > 1_000 && counts.kind("liveness").fails > 300, "{counts:?}");
}

#[test]
fn mostly_bounded_nets() {
    let counts = compare(0..200, &common::any_net);
    assert!(counts.compared > 2_000 && counts.with_evidence > 1_000, "{counts:?}");
}

/// The verdicts of both directions on a query of a tiny net; `None` where there is none.
fn verdicts(net: &str, query: &Query) -> [Option<Verdict>; 2] {
    [FORWARD, BACKWARD].map(|engine| {
        let problem = Problem { model: Model::Plain(tiny::net(net)).into(), queries: vec![query.clone()] };
        let mut verdict = None;
        engine.decide(&problem, &Budget::unlimited(), &mut |_: usize, outcome: Outcome| {
            verdict = Some(outcome.verdict);
        });
        verdict
    })
}

fn both(verdict: Verdict) -> [Option<Verdict>; 2] {
    [Some(verdict.clone()), Some(verdict)]
}

fn bound(place: usize) -> Query {
    Query::Bound(vec![PlaceId::new(place)])
}

#[test]
fn bounded_places_of_an_unbounded_net_have_their_bound() {
    let net = "p:2 q r:1; make: p -> p, q; take: 2*q, r -> r; move: p -> r; back: r -> p";
    assert_eq!(verdicts(net, &bound(0))[0], Some(Verdict::Bound(3u32.into())));
    assert_eq!(verdicts(net, &bound(1))[0], Some(Verdict::Bound(Count::Infinite)));
}

#[test]
fn liveness_is_proven_and_refuted() {
    let live = Query::Global(Global::Liveness);
    // A producer and a consumer with an unbounded buffer.
    let net = "idle:1 full buffer wait:1 has; make: idle -> full; put: full -> idle, buffer; \
               get: buffer, wait -> has; use: has -> wait";
    assert_eq!(verdicts(net, &live), both(Verdict::Holds));
    // The consumer may leave; then the buffer only grows.
    let net = "idle:1 buffer wait:1; put: idle -> idle, buffer; get: buffer, wait -> wait; leave: wait ->";
    assert_eq!(verdicts(net, &live), both(Verdict::Fails));
    // What is taken twice at a time can be left over, but more comes.
    let net = "p:1 q; put: p -> p, q; get: 2*q ->";
    assert_eq!(verdicts(net, &live), both(Verdict::Holds));
    // Nothing comes after the switch is off, and the rest is used up.
    let net =
        "on:1 off q:1; put: on -> on, q; get: q ->; stop: on -> off; idle: off -> off; start: off, 3*q -> on";
    assert_eq!(verdicts(net, &live), both(Verdict::Fails));
}

#[test]
fn deadlock_freedom_of_unbounded_nets_is_proven() {
    let deadlock = query::reachable(Formula::Deadlock);
    let net = "a:1 b q; put: a -> b, q; get: b, q -> a; more: b -> a, q";
    assert_eq!(verdicts(net, &deadlock)[0], Some(Verdict::Fails));
    let net = "a:1 b q; put: a -> a, q; leave: a -> b; get: b, q -> b";
    assert_ne!(verdicts(net, &deadlock)[0], Some(Verdict::Fails));
}

#[test]
fn counts_near_the_end_of_64_bits_never_mislead() {
    // All of them are unbounded and live.
    let huge = u64::MAX - 1;
    for net in [
        format!("p:{huge} q; t: p -> p, q"),
        format!("p:1 q r; t: p -> {huge}*q; u: q -> {huge}*r; v: r -> r, p"),
        format!("p:1 q; t: p -> p, {huge}*q; u: {huge}*q -> p"),
    ] {
        for query in [bound(1), Query::Global(Global::Liveness), query::reachable(Formula::Deadlock)] {
            let given = verdicts(&net, &query);
            let right = match query {
                Query::Bound(_) => Verdict::Bound(Count::Infinite),
                Query::Global(_) => Verdict::Holds,
                _ => Verdict::Fails,
            };
            let is_right = |verdict: &Option<Verdict>| verdict.as_ref().is_none_or(|given| *given == right);
            assert!(given.iter().all(is_right), "{net}: {given:?}");
        }
    }
}

//! Coverability graphs of nets with infinitely many states, computed by hand.

use fireset_net::{
    Count, Global,
    reachability::{CoverabilityNet, GraphLimits, LimitCount},
};
use fireset_oracle::tiny;

use super::*;

/// `t` fills `q`, and `u` moves `p` to `r` for two tokens of `q`.
const NET: &str = "p:1 q r s:2; t: p -> p, q; u: p, 2*q -> r; v: r, s ->";

#[test]
fn a_coverability_graph_is_finite() {
    let net = tiny::net(NET);
    let net = CoverabilityNet::new(&net).expect("no inhibitor arcs");
    let graph = net.graph(GraphLimits { states: 10, edges: true }, &Budget::unlimited());
    assert_eq!(graph.complete(), Ok(()));
    let text = |count: &LimitCount| match count {
        LimitCount::Finite(count) => count.to_string(),
        LimitCount::Omega => "ω".into(),
    };
    let states: Vec<String> = graph.states().iter().map(|state| state.0.iter().map(text).collect()).collect();
    assert_eq!(states, ["1002", "1ω02", "0ω12", "0ω01"]);
    assert_eq!(graph.firings(), 4);
    assert!(CoverabilityNet::new(&tiny::net("p; t: !p -> p")).is_none());
}

#[test]
fn queries_are_decided_by_it() {
    let model = Model::Plain(tiny::net(NET));
    let bound = |at| Query::Bound(vec![PlaceId::new(at)]);
    assert_eq!(verdict(&model, bound(1)), Verdict::Bound(Count::Infinite));
    assert_eq!(verdict(&model, bound(3)), Verdict::Bound(2u32.into()));
    let at_least = |place, number| {
        let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
        query::reachable(Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(number)))
    };
    assert_eq!(verdict(&model, at_least(2, 1)), Verdict::Holds);
    assert_eq!(verdict(&model, at_least(2, 2)), Verdict::Fails);
    assert_eq!(verdict(&model, Query::Global(Global::QuasiLiveness)), Verdict::Holds);
    assert_eq!(verdict(&model, Query::Global(Global::Liveness)), Verdict::Fails);
    assert_eq!(verdict(&model, Query::Global(Global::StableMarking)), Verdict::Fails);
    let stuck = Model::Plain(tiny::net("p:1 q s; t: p -> p, q; u: p, s -> q"));
    assert_eq!(verdict(&stuck, Query::Global(Global::QuasiLiveness)), Verdict::Fails);
    assert_eq!(verdict(&stuck, Query::Global(Global::StableMarking)), Verdict::Holds);
}

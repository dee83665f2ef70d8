//! Coverability graphs of nets with infinitely many states, computed by hand.

use fireset_net::{
    Count, Global,
    reachability::{CoverabilityNet, GraphLimits, LimitCount},
};
use fireset_oracle::{by_coverability_graph, tiny};

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
    let of = |net: &str, query: Query| by_coverability_graph(&tiny::net(net), &[query], 10).remove(0);
    let bound = |at| of(NET, Query::Bound(vec![PlaceId::new(at)]));
    assert_eq!(bound(1), Some(Verdict::Bound(Count::Infinite)));
    assert_eq!(bound(3), Some(Verdict::Bound(2u32.into())));
    let at_least = |place, number| {
        let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
        query::reachable(Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(number)))
    };
    assert_eq!(of(NET, at_least(2, 1)), Some(Verdict::Holds));
    assert_eq!(of(NET, at_least(2, 2)), Some(Verdict::Fails));
    assert_eq!(of(NET, query::reachable(Formula::Deadlock)), None);
    let global = |net, property| of(net, Query::Global(property));
    assert_eq!(global(NET, Global::QuasiLiveness), Some(Verdict::Holds));
    assert_eq!(global(NET, Global::Liveness), Some(Verdict::Fails));
    assert_eq!(global(NET, Global::StableMarking), Some(Verdict::Fails));
    assert_eq!(global(NET, Global::OneSafe), Some(Verdict::Fails));
    let stuck = "p:1 q s; t: p -> p, q; u: p, s -> q";
    assert_eq!(global(stuck, Global::QuasiLiveness), Some(Verdict::Fails));
    assert_eq!(global(stuck, Global::StableMarking), Some(Verdict::Holds));
}

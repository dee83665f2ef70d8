//! Global properties, sizes and bounds against their definitions, word by word, on random nets.

use fireset_net::{
    Global, Model, PlaceId, Query, Semantics, StateSpaceSize, Verdict, reachability::ReachabilityGraph,
};
use fireset_oracle::random::{self, NetShape, TestRng};

use super::*;

/// The states that can be reached from `start`.
fn reachable<S: Semantics>(graph: &ReachabilityGraph<'_, S>, start: usize) -> Vec<usize> {
    let mut found = vec![start];
    let mut at = 0;
    while at < found.len() {
        for edge in graph.edges(found[at]) {
            if !found.contains(&edge.target()) {
                found.push(edge.target());
            }
        }
        at += 1;
    }
    found
}

/// Whether every transition can fire at some time from `start` on.
fn all_fire<S: Semantics>(graph: &ReachabilityGraph<'_, S>, start: usize) -> bool {
    let from = reachable(graph, start);
    let fires = |t| from.iter().any(|&s| graph.edges(s).iter().any(|&e| graph.step(e).transition == t));
    graph.net().as_ref().transition_ids().all(fires)
}

fn expected<S: Semantics>(graph: &ReachabilityGraph<'_, S>) -> Vec<Verdict> {
    let (net, states) = (graph.net(), graph.states());
    let places = || net.as_ref().place_ids();
    let tokens = |state: &S::State, p: PlaceId| net.tokens(state, p).total;
    let one_safe = states.iter().all(|s| places().all(|p| tokens(s, p) <= 1));
    let stable = places().any(|p| states.iter().all(|s| tokens(s, p) == tokens(&states[0], p)));
    let live = (0..states.len()).all(|s| all_fire(graph, s));
    let sums = states.iter().map(|s| places().map(|p| tokens(s, p)).sum::<u128>());
    let largest = states.iter().flat_map(|s| places().map(|p| net.tokens(s, p).largest));
    let figures = StateSpaceSize {
        states: reachable(graph, 0).len().into(),
        firings: (0..states.len()).map(|s| net.steps(&states[s]).len()).sum::<usize>().into(),
        max_in_marking: sums.max().expect("a state").into(),
        max_in_place: largest.max().expect("a place").into(),
    };
    let bound = states.iter().map(|s| tokens(s, PlaceId::new(0))).max().expect("a state");
    vec![
        one_safe.into(),
        stable.into(),
        all_fire(graph, 0).into(),
        live.into(),
        Verdict::StateSpace(figures),
        Verdict::Bound(bound.into()),
    ]
}

fn queries() -> Vec<Query> {
    vec![
        Query::Global(Global::OneSafe),
        Query::Global(Global::StableMarking),
        Query::Global(Global::QuasiLiveness),
        Query::Global(Global::Liveness),
        Query::Global(Global::StateSpace),
        Query::Bound(vec![PlaceId::new(0)]),
    ]
}

#[test]
fn plain_nets() {
    let (mut tried, mut live) = (0, 0);
    for seed in 1000..1500 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { inhibitors: (seed % 2 * 30) as usize, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let Some(graph) = small_graph(&net) else { continue };
        let expected = expected(&graph);
        assert_eq!(verdicts(&Model::Plain(net.clone()), &queries()), expected, "{net:?}");
        live += usize::from(expected[3] == Verdict::Holds);
        tried += 1;
    }
    assert!(tried > 350 && live > 10, "{tried} nets, {live} of them live");
}

#[test]
fn coloured_nets() {
    let mut tried = 0;
    for seed in 1000..1300 {
        let net = random::coloured(&mut TestRng::new(seed), (seed % 2 * 30) as usize);
        let Some(graph) = small_graph(&net) else { continue };
        assert_eq!(verdicts(&Model::Coloured(net.clone()), &queries()), expected(&graph), "{net:?}");
        tried += 1;
    }
    assert!(tried > 200, "only {tried} nets were small enough");
}

//! The reference checker against hand-computed nets, the definitions, and laws on random nets.

mod coloured;
mod global;
mod laws;
mod named;
mod partial;
mod semantics;
mod unbounded;

use fireset_net::{
    Budget, Comparison, Expr, Formula, Model, Nodes, Outcome, PlaceId, Quantifier, Query, Semantics,
    TransitionId, Verdict, replay,
};
use fireset_oracle::query;

/// More states than this and a random net is left out.
const MAX_STATES: usize = 150;

/// The outcomes of `queries`, with their evidence replayed.
fn outcomes(model: &Model, queries: &[Query], max_states: usize) -> Vec<Outcome> {
    let outcomes = fireset_oracle::outcomes(model, queries, max_states, &Budget::unlimited());
    for (query, outcome) in queries.iter().zip(&outcomes) {
        if let Some(evidence) = &outcome.evidence {
            let confirmed = replay::confirm(model, query, &outcome.verdict, evidence);
            assert_eq!(confirmed, Ok(()), "{model:?}\n{query:?}\n{outcome:?}");
        }
        let shown = match (query, &outcome.verdict) {
            (Query::Reachable(_) | Query::Ltl(Quantifier::Exists, _), verdict) => *verdict == Verdict::Holds,
            (Query::Invariant(_) | Query::Ltl(Quantifier::ForAll, _), verdict) => *verdict == Verdict::Fails,
            _ => false,
        };
        assert!(!shown || outcome.evidence.is_some(), "a run shows it: {query:?}\n{outcome:?}");
    }
    outcomes
}

fn verdicts(model: &Model, queries: &[Query]) -> Vec<Verdict> {
    outcomes(model, queries, 100_000).into_iter().map(|outcome| outcome.verdict).collect()
}

fn verdict(model: &Model, query: Query) -> Verdict {
    verdicts(model, &[query]).remove(0)
}

fn holds(model: &Model, query: Query) -> bool {
    match verdict(model, query.clone()) {
        Verdict::Holds => true,
        Verdict::Fails => false,
        other => panic!("{query:?} is {other:?}"),
    }
}

/// The whole graph of a net, unless it is large.
fn small_graph<S: Semantics>(net: &S) -> Option<fireset_net::reachability::ReachabilityGraph<'_, S>> {
    let limits = fireset_net::reachability::GraphLimits { states: MAX_STATES, edges: true };
    let graph =
        fireset_net::reachability::ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ());
    graph.complete().is_ok().then_some(graph)
}

fn place(nodes: &Nodes, name: &str) -> PlaceId {
    PlaceId::new(nodes.places.find(name).expect("a place"))
}

fn transition(nodes: &Nodes, name: &str) -> TransitionId {
    TransitionId::new(nodes.transitions.find(name).expect("a transition"))
}

/// The places named in `names` hold at least `count` tokens together.
fn at_least(model: &Model, names: &str, count: i64) -> Formula {
    let places = names.split_whitespace().map(|name| place(model.nodes(), name)).collect();
    Formula::Compare(Comparison::GreaterEqual, Expr::Tokens(places), Expr::Constant(count))
}

fn boxed(f: &Formula) -> Box<Formula> {
    Box::new(f.clone())
}

fn not(f: &Formula) -> Formula {
    Formula::Not(boxed(f))
}

fn or(f: &Formula, g: &Formula) -> Formula {
    Formula::Or(vec![f.clone(), g.clone()])
}

fn next(f: &Formula) -> Formula {
    Formula::Next(boxed(f))
}

fn finally(f: &Formula) -> Formula {
    Formula::Finally(boxed(f))
}

fn globally(f: &Formula) -> Formula {
    Formula::Globally(boxed(f))
}

fn until(f: &Formula, g: &Formula) -> Formula {
    Formula::Until(boxed(f), boxed(g))
}

fn release(f: &Formula, g: &Formula) -> Formula {
    Formula::Release(boxed(f), boxed(g))
}

fn weak(f: &Formula, g: &Formula) -> Formula {
    Formula::WeakUntil(boxed(f), boxed(g))
}

fn some(path: Formula) -> Formula {
    Formula::Exists(Box::new(path))
}

fn all(path: Formula) -> Formula {
    Formula::ForAll(Box::new(path))
}

fn on_all(path: impl Into<Formula>) -> Query {
    query::ltl(Quantifier::ForAll, path)
}

fn on_some(path: impl Into<Formula>) -> Query {
    query::ltl(Quantifier::Exists, path)
}

//! Nets with infinitely many states: what their [coverability graph](fireset_net::reachability::CoverabilityNet) decides.
//!
//! Every marking of the graph is a limit of reachable ones whose other counts are exact, and each run has a path in the graph. So
//! bounds, safety, quasi-liveness, stable places and predicates that more tokens keep true are read off it. A net is not live if a
//! transition is dead from some node on, or after some reachable marking, of which a few are tried. That it is live is
//! never said. Test: `tests/reference/unbounded.rs`.

use std::cell::OnceCell;

use fireset_net::{
    BoolTree, Budget, Comparison, Count, Expr, Global, Marking, Net, NetBuilder, Query, Semantics, StateAtom,
    StatePredicate, Verdict,
    reachability::{CoverabilityNet, GraphLimits, LimitCount, LimitMarking, ReachabilityGraph},
    replay,
};

/// Reachable markings from which liveness is tried.
const TRIED: usize = 60;

/// The verdicts on queries of a net without inhibitor arcs that its coverability graph, with at most `max_nodes` nodes, decides.
pub fn by_coverability_graph(net: &Net, queries: &[Query], max_nodes: usize) -> Vec<Option<Verdict>> {
    let (unbounded, budget) = (CoverabilityNet::new(net), Budget::unlimited());
    let karp_miller = KarpMiller::new(net, unbounded.as_ref(), max_nodes, &budget);
    queries.iter().map(|query| karp_miller.verdict(query)).collect()
}

struct KarpMiller<'a> {
    net: &'a Net,
    limits: GraphLimits,
    budget: &'a Budget,
    unbounded: Option<&'a CoverabilityNet<'a>>,
    graph: OnceCell<ReachabilityGraph<'a, CoverabilityNet<'a>>>,
    is_not_live: OnceCell<bool>,
}

impl<'a> KarpMiller<'a> {
    /// `unbounded` is the net with `ω`, unless it has inhibitor arcs.
    fn new(
        net: &'a Net,
        unbounded: Option<&'a CoverabilityNet<'a>>,
        states: usize,
        budget: &'a Budget,
    ) -> Self {
        let (graph, is_not_live) = (OnceCell::new(), OnceCell::new());
        Self { net, limits: GraphLimits { states, edges: true }, budget, unbounded, graph, is_not_live }
    }

    /// The verdict on a query, if the graph is small enough and decides it.
    fn verdict(&self, query: &Query) -> Option<Verdict> {
        let net = self.unbounded?;
        let graph = self.graph.get_or_init(|| net.graph(self.limits, self.budget));
        graph.complete().ok()?;
        Some(match query {
            Query::Reachable(p) if grows(p, true) => holds_somewhere(net, graph, p, true).into(),
            Query::Invariant(p) if grows(p, false) => (!holds_somewhere(net, graph, p, false)).into(),
            Query::Bound(places) => {
                let sums = graph.states().iter().map(|state| {
                    places.iter().try_fold(0u128, |sum, place| match state.0[place.index()] {
                        LimitCount::Finite(count) => Some(sum + u128::from(count)),
                        LimitCount::Omega => None,
                    })
                });
                let most = sums.reduce(|a, b| Some(a?.max(b?))).expect("the initial marking is there");
                Verdict::Bound(most.map_or(Count::Infinite, Into::into))
            }
            Query::Global(Global::OneSafe) => {
                let is_safe = |count: &LimitCount| *count <= LimitCount::Finite(1);
                graph.states().iter().all(|state| state.0.iter().all(is_safe)).into()
            }
            Query::Global(Global::StableMarking) => {
                let initial = net.initial();
                let is_stable = |at: usize| graph.states().iter().all(|state| state.0[at] == initial.0[at]);
                (0..initial.0.len()).any(is_stable).into()
            }
            Query::Global(Global::QuasiLiveness) => (!has_dead_transition(net, graph)).into(),
            Query::Global(Global::Liveness) if self.is_not_live(graph) => Verdict::Fails,
            _ => return None,
        })
    }

    fn is_not_live(&self, graph: &ReachabilityGraph<'_, CoverabilityNet<'_>>) -> bool {
        *self.is_not_live.get_or_init(|| dies_out(graph) || self.dies_out_after_a_marking())
    }

    /// Whether some transition is dead in the net that starts in one of the first reachable markings.
    fn dies_out_after_a_marking(&self) -> bool {
        let limits = GraphLimits { states: TRIED, edges: false };
        let reached = ReachabilityGraph::explore(self.net, limits, self.budget, &mut ());
        reached.states().iter().any(|marking| {
            let net = started_in(self.net, marking);
            let net = CoverabilityNet::new(&net).expect("it has no inhibitor arcs");
            let graph = net.graph(self.limits, self.budget);
            graph.complete().is_ok() && has_dead_transition(&net, &graph)
        })
    }
}

/// The same net with another initial marking.
fn started_in(net: &Net, marking: &Marking) -> Net {
    let (mut builder, nodes) = (NetBuilder::new("later"), net.nodes());
    for place in nodes.place_ids() {
        let id = format!("p{}", place.index());
        builder.place(&id, marking.tokens(place)).expect("a new name");
    }
    for t in nodes.transition_ids() {
        let transition = builder.transition(&format!("t{}", t.index())).expect("a new name");
        net.pre(t).iter().for_each(|arc| builder.input(arc.place, transition, arc.weight));
        net.post(t).iter().for_each(|arc| builder.output(transition, arc.place, arc.weight));
    }
    builder.build().expect("the weights are those of a net")
}

/// Whether more tokens never end that a predicate has a value: counts are compared with constants from below only.
fn grows(predicate: &StatePredicate, value: bool) -> bool {
    match predicate {
        BoolTree::Constant(_) => true,
        BoolTree::Not(inner) => grows(inner, !value),
        BoolTree::And(all) | BoolTree::Or(all) => all.iter().all(|one| grows(one, value)),
        BoolTree::Iff(_) => false,
        BoolTree::Atom(StateAtom::Fireable(_)) => value,
        BoolTree::Atom(StateAtom::Deadlock) => !value,
        BoolTree::Atom(StateAtom::BindingFireable(_)) => false,
        BoolTree::Atom(StateAtom::Compare(how, a, b)) => {
            let how = if value { *how } else { how.negate() };
            match (a, b) {
                (Expr::Tokens(_), Expr::Constant(_)) => {
                    matches!(how, Comparison::Greater | Comparison::GreaterEqual)
                }
                (Expr::Constant(_), Expr::Tokens(_)) => {
                    matches!(how, Comparison::Less | Comparison::LessEqual)
                }
                _ => false,
            }
        }
    }
}

fn holds_somewhere(
    net: &CoverabilityNet<'_>,
    graph: &ReachabilityGraph<'_, CoverabilityNet<'_>>,
    predicate: &StatePredicate,
    value: bool,
) -> bool {
    graph.states().iter().any(|state: &LimitMarking| replay::holds_in(net, state, predicate) == value)
}

fn has_dead_transition(
    net: &CoverabilityNet<'_>,
    graph: &ReachabilityGraph<'_, CoverabilityNet<'_>>,
) -> bool {
    let can_fire = |t| graph.states().iter().any(|state| net.can_fire(state, t));
    !net.as_ref().transition_ids().all(can_fire)
}

/// Whether some transition has no edge among those that can be reached from some node.
fn dies_out(graph: &ReachabilityGraph<'_, CoverabilityNet<'_>>) -> bool {
    (0..graph.states().len()).any(|start| {
        let (mut seen, mut open) = (vec![false; graph.states().len()], vec![start]);
        let mut fires = vec![false; graph.net().as_ref().transitions.len()];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            for &edge in graph.edges(at) {
                fires[graph.step(edge).transition.index()] = true;
                open.push(edge.target());
            }
        }
        fires.contains(&false)
    })
}

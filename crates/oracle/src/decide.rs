//! Queries decided on the reachability graph.
//!
//! Each query is an [`OpenQuery`]: it sees every state while the graph is built and may answer early; the queries that
//! are still open answer from the graph. Invariants: 1. an answer on a part of the graph rests only on what is there (a
//! run, a lasso, a covering pair), never on what is missing; 2. every query is answered exactly once.

use std::{cell::OnceCell, ops::ControlFlow, time::Instant};

use fireset_net::{
    Budget, CtlFormula, Evidence, Global, Model, Outcome, Query, Rows, Semantics, Statistics, StopReason,
    Technique, Trace, Verdict,
    reachability::{CoveringPair, GraphLimits, GraphObserver, ReachabilityGraph, StateView, TabulatedNet},
};

use crate::{bounds, colours::NaiveColours, ctl, ctl_star, global, ltl, named, predicate, runs};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OracleAnswer(pub(crate) Verdict, pub(crate) Option<Evidence>);

impl OracleAnswer {
    pub(crate) fn bare(verdict: impl Into<Verdict>) -> Self {
        Self(verdict.into(), None)
    }

    pub(crate) fn traced(verdict: impl Into<Verdict>, trace: Trace) -> Self {
        Self(verdict.into(), Some(Evidence::Trace(trace)))
    }
}

/// A query that is being decided.
pub(crate) trait OpenQuery<S: Semantics> {
    /// Takes the next state, in breadth-first order.
    fn visit(&mut self, _view: &StateView<'_, S>) -> Option<OracleAnswer> {
        None
    }

    /// Takes a covering pair, which shows that the net has infinitely many states.
    fn covering(&mut self, _graph: &ReachabilityGraph<'_, S>, _pair: CoveringPair) -> Option<OracleAnswer> {
        None
    }

    /// Answers from the graph, which may be incomplete.
    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason>;
}

/// A graph that will not grow further, and what the queries share about it.
pub(crate) struct Explored<'a, S: Semantics> {
    pub(crate) graph: &'a ReachabilityGraph<'a, S>,
    budget: &'a Budget,
    reverse: OnceCell<Rows<u32>>,
}

impl<S: Semantics> Explored<'_, S> {
    /// For each state, the states with an edge to it.
    pub(crate) fn reverse(&self) -> &Rows<u32> {
        self.reverse.get_or_init(|| self.graph.reverse())
    }

    /// Whether a computation that holds `extra` bytes beside the graph may go on.
    pub(crate) fn check(&self, extra: usize) -> Result<(), StopReason> {
        let shared = self.reverse.get().map_or(0, |rows| 4 * rows.items().len() + 8 * rows.len());
        self.budget.check(self.graph.bytes() + (shared + extra) as u64, self.graph.states().len() as u64)
    }
}

/// Decides `queries` on `model` with at most `max_states` states in memory. Calls `answer` once with each query's
/// position and outcome, as soon as it is known.
///
/// ```
/// use fireset_net::{Budget, Model, Query, StateAtom, Verdict};
/// use fireset_oracle::tiny;
/// let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
/// let queries = [Query::Reachable(StateAtom::Deadlock.into())];
/// let mut verdicts = Vec::new();
/// fireset_oracle::decide(&model, &queries, 100, &Budget::unlimited(), &mut |_, outcome| verdicts.push(outcome.verdict));
/// assert_eq!(verdicts, [Verdict::Holds]);
/// ```
pub fn decide(
    model: &Model,
    queries: &[Query],
    max_states: usize,
    budget: &Budget,
    answer: &mut dyn FnMut(usize, Outcome),
) {
    match model {
        Model::Plain(net) => decide_on(net, queries, max_states, budget, answer),
        Model::Coloured(net) => match TabulatedNet::new(net, budget) {
            Ok(table) => decide_on(&NaiveColours { net, table }, queries, max_states, budget, answer),
            Err(reason) => {
                (0..queries.len()).for_each(|at| answer(at, Outcome::unknown(reason.clone())));
            }
        },
    }
}

/// [`decide`], with the outcomes in the order of the queries.
pub fn outcomes(model: &Model, queries: &[Query], max_states: usize, budget: &Budget) -> Vec<Outcome> {
    let mut all = vec![None; queries.len()];
    decide(model, queries, max_states, budget, &mut |at, outcome| all[at] = Some(outcome));
    all.into_iter().map(|outcome| outcome.expect("every query is answered")).collect()
}

/// [`decide`] for anything that has states and steps.
pub fn decide_on<S: Semantics>(
    net: &S,
    queries: &[Query],
    max_states: usize,
    budget: &Budget,
    answer: &mut dyn FnMut(usize, Outcome),
) {
    let mut run = OracleRun {
        started: Instant::now(),
        open: queries.iter().enumerate().map(|(at, query)| (at, open_query(net, query))).collect(),
        several: queries.len() > 1,
        answer,
    };
    if queries.is_empty() {
        return;
    }
    let limits = GraphLimits { states: max_states, edges: queries.iter().any(needs_edges) };
    let graph = ReachabilityGraph::explore(net, limits, budget, &mut run);
    let explored = Explored { graph: &graph, budget, reverse: OnceCell::new() };
    run.drain(&graph, |query| Some(query.finish(&explored).unwrap_or_else(unknown)));
}

/// The states of a complete graph with edges in which a CTL formula holds.
pub fn satisfying<S: Semantics>(
    graph: &ReachabilityGraph<'_, S>,
    ctl: &CtlFormula,
) -> Result<Vec<bool>, StopReason> {
    graph.complete()?;
    let explored = Explored { graph, budget: &Budget::unlimited(), reverse: OnceCell::new() };
    ctl::satisfying(&explored, ctl)
}

fn unknown(reason: StopReason) -> OracleAnswer {
    OracleAnswer::bare(Verdict::Unknown(reason))
}

/// Whether a query is answered from the edges rather than while the states are visited.
fn needs_edges(query: &Query) -> bool {
    matches!(
        query,
        Query::Ctl(_)
            | Query::Ltl(..)
            | Query::Run(_)
            | Query::CtlStar(_)
            | Query::Global(Global::Liveness)
            | Query::Named(_)
    )
}

fn open_query<S: Semantics>(net: &S, query: &Query) -> Box<dyn OpenQuery<S>> {
    match query {
        Query::Reachable(p) => Box::new(predicate::PredicateSearch::reachable(p.clone())),
        Query::Invariant(p) => Box::new(predicate::PredicateSearch::invariant(p.clone())),
        Query::Ctl(f) => Box::new(ctl::CtlQuery(f.clone())),
        Query::Ltl(quantifier, path) => Box::new(ltl::LtlQuery::new(*quantifier, path.clone())),
        Query::Run(run) => Box::new(runs::OpenRunQuery::new(run)),
        Query::CtlStar(f) => Box::new(ctl_star::CtlStarQuery(f.clone())),
        Query::Bound(places) => Box::new(bounds::BoundQuery::new(places.clone(), Vec::new())),
        Query::ColourBound(tokens) => Box::new(bounds::BoundQuery::new(Vec::new(), tokens.clone())),
        Query::Global(Global::StateSpace) => Box::new(bounds::SizeCounter::default()),
        Query::Global(Global::OneSafe) => Box::new(global::OneSafe),
        Query::Global(Global::StableMarking) => Box::new(global::StableMarking::new(net)),
        Query::Global(Global::QuasiLiveness) => Box::new(global::QuasiLiveness::new(net)),
        Query::Global(Global::Liveness) => Box::new(global::Liveness),
        Query::Named(property) => named::open(property),
    }
}

/// The queries that are still open while the graph is built.
struct OracleRun<'a, S: Semantics> {
    started: Instant,
    open: Vec<(usize, Box<dyn OpenQuery<S>>)>,
    several: bool,
    answer: &'a mut dyn FnMut(usize, Outcome),
}

impl<S: Semantics> OracleRun<'_, S> {
    /// Asks every open query, and passes on and closes those that answer.
    fn drain(
        &mut self,
        graph: &ReachabilityGraph<'_, S>,
        mut ask: impl FnMut(&mut dyn OpenQuery<S>) -> Option<OracleAnswer>,
    ) {
        let (started, several) = (self.started, self.several);
        self.open.retain_mut(|(at, query)| {
            let Some(OracleAnswer(verdict, evidence)) = ask(&mut **query) else { return true };
            let mut techniques = vec![Technique::Explicit];
            if several {
                techniques.push(Technique::CollateralProcessing);
            }
            let statistics = Statistics {
                engine: "oracle",
                encoding: "",
                states: graph.states().len() as u64,
                firings: graph.firings(),
                memory: graph.bytes(),
                elapsed: started.elapsed(),
            };
            (self.answer)(*at, Outcome { verdict, evidence, techniques, statistics });
            false
        });
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<S: Semantics> GraphObserver<S> for OracleRun<'_, S> {
    fn visit(&mut self, view: &StateView<'_, S>) -> ControlFlow<()> {
        self.drain(view.graph, |query| query.visit(view));
        self.flow()
    }

    fn covering(&mut self, graph: &ReachabilityGraph<'_, S>, pair: CoveringPair) -> ControlFlow<()> {
        self.drain(graph, |query| query.covering(graph, pair));
        self.flow()
    }
}

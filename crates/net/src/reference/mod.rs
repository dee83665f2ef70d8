//! A checker for every kind of query that does the obvious thing.
//!
//! Why: it is the oracle that reductions and engines are tested against, so it is short and follows the
//! definitions. It builds the reachability graph and reads the answers off it: predicates state by state, CTL
//! by fixpoints, LTL by a tableau of maximal consistent sets, liveness by components.
//!
//! | file | what |
//! |---|---|
//! | `graph`, `explore` | the reachability graph, shortest runs, covering pairs |
//! | `tabulate` | a coloured net with its bindings tried once |
//! | `predicate` | reachable predicates and invariants |
//! | `bounds` | upper bounds and the size of the state space |
//! | `global` | safety, stable markings, liveness |
//! | `ctl` | CTL by fixpoints |
//! | `closure`, `ltl`, `lasso` | LTL by a tableau |
//! | `scc`, `bits` | components of a graph, sets of states |
//!
//! Each query is a `Watch`: it looks on while the graph is built and may answer early; what is left answers from
//! the graph. Invariants: 1. an answer on a part of the graph rests only on what is there (a run, a lasso, a
//! covering pair), never on what is missing; 2. every query is answered exactly once.
//! Cost: all states in memory. Test: `tests/reference`.

pub mod bits;
mod bounds;
mod closure;
mod ctl;
mod explore;
mod global;
mod graph;
mod lasso;
mod ltl;
mod predicate;
pub mod scc;
mod tabulate;

use std::{cell::OnceCell, ops::ControlFlow, time::Instant};

use bits::Bits;
pub use graph::{Covering, Edge, Graph, Limits, Observer, View};
pub use tabulate::Tabulated;

use crate::{
    Budget, Evidence, Formula, Global, Model, Outcome, Query, Rows, Semantics, Statistics, StopReason,
    Technique, Trace, Verdict,
};

/// A verdict and what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer(Verdict, Option<Evidence>);

impl Answer {
    /// One that nothing has to show.
    fn bare(verdict: impl Into<Verdict>) -> Self {
        Self(verdict.into(), None)
    }

    /// One that a run shows.
    fn traced(verdict: impl Into<Verdict>, trace: Trace) -> Self {
        Self(verdict.into(), Some(Evidence::Trace(trace)))
    }
}

/// A query that is being decided.
trait Watch<S: Semantics> {
    /// Looks at the next state, in breadth-first order.
    fn visit(&mut self, _view: &View<'_, S>) -> Option<Answer> {
        None
    }

    /// Looks at a covering pair: the net has infinitely many states.
    fn covering(&mut self, _graph: &Graph<'_, S>, _pair: Covering) -> Option<Answer> {
        None
    }

    /// Answers from what was built, which may be a part only.
    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<Answer, StopReason>;
}

/// A graph that will not grow further, and what the queries share about it.
struct Explored<'a, S: Semantics> {
    graph: &'a Graph<'a, S>,
    budget: &'a Budget,
    reverse: OnceCell<Rows<u32>>,
}

impl<S: Semantics> Explored<'_, S> {
    /// For each state, the states with an edge to it.
    fn reverse(&self) -> &Rows<u32> {
        self.reverse.get_or_init(|| self.graph.reverse())
    }

    /// Whether a computation that holds `extra` bytes beside the graph may go on.
    fn check(&self, extra: usize) -> Result<(), StopReason> {
        let shared = self.reverse.get().map_or(0, |rows| 4 * rows.items().len() + 8 * rows.len());
        self.budget.check(self.graph.bytes() + (shared + extra) as u64, self.graph.states().len() as u64)
    }
}

/// Decides `queries` on `model` with at most `max_states` states in memory. Calls `answer` once with each query's
/// position and outcome, as soon as it is known.
///
/// ```
/// use fireset_net::{Budget, Formula, Model, Query, Verdict, reference, tiny};
/// let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
/// let queries = [Query::Reachable(Formula::Deadlock)];
/// let mut verdicts = Vec::new();
/// reference::decide(&model, &queries, 100, &Budget::unlimited(), &mut |_, outcome| verdicts.push(outcome.verdict));
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
        Model::Coloured(net) => match Tabulated::new(net, budget) {
            Ok(table) => decide_on(&table, queries, max_states, budget, answer),
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
    let mut session = Session {
        started: Instant::now(),
        open: queries.iter().enumerate().map(|(at, query)| (at, watch(net, query))).collect(),
        several: queries.len() > 1,
        answer,
    };
    if queries.is_empty() {
        return;
    }
    let limits = Limits { states: max_states, edges: queries.iter().any(needs_edges) };
    let graph = Graph::explore(net, limits, budget, &mut session);
    let explored = Explored { graph: &graph, budget, reverse: OnceCell::new() };
    session.drain(&graph, |watch| Some(watch.finish(&explored).unwrap_or_else(unknown)));
}

/// The states of a complete graph with edges in which a CTL formula holds.
pub fn satisfying<S: Semantics>(graph: &Graph<'_, S>, ctl: &Formula) -> Result<Bits, StopReason> {
    graph.complete()?;
    let explored = Explored { graph, budget: &Budget::unlimited(), reverse: OnceCell::new() };
    ctl::satisfying(&explored, ctl)
}

fn unknown(reason: StopReason) -> Answer {
    Answer::bare(Verdict::Unknown(reason))
}

/// Whether a query is answered from the edges rather than while the states are visited.
fn needs_edges(query: &Query) -> bool {
    matches!(query, Query::Ctl(_) | Query::Ltl(..) | Query::Global(Global::Liveness))
}

fn watch<S: Semantics>(net: &S, query: &Query) -> Box<dyn Watch<S>> {
    match query {
        Query::Reachable(p) => Box::new(predicate::Search::reachable(p.clone())),
        Query::Invariant(p) => Box::new(predicate::Search::invariant(p.clone())),
        Query::Ctl(f) => Box::new(ctl::Ctl(f.clone())),
        Query::Ltl(quantifier, path) => Box::new(ltl::Ltl::new(*quantifier, path.clone())),
        Query::Bound(places) => Box::new(bounds::Bound::new(places.clone())),
        Query::Global(Global::StateSpace) => Box::new(bounds::Size::default()),
        Query::Global(Global::OneSafe) => Box::new(global::OneSafe),
        Query::Global(Global::StableMarking) => Box::new(global::StableMarking::new(net)),
        Query::Global(Global::QuasiLiveness) => Box::new(global::QuasiLiveness::new(net)),
        Query::Global(Global::Liveness) => Box::new(global::Liveness),
    }
}

/// The queries that are still open while the graph is built.
struct Session<'a, S: Semantics> {
    started: Instant,
    open: Vec<(usize, Box<dyn Watch<S>>)>,
    several: bool,
    answer: &'a mut dyn FnMut(usize, Outcome),
}

impl<S: Semantics> Session<'_, S> {
    /// Asks every open query, and passes on and closes those that answer.
    fn drain(&mut self, graph: &Graph<'_, S>, mut ask: impl FnMut(&mut dyn Watch<S>) -> Option<Answer>) {
        let (started, several) = (self.started, self.several);
        self.open.retain_mut(|(at, watch)| {
            let Some(Answer(verdict, evidence)) = ask(&mut **watch) else { return true };
            let mut techniques = vec![Technique::Explicit];
            if several {
                techniques.push(Technique::CollateralProcessing);
            }
            let statistics = Statistics {
                engine: "reference",
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

impl<S: Semantics> Observer<S> for Session<'_, S> {
    fn visit(&mut self, view: &View<'_, S>) -> ControlFlow<()> {
        self.drain(view.graph, |watch| watch.visit(view));
        self.flow()
    }

    fn covering(&mut self, graph: &Graph<'_, S>, pair: Covering) -> ControlFlow<()> {
        self.drain(graph, |watch| watch.covering(graph, pair));
        self.flow()
    }
}

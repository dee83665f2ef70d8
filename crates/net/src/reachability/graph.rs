//! The reachability graph, state by state, breadth-first.
//!
//! Why: `fireset graph` writes it, and every answer of the tests' oracle is read off it. Source: the definition; covering
//! pairs after Karp and Miller, "Parallel Program Schemata" (1969), without their acceleration.
//!
//! Needs any [`Semantics`]. Invariants:
//! 1. `states[0]` is the initial marking; no state is there twice.
//! 2. `parents` is the breadth-first tree, so [`ReachabilityGraph::trace`] is a shortest run.
//! 3. Each edge is a firing of the net. Only when the graph is [complete](ReachabilityGraph::complete) are all there.
//! 4. A covering pair is an ancestor and a descendant of the tree with pointwise more tokens; on a
//!    [monotone](Semantics::monotone) net it shows that there are infinitely many states.
//!
//! Cost: a state, 8 to 40 bytes beside it, 8 bytes a firing if edges are kept. When there are more states than
//! allowed, those that were found are still visited, so that what they show is not lost.
//! Test: `fireset-oracle`, `tests/reference/laws.rs` and the counts in `tests/reference/semantics.rs`.

use std::ops::ControlFlow;

use super::explore::GraphBuilder;
use crate::{Budget, Rows, Semantics, StateAtom, StatePredicate, StateTokens, Step, StopReason, Trace};

/// A firing: which step, and where it leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachabilityEdge {
    pub(super) label: u32,
    pub(super) target: u32,
}

impl ReachabilityEdge {
    /// The state it leads to.
    pub fn target(self) -> usize {
        self.target as usize
    }
}

/// How far a graph is built.
#[derive(Clone, Copy, Debug)]
pub struct GraphLimits {
    /// States beyond this number are not kept; the graph is then incomplete.
    pub states: usize,
    /// Whether edges are kept, or only counted.
    pub edges: bool,
}

/// A marking above another one on the way to which it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoveringPair {
    /// A state on the breadth-first path to the larger one.
    pub ancestor: usize,
    /// The state with pointwise at least as many tokens, and more in some place.
    pub state: usize,
}

/// A state whose firings are known.
pub struct StateView<'a, S: Semantics> {
    /// Contains at least the states up to this one.
    pub graph: &'a ReachabilityGraph<'a, S>,
    /// The number of the state in breadth-first order.
    pub at: usize,
    /// For each transition whether it is enabled.
    pub enabled: &'a [bool],
}

impl<S: Semantics> StateView<'_, S> {
    /// The marking that is visited.
    pub fn state(&self) -> &S::State {
        &self.graph.states[self.at]
    }

    /// The value of a state predicate.
    pub fn holds(&self, predicate: &StatePredicate) -> bool {
        let tokens = StateTokens { net: self.graph.net, state: self.state() };
        predicate.value(&mut |atom| match atom {
            StateAtom::Deadlock => self.graph.is_deadlock(self.at),
            StateAtom::Fireable(ts) => ts.iter().any(|t| self.enabled[t.index()]),
            StateAtom::BindingFireable(bindings) => self.graph.net.can_fire_under(self.state(), bindings),
            StateAtom::Compare(how, a, b) => a.compare(*how, b, &tokens),
        })
    }
}

/// Callbacks while a graph is built; each may end the exploration.
pub trait GraphObserver<S: Semantics> {
    /// The next state, in breadth-first order.
    fn visit(&mut self, view: &StateView<'_, S>) -> ControlFlow<()>;

    /// A new covering pair: the net has infinitely many states.
    fn covering(&mut self, graph: &ReachabilityGraph<'_, S>, pair: CoveringPair) -> ControlFlow<()>;
}

/// Observes nothing: the graph is built as far as its limits allow.
impl<S: Semantics> GraphObserver<S> for () {
    fn visit(&mut self, _: &StateView<'_, S>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn covering(&mut self, _: &ReachabilityGraph<'_, S>, _: CoveringPair) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A reachability graph, or as much of one as was built.
pub struct ReachabilityGraph<'a, S: Semantics> {
    pub(super) net: &'a S,
    pub(super) states: Vec<S::State>,
    pub(super) parents: Vec<ReachabilityEdge>,
    pub(super) labels: Vec<Step>,
    pub(super) edges: Rows<ReachabilityEdge>,
    pub(super) deadlocks: Vec<bool>,
    pub(super) firings: u64,
    pub(super) bytes: u64,
    pub(super) unbounded: Option<CoveringPair>,
    pub(super) stopped: Option<StopReason>,
}

impl<'a, S: Semantics> ReachabilityGraph<'a, S> {
    /// Builds it from the initial marking on, until it is complete, a limit is reached, or `observer` has
    /// seen enough.
    pub fn explore(
        net: &'a S,
        limits: GraphLimits,
        budget: &Budget,
        observer: &mut dyn GraphObserver<S>,
    ) -> Self {
        GraphBuilder::new(net, limits).explore(budget, observer)
    }

    /// The net that was explored.
    pub fn net(&self) -> &'a S {
        self.net
    }

    /// All states that were found, in breadth-first order.
    pub fn states(&self) -> &[S::State] {
        &self.states
    }

    /// Counts every firing of a visited state, also those into states that could not be kept.
    pub fn firings(&self) -> u64 {
        self.firings
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The firings in a state; none where edges are not kept or the state was not visited.
    pub fn edges(&self, state: usize) -> &[ReachabilityEdge] {
        if state < self.edges.len() { &self.edges[state] } else { &[] }
    }

    /// Whether the state was visited and enables nothing.
    pub fn is_deadlock(&self, state: usize) -> bool {
        self.deadlocks.get(state).is_some_and(|&is_deadlock| is_deadlock)
    }

    /// What fires along an edge.
    pub fn step(&self, edge: ReachabilityEdge) -> &Step {
        &self.labels[edge.label as usize]
    }

    /// The first covering pair: where there is one, the net has infinitely many states.
    pub fn unbounded(&self) -> Option<CoveringPair> {
        self.unbounded
    }

    /// `Ok` when all states and, if kept, all edges are there; otherwise why they are not.
    pub fn complete(&self) -> Result<(), StopReason> {
        match &self.stopped {
            None => Ok(()),
            Some(_) if self.unbounded.is_some() => Err(StopReason::Unbounded),
            Some(reason) => Err(reason.clone()),
        }
    }

    /// A shortest run to a state.
    pub fn trace(&self, state: usize) -> Trace {
        let mut steps = Vec::new();
        let mut at = state;
        while at != 0 {
            let edge = self.parents[at];
            steps.push(self.step(edge).clone());
            at = edge.target();
        }
        steps.reverse();
        Trace(steps)
    }

    /// The states in which a predicate holds; only of visited ones when the graph is not complete. The graph
    /// has its edges.
    pub fn satisfying(&self, predicate: &StatePredicate) -> Vec<bool> {
        let mut enabled = vec![false; self.net.as_ref().transitions.len()];
        let mut fired = Vec::new();
        let asks = predicate.any_atom(&|atom| matches!(atom, StateAtom::Fireable(_)));
        let holds_at = |at| {
            match self.stopped {
                _ if !asks => {}
                None => fired.extend(self.edges(at).iter().map(|&e| self.step(e).transition)),
                // Firings into states that could not be kept have no edge.
                Some(_) => fired.extend(self.net.steps(&self.states[at]).iter().map(|step| step.transition)),
            }
            fired.iter().for_each(|t| enabled[t.index()] = true);
            let holds = StateView { graph: self, at, enabled: &enabled }.holds(predicate);
            fired.drain(..).for_each(|t| enabled[t.index()] = false);
            holds
        };
        (0..self.states.len()).map(holds_at).collect()
    }

    /// For each state, the states with an edge to it.
    pub fn reverse(&self) -> Rows<u32> {
        let rows = self.edges.iter().enumerate();
        let pairs = rows.flat_map(|(s, row)| row.iter().map(move |e| (e.target(), s as u32)));
        Rows::group(self.states.len(), pairs)
    }

    pub(super) fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }
}

//! The reachability graph, state by state, breadth-first.
//!
//! Why: every answer of the reference checker is read off this graph. Source: the definition; covering
//! pairs after Karp and Miller, "Parallel Program Schemata" (1969), without their acceleration.
//!
//! Needs any [`Semantics`]. Invariants:
//! 1. `states[0]` is the initial marking; no state is there twice.
//! 2. `parents` is the breadth-first tree, so [`Graph::trace`] is a shortest run.
//! 3. Each edge is a firing of the net. Only when the graph is [complete](Graph::complete) are all there.
//! 4. A covering pair is an ancestor and a descendant of the tree with pointwise more tokens; on a
//!    [monotone](Semantics::monotone) net it shows that there are infinitely many states.
//!
//! Cost: a state, 8 to 40 bytes beside it, 8 bytes a firing if edges are kept. When there are more states than
//! allowed, those that were found are still visited, so that what they show is not lost.
//! Test: `tests/reference/laws.rs` and the counts in `tests/reference/semantics.rs`.

use std::{hash::BuildHasher, ops::ControlFlow};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use super::bits::Bits;
use crate::{Budget, FireError, Formula, Rows, Semantics, Step, StopReason, Trace, TransitionId};

/// A firing: which step, and where it leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    label: u32,
    target: u32,
}

impl Edge {
    /// The state it leads to.
    pub fn target(self) -> usize {
        self.target as usize
    }
}

/// How far a graph is built.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At most so many states.
    pub states: usize,
    /// Whether edges are kept, or only counted.
    pub edges: bool,
}

/// A marking above another one on the way to which it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covering {
    /// The smaller one.
    pub ancestor: usize,
    /// The larger one.
    pub state: usize,
}

/// A state whose firings are known.
pub struct View<'a, S: Semantics> {
    /// The graph so far.
    pub graph: &'a Graph<'a, S>,
    /// The state.
    pub at: usize,
    /// For each transition whether it is enabled.
    pub enabled: &'a [bool],
}

impl<S: Semantics> View<'_, S> {
    /// Its marking.
    pub fn state(&self) -> &S::State {
        &self.graph.states[self.at]
    }

    /// The value of a state predicate.
    pub fn holds(&self, predicate: &Formula) -> bool {
        let tokens = |p| self.graph.net.tokens(self.state(), p).total;
        predicate.evaluate(&|atom| match atom {
            Formula::Deadlock => self.graph.is_deadlock(self.at),
            Formula::Fireable(ts) => ts.iter().any(|t| self.enabled[t.index()]),
            Formula::Compare(how, a, b) => a.compare(*how, b, &tokens),
            _ => unreachable!("evaluate asks for atoms only"),
        })
    }
}

/// Who looks on while a graph is built.
pub trait Observer<S: Semantics> {
    /// The next state, in breadth-first order.
    fn visit(&mut self, view: &View<'_, S>) -> ControlFlow<()>;

    /// A covering pair.
    fn covering(&mut self, graph: &Graph<'_, S>, pair: Covering) -> ControlFlow<()>;
}

/// Nobody: the graph is built as far as its limits allow.
impl<S: Semantics> Observer<S> for () {
    fn visit(&mut self, _: &View<'_, S>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn covering(&mut self, _: &Graph<'_, S>, _: Covering) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A reachability graph, or as much of one as was built.
pub struct Graph<'a, S: Semantics> {
    net: &'a S,
    states: Vec<S::State>,
    parents: Vec<Edge>,
    labels: Vec<Step>,
    edges: Rows<Edge>,
    deadlocks: Bits,
    firings: u64,
    bytes: u64,
    unbounded: Option<Covering>,
    stopped: Option<StopReason>,
}

impl<'a, S: Semantics> Graph<'a, S> {
    /// Builds it from the initial marking on, until it is complete, a limit is reached, or `observer` has
    /// seen enough.
    pub fn explore(net: &'a S, limits: Limits, budget: &Budget, observer: &mut dyn Observer<S>) -> Self {
        let mut explorer = Explorer::new(net, limits);
        if let Err(reason) = explorer.run(budget, observer) {
            explorer.graph.stop(reason);
        }
        explorer.graph
    }

    /// The net.
    pub fn net(&self) -> &'a S {
        self.net
    }

    /// All states that were found, in breadth-first order.
    pub fn states(&self) -> &[S::State] {
        &self.states
    }

    /// How many firings were seen.
    pub fn firings(&self) -> u64 {
        self.firings
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The firings in a state; none where edges are not kept or the state was not visited.
    pub fn edges(&self, state: usize) -> &[Edge] {
        if state < self.edges.len() { &self.edges[state] } else { &[] }
    }

    /// Whether the state was visited and enables nothing.
    pub fn is_deadlock(&self, state: usize) -> bool {
        self.deadlocks.get(state)
    }

    /// What fires along an edge.
    pub fn step(&self, edge: Edge) -> &Step {
        &self.labels[edge.label as usize]
    }

    /// The first covering pair: where there is one, the net has infinitely many states.
    pub fn unbounded(&self) -> Option<Covering> {
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
    pub fn satisfying(&self, predicate: &Formula) -> Bits {
        let mut enabled = vec![false; self.net.as_ref().transitions.len()];
        let mut fired = Vec::new();
        let asks = predicate.any(&|f| matches!(f, Formula::Fireable(_)));
        Bits::collect(self.states.len(), |at| {
            match self.stopped {
                _ if !asks => {}
                None => fired.extend(self.edges(at).iter().map(|&e| self.step(e).transition)),
                // Firings into states that could not be kept have no edge.
                Some(_) => fired.extend(self.net.steps(&self.states[at]).iter().map(|step| step.transition)),
            }
            fired.iter().for_each(|t| enabled[t.index()] = true);
            let holds = View { graph: self, at, enabled: &enabled }.holds(predicate);
            fired.drain(..).for_each(|t| enabled[t.index()] = false);
            holds
        })
    }

    /// For each state, the states with an edge to it.
    pub fn reverse(&self) -> Rows<u32> {
        let rows = self.edges.iter().enumerate();
        let pairs = rows.flat_map(|(s, row)| row.iter().map(move |e| (e.target(), s as u32)));
        Rows::group(self.states.len(), pairs)
    }

    fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }
}

/// A graph under construction.
struct Explorer<'a, S: Semantics> {
    graph: Graph<'a, S>,
    limits: Limits,
    hasher: DefaultHashBuilder,
    state_index: HashTable<u32>,
    label_index: HashTable<u32>,
    /// The total of each state and the least on the way to it, on monotone nets.
    totals: Vec<(u64, u64)>,
    coverings: Vec<Covering>,
}

impl<'a, S: Semantics> Explorer<'a, S> {
    /// How many ancestors are compared with a new state. Pumping runs are short; a long chain of states must
    /// not make the search quadratic.
    const LOOK_BACK: usize = 256;

    fn new(net: &'a S, limits: Limits) -> Self {
        let graph = Graph {
            net,
            states: Vec::new(),
            parents: Vec::new(),
            labels: Vec::new(),
            edges: Rows::new(),
            deadlocks: Bits::default(),
            firings: 0,
            bytes: net.table_bytes(),
            unbounded: None,
            stopped: None,
        };
        let limits = Limits { states: limits.states.min(u32::MAX as usize), ..limits };
        Self {
            graph,
            limits,
            hasher: DefaultHashBuilder::default(),
            state_index: HashTable::new(),
            label_index: HashTable::new(),
            totals: Vec::new(),
            coverings: Vec::new(),
        }
    }

    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer<S>) -> Result<(), StopReason> {
        let net = self.graph.net;
        self.arrive(net.initial(), Edge::default());
        let mut enabled = vec![false; net.as_ref().transitions.len()];
        let mut fired: Vec<TransitionId> = Vec::new();
        let (mut at, mut row, mut work) = (0, Vec::new(), 0);
        while at < self.graph.states.len() {
            if work >= 1024 || at == 0 {
                budget.check(self.graph.bytes, self.graph.states.len() as u64)?;
                work = 0;
            }
            let state = self.graph.states[at].clone();
            net.successors(&state, &mut |step, next| {
                work += 1;
                fired.push(step.transition);
                row.extend(self.fire(at, step, next));
            });
            work += 1;
            self.graph.firings += fired.len() as u64;
            self.graph.deadlocks.push(fired.is_empty());
            self.keep(&mut row);
            fired.iter().for_each(|t| enabled[t.index()] = true);
            let view = View { graph: &self.graph, at, enabled: &enabled };
            let mut flow = observer.visit(&view);
            fired.drain(..).for_each(|t| enabled[t.index()] = false);
            for pair in self.coverings.drain(..) {
                flow = if flow.is_continue() { observer.covering(&self.graph, pair) } else { flow };
            }
            if flow.is_break() {
                return Err(StopReason::Cancelled);
            }
            at += 1;
        }
        Ok(())
    }

    /// The edge of a firing from state `from`, unless its target cannot be kept.
    fn fire(&mut self, from: usize, step: Step, next: Result<S::State, FireError>) -> Option<Edge> {
        let label = self.label(step);
        match next {
            Ok(state) => {
                let target = self.arrive(state, Edge { label, target: from as u32 })?;
                Some(Edge { label, target })
            }
            Err(FireError::Overflow { .. }) => {
                self.graph.stop(StopReason::Overflow);
                None
            }
            Err(why) => panic!("a step that is listed as enabled must fire, but: {why:?}"),
        }
    }

    /// Where a state stands; new ones are added while there is room.
    fn arrive(&mut self, state: S::State, parent: Edge) -> Option<u32> {
        let (states, hasher) = (&mut self.graph.states, &self.hasher);
        let equal = |&at: &u32| states[at as usize] == state;
        let rehash = |&at: &u32| hasher.hash_one(&states[at as usize]);
        match self.state_index.entry(hasher.hash_one(&state), equal, rehash) {
            Entry::Occupied(known) => return Some(*known.get()),
            Entry::Vacant(_) if states.len() >= self.limits.states => {
                self.graph.stop(StopReason::States(self.limits.states));
                return None;
            }
            Entry::Vacant(vacant) => vacant.insert(states.len() as u32),
        };
        let at = states.len();
        // Beside the state: its allocations' heads, its parent, its place in the index and its totals.
        self.graph.bytes += self.graph.net.bytes(&state) as u64 + 48;
        states.push(state);
        self.graph.parents.push(parent);
        if self.graph.net.monotone() {
            self.look_back(at);
        }
        Some(at as u32)
    }

    /// Compares a new state with those on the way to it.
    fn look_back(&mut self, state: usize) {
        let graph = &mut self.graph;
        let tokens = |p| graph.net.tokens(&graph.states[state], p).total;
        let total = graph.net.as_ref().place_ids().map(tokens).sum::<u128>();
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        let mut at = graph.parents[state].target();
        let lowest = if state == 0 { u64::MAX } else { self.totals[at].1 };
        self.totals.push((total, total.min(lowest)));
        for _ in 0..Self::LOOK_BACK {
            // Only fewer tokens can be covered, and the lowest total tells when there is nothing left to find.
            if state == 0 || self.totals[at].1 >= total {
                return;
            }
            if self.totals[at].0 < total && graph.states[at] < graph.states[state] {
                let pair = Covering { ancestor: at, state };
                graph.unbounded.get_or_insert(pair);
                self.coverings.push(pair);
                // What lies further back was mostly compared with `at` itself before.
                return;
            }
            if at == 0 {
                return;
            }
            at = graph.parents[at].target();
        }
    }

    /// The number of a step.
    fn label(&mut self, step: Step) -> u32 {
        let (labels, hasher) = (&mut self.graph.labels, &self.hasher);
        let equal = |&at: &u32| labels[at as usize] == step;
        let rehash = |&at: &u32| hasher.hash_one(&labels[at as usize]);
        match self.label_index.entry(hasher.hash_one(&step), equal, rehash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let label = u32::try_from(labels.len()).expect("at most 2^32 different steps");
                vacant.insert(label);
                self.graph.bytes += 64 + 8 * step.binding.len() as u64;
                labels.push(step);
                label
            }
        }
    }

    /// Stores the edges of the state that was visited last, if they are wanted.
    fn keep(&mut self, row: &mut Vec<Edge>) {
        if self.limits.edges {
            self.graph.bytes += (size_of::<usize>() + size_of_val(&**row)) as u64;
            self.graph.edges.push(row.drain(..));
        } else {
            row.clear();
        }
    }
}

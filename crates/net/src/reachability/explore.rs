//! How a reachability graph is built; what it promises is told in `graph`.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use super::graph::{
    CoveringPair, GraphLimits, GraphObserver, ReachabilityEdge, ReachabilityGraph, StateView,
};
use crate::{Budget, FireError, Rows, Semantics, Step, StopReason, TransitionId};

pub(super) struct GraphBuilder<'a, S: Semantics> {
    pub(super) graph: ReachabilityGraph<'a, S>,
    limits: GraphLimits,
    hasher: DefaultHashBuilder,
    state_index: HashTable<u32>,
    label_index: HashTable<u32>,
    /// The total of each state and the least on the way to it, on monotone nets.
    totals: Vec<(u64, u64)>,
    coverings: Vec<CoveringPair>,
    accelerate: Option<Acceleration<S>>,
}

/// Changes a new state by one on the way to it, and says whether it did.
type Acceleration<S> = fn(&mut <S as Semantics>::State, &<S as Semantics>::State) -> bool;

impl<'a, S: Semantics> GraphBuilder<'a, S> {
    /// How many ancestors are compared with a new state. Pumping runs are short; a long chain of states must
    /// not make the search quadratic.
    const LOOK_BACK: usize = 256;

    pub(super) fn new(net: &'a S, limits: GraphLimits) -> Self {
        let graph = ReachabilityGraph {
            net,
            states: Vec::new(),
            parents: Vec::new(),
            labels: Vec::new(),
            edges: Rows::new(),
            deadlocks: Vec::new(),
            firings: 0,
            bytes: net.table_bytes(),
            unbounded: None,
            stopped: None,
        };
        let limits = GraphLimits { states: limits.states.min(u32::MAX as usize), ..limits };
        Self {
            graph,
            limits,
            hasher: DefaultHashBuilder::default(),
            state_index: HashTable::new(),
            label_index: HashTable::new(),
            totals: Vec::new(),
            coverings: Vec::new(),
            accelerate: None,
        }
    }

    /// The same builder, where new states are changed by those on the way to them until nothing changes.
    pub(super) fn accelerated(self, accelerate: Acceleration<S>) -> Self {
        Self { accelerate: Some(accelerate), ..self }
    }

    /// Builds the graph as far as limits and observer allow.
    pub(super) fn explore(
        mut self,
        budget: &Budget,
        observer: &mut dyn GraphObserver<S>,
    ) -> ReachabilityGraph<'a, S> {
        if let Err(reason) = self.run(budget, observer) {
            self.graph.stop(reason);
        }
        self.graph
    }

    /// Visits state after state until all are there, or says why it stopped.
    fn run(&mut self, budget: &Budget, observer: &mut dyn GraphObserver<S>) -> Result<(), StopReason> {
        let net = self.graph.net;
        self.arrive(net.initial(), ReachabilityEdge::default());
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
            let view = StateView { graph: &self.graph, at, enabled: &enabled };
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
    fn fire(
        &mut self,
        from: usize,
        step: Step,
        next: Result<S::State, FireError>,
    ) -> Option<ReachabilityEdge> {
        let label = self.label(step);
        match next {
            Ok(mut state) => {
                self.accelerate(from, &mut state);
                let target = self.arrive(state, ReachabilityEdge { label, target: from as u32 })?;
                Some(ReachabilityEdge { label, target })
            }
            Err(FireError::Overflow { .. }) => {
                self.graph.stop(StopReason::Overflow);
                None
            }
            Err(why) => panic!("a step that is listed as enabled must fire, but: {why:?}"),
        }
    }

    /// Accelerates a state by those on the way to it.
    fn accelerate(&self, from: usize, state: &mut S::State) {
        let Some(accelerate) = self.accelerate else { return };
        let mut at = from;
        loop {
            if accelerate(state, &self.graph.states[at]) {
                at = from;
            } else if at == 0 {
                return;
            } else {
                at = self.graph.parents[at].target();
            }
        }
    }

    /// Where a state stands; new ones are added while there is room.
    fn arrive(&mut self, state: S::State, parent: ReachabilityEdge) -> Option<u32> {
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
                let pair = CoveringPair { ancestor: at, state };
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
    fn keep(&mut self, row: &mut Vec<ReachabilityEdge>) {
        if self.limits.edges {
            self.graph.bytes += (size_of::<usize>() + size_of_val(&**row)) as u64;
            self.graph.edges.push(row.drain(..));
        } else {
            row.clear();
        }
    }
}

//! The product of all markings and a Büchi automaton, and the markings from which it has an accepting path.
//!
//! A node is a marking and a state of the automaton; an edge takes a step of the net and an edge of the automaton whose cube holds in
//! the marking that is left. A deadlock has a step to itself. The net's steps are known by target, so the product is searched
//! backwards, which leaves its components the same: one with an accepting state and an edge is a goal, and what leads to a goal starts
//! an accepting path (Vardi and Wolper, "An automata-theoretic approach to automatic program verification", 1986).
//! Cost: linear in the product; [`NODE_BYTES`] a node and 4 bytes an edge at most.

use fireset_kernel::{
    automata::{AtomLiteral, Buchi},
    bits::Bits,
    scc::{self, SccGraph},
};
use fireset_net::{Budget, StopReason};

use crate::{marking_graph::StepRelation, search::PollTimer};

/// What the searches keep of a node: its order, its lowest and whether it is closed, its places on the path and on two stacks.
const NODE_BYTES: usize = 48;
/// After this number of edges the memory is checked.
const EDGES_BETWEEN_CHECKS: usize = 1 << 16;

/// The product of a relation of steps and an automaton.
pub(super) struct LabelledProduct<'a> {
    steps: &'a StepRelation,
    /// For each atom of the automaton, the markings in which it is true.
    letters: Vec<Bits>,
    /// For each state of the automaton, the edges to it.
    edges_to: Vec<Vec<EdgeSource<'a>>>,
    accepting: Vec<bool>,
    initial: &'a [u32],
    budget: &'a Budget,
    timer: PollTimer,
    /// Bytes that are in use beside the edges.
    held: usize,
    /// The edges that were generated, and at which number of them the memory is checked.
    edges: (usize, usize),
    goals: Vec<u32>,
}

/// An edge of the automaton by its target.
struct EdgeSource<'a> {
    from: u32,
    cube: &'a [AtomLiteral],
}

impl<'a> LabelledProduct<'a> {
    pub(super) fn new(
        automaton: &'a Buchi,
        letters: Vec<Bits>,
        steps: &'a StepRelation,
        budget: &'a Budget,
    ) -> Self {
        let mut edges_to: Vec<Vec<EdgeSource<'a>>> = automaton.states.iter().map(|_| Vec::new()).collect();
        for (from, state) in (0..).zip(&automaton.states) {
            for edge in &state.edges {
                edges_to[edge.to as usize].push(EdgeSource { from, cube: &edge.cube });
            }
        }
        Self {
            steps,
            letters,
            edges_to,
            accepting: automaton.states.iter().map(|state| state.accepting).collect(),
            initial: &automaton.initial,
            budget,
            timer: PollTimer::default(),
            held: 0,
            edges: (0, 0),
            goals: Vec::new(),
        }
    }

    /// The markings from which the product has an accepting path; `held` bytes are in use for other things.
    pub(super) fn starts_of_accepting_paths(&mut self, held: usize) -> Result<Bits, StopReason> {
        let (markings, states) = (self.steps.after.len(), self.accepting.len());
        let nodes = markings.saturating_mul(states);
        self.held = held.saturating_add(nodes.saturating_mul(NODE_BYTES));
        self.budget.check(self.held as u64, markings as u64)?;
        if nodes >= u32::MAX as usize {
            return Err(StopReason::Memory);
        }
        let accepting: Vec<usize> = (0..states).filter(|&state| self.accepting[state]).collect();
        let roots =
            accepting.iter().flat_map(|&state| (0..markings).map(move |at| (at * states + state) as u32));
        scc::search(self, roots)?;
        let found = self.leading_to_goals(nodes)?;
        let starts = |at: usize| self.initial.iter().any(|&state| found.get(at * states + state as usize));
        Ok(Bits::collect(markings, starts))
    }

    /// The most bytes that were in use.
    pub(super) fn peak(&self) -> usize {
        self.held + self.edges.0 * size_of::<u32>()
    }

    /// The nodes from which a goal can be reached.
    fn leading_to_goals(&mut self, nodes: usize) -> Result<Bits, StopReason> {
        let (mut found, mut waiting) = (Bits::filled(nodes, false), std::mem::take(&mut self.goals));
        waiting.iter().for_each(|&node| found.insert(node as usize));
        let mut before = Vec::new();
        while let Some(node) = waiting.pop() {
            if self.timer.is_due() {
                self.budget.go_on()?;
            }
            self.predecessors(node, &mut before);
            for source in before.drain(..) {
                if !found.get(source as usize) {
                    found.insert(source as usize);
                    waiting.push(source);
                }
            }
        }
        Ok(found)
    }

    /// Adds the nodes with an edge to a node.
    fn predecessors(&self, node: u32, to: &mut Vec<u32>) {
        let states = self.accepting.len();
        let (at, state) = (node as usize / states, node as usize % states);
        let stays = self.steps.is_deadlock(at).then_some(at as u32);
        for before in self.steps.before.of(at).iter().copied().chain(stays) {
            let sources = self.edges_to[state].iter().filter(|edge| self.reads(edge.cube, before as usize));
            to.extend(sources.map(|edge| before * states as u32 + edge.from));
        }
    }

    /// Whether a cube holds in a marking.
    fn reads(&self, cube: &[AtomLiteral], at: usize) -> bool {
        cube.iter().all(|literal| self.letters[literal.atom as usize].get(at) == literal.positive)
    }
}

/// The product with its edges turned around.
impl SccGraph for LabelledProduct<'_> {
    type Stop = StopReason;

    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), StopReason> {
        if self.timer.is_due() {
            self.budget.go_on()?;
        }
        let known = to.len();
        self.predecessors(node, to);
        self.edges.0 += to.len() - known;
        if self.edges.0 >= self.edges.1 {
            self.edges.1 = self.edges.0 + EDGES_BETWEEN_CHECKS;
            self.budget.check(self.peak() as u64, self.steps.after.len() as u64)?;
        }
        Ok(())
    }

    fn component(&mut self, nodes: &[u32]) -> Result<(), StopReason> {
        let states = self.accepting.len();
        if !nodes.iter().any(|&node| self.accepting[node as usize % states]) {
            return Ok(());
        }
        let has_edge = nodes.len() > 1 || {
            let mut before = Vec::new();
            self.predecessors(nodes[0], &mut before);
            before.contains(&nodes[0])
        };
        if has_edge {
            self.goals.extend_from_slice(nodes);
        }
        Ok(())
    }
}

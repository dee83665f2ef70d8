//! The product of all markings and a Büchi automaton, the markings from which it has an accepting path, and short such paths.
//!
//! A node is a marking and a state of the automaton; an edge takes a step of the net and an edge of the automaton whose cube holds in
//! the marking that is left. A deadlock has a step to itself. The net's steps are known by target, so the product is searched
//! backwards, which leaves its components the same: the accepting nodes of one with an edge are goals, and what leads to a goal starts
//! an accepting path (Vardi and Wolper, "An automata-theoretic approach to automatic program verification", 1986). The nearest goals
//! are found first, so each node knows the next one on a shortest path; a goal is on a cycle, and a shortest one is searched from it.
//! Cost: linear in the product; [`NODE_BYTES`] a node and 4 bytes an edge at most.

use std::collections::{HashMap, VecDeque};

use fireset_kernel::{
    automata::{AtomLiteral, Buchi},
    bits::Bits,
    scc::{self, SccGraph},
};
use fireset_net::{Budget, StopReason};

use crate::{
    marking_graph::StepRelation,
    search::{PollTimer, WorkLimit},
};

/// What the searches keep of a node: its order, its lowest and whether it is closed, its places on the path and on two stacks.
const NODE_BYTES: usize = 48;
/// After this number of edges the memory is checked.
const EDGES_BETWEEN_CHECKS: usize = 1 << 16;
/// The next node of one that leads to no goal.
const NONE: u32 = u32::MAX;

/// An infinite run, by the positions of its markings: position `back_to` of it follows its last.
pub(super) struct MarkingLasso {
    pub(super) markings: Vec<u32>,
    pub(super) back_to: usize,
}

/// The product of a relation of steps and an automaton.
pub(super) struct LabelledProduct<'a> {
    steps: &'a StepRelation,
    /// For each atom of the automaton, the markings in which it is true.
    letters: Vec<Bits>,
    /// For each state of the automaton, the edges to it.
    edges_to: Vec<Vec<EdgeSource>>,
    accepting: Vec<bool>,
    initial: Vec<u32>,
    budget: &'a Budget,
    timer: PollTimer,
    /// Bytes that are in use beside the edges.
    held: usize,
    /// The edges that were generated, and at which number of them the memory is checked.
    edges: (usize, usize),
    goals: Vec<u32>,
    /// For each node, the next one on a shortest path to a goal; for a goal, itself.
    next: Vec<u32>,
}

/// An edge of the automaton by its target.
struct EdgeSource {
    from: u32,
    cube: Vec<AtomLiteral>,
}

impl<'a> LabelledProduct<'a> {
    /// The product with the goals of its accepting paths; `held` bytes are in use for other things.
    pub(super) fn search(
        automaton: Buchi,
        letters: Vec<Bits>,
        (steps, budget): (&'a StepRelation, &'a Budget),
        held: usize,
    ) -> Result<Self, StopReason> {
        let accepting = automaton.states.iter().map(|state| state.accepting).collect();
        let mut edges_to: Vec<Vec<EdgeSource>> = automaton.states.iter().map(|_| Vec::new()).collect();
        for (from, state) in (0..).zip(automaton.states) {
            for edge in state.edges {
                edges_to[edge.to as usize].push(EdgeSource { from, cube: edge.cube });
            }
        }
        let mut product = Self {
            steps,
            letters,
            edges_to,
            accepting,
            initial: automaton.initial,
            budget,
            timer: PollTimer::default(),
            held,
            edges: (0, 0),
            goals: Vec::new(),
            next: Vec::new(),
        };
        product.find_goals()?;
        product.find_paths()?;
        Ok(product)
    }

    fn nodes(&self) -> usize {
        self.steps.after.len().saturating_mul(self.accepting.len())
    }

    fn find_goals(&mut self) -> Result<(), StopReason> {
        let (markings, states, nodes) = (self.steps.after.len(), self.accepting.len(), self.nodes());
        self.held = self.held.saturating_add(nodes.saturating_mul(NODE_BYTES));
        self.budget.check(self.held as u64, markings as u64)?;
        if nodes >= NONE as usize {
            return Err(StopReason::Memory);
        }
        let accepting: Vec<usize> = (0..states).filter(|&state| self.accepting[state]).collect();
        let roots =
            accepting.iter().flat_map(|&state| (0..markings).map(move |at| (at * states + state) as u32));
        scc::search(self, roots)
    }

    /// Finds shortest paths to the goals.
    fn find_paths(&mut self) -> Result<(), StopReason> {
        let (mut next, mut queue) =
            (vec![NONE; self.nodes()], VecDeque::from(std::mem::take(&mut self.goals)));
        queue.iter().for_each(|&goal| next[goal as usize] = goal);
        let mut before = Vec::new();
        while let Some(node) = queue.pop_front() {
            if self.timer.is_due() {
                self.budget.go_on()?;
            }
            self.predecessors(node, &mut before);
            for source in before.drain(..) {
                if next[source as usize] == NONE {
                    next[source as usize] = node;
                    queue.push_back(source);
                }
            }
        }
        self.next = next;
        Ok(())
    }

    /// The markings from which the product has an accepting path.
    pub(super) fn starts(&self) -> Bits {
        Bits::collect(self.steps.after.len(), |at| self.start_nodes(at).next().is_some())
    }

    /// The nodes of a marking from which accepting paths start.
    fn start_nodes(&self, marking: usize) -> impl Iterator<Item = u32> {
        let node = move |&state: &u32| (marking * self.accepting.len()) as u32 + state;
        self.initial.iter().map(node).filter(|&node| self.next[node as usize] != NONE)
    }

    /// The run of an accepting path from a marking, with a shortest way to its goal and a shortest cycle; `None` if there is no
    /// such path, or the limit is passed.
    pub(super) fn lasso(&self, marking: usize, limit: &mut WorkLimit<'_>) -> Option<MarkingLasso> {
        let path = |mut node: u32| {
            let mut path = vec![node];
            while self.next[node as usize] != node {
                node = self.next[node as usize];
                path.push(node);
            }
            path
        };
        let mut path = self.start_nodes(marking).map(path).min_by_key(Vec::len)?;
        let back_to = path.len() - 1;
        path.extend(self.cycle(path[back_to], limit)?);
        let markings: Vec<u32> = path.iter().map(|node| node / self.accepting.len() as u32).collect();
        // A deadlock is the last marking that differs.
        let deadlock = markings.iter().position(|&at| self.steps.is_deadlock(at as usize));
        Some(match deadlock {
            Some(at) => MarkingLasso { markings: markings[..=at].to_vec(), back_to: at },
            None => MarkingLasso { markings, back_to },
        })
    }

    /// The nodes on a shortest way back to a goal, without the goal.
    fn cycle(&self, goal: u32, limit: &mut WorkLimit<'_>) -> Option<Vec<u32>> {
        let (mut next, mut queue) = (HashMap::new(), VecDeque::from([goal]));
        let mut before = Vec::new();
        while let Some(node) = queue.pop_front() {
            self.predecessors(node, &mut before);
            for source in before.drain(..) {
                if limit.is_over() {
                    return None;
                }
                if source == goal {
                    let (mut cycle, mut node) = (Vec::new(), node);
                    while node != goal {
                        cycle.push(node);
                        node = next[&node];
                    }
                    return Some(cycle);
                }
                next.entry(source).or_insert_with(|| {
                    queue.push_back(source);
                    node
                });
            }
        }
        unreachable!("a goal is on a cycle")
    }

    /// The most bytes that were in use.
    pub(super) fn peak(&self) -> usize {
        self.held + self.edges.0 * size_of::<u32>()
    }

    /// The bytes that are in use for what was found.
    pub(super) fn bytes(&self) -> usize {
        self.next.len() * size_of::<u32>() + self.letters.len() * self.steps.after.len() / 8
    }

    /// Adds the nodes with an edge to a node.
    fn predecessors(&self, node: u32, to: &mut Vec<u32>) {
        let states = self.accepting.len();
        let (at, state) = (node as usize / states, node as usize % states);
        let stays = self.steps.is_deadlock(at).then_some(at as u32);
        for before in self.steps.before.of(at).iter().copied().chain(stays) {
            let sources = self.edges_to[state].iter().filter(|edge| self.reads(&edge.cube, before as usize));
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
        let is_accepting = |node: &&u32| self.accepting[**node as usize % states];
        let accepting: Vec<u32> = nodes.iter().filter(is_accepting).copied().collect();
        let has_edge = || {
            let mut before = Vec::new();
            self.predecessors(nodes[0], &mut before);
            before.contains(&nodes[0])
        };
        if !accepting.is_empty() && (nodes.len() > 1 || has_edge()) {
            self.goals.extend(accepting);
        }
        Ok(())
    }
}

//! From a formula to a very weak alternating co-Büchi automaton.
//!
//! Why: it has no more states than the formula has temporal operators, and what is removed here is not
//! multiplied later. Source: Gastin and Oddoux, "Fast LTL to Büchi automata translation" (CAV 2001), section 3.
//! We differ in what a disjunction is after `X` and at the start: one without temporal operators stays a single
//! state, others are split, as there.
//!
//! A run is in several states at once: a transition leads to all of its targets. An accepting run leaves each
//! `U` behind at last.
//!
//! Invariants: (1) targets of a state's transitions are the state itself or have smaller numbers, which is what
//! very weak means; (2) no transition of a state implies another one. Cost: exponential in the formula at
//! worst, which is what the limit is for. Test: `tests`, on lassos.

use super::{
    Literal, Ltl,
    limit::Limit,
    nodes::{Node, Nodes},
    sets::{both, included, union},
};

/// A way on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Transition {
    /// What the letter has.
    pub cube: Vec<Literal>,
    /// Where it leads: to all of these, in order.
    pub targets: Vec<u32>,
}

impl Transition {
    /// Whether it can be taken for the other one: with more letters, and less to do.
    pub fn implies(&self, other: &Self) -> bool {
        included(&self.cube, &other.cube) && included(&self.targets, &other.targets)
    }

    /// Both at once, if a letter allows it.
    pub fn with(&self, other: &Self) -> Option<Self> {
        Some(Self { cube: both(&self.cube, &other.cube)?, targets: union(&self.targets, &other.targets) })
    }

    /// What it takes of memory and time.
    pub fn size(&self) -> usize {
        1 + self.cube.len() + self.targets.len()
    }
}

/// The automaton.
#[derive(Clone, Debug)]
pub(super) struct Alternating {
    /// A run starts in all states of one of these.
    pub initial: Vec<Vec<u32>>,
    /// By number of the node; those that no run comes to have none.
    pub transitions: Vec<Vec<Transition>>,
    /// The states that must be left behind.
    pub untils: Vec<u32>,
}

impl Alternating {
    /// The automaton of a formula.
    pub fn new(formula: &Ltl, limit: &mut Limit) -> Option<Self> {
        let (nodes, root) = Nodes::new(formula);
        let initial = parts(&nodes, root, limit)?;
        let mut transitions: Vec<Vec<Transition>> = vec![Vec::new(); root as usize + 1];
        for node in nodes.below_root(root) {
            transitions[node as usize] = of_node(&nodes, node, &transitions, limit)?;
        }
        let mut automaton = Self { initial, transitions, untils: Vec::new() };
        let reached = automaton.reached();
        for (node, transitions) in (0..).zip(&mut automaton.transitions) {
            debug_assert!(transitions.iter().all(|t| t.targets.last() <= Some(&node)), "invariant 1");
            if !reached[node as usize] {
                transitions.clear();
            } else if matches!(nodes.get(node), Node::Until(..)) {
                automaton.untils.push(node);
            }
        }
        Some(automaton)
    }

    /// Which states runs come to.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.transitions.len()];
        self.initial.iter().flatten().for_each(|&state| reached[state as usize] = true);
        // By invariant 1 a state is reached before its number is met on the way down.
        for state in (0..reached.len()).rev() {
            if reached[state] {
                let targets = self.transitions[state].iter().flat_map(|t| &t.targets);
                targets.for_each(|&target| reached[target as usize] = true);
            }
        }
        reached
    }
}

/// The ways on from a node, where those from its operands are known.
fn of_node(
    nodes: &Nodes,
    node: u32,
    known: &[Vec<Transition>],
    limit: &mut Limit,
) -> Option<Vec<Transition>> {
    let of = |node: u32| &known[node as usize];
    let stay = Transition { cube: Vec::new(), targets: vec![node] };
    let mut all = Minimal::default();
    match nodes.get(node) {
        Node::Constant(false) => {}
        Node::Constant(true) => all.insert(Transition { cube: Vec::new(), targets: Vec::new() }, limit)?,
        Node::Literal(literal) => {
            all.insert(Transition { cube: vec![*literal], targets: Vec::new() }, limit)?;
        }
        Node::Or(parts) => {
            for transition in parts.iter().flat_map(|&part| of(part)) {
                all.insert(transition.clone(), limit)?;
            }
        }
        Node::And(parts) => {
            all.insert(Transition { cube: Vec::new(), targets: Vec::new() }, limit)?;
            for &part in parts {
                all = all.times(of(part), limit)?;
            }
        }
        Node::Next(f) => {
            for targets in parts(nodes, *f, limit)? {
                all.insert(Transition { cube: Vec::new(), targets }, limit)?;
            }
        }
        Node::Until(f, g) => {
            all.insert(stay, limit)?;
            all = all.times(of(*f), limit)?;
            for transition in of(*g) {
                all.insert(transition.clone(), limit)?;
            }
        }
        Node::Release(f, g) => {
            all.insert(stay, limit)?;
            for transition in of(*f) {
                all.insert(transition.clone(), limit)?;
            }
            all = all.times(of(*g), limit)?;
        }
    }
    Some(all.0)
}

/// Sets of states such that being in all of one is what the node says.
fn parts(nodes: &Nodes, node: u32, limit: &mut Limit) -> Option<Vec<Vec<u32>>> {
    let mut all = Minimal::default();
    match nodes.get(node) {
        Node::Constant(false) => {}
        Node::Constant(true) => return Some(vec![Vec::new()]),
        Node::And(operands) => {
            all.insert(Transition { cube: Vec::new(), targets: Vec::new() }, limit)?;
            for &operand in operands {
                let operand = parts(nodes, operand, limit)?.into_iter();
                let operand: Vec<_> =
                    operand.map(|targets| Transition { cube: Vec::new(), targets }).collect();
                all = all.times(&operand, limit)?;
            }
        }
        Node::Or(operands) if !nodes.is_propositional(node) => {
            for &operand in operands {
                for targets in parts(nodes, operand, limit)? {
                    all.insert(Transition { cube: Vec::new(), targets }, limit)?;
                }
            }
        }
        _ => return Some(vec![vec![node]]),
    }
    Some(all.0.into_iter().map(|transition| transition.targets).collect())
}

/// Transitions none of which implies another (invariant 2).
#[derive(Clone, Debug, Default)]
struct Minimal(Vec<Transition>);

impl Minimal {
    fn insert(&mut self, new: Transition, limit: &mut Limit) -> Option<()> {
        limit.spend(self.0.len() + new.size())?;
        if !self.0.iter().any(|old| old.implies(&new)) {
            self.0.retain(|old| !new.implies(old));
            self.0.push(new);
        }
        limit.fits(self.0.len())
    }

    /// One of these together with one of the others.
    fn times(&self, others: &[Transition], limit: &mut Limit) -> Option<Self> {
        let mut all = Self::default();
        for one in &self.0 {
            limit.spend(others.len())?;
            for both in others.iter().filter_map(|other| one.with(other)) {
                all.insert(both, limit)?;
            }
        }
        Some(all)
    }
}

//! From a formula to a very weak alternating co-Büchi automaton.
//!
//! Why: it has no more states than the formula has temporal operators, and a state that is removed here is not
//! multiplied later. Source: Gastin and Oddoux, "Fast LTL to Büchi automata translation" (CAV 2001), section 3.
//! We differ in the treatment of a disjunction after `X` and at the start: one without temporal operators stays a single
//! state, others are split, as there.
//!
//! A run is in several states at once: a transition leads to all of its targets. An accepting run leaves each
//! `U` eventually.
//!
//! Invariants: (1) targets of a state's transitions are the state itself or have smaller numbers, which makes the
//! automaton very weak; (2) no transition of a state implies another one. Cost: exponential in the formula at
//! worst, hence the limit. Test: `tests`, on lassos.

use super::{
    AtomLiteral, LtlFormula,
    formula_dag::{FormulaDag, FormulaNode},
    sets::{conjunction, included, union},
    size_limit::SizeLimit,
};

/// A transition to a conjunction of states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AlternatingTransition {
    /// The literals that the letter must have.
    pub cube: Vec<AtomLiteral>,
    /// The run goes on in all of these states, which ascend.
    pub targets: Vec<u32>,
}

impl AlternatingTransition {
    /// Whether each letter of the other transition allows this one, which leads to a subset of the states.
    pub fn implies(&self, other: &Self) -> bool {
        included(&self.cube, &other.cube) && included(&self.targets, &other.targets)
    }

    /// Both transitions at once, if some letter allows both.
    pub fn conjunction(&self, other: &Self) -> Option<Self> {
        Some(Self {
            cube: conjunction(&self.cube, &other.cube)?,
            targets: union(&self.targets, &other.targets),
        })
    }

    /// The cost of the transition in memory and time.
    pub fn size(&self) -> usize {
        1 + self.cube.len() + self.targets.len()
    }
}

#[derive(Clone, Debug)]
pub(super) struct AlternatingAutomaton {
    /// A run starts in all states of one of these sets.
    pub initial: Vec<Vec<u32>>,
    /// By index of the formula's node; states that no run visits have none.
    pub transitions: Vec<Vec<AlternatingTransition>>,
    /// The states that an accepting run leaves: those of `U`.
    pub untils: Vec<u32>,
}

impl AlternatingAutomaton {
    /// An automaton for the words that satisfy a formula; `None` beyond the limit.
    pub fn new(formula: &LtlFormula, limit: &mut SizeLimit) -> Option<Self> {
        let (dag, root) = FormulaDag::new(formula);
        let initial = initial_sets(&dag, root, limit)?;
        let mut transitions: Vec<Vec<AlternatingTransition>> = vec![Vec::new(); root as usize + 1];
        for node in dag.reachable_from(root) {
            transitions[node as usize] = transitions_of(&dag, node, &transitions, limit)?;
        }
        let mut automaton = Self { initial, transitions, untils: Vec::new() };
        let reached = automaton.reachable_states();
        for (node, transitions) in (0..).zip(&mut automaton.transitions) {
            debug_assert!(transitions.iter().all(|t| t.targets.last() <= Some(&node)), "invariant 1");
            if !reached[node as usize] {
                transitions.clear();
            } else if matches!(dag.get(node), FormulaNode::Until(..)) {
                automaton.untils.push(node);
            }
        }
        Some(automaton)
    }

    fn reachable_states(&self) -> Vec<bool> {
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

/// The transitions of a node, from those of its operands.
fn transitions_of(
    dag: &FormulaDag,
    node: u32,
    known: &[Vec<AlternatingTransition>],
    limit: &mut SizeLimit,
) -> Option<Vec<AlternatingTransition>> {
    let of = |node: u32| &known[node as usize];
    let self_loop = AlternatingTransition { cube: Vec::new(), targets: vec![node] };
    let mut all = MinimalTransitions::default();
    match dag.get(node) {
        FormulaNode::Constant(false) => {}
        FormulaNode::Constant(true) => {
            all.insert(AlternatingTransition { cube: Vec::new(), targets: Vec::new() }, limit)?
        }
        FormulaNode::Literal(literal) => {
            all.insert(AlternatingTransition { cube: vec![*literal], targets: Vec::new() }, limit)?;
        }
        FormulaNode::Or(parts) => {
            for transition in parts.iter().flat_map(|&part| of(part)) {
                all.insert(transition.clone(), limit)?;
            }
        }
        FormulaNode::And(parts) => {
            all.insert(AlternatingTransition { cube: Vec::new(), targets: Vec::new() }, limit)?;
            for &part in parts {
                all = all.product(of(part), limit)?;
            }
        }
        FormulaNode::Next(f) => {
            for targets in initial_sets(dag, *f, limit)? {
                all.insert(AlternatingTransition { cube: Vec::new(), targets }, limit)?;
            }
        }
        FormulaNode::Until(f, g) => {
            all.insert(self_loop, limit)?;
            all = all.product(of(*f), limit)?;
            for transition in of(*g) {
                all.insert(transition.clone(), limit)?;
            }
        }
        FormulaNode::Release(f, g) => {
            all.insert(self_loop, limit)?;
            for transition in of(*f) {
                all.insert(transition.clone(), limit)?;
            }
            all = all.product(of(*g), limit)?;
        }
    }
    Some(all.0)
}

/// The formula of a node as a disjunction of sets of states, each of which stands for a conjunction.
fn initial_sets(dag: &FormulaDag, node: u32, limit: &mut SizeLimit) -> Option<Vec<Vec<u32>>> {
    let mut all = MinimalTransitions::default();
    match dag.get(node) {
        FormulaNode::Constant(false) => {}
        FormulaNode::Constant(true) => return Some(vec![Vec::new()]),
        FormulaNode::And(operands) => {
            all.insert(AlternatingTransition { cube: Vec::new(), targets: Vec::new() }, limit)?;
            for &operand in operands {
                let operand = initial_sets(dag, operand, limit)?.into_iter();
                let operand: Vec<_> =
                    operand.map(|targets| AlternatingTransition { cube: Vec::new(), targets }).collect();
                all = all.product(&operand, limit)?;
            }
        }
        FormulaNode::Or(operands) if !dag.is_propositional(node) => {
            for &operand in operands {
                for targets in initial_sets(dag, operand, limit)? {
                    all.insert(AlternatingTransition { cube: Vec::new(), targets }, limit)?;
                }
            }
        }
        _ => return Some(vec![vec![node]]),
    }
    Some(all.0.into_iter().map(|transition| transition.targets).collect())
}

/// Transitions none of which implies another (invariant 2).
#[derive(Clone, Debug, Default)]
struct MinimalTransitions(Vec<AlternatingTransition>);

impl MinimalTransitions {
    fn insert(&mut self, new: AlternatingTransition, limit: &mut SizeLimit) -> Option<()> {
        limit.spend(self.0.len() + new.size())?;
        if !self.0.iter().any(|old| old.implies(&new)) {
            self.0.retain(|old| !new.implies(old));
            self.0.push(new);
        }
        limit.check_size(self.0.len())
    }

    /// All conjunctions of one of these and one of the others.
    fn product(&self, others: &[AlternatingTransition], limit: &mut SizeLimit) -> Option<Self> {
        let mut all = Self::default();
        for one in &self.0 {
            limit.spend(others.len())?;
            for both in others.iter().filter_map(|other| one.conjunction(other)) {
                all.insert(both, limit)?;
            }
        }
        Some(all)
    }
}

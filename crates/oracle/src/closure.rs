//! The closure of an LTL path formula: its subformulas, written with X and U only, and their values.
//!
//! What a run satisfies at a position follows from the atoms there and from one bit for each *elementary*
//! formula: `X f` for each `X f` and each `f U g` of the closure, since `f U g = g | f & X(f U g)`. A set of these
//! bits with the atoms of a state is a maximal consistent set of the closure.
//!
//! Source: Lichtenstein and Pnueli, "Checking That Finite State Concurrent Programs Satisfy Their Linear
//! Specification" (1985). `G f = !(true U !f)`, `f R g = !(!f U !g)`, `f W g = g R (f | g)`; equal subformulas are
//! one node, state predicates are atoms as a whole.

use fireset_net::{BoolTree, PathAtom, PathFormula, Rows, StatePredicate, Temporal};

/// A subformula; the numbers are those of the nodes below it, which come first, and of its bit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ClosureNode {
    Atom(usize),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Iff(usize, usize),
    Next { bit: usize },
    Until { hold: usize, reach: usize, bit: usize },
}

/// A path formula's closure.
#[derive(Debug, Default)]
pub(super) struct Closure {
    nodes: Vec<ClosureNode>,
    pub(super) atoms: Vec<StatePredicate>,
    /// For each bit the node that it promises for the next position.
    promised: Vec<usize>,
    root: usize,
}

impl Closure {
    pub(super) fn new(path: &PathFormula) -> Self {
        let mut closure = Self::default();
        closure.root = closure.add(path);
        closure
    }

    /// How many elementary formulas there are.
    pub(super) fn bits(&self) -> usize {
        self.promised.len()
    }

    fn add(&mut self, path: &PathFormula) -> usize {
        match path {
            BoolTree::Constant(true) => self.node(ClosureNode::And(Vec::new())),
            BoolTree::Constant(false) => self.node(ClosureNode::Or(Vec::new())),
            BoolTree::Not(f) => {
                let f = self.add(f);
                self.not(f)
            }
            BoolTree::And(fs) => {
                let fs = fs.iter().map(|f| self.add(f)).collect();
                self.node(ClosureNode::And(fs))
            }
            BoolTree::Or(fs) => {
                let fs = fs.iter().map(|f| self.add(f)).collect();
                self.node(ClosureNode::Or(fs))
            }
            BoolTree::Iff(sides) => {
                let (f, g) = (self.add(&sides.0), self.add(&sides.1));
                self.node(ClosureNode::Iff(f, g))
            }
            BoolTree::Atom(PathAtom::State(predicate)) => {
                let known = self.atoms.iter().position(|atom| atom == predicate);
                let atom = known.unwrap_or_else(|| {
                    self.atoms.push(predicate.clone());
                    self.atoms.len() - 1
                });
                self.node(ClosureNode::Atom(atom))
            }
            BoolTree::Atom(PathAtom::Temporal((), operator)) => self.temporal(operator),
        }
    }

    fn temporal(&mut self, operator: &Temporal<PathFormula>) -> usize {
        match operator.map(&mut |f| self.add(f)) {
            Temporal::Next(f) => {
                let bit = self.bit(f);
                self.node(ClosureNode::Next { bit })
            }
            Temporal::Finally(f) => {
                let always = self.node(ClosureNode::And(Vec::new()));
                self.until(always, f)
            }
            Temporal::Globally(f) => {
                let (always, never) = (self.node(ClosureNode::And(Vec::new())), self.not(f));
                let until = self.until(always, never);
                self.not(until)
            }
            Temporal::Until(f, g) => self.until(f, g),
            Temporal::Release(f, g) => self.release(f, g),
            Temporal::WeakUntil(f, g) => {
                let either = self.node(ClosureNode::Or(vec![f, g]));
                self.release(g, either)
            }
        }
    }

    fn not(&mut self, f: usize) -> usize {
        match self.nodes[f] {
            ClosureNode::Not(inner) => inner,
            _ => self.node(ClosureNode::Not(f)),
        }
    }

    fn release(&mut self, f: usize, g: usize) -> usize {
        let (not_f, not_g) = (self.not(f), self.not(g));
        let until = self.until(not_f, not_g);
        self.not(until)
    }

    fn until(&mut self, f: usize, g: usize) -> usize {
        let same = |n: &ClosureNode| matches!(n, ClosureNode::Until { hold, reach, .. } if (*hold, *reach) == (f, g));
        if let Some(known) = self.nodes.iter().position(same) {
            return known;
        }
        let bit = self.bit(self.nodes.len());
        self.node(ClosureNode::Until { hold: f, reach: g, bit })
    }

    /// The bit that promises a node.
    fn bit(&mut self, promised: usize) -> usize {
        self.promised.iter().position(|&n| n == promised).unwrap_or_else(|| {
            self.promised.push(promised);
            self.promised.len() - 1
        })
    }

    fn node(&mut self, node: ClosureNode) -> usize {
        self.nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    /// The values of all nodes.
    fn values(&self, atoms: &[bool], bits: u32, values: &mut Vec<bool>) {
        let set = |bit: usize| bits >> bit & 1 == 1;
        values.clear();
        for node in &self.nodes {
            let value = match node {
                ClosureNode::Atom(atom) => atoms[*atom],
                ClosureNode::Not(f) => !values[*f],
                ClosureNode::And(fs) => fs.iter().all(|&f| values[f]),
                ClosureNode::Or(fs) => fs.iter().any(|&f| values[f]),
                ClosureNode::Iff(f, g) => values[*f] == values[*g],
                ClosureNode::Next { bit } => set(*bit),
                ClosureNode::Until { hold, reach, bit } => values[*reach] || (values[*hold] && set(*bit)),
            };
            values.push(value);
        }
    }

    /// Everything about the sets of bits where the atoms have these values.
    pub(super) fn table(&self, atoms: &[bool]) -> ClosureTable {
        let sets = 1u32 << self.bits();
        let mut values = Vec::new();
        let mut kept = vec![0; sets as usize];
        let mut fulfilled = vec![0; sets as usize];
        let mut root = Vec::new();
        for bits in 0..sets {
            self.values(atoms, bits, &mut values);
            let mark = |masks: &mut [u32], bit: usize, value: bool| {
                masks[bits as usize] |= u32::from(value) << bit;
            };
            for (bit, &promised) in self.promised.iter().enumerate() {
                mark(&mut kept, bit, values[promised]);
                let due = match self.nodes[promised] {
                    ClosureNode::Until { reach, .. } => values[promised] && !values[reach],
                    _ => false,
                };
                mark(&mut fulfilled, bit, !due);
            }
            if values[self.root] {
                root.push(bits);
            }
        }
        let pairs = kept.iter().enumerate().map(|(bits, &kept)| (kept as usize, bits as u32));
        ClosureTable { after: Rows::group(sets as usize, pairs), fulfilled, root }
    }

    /// About how many bytes a table takes.
    pub(super) fn table_bytes(&self) -> usize {
        20 << self.bits()
    }
}

/// The sets of bits in states with the same atoms.
#[derive(Debug)]
pub(super) struct ClosureTable {
    /// For each set of bits, the sets that may follow in such a state: those where exactly what it promises is
    /// true.
    pub(super) after: Rows<u32>,
    /// For each set of bits, a mask of the bits whose until is not waiting for its second part.
    pub(super) fulfilled: Vec<u32>,
    /// The sets of bits with which the formula is true.
    pub(super) root: Vec<u32>,
}

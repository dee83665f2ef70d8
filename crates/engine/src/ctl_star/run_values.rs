//! The values of a path formula along a run, with what it takes to show them.
//!
//! The letters of the word are formulas about markings. A state predicate is read from a marking; a quantified formula takes further
//! runs, or must be claimed. Each subformula at each position has its value and the least of these three that determines it, in the
//! sense of Kleene's logic: its value would be the same whatever the values of the letters that take more.
//! Every operator but `X` gives a solution of `x = now or (stay and X x)`, the least or the greatest.
//! Invariant: the letters that [`RunValues::needed`] lists determine the value, and take no more than the value does.
//! Cost: the formula's size times the length of the run. Test: `tests/ctl_star.rs`, where all evidence is replayed.

use std::collections::HashSet;

use fireset_net::{BoolTree, CtlStarAtom, CtlStarFormula, Temporal};

use super::product::MarkingLasso;

/// What it takes to show a value, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShownBy {
    Marking,
    Runs,
    Claim,
}

/// The value of a formula at a position.
#[derive(Clone, Copy)]
pub(super) struct PositionValue {
    pub(super) holds: bool,
    pub(super) by: ShownBy,
}

impl PositionValue {
    fn is_known(self, by: ShownBy) -> bool {
        self.by <= by
    }
}

/// A subformula over those before it.
enum ValueNode {
    Letter(CtlStarAtom),
    Constant(bool),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Iff(usize, usize),
    Next(usize),
    /// The least or, from `start` true, the greatest solution of `x = now or (stay and X x)`.
    Repeat {
        stay: usize,
        now: usize,
        start: bool,
    },
}

/// The lower or the upper bound of values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Certain,
    Possible,
}

impl Bound {
    fn other(self) -> Self {
        if self == Self::Certain { Self::Possible } else { Self::Certain }
    }
}

/// The subformulas of a path formula with their values at all positions of a run.
pub(super) struct RunValues {
    nodes: Vec<(ValueNode, Vec<PositionValue>)>,
    length: usize,
    back_to: usize,
}

impl RunValues {
    /// Evaluates a formula; `letter` gives the value of a letter in a marking.
    pub(super) fn new(
        formula: &CtlStarFormula,
        run: &MarkingLasso,
        letter: &impl Fn(&CtlStarAtom, u32) -> PositionValue,
    ) -> Self {
        let mut values = Self { nodes: Vec::new(), length: run.markings.len(), back_to: run.back_to };
        values.add(formula, &|atom| run.markings.iter().map(|&marking| letter(atom, marking)).collect());
        values
    }

    /// The value of the formula at a position.
    pub(super) fn at(&self, position: usize) -> PositionValue {
        self.value(self.nodes.len() - 1, position)
    }

    /// Calls `visit` with quantified formulas and positions, whose values determine that of the formula at a position.
    pub(super) fn needed(&self, position: usize, visit: &mut dyn FnMut(&CtlStarAtom, usize)) {
        let root = self.nodes.len() - 1;
        let mut search =
            NeededLetters { values: self, by: self.at(position).by, seen: HashSet::new(), visit };
        search.explain(root, position);
    }

    fn value(&self, node: usize, position: usize) -> PositionValue {
        self.nodes[node].1[position]
    }

    fn next(&self, position: usize) -> usize {
        if position + 1 == self.length { self.back_to } else { position + 1 }
    }

    /// Adds a formula, where `letter` evaluates letters; gives its node.
    fn add(
        &mut self,
        formula: &CtlStarFormula,
        letter: &dyn Fn(&CtlStarAtom) -> Vec<PositionValue>,
    ) -> usize {
        let node = match formula {
            BoolTree::Constant(value) => ValueNode::Constant(*value),
            BoolTree::Not(f) => ValueNode::Not(self.add(f, letter)),
            BoolTree::And(fs) => ValueNode::All(fs.iter().map(|f| self.add(f, letter)).collect()),
            BoolTree::Or(fs) => ValueNode::Any(fs.iter().map(|f| self.add(f, letter)).collect()),
            BoolTree::Iff(sides) => ValueNode::Iff(self.add(&sides.0, letter), self.add(&sides.1, letter)),
            BoolTree::Atom(CtlStarAtom::Temporal(operator)) => {
                let operands = operator.map(&mut |f| self.add(f, letter));
                self.temporal(operands)
            }
            BoolTree::Atom(atom) => {
                self.nodes.push((ValueNode::Letter(atom.clone()), letter(atom)));
                return self.nodes.len() - 1;
            }
        };
        self.push(node)
    }

    fn temporal(&mut self, operator: Temporal<usize>) -> ValueNode {
        match operator {
            Temporal::Next(f) => ValueNode::Next(f),
            Temporal::Finally(now) => {
                ValueNode::Repeat { stay: self.push(ValueNode::Constant(true)), now, start: false }
            }
            Temporal::Globally(stay) => {
                ValueNode::Repeat { stay, now: self.push(ValueNode::Constant(false)), start: true }
            }
            Temporal::Until(stay, now) => ValueNode::Repeat { stay, now, start: false },
            Temporal::WeakUntil(stay, now) => ValueNode::Repeat { stay, now, start: true },
            Temporal::Release(release, stay) => {
                ValueNode::Repeat { stay, now: self.push(ValueNode::All(vec![release, stay])), start: true }
            }
        }
    }

    /// Adds a node with its values.
    fn push(&mut self, node: ValueNode) -> usize {
        let bounds = [ShownBy::Marking, ShownBy::Runs, ShownBy::Claim]
            .map(|by| (by, self.bound(&node, by, Bound::Certain), self.bound(&node, by, Bound::Possible)));
        let value = |at: usize| {
            let known = bounds.iter().find(|(_, certain, possible)| certain[at] == possible[at]);
            let (by, certain, _) = known.expect("with all letters a value is known");
            PositionValue { holds: certain[at], by: *by }
        };
        let values = (0..self.length).map(value).collect();
        self.nodes.push((node, values));
        self.nodes.len() - 1
    }

    /// Where a node is certain or possible, if only what takes no more than `by` is known of its operands.
    fn bound(&self, node: &ValueNode, by: ShownBy, bound: Bound) -> Vec<bool> {
        let of = |node: usize, bound: Bound| -> Vec<bool> {
            let unknown = bound == Bound::Possible;
            self.nodes[node].1.iter().map(|v| if v.is_known(by) { v.holds } else { unknown }).collect()
        };
        let each = |test: &dyn Fn(usize) -> bool| (0..self.length).map(test).collect::<Vec<bool>>();
        let several = |nodes: &[usize]| nodes.iter().map(|&f| of(f, bound)).collect::<Vec<_>>();
        match node {
            ValueNode::Letter(_) => unreachable!("letters have values"),
            ValueNode::Constant(value) => vec![*value; self.length],
            ValueNode::Not(f) => of(*f, bound.other()).into_iter().map(|value| !value).collect(),
            ValueNode::All(fs) => {
                let fs = several(fs);
                each(&|at| fs.iter().all(|f| f[at]))
            }
            ValueNode::Any(fs) => {
                let fs = several(fs);
                each(&|at| fs.iter().any(|f| f[at]))
            }
            ValueNode::Iff(f, g) => {
                let (yes, no) = ([*f, *g].map(|f| of(f, bound)), [*f, *g].map(|f| of(f, bound.other())));
                each(&|at| yes.iter().all(|f| f[at]) || no.iter().all(|f| !f[at]))
            }
            ValueNode::Next(f) => {
                let f = of(*f, bound);
                each(&|at| f[self.next(at)])
            }
            ValueNode::Repeat { stay, now, start } => {
                let (stay, now, mut value) = (of(*stay, bound), of(*now, bound), vec![*start; self.length]);
                // The second round knows what the first found for the start of the cycle.
                for at in (0..self.length).rev().chain((0..self.length).rev()) {
                    value[at] = now[at] || (stay[at] && value[self.next(at)]);
                }
                value
            }
        }
    }
}

/// Collects letters that determine the values of nodes.
struct NeededLetters<'v> {
    values: &'v RunValues,
    /// What the letters may take at most.
    by: ShownBy,
    /// The nodes and positions that were explained.
    seen: HashSet<(usize, usize)>,
    visit: &'v mut dyn FnMut(&CtlStarAtom, usize),
}

impl NeededLetters<'_> {
    /// Whether a node is known to have a value without taking too much.
    fn has(&self, node: usize, at: usize, holds: bool) -> bool {
        let value = self.values.value(node, at);
        value.is_known(self.by) && value.holds == holds
    }

    /// Lists the letters for the value of a node, which is known.
    fn explain(&mut self, node: usize, at: usize) {
        if !self.seen.insert((node, at)) {
            return;
        }
        let values = self.values;
        let holds = values.value(node, at).holds;
        match &values.nodes[node].0 {
            ValueNode::Letter(CtlStarAtom::State(_)) | ValueNode::Constant(_) => {}
            ValueNode::Letter(atom) => (self.visit)(atom, at),
            ValueNode::Not(f) => self.explain(*f, at),
            ValueNode::All(fs) | ValueNode::Any(fs) => {
                if holds == matches!(values.nodes[node].0, ValueNode::All(_)) {
                    return fs.iter().for_each(|&f| self.explain(f, at));
                }
                let known = fs.iter().filter(|&&f| self.has(f, at, holds));
                let easiest = known.min_by_key(|&&f| values.value(f, at).by);
                self.explain(*easiest.expect("an operand determines the value"), at);
            }
            ValueNode::Iff(f, g) => [*f, *g].into_iter().for_each(|f| self.explain(f, at)),
            ValueNode::Next(f) => self.explain(*f, values.next(at)),
            ValueNode::Repeat { stay, now, .. } => self.explain_repeat((*stay, *now), at, holds),
        }
    }

    /// Explains positions until one decides, or the cycle comes round.
    fn explain_repeat(&mut self, (stay, now): (usize, usize), mut at: usize, holds: bool) {
        let (goes_on, decides) = if holds { (stay, now) } else { (now, stay) };
        for _ in 0..=self.values.length {
            if !holds {
                self.explain(goes_on, at);
            }
            if self.has(decides, at, holds) {
                return self.explain(decides, at);
            }
            if holds {
                self.explain(goes_on, at);
            }
            at = self.values.next(at);
        }
    }
}

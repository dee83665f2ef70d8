//! Satisfaction sets: the reachable markings in which a formula holds.
//!
//! `E[f U g]` is the set of markings that lead to `g` through `f`, by backward saturation; `A[f U g]` the complement of those
//! that can avoid it: by ending or leaving `f` before `g`, or by going on for ever without `g`, which is a greatest fixpoint.

use std::collections::HashMap;

use fireset_kernel::mdd::{MddManager, MddNode, Saturation, Stopped};
use fireset_net::{BoolTree, Comparison, CtlFormula, Net, PlaceId, TransitionId};

use super::{
    ReachableMarkings,
    events::{EventRelation, EventTable, StepDirection},
    nonlinear::ExpressionSelection,
};
use crate::{
    ctl::operators::{CompiledCtl, CtlTerm, TemporalKind, TermAtom},
    search::{Predicate, PredicateAtom},
};

pub(super) struct SatisfactionSets<'a, 'g> {
    pub(super) diagram: &'a mut MddManager<'g>,
    pub(super) events: &'a mut EventTable,
    pub(super) reachable: MddNode,
    /// The local states of the initial marking, the lowest variable's first.
    initial: &'a [u32],
    /// The satisfaction sets of atoms so far.
    known: HashMap<PredicateAtom, MddNode>,
    /// The number of nodes before the first satisfaction set.
    nodes: usize,
}

impl<'a, 'g> SatisfactionSets<'a, 'g> {
    pub(super) fn new(markings: &'a mut ReachableMarkings<'g>) -> Self {
        let ReachableMarkings { diagram, events, initial, reachable } = markings;
        let nodes = diagram.len();
        Self { diagram, events, reachable: *reachable, initial, known: HashMap::new(), nodes }
    }

    /// Drops all nodes but those of the reachable markings.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.diagram.truncate(self.nodes);
    }

    /// Whether there are no nodes but those of the reachable markings.
    pub(super) fn holds_no_results(&self) -> bool {
        self.diagram.len() == self.nodes
    }

    /// The value of a CTL formula in the initial marking.
    pub(super) fn holds(&mut self, formula: &CtlFormula) -> Result<bool, Stopped> {
        let operators = CompiledCtl::of(formula);
        let mut known = Vec::new();
        for operator in &operators.all {
            let (hold, goal) = (self.term(&operator.hold, &known)?, self.term(&operator.goal, &known)?);
            known.push(match operator.kind {
                TemporalKind::Next => self.step_before(self.reachable, goal)?,
                TemporalKind::SomeUntil => self.before(hold, goal)?,
                TemporalKind::AllUntil => self.on_all_runs(hold, goal)?,
            });
        }
        let root = self.term(&operators.root, &known)?;
        Ok(self.contains_initial(root))
    }

    /// Whether a test holds for each transition's set of markings that enable it.
    pub(super) fn each(
        &mut self,
        net: &Net,
        mut test: impl FnMut(&mut Self, MddNode) -> Result<bool, Stopped>,
    ) -> Result<bool, Stopped> {
        for t in net.nodes().transition_ids() {
            let fireable = self.fireable(&[t])?;
            if !test(self, fireable)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn contains_initial(&self, set: MddNode) -> bool {
        let child = |set, &local: &u32| self.diagram.child(set, local);
        self.initial.iter().rev().fold(set, child) != MddNode::EMPTY
    }

    /// Whether a marking is in a set.
    pub(super) fn contains(&self, set: MddNode, marking: &[u64]) -> bool {
        let local_state = |variable| self.events.local_state(variable, marking);
        let child = |set, variable| {
            local_state(variable).map_or(MddNode::EMPTY, |local| self.diagram.child(set, local))
        };
        (1..=self.initial.len()).rev().fold(set, child) != MddNode::EMPTY
    }

    /// The markings in which some places hold `sum` tokens together.
    pub(super) fn with_sum(&mut self, places: &[PlaceId], sum: u128) -> Result<MddNode, Stopped> {
        let terms: Vec<(PlaceId, i64)> = places.iter().map(|&place| (place, 1)).collect();
        let sum = i128::try_from(sum).expect("a sum of few numbers of 64 bits");
        self.compared(Comparison::Equal, &terms, -sum)
    }

    /// The pre-image of a set, within another.
    pub(super) fn step_before(&mut self, within: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        Saturation::image(
            self.diagram,
            &mut EventRelation::new(self.events, StepDirection::Backwards),
            within,
            goal,
        )
    }

    /// The markings of `E[hold U goal]`.
    pub(super) fn before(&mut self, hold: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        Saturation::closure(
            self.diagram,
            &mut EventRelation::new(self.events, StepDirection::Backwards),
            hold,
            goal,
        )
    }

    /// The markings of `A[hold U goal]`.
    fn on_all_runs(&mut self, hold: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        let not_yet = self.diagram.difference(self.reachable, goal)?;
        let deadlocks = self.deadlocks()?;
        let going_on = self.diagram.difference(hold, deadlocks)?;
        let violating = self.diagram.difference(not_yet, going_on)?;
        let mut for_ever = self.diagram.difference(not_yet, violating)?;
        loop {
            let next = self.step_before(for_ever, for_ever)?;
            if next == for_ever {
                break;
            }
            for_ever = next;
        }
        let avoided = self.diagram.union(violating, for_ever)?;
        let can_avoid = self.before(not_yet, avoided)?;
        self.diagram.difference(self.reachable, can_avoid)
    }

    /// The satisfaction set of a term, from those of the operators.
    fn term(&mut self, term: &CtlTerm, operators: &[MddNode]) -> Result<MddNode, Stopped> {
        self.tree(term, &mut |sets, atom| match atom {
            TermAtom::Predicate(predicate) => sets.predicate(predicate),
            TermAtom::Temporal(operator) => Ok(operators[*operator as usize]),
        })
    }

    /// The satisfaction set of a state predicate.
    pub(super) fn predicate(&mut self, predicate: &Predicate) -> Result<MddNode, Stopped> {
        self.tree(predicate, &mut |sets, atom| sets.atom(atom))
    }

    /// The satisfaction set of a Boolean combination, from those of its atoms.
    fn tree<A>(
        &mut self,
        tree: &BoolTree<A>,
        atom: &mut impl FnMut(&mut Self, &A) -> Result<MddNode, Stopped>,
    ) -> Result<MddNode, Stopped> {
        match tree {
            BoolTree::Constant(true) => Ok(self.reachable),
            BoolTree::Constant(false) => Ok(MddNode::EMPTY),
            BoolTree::Atom(leaf) => atom(self, leaf),
            BoolTree::Not(tree) => {
                let set = self.tree(tree, atom)?;
                self.diagram.difference(self.reachable, set)
            }
            BoolTree::And(trees) => trees.iter().try_fold(self.reachable, |set, tree| {
                let other = self.tree(tree, atom)?;
                self.diagram.intersection(set, other)
            }),
            BoolTree::Or(trees) => trees.iter().try_fold(MddNode::EMPTY, |set, tree| {
                let other = self.tree(tree, atom)?;
                self.diagram.union(set, other)
            }),
            BoolTree::Iff(sides) => {
                let (a, b) = (self.tree(&sides.0, atom)?, self.tree(&sides.1, atom)?);
                self.same(a, b)
            }
        }
    }

    /// The satisfaction set of an atom, which is computed once.
    fn atom(&mut self, atom: &PredicateAtom) -> Result<MddNode, Stopped> {
        if let Some(&known) = self.known.get(atom) {
            return Ok(known);
        }
        let set = match atom {
            PredicateAtom::Deadlock => return self.deadlocks(),
            PredicateAtom::Fireable(ts) => self.fireable(ts)?,
            PredicateAtom::BindingFireable(_) => {
                unreachable!("decision diagrams are not used on coloured nets")
            }
            PredicateAtom::Linear(how, terms, constant) => self.compared(*how, terms, *constant)?,
            PredicateAtom::Nonlinear(how, sides) => {
                ExpressionSelection::new(self.diagram, self.events, *how, sides).run(self.reachable)?
            }
        };
        self.known.insert(atom.clone(), set);
        Ok(set)
    }

    /// The reachable markings that are in both sets or in none.
    fn same(&mut self, a: MddNode, b: MddNode) -> Result<MddNode, Stopped> {
        let (one, other) = (self.diagram.difference(a, b)?, self.diagram.difference(b, a)?);
        let either = self.diagram.union(one, other)?;
        self.diagram.difference(self.reachable, either)
    }

    /// The markings that enable one of these transitions.
    fn fireable(&mut self, transitions: &[TransitionId]) -> Result<MddNode, Stopped> {
        let steps = &mut EventRelation::new(self.events, StepDirection::Staying).of(transitions);
        Saturation::image(self.diagram, steps, MddNode::ALL, self.reachable)
    }

    pub(super) fn deadlocks(&mut self) -> Result<MddNode, Stopped> {
        if let Some(&known) = self.known.get(&PredicateAtom::Deadlock) {
            return Ok(known);
        }
        let steps = &mut EventRelation::new(self.events, StepDirection::Staying);
        let enabled = Saturation::image(self.diagram, steps, MddNode::ALL, self.reachable)?;
        let set = self.diagram.difference(self.reachable, enabled)?;
        self.known.insert(PredicateAtom::Deadlock, set);
        Ok(set)
    }

    /// The markings in which a sum of factors times tokens and a constant compares with zero.
    fn compared(
        &mut self,
        how: Comparison,
        terms: &[(PlaceId, i64)],
        constant: i128,
    ) -> Result<MddNode, Stopped> {
        let weights = weights(self.events, self.initial.len(), terms);
        // The least and the largest sum below each node.
        let ranges = self.diagram.fold(self.reachable, (0, 0), |variable, edges, below| {
            let range = edges.iter().map(|&(local, child)| {
                let (here, (least, most)) = (weights[variable - 1][local as usize], below[child]);
                (here + least, here + most)
            });
            range.reduce(|a: (i128, i128), b| (a.0.min(b.0), a.1.max(b.1))).expect("a node has edges")
        });
        let mut select =
            LinearSelection { diagram: self.diagram, how, weights: &weights, known: HashMap::new() };
        select.run(self.reachable, constant, &|set| ranges[set])
    }
}

/// By variable and local state, its contribution to a sum.
pub(super) fn weights(events: &EventTable, variables: usize, terms: &[(PlaceId, i64)]) -> Vec<Vec<i128>> {
    let mut weights: Vec<Vec<i128>> =
        (1..=variables).map(|variable| vec![0; events.local_states(variable)]).collect();
    for &(place, factor) in terms {
        let (variable, position) = events.place[place.index()];
        for (local, weight) in weights[variable - 1].iter_mut().enumerate() {
            *weight += i128::from(factor) * i128::from(events.tokens(variable, local as u32)[position]);
        }
    }
    weights
}

/// Selects the markings of a set by a linear comparison.
struct LinearSelection<'d, 'g> {
    diagram: &'d mut MddManager<'g>,
    how: Comparison,
    weights: &'d [Vec<i128>],
    /// By node and the sum of the variables above.
    known: HashMap<(MddNode, i128), MddNode>,
}

impl LinearSelection<'_, '_> {
    fn run(
        &mut self,
        set: MddNode,
        above: i128,
        range: &dyn Fn(MddNode) -> (i128, i128),
    ) -> Result<MddNode, Stopped> {
        let (least, most) = range(set);
        match decided(self.how, above + least, above + most) {
            Some(true) => return Ok(set),
            Some(false) => return Ok(MddNode::EMPTY),
            None => {}
        }
        if let Some(&known) = self.known.get(&(set, above)) {
            return Ok(known);
        }
        let variable = self.diagram.variable(set);
        let edges = self.diagram.edges(set).to_vec();
        let mut some = Vec::with_capacity(edges.len());
        for (local, child) in edges {
            let here = above + self.weights[variable - 1][local as usize];
            let child = self.run(child, here, range)?;
            if child != MddNode::EMPTY {
                some.push((local, child));
            }
        }
        let selected = self.diagram.node(variable, &some)?;
        self.known.insert((set, above), selected);
        Ok(selected)
    }
}

/// Whether all sums between two bounds compare with zero in this way, or none does.
fn decided(how: Comparison, least: i128, most: i128) -> Option<bool> {
    let (at_least, at_most) = (how.holds(&least, &0), how.holds(&most, &0));
    match how {
        Comparison::Equal | Comparison::NotEqual => {
            let apart = least > 0 || most < 0;
            (apart || least == most).then_some(at_least)
        }
        _ => (at_least == at_most).then_some(at_least),
    }
}

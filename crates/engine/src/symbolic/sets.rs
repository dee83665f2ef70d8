//! Where formulas hold: sets of reachable markings.
//!
//! `E[f U g]` is what leads to `g` through `f`, by saturation against the steps; `A[f U g]` is everything but what can avoid it: by
//! ending or leaving `f` before `g`, or by going on for ever without `g`, which is a greatest fixpoint.

use std::collections::HashMap;

use fireset_kernel::mdd::{MddManager, MddNode, Saturation, Stopped};
use fireset_net::{Comparison, Formula, Net, PlaceId, TransitionId};

use super::{
    Markings,
    events::{Events, Steps, Way},
};
use crate::{
    ctl::operators::{Kind, Operators, Term},
    search::Predicate,
};

/// The reachable markings, and sets of them.
pub(super) struct Sets<'a, 'g> {
    pub(super) diagram: &'a mut MddManager<'g>,
    pub(super) events: &'a mut Events,
    pub(super) reachable: MddNode,
    /// The values of the initial marking, the lowest level's first.
    initial: &'a [u32],
    /// Where predicates hold that were asked for.
    known: HashMap<Predicate, MddNode>,
    /// How many there were when nothing was asked yet.
    nodes: usize,
}

impl<'a, 'g> Sets<'a, 'g> {
    pub(super) fn new(markings: &'a mut Markings<'g>) -> Self {
        let Markings { diagram, events, initial, reachable } = markings;
        let nodes = diagram.len();
        Self { diagram, events, reachable: *reachable, initial, known: HashMap::new(), nodes }
    }

    /// Keeps the reachable markings and nothing else.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.diagram.truncate(self.nodes);
    }

    /// The value of a CTL formula in the initial marking.
    pub(super) fn holds(&mut self, formula: &Formula) -> Result<bool, Stopped> {
        let operators = Operators::of(formula);
        let mut known = Vec::new();
        for operator in &operators.all {
            let (hold, goal) = (self.term(&operator.hold, &known)?, self.term(&operator.goal, &known)?);
            known.push(match operator.kind {
                Kind::Next => self.step_before(self.reachable, goal)?,
                Kind::SomeUntil => self.before(hold, goal)?,
                Kind::AllUntil => self.on_all_runs(hold, goal)?,
            });
        }
        let root = self.term(&operators.root, &known)?;
        Ok(self.contains_initial(root))
    }

    /// Whether a test says yes about where each transition is enabled.
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
        let child = |set, &value: &u32| self.diagram.child(set, value);
        self.initial.iter().rev().fold(set, child) != MddNode::EMPTY
    }

    /// Whether a marking is in a set.
    pub(super) fn contains(&self, set: MddNode, marking: &[u64]) -> bool {
        let value = |level| self.events.value(level, marking);
        let child = |set, level| value(level).map_or(MddNode::EMPTY, |value| self.diagram.child(set, value));
        (1..=self.initial.len()).rev().fold(set, child) != MddNode::EMPTY
    }

    /// Where some places hold so many tokens together.
    pub(super) fn with_sum(&mut self, places: &[PlaceId], sum: u128) -> Result<MddNode, Stopped> {
        let terms: Vec<(PlaceId, i64)> = places.iter().map(|&place| (place, 1)).collect();
        let sum = i128::try_from(sum).expect("a sum of few numbers of 64 bits");
        self.compared(Comparison::Equal, &terms, -sum)
    }

    /// Markings from which one step leads into a set.
    pub(super) fn step_before(&mut self, within: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        Saturation::image(self.diagram, &mut Steps::new(self.events, Way::Backwards), within, goal)
    }

    /// A set and the markings from which steps through `hold` lead there.
    pub(super) fn before(&mut self, hold: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        Saturation::closure(self.diagram, &mut Steps::new(self.events, Way::Backwards), hold, goal)
    }

    /// Where `A[hold U goal]` holds.
    fn on_all_runs(&mut self, hold: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        let not_yet = self.diagram.difference(self.reachable, goal)?;
        let deadlocks = self.deadlocks()?;
        let going_on = self.diagram.difference(hold, deadlocks)?;
        let wrong = self.diagram.difference(not_yet, going_on)?;
        let mut for_ever = self.diagram.difference(not_yet, wrong)?;
        loop {
            let next = self.step_before(for_ever, for_ever)?;
            if next == for_ever {
                break;
            }
            for_ever = next;
        }
        let avoided = self.diagram.union(wrong, for_ever)?;
        let can_avoid = self.before(not_yet, avoided)?;
        self.diagram.difference(self.reachable, can_avoid)
    }

    /// Where a term holds, from where operators do.
    fn term(&mut self, term: &Term, operators: &[MddNode]) -> Result<MddNode, Stopped> {
        match term {
            Term::Predicate(predicate) => self.predicate(predicate),
            Term::Temporal(operator) => Ok(operators[*operator as usize]),
            Term::Not(term) => {
                let set = self.term(term, operators)?;
                self.diagram.difference(self.reachable, set)
            }
            Term::And(terms) => terms.iter().try_fold(self.reachable, |set, term| {
                let other = self.term(term, operators)?;
                self.diagram.intersection(set, other)
            }),
            Term::Or(terms) => terms.iter().try_fold(MddNode::EMPTY, |set, term| {
                let other = self.term(term, operators)?;
                self.diagram.union(set, other)
            }),
            Term::Iff(sides) => {
                let (a, b) = (self.term(&sides.0, operators)?, self.term(&sides.1, operators)?);
                self.same(a, b)
            }
        }
    }

    /// Where a state predicate holds.
    pub(super) fn predicate(&mut self, predicate: &Predicate) -> Result<MddNode, Stopped> {
        if let Some(&known) = self.known.get(predicate) {
            return Ok(known);
        }
        let set = match predicate {
            Predicate::Constant(true) => self.reachable,
            Predicate::Constant(false) => MddNode::EMPTY,
            Predicate::Deadlock => return self.deadlocks(),
            Predicate::Fireable(ts) => self.fireable(ts)?,
            Predicate::Linear(how, terms, constant) => self.compared(*how, terms, *constant)?,
            Predicate::Compare(..) => panic!("accepts only comparisons of sums"),
            Predicate::Not(f) => {
                let set = self.predicate(f)?;
                self.diagram.difference(self.reachable, set)?
            }
            Predicate::And(fs) => fs.iter().try_fold(self.reachable, |set, f| {
                let other = self.predicate(f)?;
                self.diagram.intersection(set, other)
            })?,
            Predicate::Or(fs) => fs.iter().try_fold(MddNode::EMPTY, |set, f| {
                let other = self.predicate(f)?;
                self.diagram.union(set, other)
            })?,
            Predicate::Iff(sides) => {
                let (a, b) = (self.predicate(&sides.0)?, self.predicate(&sides.1)?);
                self.same(a, b)?
            }
        };
        self.known.insert(predicate.clone(), set);
        Ok(set)
    }

    /// What is in both sets or in none.
    fn same(&mut self, a: MddNode, b: MddNode) -> Result<MddNode, Stopped> {
        let (one, other) = (self.diagram.difference(a, b)?, self.diagram.difference(b, a)?);
        let either = self.diagram.union(one, other)?;
        self.diagram.difference(self.reachable, either)
    }

    /// Where one of these transitions is enabled.
    fn fireable(&mut self, transitions: &[TransitionId]) -> Result<MddNode, Stopped> {
        let steps = &mut Steps::new(self.events, Way::Staying).of(transitions);
        Saturation::image(self.diagram, steps, MddNode::ALL, self.reachable)
    }

    fn deadlocks(&mut self) -> Result<MddNode, Stopped> {
        if let Some(&known) = self.known.get(&Predicate::Deadlock) {
            return Ok(known);
        }
        let steps = &mut Steps::new(self.events, Way::Staying);
        let enabled = Saturation::image(self.diagram, steps, MddNode::ALL, self.reachable)?;
        let set = self.diagram.difference(self.reachable, enabled)?;
        self.known.insert(Predicate::Deadlock, set);
        Ok(set)
    }

    /// Where a sum of factors times tokens and a constant compares so with zero.
    fn compared(
        &mut self,
        how: Comparison,
        terms: &[(PlaceId, i64)],
        constant: i128,
    ) -> Result<MddNode, Stopped> {
        let weights = weights(self.events, self.initial.len(), terms);
        // The least and the most that nodes add.
        let ranges = self.diagram.fold(self.reachable, (0, 0), |level, edges, below| {
            let range = edges.iter().map(|&(value, child)| {
                let (here, (least, most)) = (weights[level - 1][value as usize], below[child]);
                (here + least, here + most)
            });
            range.reduce(|a: (i128, i128), b| (a.0.min(b.0), a.1.max(b.1))).expect("a node has edges")
        });
        let mut select = Select { diagram: self.diagram, how, weights: &weights, known: HashMap::new() };
        select.run(self.reachable, constant, &|set| ranges[set])
    }
}

/// What each value of each level adds to a sum.
pub(super) fn weights(events: &Events, levels: usize, terms: &[(PlaceId, i64)]) -> Vec<Vec<i128>> {
    let mut weights: Vec<Vec<i128>> = (1..=levels).map(|level| vec![0; events.count(level)]).collect();
    for &(place, factor) in terms {
        let (level, position) = events.place[place.index()];
        for (value, weight) in weights[level - 1].iter_mut().enumerate() {
            *weight += i128::from(factor) * i128::from(events.tokens(level, value as u32)[position]);
        }
    }
    weights
}

/// Vectors of a set whose weights compare as wanted.
struct Select<'d, 'g> {
    diagram: &'d mut MddManager<'g>,
    how: Comparison,
    weights: &'d [Vec<i128>],
    /// By node and what the levels above add.
    known: HashMap<(MddNode, i128), MddNode>,
}

impl Select<'_, '_> {
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
        let level = self.diagram.variable(set);
        let edges = self.diagram.edges(set).to_vec();
        let mut some = Vec::with_capacity(edges.len());
        for (value, child) in edges {
            let here = above + self.weights[level - 1][value as usize];
            let child = self.run(child, here, range)?;
            if child != MddNode::EMPTY {
                some.push((value, child));
            }
        }
        let selected = self.diagram.node(level, &some)?;
        self.known.insert((set, above), selected);
        Ok(selected)
    }
}

/// Whether all sums between two bounds compare so with zero, or none does.
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

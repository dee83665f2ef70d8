//! The goals of a search, and the transitions that bring them nearer.
//!
//! The law of [`GoalCondition::attract`]: where a condition does not have a value, every run to a marking where it has
//! that value fires one of the transitions that are added. So a stubborn set with them has a member in every run to
//! the goal, and the first such member may as well fire first. After Schmidt, "Stubborn sets for standard properties"
//! (1999), and Kristensen, Schmidt and Valmari, "Question-guided stubborn set methods for state properties" (2006).

use std::collections::BTreeMap;

use fireset_net::{BoolTree, Comparison, PlaceId};

use super::{arc_index::ArcIndex, set::StubbornSet};
use crate::search::{MarkingSpace, Predicate, PredicateAtom, asks_for_deadlock, sum};

/// A kind of marking that a search looks for.
#[derive(Debug)]
pub(crate) enum StubbornGoal {
    /// A marking in which a condition holds.
    Holds(GoalCondition),
    /// A marking with more tokens in some places together than all markings before; the transitions that add some.
    More(Box<[u32]>),
}

impl StubbornGoal {
    pub(crate) fn holds(predicate: &Predicate, arcs: &ArcIndex<'_>) -> Self {
        Self::Holds(GoalCondition::new(predicate, arcs))
    }

    /// The largest number of tokens in these places together.
    pub(crate) fn most(places: &[PlaceId], arcs: &ArcIndex<'_>) -> Self {
        let mut factors: BTreeMap<PlaceId, i64> = BTreeMap::new();
        places.iter().for_each(|&place| *factors.entry(place).or_default() += 1);
        Self::More(arcs.changing(&factors.into_iter().collect::<Vec<_>>()).0)
    }

    /// Whether the goal depends on whether any transition is enabled.
    pub(super) fn asks_for_deadlock(&self) -> bool {
        matches!(self, Self::Holds(condition) if condition.asks_for_deadlock)
    }
}

/// A state predicate over atoms with the transitions that change their value. Where one operand suffices the first one is
/// taken, so those with few transitions come first.
#[derive(Debug)]
pub(crate) struct GoalCondition {
    tree: BoolTree<AttractedAtom>,
    asks_for_deadlock: bool,
}

#[derive(Debug)]
struct AttractedAtom {
    atom: PredicateAtom,
    /// The transitions that increase the sum of a comparison, and that decrease it.
    up: Box<[u32]>,
    down: Box<[u32]>,
}

/// A marking, when it is known whether it is a deadlock.
pub(super) struct MarkingView<'a, S> {
    pub(super) space: &'a mut S,
    pub(super) row: &'a [u64],
    pub(super) deadlock: bool,
}

impl GoalCondition {
    fn new(predicate: &Predicate, arcs: &ArcIndex<'_>) -> Self {
        Self { tree: weighted(predicate, arcs).0, asks_for_deadlock: asks_for_deadlock(predicate) }
    }

    pub(super) fn is_met<S: MarkingSpace>(&self, at: &mut MarkingView<'_, S>) -> bool {
        value(&self.tree, at)
    }

    /// Adds the transitions that may change the value of the condition; `true` when the set also needs a key.
    pub(super) fn attract<S: MarkingSpace>(
        &self,
        at: &mut MarkingView<'_, S>,
        set: &mut StubbornSet<'_>,
    ) -> bool {
        attract(&self.tree, at, set)
    }
}

/// The condition of a predicate, and an estimate of the number of transitions that change its value.
fn weighted(predicate: &Predicate, arcs: &ArcIndex<'_>) -> (BoolTree<AttractedAtom>, usize) {
    let sorted = |operands: &[Predicate]| {
        let mut all: Vec<_> = operands.iter().map(|operand| weighted(operand, arcs)).collect();
        all.sort_by_key(|(_, weight)| *weight);
        let weight = all.iter().fold(0, |sum: usize, (_, weight)| sum.saturating_add(*weight));
        (all.into_iter().map(|(tree, _)| tree).collect(), weight)
    };
    match predicate {
        BoolTree::Constant(value) => (BoolTree::Constant(*value), 0),
        BoolTree::Atom(atom) => {
            let (atom, weight) = AttractedAtom::new(atom, arcs);
            (BoolTree::Atom(atom), weight)
        }
        BoolTree::Not(operand) => {
            let (tree, weight) = weighted(operand, arcs);
            (BoolTree::Not(Box::new(tree)), weight)
        }
        BoolTree::And(operands) => {
            let (trees, weight) = sorted(operands);
            (BoolTree::And(trees), weight)
        }
        BoolTree::Or(operands) => {
            let (trees, weight) = sorted(operands);
            (BoolTree::Or(trees), weight)
        }
        BoolTree::Iff(sides) => {
            let (left, right) = (weighted(&sides.0, arcs), weighted(&sides.1, arcs));
            (BoolTree::iff(left.0, right.0), left.1.saturating_add(right.1))
        }
    }
}

fn value<S: MarkingSpace>(tree: &BoolTree<AttractedAtom>, at: &mut MarkingView<'_, S>) -> bool {
    tree.value(&mut |leaf| leaf.atom.holds(at.space, at.row, at.deadlock))
}

/// See [`GoalCondition::attract`].
fn attract<S: MarkingSpace>(
    tree: &BoolTree<AttractedAtom>,
    at: &mut MarkingView<'_, S>,
    set: &mut StubbornSet<'_>,
) -> bool {
    match tree {
        BoolTree::Constant(_) => false,
        BoolTree::Atom(leaf) => leaf.attract(at, set),
        // One operand determines the value, and has to change ...
        BoolTree::And(operands) | BoolTree::Or(operands)
            if value(tree, at) == matches!(tree, BoolTree::Or(_)) =>
        {
            let decides = matches!(tree, BoolTree::Or(_));
            let operand = operands.iter().find(|operand| value(operand, at) == decides);
            operand.is_some_and(|operand| attract(operand, at, set))
        }
        // ... or any operand may change it.
        BoolTree::Not(_) | BoolTree::And(_) | BoolTree::Or(_) | BoolTree::Iff(_) => {
            tree.children().fold(false, |key, operand| key | attract(operand, at, set))
        }
    }
}

impl AttractedAtom {
    /// With the number of transitions that change its value.
    fn new(atom: &PredicateAtom, arcs: &ArcIndex<'_>) -> (Self, usize) {
        let (up, down) = match atom {
            PredicateAtom::Linear(_, terms, _) => arcs.changing(terms),
            PredicateAtom::Nonlinear(..) => {
                let mut places = Vec::new();
                atom.counted_places(&mut |place| places.push(place));
                (arcs.touching(places.into_iter()), Box::default())
            }
            PredicateAtom::Deadlock | PredicateAtom::Fireable(_) | PredicateAtom::BindingFireable(_) => {
                Default::default()
            }
        };
        let weight = match atom {
            PredicateAtom::Deadlock | PredicateAtom::BindingFireable(_) => arcs.net.nodes().transitions.len(),
            PredicateAtom::Fireable(ts) => ts.iter().map(|&t| arcs.net.pre(t).len()).sum(),
            PredicateAtom::Linear(..) | PredicateAtom::Nonlinear(..) => up.len() + down.len(),
        };
        (Self { atom: atom.clone(), up, down }, weight)
    }

    fn attract<S: MarkingSpace>(&self, at: &mut MarkingView<'_, S>, set: &mut StubbornSet<'_>) -> bool {
        let value = self.atom.holds(at.space, at.row, at.deadlock);
        match &self.atom {
            // A run of transitions outside of the set leaves the key enabled.
            PredicateAtom::Deadlock => return !value,
            PredicateAtom::Fireable(ts) if value => {
                let enabled = ts.iter().find(|&&t| at.space.fireable(at.row, t));
                enabled.into_iter().for_each(|t| set.disable(t.index() as u32));
            }
            PredicateAtom::Fireable(ts) => {
                ts.iter().for_each(|t| set.enable(t.index() as u32, at.space, at.row));
            }
            PredicateAtom::Linear(how, terms, constant) => {
                let how = if value { how.negate() } else { *how };
                let above = || sum(terms, *constant, |place| at.space.tokens(at.row, place)) > 0;
                let (up, down) = match how {
                    Comparison::Less | Comparison::LessEqual => (false, true),
                    Comparison::Greater | Comparison::GreaterEqual => (true, false),
                    Comparison::NotEqual => (true, true),
                    Comparison::Equal => (!above(), above()),
                };
                self.up.iter().filter(|_| up).for_each(|&t| set.add(t));
                self.down.iter().filter(|_| down).for_each(|&t| set.add(t));
            }
            PredicateAtom::BindingFireable(_) => unreachable!("stubborn sets are not used on coloured nets"),
            PredicateAtom::Nonlinear(..) => self.up.iter().for_each(|&t| set.add(t)),
        }
        false
    }
}

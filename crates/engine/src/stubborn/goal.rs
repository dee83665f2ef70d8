//! The goals of a search, and the transitions that bring them nearer.
//!
//! The law of [`GoalCondition::attract`]: where a condition does not have a value, every run to a marking where it has
//! that value fires one of the transitions that are added. So a stubborn set with them has a member in every run to
//! the goal, and the first such member may as well fire first. After Schmidt, "Stubborn sets for standard properties"
//! (1999), and Kristensen, Schmidt and Valmari, "Question-guided stubborn set methods for state properties" (2006).

use std::collections::BTreeMap;

use fireset_net::{Comparison, PlaceId};

use super::{arc_index::ArcIndex, set::StubbornSet};
use crate::search::{MarkingSpace, Predicate};

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

/// A state predicate with the transitions that change its value.
#[derive(Debug)]
pub(crate) struct GoalCondition {
    predicate: Predicate,
    parts: Box<[GoalCondition]>,
    /// The transitions that increase the sum of a comparison, and that decrease it.
    up: Box<[u32]>,
    down: Box<[u32]>,
    asks_for_deadlock: bool,
    /// An estimate of the number of transitions that change the value.
    weight: usize,
}

/// A marking, when it is known whether it is a deadlock.
pub(super) struct MarkingView<'a, S> {
    pub(super) space: &'a mut S,
    pub(super) row: &'a [u64],
    pub(super) deadlock: bool,
}

impl GoalCondition {
    fn new(predicate: &Predicate, arcs: &ArcIndex<'_>) -> Self {
        let mut parts: Vec<Self> = match predicate {
            Predicate::Not(f) => vec![Self::new(f, arcs)],
            Predicate::And(fs) | Predicate::Or(fs) => fs.iter().map(|f| Self::new(f, arcs)).collect(),
            Predicate::Iff(sides) => vec![Self::new(&sides.0, arcs), Self::new(&sides.1, arcs)],
            _ => Vec::new(),
        };
        // Where one part suffices the first one is taken, so parts with few transitions come first.
        parts.sort_by_key(|part| part.weight);
        let (up, down) = match predicate {
            Predicate::Linear(_, terms, _) => arcs.changing(terms),
            Predicate::Compare(_, a, b) => {
                let mut places = Vec::new();
                [a, b].iter().for_each(|side| side.places(&mut |place| places.push(place)));
                (arcs.touching(places.into_iter()), Box::default())
            }
            _ => Default::default(),
        };
        let own = match predicate {
            Predicate::Deadlock => arcs.net.nodes().transitions.len(),
            Predicate::Fireable(ts) => ts.iter().map(|&t| arcs.net.pre(t).len()).sum(),
            _ => up.len() + down.len(),
        };
        let weight = parts.iter().fold(own, |sum: usize, part| sum.saturating_add(part.weight));
        let (predicate, asks_for_deadlock) = (predicate.clone(), predicate.asks_for_deadlock());
        Self { predicate, parts: parts.into(), up, down, asks_for_deadlock, weight }
    }

    pub(super) fn is_met<S: MarkingSpace>(&self, at: &mut MarkingView<'_, S>) -> bool {
        self.predicate.holds(at.space, at.row, at.deadlock)
    }

    /// Adds the transitions that may change the value of the condition; `true` when the set also needs a key.
    pub(super) fn attract<S: MarkingSpace>(
        &self,
        at: &mut MarkingView<'_, S>,
        set: &mut StubbornSet<'_>,
    ) -> bool {
        let value = self.is_met(at);
        match &self.predicate {
            Predicate::Constant(_) => {}
            // A run of transitions outside of the set leaves the key enabled.
            Predicate::Deadlock => return !value,
            Predicate::Fireable(ts) if value => {
                let enabled = ts.iter().find(|&&t| at.space.fireable(at.row, t));
                set.disable(enabled.expect("one of them is").index() as u32);
            }
            Predicate::Fireable(ts) => {
                ts.iter().for_each(|t| set.enable(t.index() as u32, at.space, at.row));
            }
            Predicate::Linear(how, terms, constant) => {
                let how = if value { how.negate() } else { *how };
                let above = || Predicate::sum(at.space, at.row, terms, *constant) > 0;
                let (up, down) = match how {
                    Comparison::Less | Comparison::LessEqual => (false, true),
                    Comparison::Greater | Comparison::GreaterEqual => (true, false),
                    Comparison::NotEqual => (true, true),
                    Comparison::Equal => (!above(), above()),
                };
                self.up.iter().filter(|_| up).for_each(|&t| set.add(t));
                self.down.iter().filter(|_| down).for_each(|&t| set.add(t));
            }
            Predicate::Compare(..) => self.up.iter().for_each(|&t| set.add(t)),
            // One part determines the value, and has to change ...
            Predicate::And(_) | Predicate::Or(_) if value == matches!(self.predicate, Predicate::Or(_)) => {
                let part = self.parts.iter().find(|part| part.is_met(at) == value);
                return part.expect("one has the value").attract(at, set);
            }
            // ... or any part may change it.
            Predicate::Not(_) | Predicate::And(_) | Predicate::Or(_) | Predicate::Iff(_) => {
                return self.parts.iter().fold(false, |key, part| key | part.attract(at, set));
            }
        }
        false
    }
}

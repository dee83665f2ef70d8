//! Conditions on a marking as a tree of linear inequalities: the questions to the state equation.
//!
//! They are the sets of linear programs of Bønneland et al. (2018), unwritten: [`MarkingCondition::All`] is a merge of sets, [`MarkingCondition::Any`] a
//! union, and the programs of a set choose one part of each union. They are never listed; a proof
//! branches where the last solution makes it.
//!
//! A condition has the shape of its formula: its parts stand where [`fireset_net::Refutation`] has those of a goal, so that
//! the path to a part means the same in both. Parts that are always true stay where they are.
//! This is the one negation normal form of state predicates: the SAT-based engine derives its goals from it.
//! Cost: linear in the formula, apart from equivalences. Test: `tests.rs`.

use std::collections::HashSet;

use fireset_net::{BoolTree, Comparison, Linear, Marking, Net, StateAtom, StatePredicate, TransitionId};

/// Conditions of one tree; parts of a formula beyond them become always true.
const MAX_SIZE: usize = 50_000;
/// Equivalences inside each other; deeper ones become always true, since each doubles its sides.
const MAX_EQUIVALENCES: usize = 3;

/// A condition that a marking meets or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MarkingCondition {
    /// The form is at least 0.
    AtLeast(Linear),
    /// All of them; true when empty.
    All(Vec<MarkingCondition>),
    /// Some of them; false when empty.
    Any(Vec<MarkingCondition>),
    /// None of these transitions is enabled.
    Disabled(Vec<TransitionId>),
}

impl MarkingCondition {
    /// The condition that every marking meets.
    pub fn always() -> Self {
        Self::All(Vec::new())
    }

    /// Whether every marking meets it by its shape alone.
    pub fn is_trivial(&self) -> bool {
        match self {
            Self::AtLeast(_) => false,
            Self::All(all) => all.iter().all(Self::is_trivial),
            Self::Any(some) => some.iter().any(Self::is_trivial),
            Self::Disabled(ts) => ts.is_empty(),
        }
    }

    /// A condition that every marking meets in which the predicate has this value. Comparisons that are not linear become
    /// always true.
    pub fn of(predicate: &StatePredicate, value: bool, net: &Net) -> Self {
        let mut builder = ConditionBuilder { net, room: MAX_SIZE, equivalences: MAX_EQUIVALENCES };
        builder.build(predicate, value, &mut || Some(Self::always())).unwrap_or_else(Self::always)
    }

    /// A condition that exactly those markings meet in which the predicate has this value; `None` when it has a comparison
    /// that is not linear, or more than `max_size` parts.
    pub fn exactly(predicate: &StatePredicate, value: bool, net: &Net, max_size: usize) -> Option<Self> {
        let mut builder = ConditionBuilder { net, room: max_size, equivalences: usize::MAX };
        builder.build(predicate, value, &mut || None)
    }

    /// The transition is enabled.
    pub fn enabled(net: &Net, transition: TransitionId) -> Self {
        let input = net.pre(transition).iter().map(|arc| at_least(arc.place.index(), arc.weight));
        let inhibitors = net.inhibitors(transition).iter();
        Self::All(input.chain(inhibitors.map(|arc| below(arc.place.index(), arc.weight))).collect())
    }

    /// Whether only a deadlock can meet it.
    pub fn needs_deadlock(&self, net: &Net) -> bool {
        match self {
            Self::AtLeast(_) => false,
            Self::All(all) => all.iter().any(|c| c.needs_deadlock(net)),
            Self::Any(some) => some.iter().all(|c| c.needs_deadlock(net)),
            // The same one may stand there twice.
            Self::Disabled(ts) => {
                ts.len() >= net.nodes().transitions.len()
                    && ts.iter().collect::<HashSet<_>>().len() == net.nodes().transitions.len()
            }
        }
    }

    /// Forms one of which is at least 0 where a transition is disabled.
    pub fn disabled_forms(net: &Net, transition: TransitionId) -> impl Iterator<Item = Linear> {
        let input = net.pre(transition).iter().map(|arc| below_form(arc.place.index(), arc.weight));
        let inhibitors = net.inhibitors(transition).iter();
        input.chain(inhibitors.map(|arc| at_least_form(arc.place.index(), arc.weight)))
    }

    /// Whether a marking meets it; true where a number does not fit.
    pub fn holds(&self, net: &Net, marking: &Marking) -> bool {
        match self {
            Self::AtLeast(form) => value(form, marking).is_none_or(|value| value >= 0),
            Self::All(all) => all.iter().all(|c| c.holds(net, marking)),
            Self::Any(some) => some.iter().any(|c| c.holds(net, marking)),
            Self::Disabled(ts) => ts.iter().all(|&t| net.enabled(marking, t).is_err()),
        }
    }
}

/// The value of a form in a marking, if it fits.
pub(crate) fn value(form: &Linear, marking: &Marking) -> Option<i128> {
    form.terms.iter().try_fold(form.constant, |sum, &(place, factor)| {
        sum.checked_add(factor.checked_mul(marking.0[place as usize].into())?)
    })
}

fn at_least_form(place: usize, weight: u64) -> Linear {
    Linear { terms: vec![(place as u32, 1)], constant: -i128::from(weight) }
}

fn below_form(place: usize, weight: u64) -> Linear {
    Linear { terms: vec![(place as u32, -1)], constant: i128::from(weight) - 1 }
}

fn at_least(place: usize, weight: u64) -> MarkingCondition {
    MarkingCondition::AtLeast(at_least_form(place, weight))
}

fn below(place: usize, weight: u64) -> MarkingCondition {
    MarkingCondition::AtLeast(below_form(place, weight))
}

struct ConditionBuilder<'a> {
    net: &'a Net,
    /// How many more conditions the tree may have.
    room: usize,
    /// How many more equivalences may stand inside each other.
    equivalences: usize,
}

impl ConditionBuilder<'_> {
    /// The condition; `otherwise` says what stands for a part that has no exact one.
    fn build(
        &mut self,
        predicate: &StatePredicate,
        value: bool,
        otherwise: &mut impl FnMut() -> Option<MarkingCondition>,
    ) -> Option<MarkingCondition> {
        if self.room == 0 {
            return otherwise();
        }
        self.room -= 1;
        match (predicate, value) {
            (BoolTree::Constant(constant), _) if *constant == value => Some(MarkingCondition::always()),
            (BoolTree::Constant(_), _) => Some(MarkingCondition::Any(Vec::new())),
            (BoolTree::Atom(atom), _) => self.atom(atom, value).or_else(otherwise),
            (BoolTree::Not(f), _) => self.build(f, !value, otherwise),
            (BoolTree::And(fs) | BoolTree::Or(fs), _) if fs.len() == 1 => {
                self.build(&fs[0], value, otherwise)
            }
            (BoolTree::And(fs) | BoolTree::Or(fs), _) => {
                let is_all = value == matches!(predicate, BoolTree::And(_));
                let parts = fs.iter().map(|f| self.build(f, value, otherwise)).collect::<Option<_>>()?;
                Some(if is_all { MarkingCondition::All(parts) } else { MarkingCondition::Any(parts) })
            }
            (BoolTree::Iff(_), _) if self.equivalences == 0 => otherwise(),
            (BoolTree::Iff(sides), _) => {
                self.equivalences -= 1;
                let mut both = |a, b| {
                    let left = self.build(&sides.0, a, otherwise)?;
                    Some(MarkingCondition::All(vec![left, self.build(&sides.1, b, otherwise)?]))
                };
                let either = both(true, value).zip(both(false, !value));
                self.equivalences += 1;
                either.map(|(first, second)| MarkingCondition::Any(vec![first, second]))
            }
        }
    }

    fn atom(&mut self, atom: &StateAtom, value: bool) -> Option<MarkingCondition> {
        match (atom, value) {
            (StateAtom::Deadlock, true) => {
                Some(MarkingCondition::Disabled(self.net.nodes().transition_ids().collect()))
            }
            (StateAtom::Deadlock, false) => self.some_enabled(self.net.nodes().transition_ids()),
            (StateAtom::Fireable(ts), true) => self.some_enabled(ts.iter().copied()),
            (StateAtom::Fireable(ts), false) => Some(MarkingCondition::Disabled(ts.clone())),
            (StateAtom::BindingFireable(_), _) => None,
            (StateAtom::Compare(how, a, b), _) => {
                compare(if value { *how } else { how.negate() }, &Linear::difference(a, b)?)
            }
        }
    }

    /// Some of the transitions is enabled; `None` when there is no room for it.
    fn some_enabled(&mut self, transitions: impl Iterator<Item = TransitionId>) -> Option<MarkingCondition> {
        let mut some = Vec::new();
        for t in transitions {
            let needed = 1 + self.net.pre(t).len() + self.net.inhibitors(t).len();
            self.room = self.room.checked_sub(needed)?;
            some.push(MarkingCondition::enabled(self.net, t));
        }
        Some(MarkingCondition::Any(some))
    }
}

/// A comparison of a form with 0; `None` when a number does not fit.
fn compare(how: Comparison, form: &Linear) -> Option<MarkingCondition> {
    let plus = |form: &Linear, by: i128| {
        Some(MarkingCondition::AtLeast(Linear {
            terms: form.terms.clone(),
            constant: form.constant.checked_add(by)?,
        }))
    };
    let negative = form.scaled(-1)?;
    Some(match how {
        Comparison::GreaterEqual => plus(form, 0)?,
        Comparison::Greater => plus(form, -1)?,
        Comparison::LessEqual => plus(&negative, 0)?,
        Comparison::Less => plus(&negative, -1)?,
        Comparison::Equal => MarkingCondition::All(vec![plus(form, 0)?, plus(&negative, 0)?]),
        Comparison::NotEqual => MarkingCondition::Any(vec![plus(form, -1)?, plus(&negative, -1)?]),
    })
}

//! Conditions on a marking as a tree of linear inequalities: the questions to the state equation.
//!
//! They are the sets of linear programs of Bønneland et al. (2018), unwritten: [`MarkingCondition::All`] is a merge of sets, [`MarkingCondition::Any`] a
//! union, and the programs of a set choose one part of each union. They are never listed; a proof
//! branches where the last solution makes it.
//!
//! A condition has the shape of its formula: its parts stand where [`fireset_net::Refutation`] has those of a goal, so that
//! the path to a part means the same in both. Parts that are always true stay where they are.
//! Cost: linear in the formula, apart from equivalences. Test: `tests.rs`.

use std::collections::HashSet;

use fireset_net::{Comparison, Formula, Linear, Marking, Net, TransitionId};

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

    /// A condition that every marking meets in which the formula has this value. Temporal operators and quantifiers, and
    /// comparisons that are not linear, become always true.
    pub fn of(formula: &Formula, value: bool, net: &Net) -> Self {
        ConditionBuilder { net, room: MAX_SIZE, equivalences: 0 }.build(formula, value)
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
    equivalences: usize,
}

impl ConditionBuilder<'_> {
    fn build(&mut self, formula: &Formula, value: bool) -> MarkingCondition {
        if self.room == 0 {
            return MarkingCondition::always();
        }
        self.room -= 1;
        match (formula, value) {
            (Formula::Constant(constant), _) if *constant == value => MarkingCondition::always(),
            (Formula::Constant(_), _) => MarkingCondition::Any(Vec::new()),
            (Formula::Deadlock, true) => {
                MarkingCondition::Disabled(self.net.nodes().transition_ids().collect())
            }
            (Formula::Deadlock, false) => self.some_enabled(self.net.nodes().transition_ids()),
            (Formula::Fireable(ts), true) => self.some_enabled(ts.iter().copied()),
            (Formula::Fireable(ts), false) => MarkingCondition::Disabled(ts.clone()),
            (Formula::Compare(how, a, b), _) => {
                let form = Linear::from_expr(a).zip(Linear::from_expr(b));
                let form = form.and_then(|(a, b)| a.plus(&b.scaled(-1)?));
                let how = if value { *how } else { how.negate() };
                form.and_then(|form| compare(how, &form)).unwrap_or_else(MarkingCondition::always)
            }
            (Formula::Not(f), _) => self.build(f, !value),
            (Formula::And(fs) | Formula::Or(fs), _) if fs.len() == 1 => self.build(&fs[0], value),
            (Formula::And(fs), true) | (Formula::Or(fs), false) => {
                MarkingCondition::All(fs.iter().map(|f| self.build(f, value)).collect())
            }
            (Formula::And(fs), false) | (Formula::Or(fs), true) => {
                MarkingCondition::Any(fs.iter().map(|f| self.build(f, value)).collect())
            }
            (Formula::Iff(f, g), _) if self.equivalences < MAX_EQUIVALENCES => {
                self.equivalences += 1;
                let mut both = |a, b| MarkingCondition::All(vec![self.build(f, a), self.build(g, b)]);
                let either = MarkingCondition::Any(vec![both(true, value), both(false, !value)]);
                self.equivalences -= 1;
                either
            }
            _ => MarkingCondition::always(),
        }
    }

    /// Some of the transitions is enabled.
    fn some_enabled(&mut self, transitions: impl Iterator<Item = TransitionId>) -> MarkingCondition {
        let mut some = Vec::new();
        for t in transitions {
            let needed = 1 + self.net.pre(t).len() + self.net.inhibitors(t).len();
            let Some(left) = self.room.checked_sub(needed) else { return MarkingCondition::always() };
            self.room = left;
            some.push(MarkingCondition::enabled(self.net, t));
        }
        MarkingCondition::Any(some)
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

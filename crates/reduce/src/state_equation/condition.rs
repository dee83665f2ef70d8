//! Conditions on a marking, as a tree of inequalities: what the state equation is asked about.
//!
//! The sets of linear programs of the paper, unwritten: [`Condition::All`] is a merge of sets, [`Condition::Any`] a
//! union, and the programs of a set are its ways to choose one part of each union. They are never listed; a proof
//! chooses where the last solution makes it.
//!
//! A condition has the shape of its formula: its parts stand where [`fireset_net::Refutation`] has those of a goal, so that
//! the way to a part names the same in both. What tells nothing stays where it is.

use std::collections::HashSet;

use fireset_net::{Comparison, Formula, Linear, Marking, Net, TransitionId};

/// Conditions in one tree past which the rest is left out.
const MAX_SIZE: usize = 50_000;
/// Equivalences inside each other past which the inner ones are left out: each doubles its sides.
const MAX_EQUIVALENCES: usize = 3;

/// A condition on a marking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Condition {
    /// The form is at least 0.
    AtLeast(Linear),
    /// All of them; true when empty.
    All(Vec<Condition>),
    /// Some of them; false when empty.
    Any(Vec<Condition>),
    /// None of these transitions is enabled.
    Disabled(Vec<TransitionId>),
}

impl Condition {
    /// Always true.
    pub(crate) fn always() -> Self {
        Self::All(Vec::new())
    }

    /// Whether it is true of every marking by its shape alone.
    pub(crate) fn tells_nothing(&self) -> bool {
        match self {
            Self::AtLeast(_) => false,
            Self::All(all) => all.iter().all(Self::tells_nothing),
            Self::Any(some) => some.iter().any(Self::tells_nothing),
            Self::Disabled(ts) => ts.is_empty(),
        }
    }

    /// What must be true of a marking in which the formula has this value. Temporal operators and quantifiers, and
    /// comparisons that are not linear, tell nothing.
    pub(crate) fn of(formula: &Formula, value: bool, net: &Net) -> Self {
        Builder { net, room: MAX_SIZE, equivalences: 0 }.build(formula, value)
    }

    /// That a transition is enabled.
    pub(crate) fn enabled(net: &Net, transition: TransitionId) -> Self {
        let input = net.pre(transition).iter().map(|arc| at_least(arc.place.index(), arc.weight));
        let inhibitors = net.inhibitors(transition).iter();
        Self::All(input.chain(inhibitors.map(|arc| below(arc.place.index(), arc.weight))).collect())
    }

    /// Whether only a deadlock can meet it.
    pub(crate) fn needs_deadlock(&self, net: &Net) -> bool {
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

    /// The ways in which a transition can be disabled.
    pub(crate) fn disabled(net: &Net, transition: TransitionId) -> impl Iterator<Item = Linear> {
        let input = net.pre(transition).iter().map(|arc| below_form(arc.place.index(), arc.weight));
        let inhibitors = net.inhibitors(transition).iter();
        input.chain(inhibitors.map(|arc| at_least_form(arc.place.index(), arc.weight)))
    }

    /// Whether a marking meets it; where a number does not fit, it may be said to.
    pub(crate) fn holds(&self, net: &Net, marking: &Marking) -> bool {
        match self {
            Self::AtLeast(form) => value(form, marking).is_none_or(|value| value >= 0),
            Self::All(all) => all.iter().all(|c| c.holds(net, marking)),
            Self::Any(some) => some.iter().any(|c| c.holds(net, marking)),
            Self::Disabled(ts) => ts.iter().all(|&t| net.enabled(marking, t).is_err()),
        }
    }
}

/// The value of a form in a marking, if it fits.
pub(super) fn value(form: &Linear, marking: &Marking) -> Option<i128> {
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

fn at_least(place: usize, weight: u64) -> Condition {
    Condition::AtLeast(at_least_form(place, weight))
}

fn below(place: usize, weight: u64) -> Condition {
    Condition::AtLeast(below_form(place, weight))
}

/// Makes a condition of a formula.
struct Builder<'a> {
    net: &'a Net,
    room: usize,
    equivalences: usize,
}

impl Builder<'_> {
    fn build(&mut self, formula: &Formula, value: bool) -> Condition {
        if self.room == 0 {
            return Condition::always();
        }
        self.room -= 1;
        match (formula, value) {
            (Formula::Constant(constant), _) if *constant == value => Condition::always(),
            (Formula::Constant(_), _) => Condition::Any(Vec::new()),
            (Formula::Deadlock, true) => Condition::Disabled(self.net.nodes().transition_ids().collect()),
            (Formula::Deadlock, false) => self.enabled(self.net.nodes().transition_ids()),
            (Formula::Fireable(ts), true) => self.enabled(ts.iter().copied()),
            (Formula::Fireable(ts), false) => Condition::Disabled(ts.clone()),
            (Formula::Compare(how, a, b), _) => {
                let form = Linear::from_expr(a).zip(Linear::from_expr(b));
                let form = form.and_then(|(a, b)| a.plus(&b.scaled(-1)?));
                let how = if value { *how } else { how.negate() };
                form.and_then(|form| compare(how, &form)).unwrap_or_else(Condition::always)
            }
            (Formula::Not(f), _) => self.build(f, !value),
            (Formula::And(fs) | Formula::Or(fs), _) if fs.len() == 1 => self.build(&fs[0], value),
            (Formula::And(fs), true) | (Formula::Or(fs), false) => {
                Condition::All(fs.iter().map(|f| self.build(f, value)).collect())
            }
            (Formula::And(fs), false) | (Formula::Or(fs), true) => {
                Condition::Any(fs.iter().map(|f| self.build(f, value)).collect())
            }
            (Formula::Iff(f, g), _) if self.equivalences < MAX_EQUIVALENCES => {
                self.equivalences += 1;
                let mut both = |a, b| Condition::All(vec![self.build(f, a), self.build(g, b)]);
                let either = Condition::Any(vec![both(true, value), both(false, !value)]);
                self.equivalences -= 1;
                either
            }
            _ => Condition::always(),
        }
    }

    /// That some of the transitions is enabled.
    fn enabled(&mut self, transitions: impl Iterator<Item = TransitionId>) -> Condition {
        let mut some = Vec::new();
        for t in transitions {
            let needed = 1 + self.net.pre(t).len() + self.net.inhibitors(t).len();
            let Some(left) = self.room.checked_sub(needed) else { return Condition::always() };
            self.room = left;
            some.push(Condition::enabled(self.net, t));
        }
        Condition::Any(some)
    }
}

/// That a form compares so with 0; `None` when a number does not fit.
fn compare(how: Comparison, form: &Linear) -> Option<Condition> {
    let plus = |form: &Linear, by: i128| {
        Some(Condition::AtLeast(Linear {
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
        Comparison::Equal => Condition::All(vec![plus(form, 0)?, plus(&negative, 0)?]),
        Comparison::NotEqual => Condition::Any(vec![plus(form, -1)?, plus(&negative, -1)?]),
    })
}

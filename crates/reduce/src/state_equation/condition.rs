//! Conditions on a marking, as a tree of inequalities: what the state equation is asked about.
//!
//! The sets of linear programs of the paper, unwritten: [`Condition::All`] is a merge of sets, [`Condition::Any`] a
//! union, and the programs of a set are its ways to choose one part of each union. They are never listed; a proof
//! chooses where the last solution makes it.

use fireset_net::{Comparison, Formula, Linear, Marking, Net, TransitionId};

/// Conditions in one tree past which the rest is left out.
const MAX_SIZE: usize = 50_000;

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

    /// What must be true of a marking in which the formula has this value. Temporal operators and quantifiers, and
    /// comparisons that are not linear, tell nothing.
    pub(crate) fn of(formula: &Formula, value: bool, net: &Net) -> Self {
        let mut room = MAX_SIZE;
        build(formula, value, net, &mut room)
    }

    /// That a transition is enabled.
    pub(crate) fn enabled(net: &Net, transition: TransitionId) -> Self {
        let input = net.pre(transition).iter().map(|arc| at_least(arc.place.index(), arc.weight));
        let inhibitors = net.inhibitors(transition).iter();
        Self::All(input.chain(inhibitors.map(|arc| below(arc.place.index(), arc.weight))).collect())
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

fn value(form: &Linear, marking: &Marking) -> Option<i128> {
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

fn build(formula: &Formula, value: bool, net: &Net, room: &mut usize) -> Condition {
    if *room == 0 {
        return Condition::always();
    }
    *room -= 1;
    let mut each = |fs: &[Formula], value: bool| -> Vec<Condition> {
        fs.iter().map(|f| build(f, value, net, room)).collect()
    };
    match (formula, value) {
        (Formula::Constant(constant), _) if *constant == value => Condition::always(),
        (Formula::Constant(_), _) => Condition::Any(Vec::new()),
        (Formula::Deadlock, true) => Condition::Disabled(net.nodes().transition_ids().collect()),
        (Formula::Deadlock, false) => any_enabled(&mut net.nodes().transition_ids(), net, room),
        (Formula::Fireable(ts), true) => any_enabled(&mut ts.iter().copied(), net, room),
        (Formula::Fireable(ts), false) => Condition::Disabled(ts.clone()),
        (Formula::Compare(how, a, b), _) => {
            let form = Linear::from_expr(a).zip(Linear::from_expr(b));
            let form = form.and_then(|(a, b)| a.plus(&b.scaled(-1)?));
            let how = if value { *how } else { how.negate() };
            form.and_then(|form| compare(how, form)).unwrap_or_else(Condition::always)
        }
        (Formula::Not(f), _) => build(f, !value, net, room),
        (Formula::And(fs), true) | (Formula::Or(fs), false) => Condition::All(each(fs, value)),
        (Formula::And(fs), false) | (Formula::Or(fs), true) => Condition::Any(each(fs, value)),
        (Formula::Iff(f, g), _) => {
            let mut both = |a: bool, b: bool| {
                Condition::All(vec![build(f, a, net, room), build(g, b, net, room)])
            };
            Condition::Any(vec![both(true, value), both(false, !value)])
        }
        _ => Condition::always(),
    }
}

fn any_enabled(
    transitions: &mut dyn Iterator<Item = TransitionId>,
    net: &Net,
    room: &mut usize,
) -> Condition {
    let mut some = Vec::new();
    for t in transitions {
        let needs = 1 + net.pre(t).len() + net.inhibitors(t).len();
        match room.checked_sub(needs) {
            Some(left) => *room = left,
            None => return Condition::always(),
        }
        some.push(Condition::enabled(net, t));
    }
    Condition::Any(some)
}

/// That a form compares so with 0; `None` when a number does not fit.
fn compare(how: Comparison, form: Linear) -> Option<Condition> {
    let plus = |form: &Linear, by: i128| {
        Some(Condition::AtLeast(Linear { terms: form.terms.clone(), constant: form.constant.checked_add(by)? }))
    };
    let negative = form.scaled(-1)?;
    Some(match how {
        Comparison::GreaterEqual => plus(&form, 0)?,
        Comparison::Greater => plus(&form, -1)?,
        Comparison::LessEqual => plus(&negative, 0)?,
        Comparison::Less => plus(&negative, -1)?,
        Comparison::Equal => Condition::All(vec![plus(&form, 0)?, plus(&negative, 0)?]),
        Comparison::NotEqual => Condition::Any(vec![plus(&form, -1)?, plus(&negative, -1)?]),
    })
}

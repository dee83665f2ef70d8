//! A goal as a tree of conjunctions, disjunctions and inequalities, one part at a time.
//!
//! This is the reading of a state predicate that [`Refutation`](crate::Refutation) describes. Nothing is listed or
//! rewritten: a deadlock of a large net has a part for each transition, and only those that a certificate names are made.

use crate::{Arc, BoolTree, Comparison, Expr, Linear, Net, StateAtom, StatePredicate, TransitionId};

/// The marking has a state predicate, or (`value` is false) does not have it.
#[derive(Clone, Copy)]
pub(super) struct ReplayGoal<'a> {
    pub(super) predicate: &'a StatePredicate,
    pub(super) value: bool,
}

#[derive(Clone)]
pub(super) enum GoalPart<'a> {
    Predicate(ReplayGoal<'a>),
    /// A conjunction of two goals.
    Both([ReplayGoal<'a>; 2]),
    Enabled(TransitionId),
    Disabled(TransitionId),
    /// The form is at least 0.
    AtLeast(Linear),
}

/// How a part of the goal is made from its own parts.
pub(super) enum GoalShape {
    /// A conjunction of this number of parts; true without any.
    All(usize),
    /// A disjunction of this number of parts; false without any.
    Any(usize),
    /// The form is at least 0.
    AtLeast(Linear),
}

impl<'a> GoalPart<'a> {
    /// What it says. Comparisons that are not linear, and atoms about colours, say nothing.
    pub(super) fn shape(&self, net: &Net) -> GoalShape {
        let arcs = |&t: &TransitionId| net.pre(t).len() + net.inhibitors(t).len();
        match self {
            Self::AtLeast(form) => GoalShape::AtLeast(form.clone()),
            Self::Both(_) => GoalShape::All(2),
            Self::Enabled(t) => GoalShape::All(arcs(t)),
            Self::Disabled(t) => GoalShape::Any(arcs(t)),
            Self::Predicate(goal) => goal.shape(net),
        }
    }

    /// The part of it at a position that its shape has.
    pub(super) fn part(&self, at: usize, net: &Net) -> Option<GoalPart<'a>> {
        let arc = |t: TransitionId, is_enabled: bool| {
            let inputs = net.pre(t);
            match inputs.get(at) {
                Some(arc) => Some(GoalPart::AtLeast(bound(arc, is_enabled))),
                None => net
                    .inhibitors(t)
                    .get(at - inputs.len())
                    .map(|arc| GoalPart::AtLeast(bound(arc, !is_enabled))),
            }
        };
        match self {
            Self::AtLeast(_) => None,
            Self::Both(both) => both.get(at).map(|&goal| GoalPart::Predicate(goal)),
            &Self::Enabled(t) => arc(t, true),
            &Self::Disabled(t) => arc(t, false),
            Self::Predicate(goal) => goal.part(at, net),
        }
    }
}

impl<'a> ReplayGoal<'a> {
    /// Negations, and conjunctions and disjunctions of one operand, have the shape of what is inside.
    fn shape(self, net: &Net) -> GoalShape {
        let Self { predicate, value } = self;
        let some =
            |count: usize, is_all: bool| if is_all { GoalShape::All(count) } else { GoalShape::Any(count) };
        match predicate {
            BoolTree::Constant(constant) => some(0, *constant == value),
            BoolTree::Not(inner) => Self { predicate: inner, value: !value }.shape(net),
            BoolTree::And(fs) | BoolTree::Or(fs) if fs.len() == 1 => {
                Self { predicate: &fs[0], value }.shape(net)
            }
            BoolTree::And(fs) => some(fs.len(), value),
            BoolTree::Or(fs) => some(fs.len(), !value),
            BoolTree::Iff(_) => GoalShape::Any(2),
            BoolTree::Atom(StateAtom::Deadlock) => some(net.nodes().transitions.len(), value),
            BoolTree::Atom(StateAtom::Fireable(ts)) => some(ts.len(), !value),
            BoolTree::Atom(StateAtom::BindingFireable(_)) => GoalShape::All(0),
            BoolTree::Atom(StateAtom::Compare(how, a, b)) => {
                let how = if value { *how } else { how.negate() };
                match &inequalities(how, a, b)[..] {
                    [] => GoalShape::All(0),
                    [form] => GoalShape::AtLeast(form.clone()),
                    both => some(both.len(), how == Comparison::Equal),
                }
            }
        }
    }

    fn part(self, at: usize, net: &Net) -> Option<GoalPart<'a>> {
        let Self { predicate, value } = self;
        match predicate {
            BoolTree::Constant(_) | BoolTree::Atom(StateAtom::BindingFireable(_)) => None,
            BoolTree::Not(inner) => Self { predicate: inner, value: !value }.part(at, net),
            BoolTree::And(fs) | BoolTree::Or(fs) if fs.len() == 1 => {
                Self { predicate: &fs[0], value }.part(at, net)
            }
            BoolTree::And(fs) | BoolTree::Or(fs) => {
                fs.get(at).map(|predicate| GoalPart::Predicate(Self { predicate, value }))
            }
            BoolTree::Iff(sides) => {
                let (left, right) = (&sides.0, &sides.1);
                let both = |a, b| {
                    let left = Self { predicate: left, value: a };
                    GoalPart::Both([left, Self { predicate: right, value: b }])
                };
                [both(true, value), both(false, !value)].into_iter().nth(at)
            }
            BoolTree::Atom(StateAtom::Deadlock) => {
                let t = (at < net.nodes().transitions.len()).then(|| TransitionId::new(at))?;
                Some(if value { GoalPart::Disabled(t) } else { GoalPart::Enabled(t) })
            }
            BoolTree::Atom(StateAtom::Fireable(ts)) => {
                let &t = ts.get(at)?;
                Some(if value { GoalPart::Enabled(t) } else { GoalPart::Disabled(t) })
            }
            BoolTree::Atom(StateAtom::Compare(how, a, b)) => {
                let how = if value { *how } else { how.negate() };
                inequalities(how, a, b).into_iter().nth(at).map(GoalPart::AtLeast)
            }
        }
    }
}

/// The forms of a comparison that must be at least 0, or one of which must be; none when it is not linear.
fn inequalities(how: Comparison, a: &Expr, b: &Expr) -> Vec<Linear> {
    let forms = || {
        let (a, b) = (Linear::from_expr(a)?, Linear::from_expr(b)?);
        let (above, below) = (a.plus(&b.scaled(-1)?)?, b.plus(&a.scaled(-1)?)?);
        let strict = |form: &Linear| {
            Some(Linear { constant: form.constant.checked_sub(1)?, terms: form.terms.clone() })
        };
        Some(match how {
            Comparison::GreaterEqual => vec![above],
            Comparison::Greater => vec![strict(&above)?],
            Comparison::LessEqual => vec![below],
            Comparison::Less => vec![strict(&below)?],
            Comparison::Equal => vec![above, below],
            Comparison::NotEqual => vec![strict(&above)?, strict(&below)?],
        })
    };
    forms().unwrap_or_default()
}

/// That the place of an arc has at least as many tokens as its weight, or (`reaches` is false) fewer.
fn bound(arc: &Arc, reaches: bool) -> Linear {
    let (place, weight) = (arc.place.index() as u32, i128::from(arc.weight));
    if reaches {
        Linear { terms: vec![(place, 1)], constant: -weight }
    } else {
        Linear { terms: vec![(place, -1)], constant: weight - 1 }
    }
}

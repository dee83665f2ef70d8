//! Goals for the solver, from the negation normal form of state predicates ([`MarkingCondition`]): linear inequalities over
//! tokens, joined by conjunction and disjunction.
//!
//! A count at the top of an open place stands for any above, so an inequality *may* hold where it has such a place with
//! a factor above 0. The functions here tell whether a predicate may hold. They err on the side of "may", and are
//! exact without open places.
//!
//! Invariant: the literals of [`NnfPredicate::reasons`] are true of the counts, and wherever they are true the predicate may hold.

use std::collections::HashSet;

use fireset_kernel::sat::Literal;
use fireset_net::{Linear, Net, StatePredicate};
use fireset_structure::MarkingCondition;

use super::order_encoding::{AtLeast, OrderEncoding};

/// Factors below this cannot overflow a sum of 128 bits.
const MAX_FACTOR: i128 = 1 << 60;
/// Constants below this cannot either.
const MAX_CONSTANT: i128 = 1 << 100;
/// Nodes that a predicate may have.
const MAX_PARTS: usize = 500_000;

/// The sum of factors times tokens is at least `least`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinearInequality {
    /// Each place once, with its factor.
    pub(super) terms: Vec<(u32, i128)>,
    pub(super) least: i128,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NnfPredicate {
    Inequality(LinearInequality),
    And(Vec<NnfPredicate>),
    Or(Vec<NnfPredicate>),
}

impl LinearInequality {
    /// That a linear form is at least 0; `None` when a number is too large.
    pub(super) fn new(form: &Linear) -> Option<Self> {
        let fits = form.terms.iter().all(|term| term.1.abs() < MAX_FACTOR);
        (fits && form.terms.len() < 1 << 30 && form.constant.abs() < MAX_CONSTANT).then(|| {
            let (terms, least) = (form.terms.clone(), -form.constant);
            match terms[..] {
                // The bound is rounded up.
                [(place, factor)] => {
                    let size = factor.abs();
                    Self { terms: vec![(place, factor.signum())], least: -(-least).div_euclid(size) }
                }
                _ => Self { terms, least },
            }
        })
    }

    /// The places above whose top the sum has no upper bound.
    pub(super) fn open<'a>(&'a self, order: &'a OrderEncoding) -> impl Iterator<Item = u32> + 'a {
        self.terms.iter().filter(|term| term.1 > 0 && !order.is_exact(term.0)).map(|term| term.0)
    }

    fn value(&self, counts: &[u32]) -> i128 {
        self.terms.iter().map(|&(place, factor)| factor * i128::from(counts[place as usize])).sum()
    }

    fn may_hold(&self, order: &OrderEncoding, counts: &[u32]) -> bool {
        self.value(counts) >= self.least
            || self.open(order).any(|place| counts[place as usize] == order.top(place))
    }

    /// As in [`NnfPredicate::reasons`], for counts of which it may hold.
    fn reasons(&self, order: &OrderEncoding, counts: &[u32], found: &mut HashSet<Literal>) {
        let top = |place: u32| order.at_least(place, order.top(place).into());
        let value = self.value(counts);
        if value < self.least {
            let at_top = self.open(order).find(|&place| counts[place as usize] == order.top(place));
            if let Some(AtLeast::When(literal)) = at_top.map(top) {
                found.insert(literal);
            }
            return;
        }
        // Counts may move as long as the sum stays large enough; the term with the largest room gets it first.
        let mut slack = value - self.least;
        let reach = |&(place, factor): &(u32, i128)| {
            let count = counts[place as usize];
            let far = if factor > 0 { count } else { order.top(place) - count };
            factor.abs() * i128::from(far)
        };
        let mut terms = self.terms.clone();
        terms.sort_by_key(|term| std::cmp::Reverse(reach(term)));
        for (place, factor) in terms {
            let (size, count) = (factor.abs(), i128::from(counts[place as usize]));
            // Above the top of an open place the sum could fall for ever.
            let is_endless = factor < 0 && !order.is_exact(place);
            let far = reach(&(place, factor)) / size;
            let moved = (slack / size).min(if is_endless { (far - 1).max(0) } else { far });
            slack -= moved * size;
            let literal = match factor > 0 {
                true => order.at_least(place, count - moved),
                false => order.at_least(place, count + moved + 1),
            };
            match literal {
                AtLeast::When(literal) => drop(found.insert(if factor > 0 { literal } else { -literal })),
                AtLeast::Always | AtLeast::Never | AtLeast::OnlyWhen(_) => {}
            }
        }
    }
}

impl NnfPredicate {
    /// A state predicate or its negation; `None` when it is too large or multiplies counts.
    pub(super) fn new(net: &Net, predicate: &StatePredicate, value: bool) -> Option<Self> {
        let condition = MarkingCondition::exactly(predicate, value, net, MAX_PARTS)?;
        Self::of_condition(&condition, net, &mut 0)
    }

    /// A condition, of which disabled transitions are spelled out; `parts` counts the nodes so far.
    fn of_condition(condition: &MarkingCondition, net: &Net, parts: &mut usize) -> Option<Self> {
        *parts += 1;
        if *parts > MAX_PARTS {
            return None;
        }
        let mut all = |conditions: &[MarkingCondition]| {
            conditions.iter().map(|c| Self::of_condition(c, net, parts)).collect::<Option<Vec<_>>>()
        };
        match condition {
            MarkingCondition::AtLeast(form) => Self::at_least(form),
            MarkingCondition::All(conditions) => Some(Self::And(all(conditions)?)),
            MarkingCondition::Any(conditions) => Some(Self::Or(all(conditions)?)),
            MarkingCondition::Disabled(ts) => {
                let mut disabled = Vec::with_capacity(ts.len());
                for &t in ts {
                    let forms = MarkingCondition::disabled_forms(net, t);
                    let some: Vec<Self> = forms.map(|form| Self::at_least(&form)).collect::<Option<_>>()?;
                    *parts += 1 + some.len();
                    if *parts > MAX_PARTS {
                        return None;
                    }
                    disabled.push(Self::Or(some));
                }
                Some(Self::And(disabled))
            }
        }
    }

    /// That a linear form is at least 0; `None` when a number is too large.
    fn at_least(form: &Linear) -> Option<Self> {
        if form.terms.is_empty() {
            return Some(if form.constant >= 0 { Self::And(Vec::new()) } else { Self::Or(Vec::new()) });
        }
        LinearInequality::new(form).map(Self::Inequality)
    }

    /// Whether it holds in some marking that the counts stand for.
    pub(super) fn may_hold(&self, order: &OrderEncoding, counts: &[u32]) -> bool {
        match self {
            Self::Inequality(sum) => sum.may_hold(order, counts),
            Self::And(parts) => parts.iter().all(|part| part.may_hold(order, counts)),
            Self::Or(parts) => parts.iter().any(|part| part.may_hold(order, counts)),
        }
    }

    /// Literals that are enough for it to hold, where it may hold of the counts.
    pub(super) fn reasons(&self, order: &OrderEncoding, counts: &[u32]) -> HashSet<Literal> {
        let mut found = HashSet::new();
        self.collect(order, counts, &mut found);
        found
    }

    fn collect(&self, order: &OrderEncoding, counts: &[u32], found: &mut HashSet<Literal>) {
        match self {
            Self::Inequality(sum) => sum.reasons(order, counts, found),
            Self::And(parts) => parts.iter().for_each(|part| part.collect(order, counts, found)),
            Self::Or(parts) => {
                // The part that needs the fewest additional literals.
                let true_ones = parts.iter().filter(|part| part.may_hold(order, counts));
                let reasons = true_ones.map(|part| part.reasons(order, counts));
                let new = |reasons: &HashSet<Literal>| reasons.difference(found).count();
                if let Some(fewest) = reasons.min_by_key(new) {
                    found.extend(fewest);
                }
            }
        }
    }

    /// Calls `visit` with each inequality in it.
    pub(super) fn inequalities(&self, visit: &mut impl FnMut(&LinearInequality)) {
        match self {
            Self::Inequality(sum) => visit(sum),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.inequalities(visit)),
        }
    }
}

//! What is looked for, without negations: sums of tokens that are at least a number, joined by "all" and "any".
//!
//! A count at the top of an open place stands for any above, so a sum *may* be large enough where it has such a place with
//! a factor above 0. All that is asked here is whether a goal may hold. That is too often rather than too seldom, and
//! exact without open places.
//!
//! Invariant: the literals of [`Goal::reasons`] are true of the counts, and wherever they are true the goal may hold.

use std::collections::HashSet;

use fireset_kernel::sat::Literal;
use fireset_net::{Comparison, Expr, Formula, Linear, Net, TransitionId};

use super::thresholds::{AtLeast, Thresholds};

/// Factors below this cannot overflow a sum of 128 bits.
const MAX_FACTOR: i128 = 1 << 60;
/// Constants below this neither.
const MAX_CONSTANT: i128 = 1 << 100;
/// Parts that a goal may have.
const MAX_PARTS: usize = 500_000;

/// The sum of factors times tokens is at least a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    /// Places and their factors.
    pub(super) terms: Vec<(u32, i128)>,
    pub(super) least: i128,
}

/// A state predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Sum(Sum),
    All(Vec<Goal>),
    Any(Vec<Goal>),
}

impl Sum {
    /// `None` when a number is too large.
    pub(super) fn new(form: &Linear) -> Option<Self> {
        let fits = form.terms.iter().all(|term| term.1.abs() < MAX_FACTOR);
        (fits && form.terms.len() < 1 << 30 && form.constant.abs() < MAX_CONSTANT).then(|| {
            let (terms, least) = (form.terms.clone(), -form.constant);
            match terms[..] {
                // Rounded up.
                [(place, factor)] => {
                    let size = factor.abs();
                    Self { terms: vec![(place, factor.signum())], least: -(-least).div_euclid(size) }
                }
                _ => Self { terms, least },
            }
        })
    }

    /// A place has at least so many tokens, or fewer.
    pub(super) fn threshold(place: u32, tokens: u64, is_reached: bool) -> Self {
        let tokens = i128::from(tokens);
        match is_reached {
            true => Self { terms: vec![(place, 1)], least: tokens },
            false => Self { terms: vec![(place, -1)], least: 1 - tokens },
        }
    }

    /// The places above whose top the sum may be as large as it likes.
    pub(super) fn open<'a>(&'a self, thresholds: &'a Thresholds) -> impl Iterator<Item = u32> + 'a {
        self.terms.iter().filter(|term| term.1 > 0 && !thresholds.is_exact(term.0)).map(|term| term.0)
    }

    fn value(&self, counts: &[u32]) -> i128 {
        self.terms.iter().map(|&(place, factor)| factor * i128::from(counts[place as usize])).sum()
    }

    fn may_hold(&self, thresholds: &Thresholds, counts: &[u32]) -> bool {
        self.value(counts) >= self.least
            || self.open(thresholds).any(|place| counts[place as usize] == thresholds.top(place))
    }

    /// As in [`Goal::reasons`], for counts of which it may hold.
    fn reasons(&self, thresholds: &Thresholds, counts: &[u32], found: &mut HashSet<Literal>) {
        let top = |place: u32| thresholds.at_least(place, thresholds.top(place).into());
        let value = self.value(counts);
        if value < self.least {
            let at_top = self.open(thresholds).find(|&place| counts[place as usize] == thresholds.top(place));
            if let Some(AtLeast::When(literal)) = at_top.map(top) {
                found.insert(literal);
            }
            return;
        }
        // Counts may move as long as the sum stays large enough; what moves far is left out first.
        let mut slack = value - self.least;
        let reach = |&(place, factor): &(u32, i128)| {
            let count = counts[place as usize];
            let far = if factor > 0 { count } else { thresholds.top(place) - count };
            factor.abs() * i128::from(far)
        };
        let mut terms = self.terms.clone();
        terms.sort_by_key(|term| std::cmp::Reverse(reach(term)));
        for (place, factor) in terms {
            let (size, count) = (factor.abs(), i128::from(counts[place as usize]));
            // Above the top of an open place the sum could fall for ever.
            let is_endless = factor < 0 && !thresholds.is_exact(place);
            let far = reach(&(place, factor)) / size;
            let moved = (slack / size).min(if is_endless { (far - 1).max(0) } else { far });
            slack -= moved * size;
            let literal = match factor > 0 {
                true => thresholds.at_least(place, count - moved),
                false => thresholds.at_least(place, count + moved + 1),
            };
            match literal {
                AtLeast::When(literal) => drop(found.insert(if factor > 0 { literal } else { -literal })),
                AtLeast::Always | AtLeast::Never | AtLeast::OnlyWhen(_) => {}
            }
        }
    }
}

impl Goal {
    /// A state predicate or its negation; `None` when it is too large or multiplies counts.
    pub(super) fn new(net: &Net, formula: &Formula, value: bool) -> Option<Self> {
        Builder { net, parts: 0 }.build(formula, value)
    }

    /// Whether it may hold.
    pub(super) fn may_hold(&self, thresholds: &Thresholds, counts: &[u32]) -> bool {
        match self {
            Self::Sum(sum) => sum.may_hold(thresholds, counts),
            Self::All(parts) => parts.iter().all(|part| part.may_hold(thresholds, counts)),
            Self::Any(parts) => parts.iter().any(|part| part.may_hold(thresholds, counts)),
        }
    }

    /// Literals that are enough for it to hold, where it may hold of the counts.
    pub(super) fn reasons(&self, thresholds: &Thresholds, counts: &[u32]) -> HashSet<Literal> {
        let mut found = HashSet::new();
        self.collect(thresholds, counts, &mut found);
        found
    }

    fn collect(&self, thresholds: &Thresholds, counts: &[u32], found: &mut HashSet<Literal>) {
        match self {
            Self::Sum(sum) => sum.reasons(thresholds, counts, found),
            Self::All(parts) => parts.iter().for_each(|part| part.collect(thresholds, counts, found)),
            Self::Any(parts) => {
                // The one that needs the fewest literals that are not there yet.
                let true_ones = parts.iter().filter(|part| part.may_hold(thresholds, counts));
                let reasons = true_ones.map(|part| part.reasons(thresholds, counts));
                let new = |reasons: &HashSet<Literal>| reasons.difference(found).count();
                if let Some(fewest) = reasons.min_by_key(new) {
                    found.extend(fewest);
                }
            }
        }
    }

    /// Calls `visit` with each sum in it.
    pub(super) fn sums(&self, visit: &mut impl FnMut(&Sum)) {
        match self {
            Self::Sum(sum) => visit(sum),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.sums(visit)),
        }
    }
}

/// Brings a formula into this form.
struct Builder<'n> {
    net: &'n Net,
    parts: usize,
}

impl Builder<'_> {
    fn build(&mut self, formula: &Formula, value: bool) -> Option<Goal> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return None;
        }
        let nodes = self.net.nodes();
        match formula {
            Formula::Constant(constant) if *constant == value => Some(Goal::All(Vec::new())),
            Formula::Constant(_) => Some(Goal::Any(Vec::new())),
            Formula::Deadlock => self.fireable(nodes.transition_ids(), !value),
            Formula::Fireable(ts) => self.fireable(ts.iter().copied(), value),
            Formula::Compare(how, a, b) => compare(if value { *how } else { how.negate() }, a, b),
            Formula::Not(f) => self.build(f, !value),
            Formula::And(fs) => self.join(fs, value, value),
            Formula::Or(fs) => self.join(fs, value, !value),
            Formula::Iff(f, g) => {
                let mut both = |left: bool, right: bool| {
                    Some(Goal::All(vec![self.build(f, left)?, self.build(g, right)?]))
                };
                Some(Goal::Any(vec![both(true, value)?, both(false, !value)?]))
            }
            _ => None,
        }
    }

    fn join(&mut self, formulas: &[Formula], value: bool, is_all: bool) -> Option<Goal> {
        let parts = formulas.iter().map(|f| self.build(f, value)).collect::<Option<_>>()?;
        Some(if is_all { Goal::All(parts) } else { Goal::Any(parts) })
    }

    /// Some of the transitions is enabled, or none of them.
    fn fireable(&mut self, transitions: impl Iterator<Item = TransitionId>, value: bool) -> Option<Goal> {
        let parts = transitions.map(|t| self.enabled(t, value)).collect::<Option<_>>()?;
        Some(if value { Goal::Any(parts) } else { Goal::All(parts) })
    }

    fn enabled(&mut self, t: TransitionId, value: bool) -> Option<Goal> {
        let inputs = self.net.pre(t).iter().map(|arc| (arc, true));
        let needs = inputs.chain(self.net.inhibitors(t).iter().map(|arc| (arc, false)));
        let part = |(arc, is_input): (&fireset_net::Arc, bool)| {
            Goal::Sum(Sum::threshold(arc.place.index() as u32, arc.weight, is_input == value))
        };
        let parts: Vec<Goal> = needs.map(part).collect();
        self.parts += parts.len();
        (self.parts <= MAX_PARTS).then_some(if value { Goal::All(parts) } else { Goal::Any(parts) })
    }
}

/// A comparison of expressions; `None` when it is not linear or a number is too large.
fn compare(how: Comparison, a: &Expr, b: &Expr) -> Option<Goal> {
    let above = Linear::from_expr(a)?.plus(&Linear::from_expr(b)?.scaled(-1)?)?;
    let below = above.scaled(-1)?;
    let at_least = |form: &Linear, more: i128| {
        let constant = form.constant.checked_sub(more)?;
        if form.terms.is_empty() {
            return Some(if constant >= 0 { Goal::All(Vec::new()) } else { Goal::Any(Vec::new()) });
        }
        Sum::new(&Linear { terms: form.terms.clone(), constant }).map(Goal::Sum)
    };
    match how {
        Comparison::GreaterEqual => at_least(&above, 0),
        Comparison::Greater => at_least(&above, 1),
        Comparison::LessEqual => at_least(&below, 0),
        Comparison::Less => at_least(&below, 1),
        Comparison::Equal => Some(Goal::All(vec![at_least(&above, 0)?, at_least(&below, 0)?])),
        Comparison::NotEqual => Some(Goal::Any(vec![at_least(&above, 1)?, at_least(&below, 1)?])),
    }
}

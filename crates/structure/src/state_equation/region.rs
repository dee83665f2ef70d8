//! Integral solutions of the state equation: firing counts that a run may have.
//!
//! A [`CountRegion`] is a set of counts, by lower bounds and further constraints. The search for one that meets a condition
//! ([`branch_and_cut`](super::branch_and_cut)) branches around fractions, and around conditions that runs obey; since firings
//! cost and the simplex algorithm ends in an optimum, solutions are small. Each solution is checked in integers before it is
//! returned.
//!
//! Invariant: a region that is refuted has the counts of no run that meets the condition.
//! Cost: that of the search. Test: `tests/realise.rs` of `fireset-reduce`.

use std::{rc::Rc, time::Duration};

use fireset_net::{Budget, Marking};

use super::{
    MarkingCondition, StateEquation,
    branch_and_cut::{BranchAndCut, BranchLimits, BranchResult},
    constraint::FiringConstraint,
};

/// Time that the search for a solution may always take, if there is any.
const MIN_TIME: Duration = Duration::from_millis(200);

/// How often columns fire: ascending columns, no zeros.
pub type FiringCounts = Vec<(u32, u64)>;

/// How often a column fires.
pub fn count(counts: &[(u32, u64)], column: u32) -> u64 {
    counts.binary_search_by_key(&column, |entry| entry.0).map_or(0, |at| counts[at].1)
}

/// A set of firing counts, by lower bounds and constraints.
#[derive(Clone, Debug, Default)]
pub struct CountRegion {
    /// Counts that those of the region are not below.
    pub lower: FiringCounts,
    /// Constraints that all counts of the region satisfy.
    pub constraints: Vec<Rc<FiringConstraint>>,
}

impl CountRegion {
    /// The part of the region that satisfies another constraint.
    #[must_use]
    pub fn with(&self, constraint: FiringConstraint) -> Self {
        let mut part = self.clone();
        part.constraints.push(Rc::new(constraint));
        part
    }

    /// The part of the region in which a column fires at least `least` times.
    #[must_use]
    pub fn at_least(mut self, column: u32, least: u64) -> Self {
        match self.lower.binary_search_by_key(&column, |entry| entry.0) {
            Ok(at) => self.lower[at].1 = self.lower[at].1.max(least),
            Err(at) => self.lower.insert(at, (column, least)),
        }
        self
    }

    /// A constraint on counts as one on their excess over the lower bounds; `None` when a number does not fit.
    pub(super) fn shifted(&self, constraint: &FiringConstraint) -> Option<FiringConstraint> {
        if self.lower.is_empty() {
            return Some(constraint.clone());
        }
        let least = constraint.terms.iter().try_fold(constraint.least, |least, &(column, factor)| {
            least.checked_sub(factor.checked_mul(count(&self.lower, column).into())?)
        })?;
        Some(FiringConstraint { terms: constraint.terms.clone(), least })
    }

    /// The counts with a given excess over the lower bounds.
    pub(super) fn counts(&self, excess: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
        let mut lower = self.lower.clone();
        let mut counts: Vec<(u32, f64)> = excess
            .map(|(column, more)| {
                let at = lower.binary_search_by_key(&column, |entry| entry.0);
                (column, more + at.map_or(0.0, |at| std::mem::take(&mut lower[at].1) as f64))
            })
            .collect();
        counts
            .extend(lower.iter().filter(|entry| entry.1 > 0).map(|&(column, least)| (column, least as f64)));
        counts
    }

    fn contains(&self, counts: &[(u32, u64)]) -> bool {
        let holds = |constraint: &FiringConstraint| {
            let term = |&(column, factor): &(u32, i128)| factor.checked_mul(count(counts, column).into());
            let sum = constraint.terms.iter().try_fold(0i128, |sum, entry| sum.checked_add(term(entry)?));
            sum.is_some_and(|sum| sum >= constraint.least)
        };
        self.lower.iter().all(|&(column, least)| count(counts, column) >= least)
            && self.constraints.iter().all(|constraint| holds(constraint))
    }
}

impl StateEquation<'_> {
    /// Counts in a region whose marking meets a condition, or a proof that no run has such counts. The condition may turn out
    /// not to be met where a number did not fit. Each effort may take 4 times as long as the one before it.
    pub fn solution(
        &self,
        condition: &MarkingCondition,
        region: &CountRegion,
        effort: u32,
        budget: &Budget,
    ) -> BranchResult {
        // One region must not use up the time of the others.
        let part = budget.time_left().map_or(budget.clone(), |time| budget.within((time / 4).max(MIN_TIME)));
        let limits = BranchLimits::of(&part).times(4usize.saturating_pow(effort));
        match BranchAndCut::new(self, region, limits).solves(condition) {
            BranchResult::Integral(counts)
                if !region.contains(&counts) || self.marking(&counts).is_none() =>
            {
                BranchResult::Open
            }
            result => result,
        }
    }

    /// The marking `m0 + C x` for these counts; `None` where a place is below 0 or a number does not fit.
    fn marking(&self, counts: &[(u32, u64)]) -> Option<Marking> {
        let mut tokens: Vec<i128> = self.net().initial_marking().0.iter().map(|&n| n.into()).collect();
        for &(column, count) in counts {
            for &(place, change) in self.incidence.effect(column) {
                let change = i128::from(change).checked_mul(count.into())?;
                let tokens = &mut tokens[place as usize];
                *tokens = tokens.checked_add(change)?;
            }
        }
        tokens.into_iter().map(|n| u64::try_from(n).ok()).collect::<Option<Box<[u64]>>>().map(Marking)
    }
}

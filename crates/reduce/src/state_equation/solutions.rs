//! Whole solutions of the state equation: counts of firings that a run may have.
//!
//! A [`Region`] is a set of counts, by lower bounds and further rows. The [`search`](super::search) for one that meets a
//! condition branches around fractions, and around what runs obey; since firings cost and the simplex algorithm ends in
//! an optimum, solutions are small. What it gives is calculated again in integers before anybody sees it.
//!
//! Invariant: a region that is refuted has the counts of no run that meets the condition.
//! Cost: that of the search. Test: `tests/realise.rs`.

use std::{rc::Rc, time::Duration};

use fireset_net::{Budget, Marking};

use super::{
    Condition, StateEquation,
    row::Row,
    search::{End, Limits, Search},
};

/// What the search for a solution may always take, if there is any time.
const LEAST_TIME: Duration = Duration::from_millis(200);

/// How often columns fire: ascending columns, no zeros.
pub(super) type Counts = Vec<(u32, u64)>;

/// How often a column fires.
pub(super) fn count(counts: &[(u32, u64)], column: u32) -> u64 {
    counts.binary_search_by_key(&column, |entry| entry.0).map_or(0, |at| counts[at].1)
}

/// Counts that are at least these and satisfy these rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    pub(super) lower: Counts,
    pub(super) rows: Vec<Rc<Row>>,
}

impl Region {
    /// The part of it that satisfies another row.
    pub(super) fn with(&self, row: Row) -> Self {
        let mut part = self.clone();
        part.rows.push(Rc::new(row));
        part
    }

    /// The part of it in which a column fires so often at least.
    pub(super) fn at_least(mut self, column: u32, least: u64) -> Self {
        match self.lower.binary_search_by_key(&column, |entry| entry.0) {
            Ok(at) => self.lower[at].1 = self.lower[at].1.max(least),
            Err(at) => self.lower.insert(at, (column, least)),
        }
        self
    }

    /// A row over counts as one over what they have beyond the lower bounds; `None` when a number does not fit.
    pub(super) fn beyond(&self, row: &Row) -> Option<Row> {
        if self.lower.is_empty() {
            return Some(row.clone());
        }
        let least = row.terms.iter().try_fold(row.least, |least, &(column, factor)| {
            least.checked_sub(factor.checked_mul(count(&self.lower, column).into())?)
        })?;
        Some(Row { terms: row.terms.clone(), least })
    }

    /// The counts that have this beyond the lower bounds.
    pub(super) fn counts(&self, beyond: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
        let mut lower = self.lower.clone();
        let mut counts: Vec<(u32, f64)> = beyond
            .map(|(column, more)| {
                let at = lower.binary_search_by_key(&column, |entry| entry.0);
                (column, more + at.map_or(0.0, |at| std::mem::take(&mut lower[at].1) as f64))
            })
            .collect();
        counts
            .extend(lower.iter().filter(|entry| entry.1 > 0).map(|&(column, least)| (column, least as f64)));
        counts
    }

    /// Whether the counts are in it.
    fn contains(&self, counts: &[(u32, u64)]) -> bool {
        let holds = |row: &Row| {
            let term = |&(column, factor): &(u32, i128)| factor.checked_mul(count(counts, column).into());
            let sum = row.terms.iter().try_fold(0i128, |sum, entry| sum.checked_add(term(entry)?));
            sum.is_some_and(|sum| sum >= row.least)
        };
        self.lower.iter().all(|&(column, least)| count(counts, column) >= least)
            && self.rows.iter().all(|row| holds(row))
    }
}

impl StateEquation<'_> {
    /// Counts in a region whose marking meets a condition, or that no run has such counts. The condition may turn out
    /// not to be met where a number did not fit. Each effort may take 4 times what the one before it may.
    pub(super) fn solution(
        &self,
        condition: &Condition,
        region: &Region,
        effort: u32,
        budget: &Budget,
    ) -> End {
        // One region must not use up what others need.
        let part =
            budget.time_left().map_or(budget.clone(), |time| budget.within((time / 4).max(LEAST_TIME)));
        let limits = Limits::of(&part).times(4usize.saturating_pow(effort));
        match Search::new(self, region, limits).solves(condition) {
            End::Whole(counts) if !region.contains(&counts) || self.marking(&counts).is_none() => End::Open,
            end => end,
        }
    }

    /// The marking after so many firings; `None` where a place is below 0 or a number does not fit.
    pub(super) fn marking(&self, counts: &[(u32, u64)]) -> Option<Marking> {
        let mut tokens: Vec<i128> = self.net.initial_marking().0.iter().map(|&n| n.into()).collect();
        for &(column, count) in counts {
            for &(place, change) in &self.effects[column as usize] {
                let change = i128::from(change).checked_mul(count.into())?;
                let tokens = &mut tokens[place as usize];
                *tokens = tokens.checked_add(change)?;
            }
        }
        tokens.into_iter().map(|n| u64::try_from(n).ok()).collect::<Option<Box<[u64]>>>().map(Marking)
    }
}

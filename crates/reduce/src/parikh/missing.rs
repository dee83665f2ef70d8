//! The places where a partial run lacks tokens, and where they have to come from.
//!
//! A column with firings left lacks tokens on places; other such columns may give to those once they can fire. Tokens that have
//! to come first, from elsewhere, are those of a *source*: a set of places that wait for each other only.
//! Cost: quadratic in at most `MAX_PLACES` places. Test: `tests/realise.rs`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fireset_structure::StateEquation;

use super::orders::PartialRun;

/// Places with missing tokens that are looked at.
const MAX_PLACES: usize = 200;

/// The tokens that the columns with firings left lack at the end of a partial run.
pub(super) struct MissingTokens {
    /// For each place, how many tokens each column lacks there.
    lacks: BTreeMap<u32, Vec<(u32, u64)>>,
    /// For each of these places, those on which columns lack tokens that could fill it.
    waits_for: BTreeMap<u32, BTreeSet<u32>>,
}

impl MissingTokens {
    pub(super) fn of(equation: &StateEquation<'_>, end: &PartialRun) -> Self {
        let mut lacks: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
        let mut lacking: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(column, _) in &end.left {
            for arc in equation.net().pre(equation.columns().first(column)) {
                let place = arc.place.index() as u32;
                let missing = arc.weight.saturating_sub(end.marking.tokens(arc.place));
                if missing > 0 && (lacks.len() < MAX_PLACES || lacks.contains_key(&place)) {
                    lacks.entry(place).or_default().push((column, missing));
                    lacking.entry(column).or_default().push(place);
                }
            }
        }
        let waits_for = |place: &u32| {
            let producers = equation.incidence().changes(*place).iter().filter(|change| change.1 > 0);
            let stuck = producers.filter_map(|(column, _)| lacking.get(column));
            (*place, stuck.flatten().copied().collect())
        };
        let waits_for = lacks.keys().map(waits_for).collect();
        Self { lacks, waits_for }
    }

    /// The sources, each with the fewest tokens that let a column fire.
    pub(super) fn sources(&self) -> Vec<(BTreeSet<u32>, u64)> {
        let before: BTreeMap<u32, BTreeSet<u32>> =
            self.lacks.keys().map(|&place| (place, self.awaited_by(place))).collect();
        let is_source = |places: &BTreeSet<u32>| places.iter().all(|other| before[other] == *places);
        let sources: HashSet<&BTreeSet<u32>> = before.values().filter(|places| is_source(places)).collect();
        let mut sources: Vec<(BTreeSet<u32>, u64)> =
            sources.into_iter().map(|places| (places.clone(), self.needed(places))).collect();
        sources.sort();
        sources
    }

    /// A place and all places that it waits for, also through others.
    fn awaited_by(&self, place: u32) -> BTreeSet<u32> {
        let (mut found, mut open) = (BTreeSet::from([place]), vec![place]);
        while let Some(next) = open.pop() {
            open.extend(self.waits_for[&next].iter().filter(|&&other| found.insert(other)));
        }
        found
    }

    /// The smallest number of tokens on these places that some column lacks.
    fn needed(&self, places: &BTreeSet<u32>) -> u64 {
        let mut by_column: BTreeMap<u32, u64> = BTreeMap::new();
        for &(column, missing) in places.iter().flat_map(|place| &self.lacks[place]) {
            let sum = by_column.entry(column).or_default();
            *sum = sum.saturating_add(missing);
        }
        by_column.into_values().min().unwrap_or(1)
    }
}

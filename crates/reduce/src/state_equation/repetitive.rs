//! Transitions that can fire only finitely often.
//!
//! What: if no counts of firings, each at least 1, leave every place with at least as many tokens as before, then the net is not live.
//! Proof: in a live net a run goes on for ever in rounds in each of which every transition fires. Of infinitely many markings
//! at the ends of rounds one is at most a later one in every place (Dickson), and the firings between them are such counts.
//! Where only one of several transitions must fire, their counts together are at least 1. Inhibitor arcs and weights do
//! not matter; nothing is needed of the net.
//! Source: Murata, "Petri nets: properties, analysis and applications" (1989), repetitive nets, table 5 and section VIII.
//!
//! Rows are added as solutions break them, and the contradiction is checked in integers, as in [`super::search`]. It is a
//! weighting of places that no firing increases and some firing decreases.
//! Cost: the time that is granted, and so many rows. Test: `tests/divide.rs`.

use std::collections::HashMap;

use fireset_kernel::lp::{LinearProgram, LpOutcome};
use fireset_net::TransitionId;

use super::{
    StateEquation,
    row::{Row, contradict, integers},
};

/// Rows of a system, and those that are added for one solution.
const MAX_ROWS: usize = 800;
const ROWS_AT_ONCE: usize = 40;
/// Differences below this are none.
const NEAR: f64 = 1e-6;

impl StateEquation<'_> {
    /// Whether on no run each of these sets of transitions fires infinitely often.
    pub(crate) fn cannot_repeat(&self, together: &[Vec<TransitionId>]) -> bool {
        self.never_repeats(together).unwrap_or(false)
    }

    /// The same; `None` when a number does not fit or it takes too long.
    fn never_repeats(&self, together: &[Vec<TransitionId>]) -> Option<bool> {
        let (least, unions) = self.firings_of(together);
        let mut rows = self.kept_places(&least)?;
        rows.extend(unions);
        let mut is_there = vec![false; rows.len()];
        let mut system = LinearProgram::default();
        let mut pushed: Vec<usize> = Vec::new();
        let mut counts: HashMap<u32, f64> = HashMap::new();
        loop {
            let value = |row: &Row| {
                let term = |&(column, factor): &(u32, i128)| {
                    counts.get(&column).map_or(0.0, |count| factor as f64 * count)
                };
                row.terms.iter().map(term).sum::<f64>() - row.least as f64
            };
            let broken = rows.iter().enumerate().filter(|(at, _)| !is_there[*at]);
            let mut broken: Vec<(usize, f64)> =
                broken.map(|(at, row)| (at, value(row))).filter(|(_, value)| *value < -NEAR).collect();
            if broken.is_empty() {
                return Some(false);
            }
            broken.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            for (at, _) in broken.into_iter().take(ROWS_AT_ONCE) {
                is_there[at] = true;
                pushed.push(at);
                let Row { terms, least } = &rows[at];
                system.push(terms.iter().map(|&(column, factor)| (column, factor as f64)), *least as f64);
            }
            if pushed.len() > MAX_ROWS {
                return None;
            }
            match system.solve(&mut || !self.is_over()) {
                LpOutcome::Interrupted => return None,
                LpOutcome::Infeasible(multipliers) => {
                    let multipliers = integers(&multipliers)?;
                    return Some(contradict(|at| &rows[pushed[at as usize]], &multipliers));
                }
                LpOutcome::Feasible => counts = system.solution().collect(),
            }
        }
    }

    /// For each column the firings that are asked for in any case, and rows for sets of which one must fire.
    fn firings_of(&self, together: &[Vec<TransitionId>]) -> (Vec<i128>, Vec<Row>) {
        let arcs = |t: TransitionId| (self.net.pre(t), self.net.post(t));
        let columns = self.columns.iter().enumerate();
        let column_of: HashMap<_, u32> = columns.map(|(at, &t)| (arcs(t), at as u32)).collect();
        let mut least = vec![0; self.columns.len()];
        let mut unions = Vec::new();
        for ts in together {
            // One without effect may fire as often as it likes.
            let columns: Option<Vec<u32>> = ts.iter().map(|&t| column_of.get(&arcs(t)).copied()).collect();
            let Some(mut columns) = columns else { continue };
            columns.sort_unstable();
            columns.dedup();
            match columns[..] {
                [column] => least[column as usize] = 1,
                _ => unions.push(columns),
            }
        }
        let is_met = |columns: &[u32]| columns.iter().any(|&column| least[column as usize] > 0);
        unions.retain(|columns| !is_met(columns));
        let row = |columns: Vec<u32>| Row { terms: columns.into_iter().map(|c| (c, 1)).collect(), least: 1 };
        (least, unions.into_iter().map(row).collect())
    }

    /// That each place has as many tokens as before, as rows over the firings beyond those that are asked for.
    fn kept_places(&self, least: &[i128]) -> Option<Vec<Row>> {
        let row = |changes: &Vec<(u32, i64)>| {
            let gained = changes.iter().try_fold(0i128, |sum, &(column, change)| {
                sum.checked_add(least[column as usize].checked_mul(change.into())?)
            })?;
            let terms = changes.iter().map(|&(column, change)| (column, change.into())).collect();
            Some(Row { terms, least: gained.checked_neg()? })
        };
        self.changes.iter().map(row).collect()
    }
}

//! Repetitive behaviour: transitions that can fire only finitely often.
//!
//! What: if no firing counts, each at least 1, leave every place with at least as many tokens as before, then the net is not live.
//! Proof: in a live net a run goes on for ever in rounds in each of which every transition fires. Of infinitely many markings
//! at the ends of rounds one is at most a later one in every place (Dickson), and the firings between them are such counts.
//! Where only one of several transitions must fire, their counts together are at least 1; where others do not fire from some
//! marking on, their counts are 0, because the two markings may be chosen after it. Inhibitor arcs and weights do not matter;
//! nothing is needed of the net.
//! Source: Murata, "Petri nets: properties, analysis and applications" (1989), repetitive nets, table 5 and section VIII.
//!
//! Constraints are added as solutions break them, and the contradiction is checked in integers, as in
//! [`branch_and_cut`](super::branch_and_cut). It is a weighting of places that no firing increases and some firing decreases.
//! Cost: the time that is granted, and at most `MAX_CONSTRAINTS` constraints. Test: `decomposition/tests.rs` of
//! `fireset-reduce`, against the liveness of random nets.

use std::collections::HashMap;

use fireset_kernel::lp::{LinearProgram, LpOutcome};
use fireset_net::TransitionId;

use super::{
    StateEquation,
    constraint::{FiringConstraint, contradict, integers},
};
use crate::SparseVector;

const MAX_CONSTRAINTS: usize = 8_000;
/// Constraints that are added for one solution, or this part of those that are there.
const CONSTRAINTS_PER_SOLUTION: usize = 40;
const CONSTRAINTS_PART: usize = 8;
/// Differences below this are rounding errors.
const NEAR: f64 = 1e-6;

impl StateEquation<'_> {
    /// Whether it is proven that on no run each of these sets of transitions fires infinitely often.
    pub fn cannot_repeat(&self, together: &[Vec<TransitionId>]) -> bool {
        self.never_repeats(together, &|_| true).unwrap_or(false)
    }

    /// Whether it is proven that on no run that fires only `allowed` transitions from some marking on, each of these sets of transitions
    /// fires infinitely often.
    pub fn cannot_repeat_within(
        &self,
        allowed: &dyn Fn(TransitionId) -> bool,
        together: &[Vec<TransitionId>],
    ) -> bool {
        let allowed_of = |ts: &Vec<TransitionId>| ts.iter().copied().filter(|&t| allowed(t)).collect();
        let together: Vec<Vec<TransitionId>> = together.iter().map(allowed_of).collect();
        let is_allowed = |column: u32| self.columns.members(column).iter().any(|&t| allowed(t));
        together.iter().any(Vec::is_empty) || self.never_repeats(&together, &is_allowed).unwrap_or(false)
    }

    /// `None` when a number does not fit or the time is up.
    fn never_repeats(
        &self,
        together: &[Vec<TransitionId>],
        is_allowed: &dyn Fn(u32) -> bool,
    ) -> Option<bool> {
        let (least, unions) = self.firings_of(together);
        let mut constraints = self.kept_places(&least)?;
        constraints.extend(unions);
        constraints.iter_mut().for_each(|constraint| constraint.terms.retain(|term| is_allowed(term.0)));
        let mut is_there = vec![false; constraints.len()];
        let mut system = LinearProgram::default();
        let mut pushed: Vec<usize> = Vec::new();
        let mut counts: HashMap<u32, f64> = HashMap::new();
        loop {
            let value = |constraint: &FiringConstraint| {
                let term = |&(column, factor): &(u32, i128)| {
                    counts.get(&column).map_or(0.0, |count| factor as f64 * count)
                };
                constraint.terms.iter().map(term).sum::<f64>() - constraint.least as f64
            };
            let broken = constraints.iter().enumerate().filter(|(at, _)| !is_there[*at]);
            let mut broken: Vec<(usize, f64)> = broken
                .map(|(at, constraint)| (at, value(constraint)))
                .filter(|(_, value)| *value < -NEAR)
                .collect();
            if broken.is_empty() {
                return Some(false);
            }
            broken.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let most = CONSTRAINTS_PER_SOLUTION.max(pushed.len() / CONSTRAINTS_PART);
            for (at, _) in broken.into_iter().take(most) {
                is_there[at] = true;
                pushed.push(at);
                let FiringConstraint { terms, least } = &constraints[at];
                system.push(terms.iter().map(|&(column, factor)| (column, factor as f64)), *least as f64);
            }
            if pushed.len() > MAX_CONSTRAINTS {
                return None;
            }
            match system.solve(&mut || !self.is_over()) {
                LpOutcome::Interrupted => return None,
                LpOutcome::Infeasible(multipliers) => {
                    let multipliers = integers(&multipliers)?;
                    return Some(contradict(|at| &constraints[pushed[at as usize]], &multipliers));
                }
                LpOutcome::Feasible => counts = system.solution().collect(),
            }
        }
    }

    /// For each column the firings that are required in any case, and constraints for sets of which one must fire.
    fn firings_of(&self, together: &[Vec<TransitionId>]) -> (Vec<i128>, Vec<FiringConstraint>) {
        let mut least = vec![0; self.columns.len()];
        let mut unions = Vec::new();
        for ts in together {
            // A transition without effect may fire for ever.
            let columns: Option<Vec<u32>> = ts.iter().map(|&t| self.columns.of_transition(t)).collect();
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
        let row = |columns: Vec<u32>| FiringConstraint {
            terms: columns.into_iter().map(|c| (c, 1)).collect(),
            least: 1,
        };
        (least, unions.into_iter().map(row).collect())
    }

    /// That each place has as many tokens as before, as constraints on the firings beyond the required ones.
    fn kept_places(&self, least: &[i128]) -> Option<Vec<FiringConstraint>> {
        let row = |changes: &SparseVector| {
            let gained = changes.iter().try_fold(0i128, |sum, &(column, change)| {
                sum.checked_add(least[column as usize].checked_mul(change.into())?)
            })?;
            let terms = changes.iter().map(|&(column, change)| (column, change.into())).collect();
            Some(FiringConstraint { terms, least: gained.checked_neg()? })
        };
        self.incidence.rows().iter().map(row).collect()
    }
}

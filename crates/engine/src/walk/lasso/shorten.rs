//! Shorter lassos: loops of the prefix are cut, then parts of it are left out, large ones first, as long as the cycle can be fired
//! behind the rest and the automaton accepts.
//!
//! After Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002), as for runs to a goal. The result has been
//! fired. Cost: bounded by a number of firings, since other queries wait.

use fireset_net::Budget;

use super::{LassoRun, run::WordRun};
use crate::walk::marking_hash::without_loops;

/// Firings that may go into making a lasso shorter, beside those of two looks at the whole of it.
const FIRINGS: u64 = 1 << 16;

/// A lasso with the same cycle and a prefix that is not longer.
pub(super) fn shorten(lasso: LassoRun, run: &mut WordRun<'_>, budget: &Budget) -> LassoRun {
    let LassoRun { mut prefix, cycle } = lasso;
    let straight = without_loops(&prefix, run.game.table);
    if let Some(shorter) = run.replayed(straight.into_iter(), &cycle) {
        prefix = shorter.prefix;
    }
    let end = run.steps.saturating_add(FIRINGS);
    let mut size = prefix.len();
    while size > 0 {
        let mut at = 0;
        while at < prefix.len() {
            if run.steps >= end || budget.go_on().is_err() {
                return LassoRun { prefix, cycle };
            }
            let behind = (at + size).min(prefix.len());
            let rest = prefix[..at].iter().chain(&prefix[behind..]).copied();
            match run.replayed(rest, &cycle) {
                Some(shorter) => prefix = shorter.prefix,
                None => at = behind,
            }
        }
        size = size.min(prefix.len()) / 2;
    }
    LassoRun { prefix, cycle }
}

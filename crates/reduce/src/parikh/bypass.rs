//! A few firings after which a partial run can be extended again.
//!
//! Why: increments of a solution bring missing tokens by counts that again need not have an order. A breadth-first search over
//! real firings near the end of the run finds the tokens for certain. Needs nothing, proves nothing.
//! Cost: at most `MAX_MARKINGS` markings. Test: `tests/realise.rs`.

use std::collections::HashSet;

use fireset_net::{Budget, Marking, StatePredicate, TransitionId, replay};
use fireset_structure::StateEquation;

use super::orders::PartialRun;

const MAX_MARKINGS: usize = 400;
/// Token counts in all markings together.
const MAX_COUNTS: usize = 4_000_000;

/// Columns that fire, each with the transition of the column that does.
pub(super) type ColumnFirings = Vec<(u32, TransitionId)>;

/// Firings that extend a partial run, and where they lead.
#[derive(Clone, Debug)]
pub(super) enum Bypass {
    Goal(ColumnFirings),
    /// To a marking that enables a column with firings left.
    Continues(ColumnFirings, Marking),
}

/// The shortest bypass from the end of a partial run to a marking that is not to be avoided.
pub(super) fn bypass(
    equation: &StateEquation<'_>,
    partial: &PartialRun,
    goal: &StatePredicate,
    avoided: &HashSet<Marking>,
    budget: &Budget,
) -> Option<Bypass> {
    let net = equation.net();
    let most = MAX_MARKINGS.min(MAX_COUNTS / partial.marking.0.len().max(1));
    let enabled = |marking: &Marking, column: u32| {
        equation.columns().members(column).iter().copied().find(|&t| net.enabled(marking, t).is_ok())
    };
    let mut markings: Vec<(Marking, usize, (u32, TransitionId))> = Vec::new();
    let mut seen = HashSet::from([partial.marking.clone()]);
    let mut at = 0;
    while at <= markings.len() && budget.go_on().is_ok() {
        // The end of the partial run comes first and is in no list.
        let from = if at == 0 { partial.marking.clone() } else { markings[at - 1].0.clone() };
        for column in 0..equation.columns().len() as u32 {
            let Some(transition) = enabled(&from, column) else { continue };
            let Ok(next) = net.fire_transition(&from, transition) else { continue };
            if !seen.insert(next.clone()) {
                continue;
            }
            let continues = partial.left.iter().any(|&(left, _)| enabled(&next, left).is_some());
            let is_goal = replay::holds_in(net, &next, goal);
            markings.push((next, at, (column, transition)));
            if is_goal {
                return Some(Bypass::Goal(firings(&markings)));
            }
            let last = &markings[markings.len() - 1].0;
            if continues && !avoided.contains(last) {
                return Some(Bypass::Continues(firings(&markings), last.clone()));
            }
            if markings.len() >= most {
                return None;
            }
        }
        at += 1;
    }
    None
}

/// The firings to the last marking of a list; each has the position after that of the one that it came from.
fn firings(markings: &[(Marking, usize, (u32, TransitionId))]) -> ColumnFirings {
    let (mut steps, mut at) = (Vec::new(), markings.len());
    while at > 0 {
        let (_, from, step) = &markings[at - 1];
        steps.push(*step);
        at = *from;
    }
    steps.reverse();
    steps
}

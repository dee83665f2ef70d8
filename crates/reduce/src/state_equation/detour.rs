//! A few firings after which a run that was stuck can go on.
//!
//! Why: increments of a solution bring missing tokens by counts that again need not have an order. Near by, a
//! breadth-first search over real firings finds what is missing for certain. Needs nothing, proves nothing.
//! Cost: bounded by a number of markings. Test: `tests/realise.rs`.

use std::collections::HashSet;

use fireset_net::{Budget, Formula, Marking, TransitionId, replay};

use super::{StateEquation, realise::Stuck};

/// Markings that are looked at.
const MAX_MARKINGS: usize = 400;
/// Counts of all of them together.
const MAX_COUNTS: usize = 4_000_000;

/// Firings, as columns and transitions.
pub(super) type Firings = Vec<(u32, TransitionId)>;

/// Where a detour leads.
#[derive(Clone, Debug)]
pub(super) enum Detour {
    /// To the goal.
    Goal(Firings),
    /// To a marking in which something can fire that was left.
    On(Firings, Marking),
}

/// The shortest detour from where a run is stuck, to a marking that is not to be avoided.
pub(super) fn detour(
    equation: &StateEquation<'_>,
    stuck: &Stuck,
    goal: &Formula,
    avoided: &HashSet<Marking>,
    budget: &Budget,
) -> Option<Detour> {
    let net = equation.net;
    let most = MAX_MARKINGS.min(MAX_COUNTS / stuck.marking.0.len().max(1));
    let enabled = |marking: &Marking, column: u32| {
        equation.alike[column as usize].iter().copied().find(|&t| net.enabled(marking, t).is_ok())
    };
    let mut markings: Vec<(Marking, usize, (u32, TransitionId))> = Vec::new();
    let mut seen = HashSet::from([stuck.marking.clone()]);
    let mut at = 0;
    while at <= markings.len() && budget.go_on().is_ok() {
        // The first one is where the run is stuck, and in no list.
        let from = if at == 0 { stuck.marking.clone() } else { markings[at - 1].0.clone() };
        for column in 0..equation.columns.len() as u32 {
            let Some(transition) = enabled(&from, column) else { continue };
            let Ok(next) = net.fire_transition(&from, transition) else { continue };
            if !seen.insert(next.clone()) {
                continue;
            }
            let goes_on = stuck.left.iter().any(|&(left, _)| enabled(&next, left).is_some());
            let is_goal = replay::holds_in(net, &next, goal);
            markings.push((next, at, (column, transition)));
            if is_goal {
                return Some(Detour::Goal(firings(&markings)));
            }
            let last = &markings[markings.len() - 1].0;
            if goes_on && !avoided.contains(last) {
                return Some(Detour::On(firings(&markings), last.clone()));
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
fn firings(markings: &[(Marking, usize, (u32, TransitionId))]) -> Firings {
    let (mut steps, mut at) = (Vec::new(), markings.len());
    while at > 0 {
        let (_, from, step) = &markings[at - 1];
        steps.push(*step);
        at = *from;
    }
    steps.reverse();
    steps
}

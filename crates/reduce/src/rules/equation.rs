//! Dead transitions and implicit places by the state equation.
//!
//! What: a transition goes if no solution of the state equation enables it. A place goes if it inhibits nothing, is not
//! counted, and for each transition that takes from it, no solution has enough tokens in its other places, and too few
//! in this one.
//! Sound for: everything. A dead transition has no part in the net, as in `dead_transition`. A place that never is the only one to
//! disable a transition may go, as in `redundant_place`. One after the other: the net without the first place has the same
//! reachable markings of the other places, so all of them still solve the equation of the net as it was, and the second
//! place is asked about with the transitions as they are then.
//! Source: implicit places by linear programs: Silva, Teruel and Colom, "Linear algebraic and linear programming
//! techniques for the analysis of place/transition net systems" (1998). Cost: bounded by time; a few random walks
//! come first and show for most transitions that they are not dead, and for most places that they matter.
//! Test: `tests/rules.rs`.

use std::time::Duration;

use fireset_net::{Budget, Linear, Net, PlaceId, TransitionId};
use fireset_structure::{MarkingCondition, StateEquation};

use super::mutable_net::{Fate, MutableNet};

/// The most time that each of the two may take; a quarter of the remaining time, if that is less.
const TIME: Duration = Duration::from_millis(500);
/// Consumers of a place past which it is not asked about.
const MAX_CONSUMERS: usize = 20;

pub(super) fn apply_dead(net: &mut MutableNet, original: &Net, budget: &Budget) -> usize {
    let Some(equation) = equation(original, budget) else { return 0 };
    let is_dead = |&t: &TransitionId| {
        net.has_transition(t) && equation.refutes(&MarkingCondition::enabled(original, t)).is_some()
    };
    let dead: Vec<TransitionId> = original.nodes().transition_ids().filter(is_dead).collect();
    dead.iter().for_each(|&t| net.remove(t, Fate::Dead));
    dead.len()
}

pub(super) fn apply_implicit(net: &mut MutableNet, original: &Net, budget: &Budget) -> usize {
    let Some(equation) = equation(original, budget) else { return 0 };
    let mut removed = 0;
    for place in original.nodes().place_ids().filter(|&p| net.has_place(p)).collect::<Vec<_>>() {
        let consumers = net.consumers(place);
        let free = !net.is_counted(place)
            && net.inhibited(place).is_empty()
            && (1..=MAX_CONSUMERS).contains(&consumers.len());
        let harmless = |&t: &TransitionId| equation.refutes(&only_missing(net, place, t)).is_some();
        if free && consumers.iter().all(harmless) {
            net.remove_place(place);
            removed += 1;
        }
    }
    removed
}

fn equation<'a>(original: &'a Net, budget: &Budget) -> Option<StateEquation<'a>> {
    let equation = StateEquation::of(original)?;
    equation.grant(budget.time_left().map_or(TIME, |left| TIME.min(left / 4)));
    Some(equation)
}

/// That the place is the only one with too few tokens for a transition.
fn only_missing(net: &MutableNet, place: PlaceId, transition: TransitionId) -> MarkingCondition {
    let form = |place: PlaceId, factor: i128, constant: i128| {
        MarkingCondition::AtLeast(Linear { terms: vec![(place.index() as u32, factor)], constant })
    };
    let below = |place: PlaceId, limit: u64| form(place, -1, i128::from(limit) - 1);
    let others = net.pre(transition).iter().filter(|arc| arc.place != place);
    let others = others.map(|arc| form(arc.place, 1, -i128::from(arc.weight)));
    let inhibitors = net.inhibitors(transition).iter().map(|arc| below(arc.place, arc.weight));
    let missing = below(place, net.takes(transition, place));
    MarkingCondition::All(others.chain(inhibitors).chain([missing]).collect())
}

//! Liveness: each transition can always fire again.
//!
//! A net is not live if a walk comes to a marking after which some transition never fires again ([`super::survey`]), if
//! some transition can fire only finitely often (`state_equation::repetitive`), or if one can never fire. Where the
//! structure tells, it does ([`free_choice`]). Where each firing can be undone ([`reversible`]) a net is live if each transition
//! can fire. What is left is asked in parts: that each transition which was not seen enabled can fire, that nothing is
//! stuck, and, unless these are too many, that each can always fire again. The first that fails decides.
//!
//! Sound for: everything; a deadlock loses all transitions, so it counts only where there is one.
//! Test: `tests/divide.rs`.

use std::time::Duration;

use fireset_net::{Formula, Query, TransitionId};

use super::{Division, Scene, free_choice, quasi_live, reversible, survey::Survey};
use crate::{join::Join, state_equation::StateEquation};

/// Transitions of which each is asked whether it can always fire again; of more, none is.
const MAX_AGAIN: usize = 200;
/// The most time that each proof by structure may take.
const TIME: Duration = Duration::from_secs(2);

pub(super) fn divide(scene: &Scene<'_>, survey: impl FnOnce() -> Survey) -> Division {
    let subjects = &scene.subjects.transitions;
    if subjects.is_empty() {
        return Division::known(true);
    }
    let equation = StateEquation::of(scene.net);
    if let Some(equation) = &equation {
        equation.grant(scene.time(TIME));
        if equation.cannot_repeat(subjects) {
            return Division::known(false);
        }
        equation.grant(scene.time(TIME));
        if let Some(value) = free_choice::is_live(scene, equation) {
            return Division::known(value);
        }
    }
    let survey = survey();
    if survey.loses {
        return Division::known(false);
    }
    let can_fire = quasi_live::divide(scene, &survey).limited();
    match can_fire.answer() {
        Some(false) => return can_fire,
        _ if reversible::is_reversible(scene.net, scene.budget) => return can_fire,
        _ => {}
    }
    // That all can fire is true of itself where it is known.
    let mut parts = if can_fire.answer() == Some(true) { Vec::new() } else { can_fire.parts };
    parts.push(Query::Invariant(Formula::Deadlock.negate()));
    let again = |ts: &Vec<TransitionId>| Query::Ctl(Formula::Fireable(ts.clone()).possible().invariant());
    let asked = if subjects.len() > MAX_AGAIN { &[] } else { &subjects[..] };
    parts.extend(asked.iter().map(again));
    let unasked = can_fire.unasked + subjects.len() - asked.len();
    Division { join: Join::All, parts, unasked, shown: None }
}

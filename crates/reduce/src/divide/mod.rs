//! Properties of the whole net as many small queries, most of which are decided at once.
//!
//! Why: a search for such a property must see everything, and a net may not be made smaller for it. A query about one
//! place or transition can be decided by all that serves reachability: invariants, the state equation, reductions for this
//! query alone, walks, and searches that stop early.
//!
//! | asked | becomes | decided at once |
//! |---|---|---|
//! | one-safe (`safe`) | each place has at most one token in every marking | a walk that meets a second token; invariants |
//! | stable marking (`stable`) | some place has its initial number of tokens in every marking | places that no transition changes; walks that change all |
//! | quasi-liveness (`quasi_live`) | each transition can fire | walks that see all enabled; one that invariants or the state equation show to be dead |
//! | liveness (`live`) | each transition can fire, nothing is stuck, each can always fire again | see there |
//!
//! On the unfolding of a coloured net the same is asked of coloured places and transitions: of the tokens of several
//! places together, and of several transitions of which one must fire ([`Subjects`]).
//!
//! First a [`survey`] walks through the net and crosses out what it meets. What it does not meet is asked about, by
//! invariants, then by the state equation; the first answer that decides the whole ends it. What is left are the parts.
//! Sound for: all nets; each file says why. Cost: linear in the net and in the number of parts, and parts of the time.
//! Test: `tests/divide.rs`, against the reference checker.

mod free_choice;
mod live;
mod pass;
mod quasi_live;
pub(crate) mod reversible;
mod safe;
mod stable;
mod survey;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use fireset_net::{Budget, Expr, Formula, Global, Net, PlaceId, Query, Trace, TransitionId};

pub use pass::Divide;

use self::survey::Survey;
use crate::{
    Proven,
    formula::atoms::decide_atoms,
    join::Join,
    state_equation::{Condition, StateEquation},
};

/// The most time that the state equation may take for all parts; one of so many parts of what is left, if that is less.
const TIME: Duration = Duration::from_secs(4);
const PARTS_OF_TIME: u32 = 6;
/// What it may take for one part at least, so that with many parts some are tried in earnest.
const LEAST: Duration = Duration::from_millis(40);
/// Parts of a query; more are too many to be looked at in each state.
const MAX_PARTS: usize = 500;

/// What a property of the whole net speaks of.
pub(crate) struct Subjects {
    /// Its places: of each the places whose tokens it has, and how many more that never change.
    pub(crate) places: Vec<Pool>,
    /// Its transitions: of each those of which one must fire.
    pub(crate) transitions: Vec<Vec<TransitionId>>,
}

impl Subjects {
    /// The places and transitions themselves.
    pub(crate) fn of(net: &Net) -> Self {
        let pool = |place| Pool { places: vec![place], constant: 0 };
        Self {
            places: net.nodes().place_ids().map(pool).collect(),
            transitions: net.nodes().transition_ids().map(|t| vec![t]).collect(),
        }
    }

    /// Whether each transition of the net is a subject of its own.
    fn are_all_transitions(&self, net: &Net) -> bool {
        self.transitions.len() == net.nodes().transitions.len()
            && self.transitions.iter().all(|ts| ts.len() == 1)
    }
}

/// Places whose tokens are counted together, with a number of tokens that never change.
pub(crate) struct Pool {
    pub(crate) places: Vec<PlaceId>,
    pub(crate) constant: u128,
}

impl Pool {
    /// The tokens as an expression.
    pub(crate) fn tokens(&self) -> Expr {
        let tokens = Expr::Tokens(self.places.clone());
        if self.constant == 0 { tokens } else { Expr::Sum(vec![tokens, constant(self.constant)]) }
    }

    fn initial(&self, net: &Net) -> u128 {
        let initial = net.initial_marking();
        self.places.iter().map(|&place| u128::from(initial.tokens(place))).sum::<u128>() + self.constant
    }
}

/// A token count as an expression; one that does not fit into a constant is a sum.
pub(crate) fn constant(tokens: u128) -> Expr {
    match i64::try_from(tokens) {
        Ok(n) => Expr::Constant(n),
        Err(_) => Expr::Sum(vec![Expr::Constant(i64::MAX), constant(tokens - i64::MAX as u128)]),
    }
}

/// What a property has become.
#[derive(Debug)]
pub(crate) struct Division {
    pub(crate) join: Join,
    pub(crate) parts: Vec<Query>,
    /// How many parts are left out; without their answers the others can decide one way only.
    pub(crate) unasked: usize,
    /// A run that shows the answer, where it is known and has one.
    pub(crate) shown: Option<Trace>,
}

impl Division {
    /// The answer is known.
    fn known(value: bool) -> Self {
        let parts = vec![Query::Invariant(Formula::Constant(value))];
        Self { join: Join::Same, parts, unasked: 0, shown: None }
    }

    /// The same without parts that are too many.
    fn limited(mut self) -> Self {
        self.unasked += self.parts.len().saturating_sub(MAX_PARTS);
        self.parts.truncate(MAX_PARTS);
        self
    }

    /// The answer, if it is known.
    pub(crate) fn answer(&self) -> Option<bool> {
        match (&self.join, &self.parts[..]) {
            (Join::Same, [Query::Invariant(Formula::Constant(value))]) => Some(*value),
            _ => None,
        }
    }
}

/// What a property of the whole net becomes; `None` for the size of the state space, which has no parts.
pub(crate) fn divide(net: &Net, subjects: &Subjects, asked: Global, budget: &Budget) -> Option<Division> {
    let scene = Scene { net, subjects, budget };
    let survey = || Survey::of(net, subjects, asked, budget);
    Some(match asked {
        Global::StateSpace => return None,
        Global::OneSafe => safe::divide(&scene, survey()),
        Global::StableMarking => stable::divide(&scene, survey).limited(),
        Global::QuasiLiveness => quasi_live::divide(&scene, &survey()).limited(),
        Global::Liveness => live::divide(&scene, survey),
    })
}

/// A net and what is asked about in it.
struct Scene<'a> {
    net: &'a Net,
    subjects: &'a Subjects,
    budget: &'a Budget,
}

impl Scene<'_> {
    /// A part of the time that is left, but no more than this.
    fn time(&self, most: Duration) -> Duration {
        self.budget.time_left().map_or(most, |left| most.min(left / PARTS_OF_TIME))
    }

    /// Decides parts by invariants, then by the state equation, up to the first that decides the whole.
    fn settle(&self, join: Join, parts: Vec<Query>) -> Division {
        match self.open_parts(join, parts) {
            Ok(parts) if parts.is_empty() => Division::known(join == Join::All),
            Ok(parts) => Division { join, parts, unasked: 0, shown: None },
            Err(value) => Division::known(value),
        }
    }

    /// The parts that stay open, or the answer to the whole.
    fn open_parts(&self, join: Join, mut parts: Vec<Query>) -> Result<Vec<Query>, bool> {
        if !parts.is_empty() {
            let proven = Proven::of(self.net);
            parts = self.sift(join, parts, |part| by_invariants(part, &proven))?;
        }
        let equation = if parts.is_empty() { None } else { StateEquation::of(self.net) };
        let Some(equation) = equation else { return Ok(parts) };
        let time = self.time(TIME);
        let (end, each) = (Instant::now() + time, (time / parts.len() as u32).max(LEAST));
        self.sift(join, parts, |part| {
            let left = end.saturating_duration_since(Instant::now());
            equation.grant(each.min(left));
            by_equation(part, &equation)
        })
    }

    /// The parts to which there is no answer, or the first answer that decides the whole.
    fn sift(
        &self,
        join: Join,
        parts: Vec<Query>,
        answer: impl Fn(&Query) -> Option<bool>,
    ) -> Result<Vec<Query>, bool> {
        let mut open = Vec::new();
        for part in parts {
            match self.budget.go_on().ok().and_then(|()| answer(&part)) {
                Some(value) if join.decides(&value.into()) => return Err(value),
                Some(_) => {}
                None => open.push(part),
            }
        }
        Ok(open)
    }
}

/// The answer to a part, where invariants tell.
fn by_invariants(part: &Query, proven: &Proven<'_>) -> Option<bool> {
    let (Query::Reachable(f) | Query::Invariant(f)) = part else { return None };
    match decide_atoms(f.clone(), proven) {
        Formula::Constant(value) => Some(value),
        _ => None,
    }
}

/// The answer to a part, where the state equation tells.
fn by_equation(part: &Query, equation: &StateEquation<'_>) -> Option<bool> {
    let (f, sought) = match part {
        Query::Reachable(f) => (f, true),
        Query::Invariant(f) => (f, false),
        _ => return None,
    };
    let condition = Condition::of(f, sought, equation.net());
    if condition == Condition::always() {
        return None;
    }
    equation.refutes(&condition).map(|_| !sought)
}

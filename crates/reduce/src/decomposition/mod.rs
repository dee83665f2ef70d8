//! Decomposition of global properties into many small queries, most of which are decided at once.
//!
//! Why: a search for such a property must see everything, and a net may not be made smaller for it. A query about one
//! place or transition can be decided by all engines for reachability: invariants, the state equation, reductions for this
//! query alone, walks, and searches that stop early.
//!
//! | property | becomes | decided at once |
//! |---|---|---|
//! | one-safe (`safe`) | each place has at most one token in every marking | a walk that meets a second token; invariants |
//! | stable marking (`stable`) | some place has its initial number of tokens in every marking | places that no transition changes; walks that change all |
//! | quasi-liveness (`quasi_live`) | each transition can fire | walks that see all enabled; one that invariants or the state equation show to be dead |
//! | liveness (`live`) | each transition can fire, nothing is stuck, each can always fire again | see there |
//!
//! On the unfolding of a coloured net the queries are about coloured places and transitions: the tokens of several
//! places together, and several transitions of which one must fire ([`GlobalScope`]). On a coloured net itself they are asked as they
//! are defined (`coloured`).
//!
//! First a [`simulation`] fires random transitions and drops the parts that it decides. The others are tried by
//! invariants, then by the state equation; the first answer that decides the property ends it. The open parts are the queries.
//! Sound for: all nets; each file says why. Cost: linear in the net and in the number of parts, and fractions of the time.
//! Test: `tests/divide.rs`, against the reference checker.

mod coloured;
mod free_choice;
mod live;
mod pass;
mod quasi_live;
mod safe;
mod simulation;
mod stable;
#[cfg(test)]
mod tests;

use std::{
    cell::OnceCell,
    time::{Duration, Instant},
};

use fireset_net::{Budget, Expr, Formula, Global, Net, PlaceId, Query, StatePredicate, Trace, TransitionId};
use fireset_structure::{MarkingBounds, MarkingCondition, StateEquation};

pub use pass::Decompose;

use self::simulation::SimulationFacts;
use crate::{formula::atoms::decide_atoms, join::VerdictJoin};

/// The most time that the state equation may take for all parts.
const MAX_TIME: Duration = Duration::from_secs(4);
/// The remaining time divided by this limits the state equation, and each proof by structure.
const TIME_SHARE: u32 = 6;
/// The least time of the state equation for one part, so that of many parts some are tried in earnest.
const MIN_TIME_PER_PART: Duration = Duration::from_millis(40);
/// Parts of a query; more are too many to be evaluated in each state.
const MAX_PARTS: usize = 500;

/// The places and transitions that a global property is about.
pub(crate) struct GlobalScope {
    pub(crate) places: Vec<PlaceSum>,
    /// Of each the transitions of the net of which one must fire.
    pub(crate) transitions: Vec<Vec<TransitionId>>,
}

impl GlobalScope {
    /// The places and transitions of the net themselves.
    pub(crate) fn of(net: &Net) -> Self {
        let single = |place| PlaceSum { places: vec![place], constant: 0 };
        Self {
            places: net.nodes().place_ids().map(single).collect(),
            transitions: net.nodes().transition_ids().map(|t| vec![t]).collect(),
        }
    }

    /// Whether the transitions of the scope are those of the net.
    fn are_all_transitions(&self, net: &Net) -> bool {
        self.transitions.len() == net.nodes().transitions.len()
            && self.transitions.iter().all(|ts| ts.len() == 1)
    }
}

/// Places whose tokens are counted together, with a constant number of further tokens.
pub(crate) struct PlaceSum {
    pub(crate) places: Vec<PlaceId>,
    pub(crate) constant: u128,
}

impl PlaceSum {
    pub(crate) fn tokens(&self) -> Expr {
        let tokens = Expr::Tokens(self.places.clone());
        if self.constant == 0 { tokens } else { Expr::Sum(vec![tokens, Expr::count(self.constant)]) }
    }

    fn initial(&self, net: &Net) -> u128 {
        let initial = net.initial_marking();
        self.places.iter().map(|&place| u128::from(initial.tokens(place))).sum::<u128>() + self.constant
    }
}

/// The queries that a global property has become.
#[derive(Debug)]
pub(crate) struct Decomposition {
    pub(crate) join: VerdictJoin,
    pub(crate) parts: Vec<Query>,
    /// How many parts are left out; without their answers the others can decide in one direction only.
    pub(crate) unasked: usize,
    /// A run that shows the answer, where the answer is known and has one.
    pub(crate) witness: Option<Trace>,
}

impl Decomposition {
    fn known(value: bool) -> Self {
        let parts = vec![Query::Invariant(StatePredicate::Constant(value))];
        Self { join: VerdictJoin::Same, parts, unasked: 0, witness: None }
    }

    /// Leaves out the parts beyond `MAX_PARTS`.
    fn limited(mut self) -> Self {
        self.unasked += self.parts.len().saturating_sub(MAX_PARTS);
        self.parts.truncate(MAX_PARTS);
        self
    }

    /// The answer, if it is known already.
    pub(crate) fn answer(&self) -> Option<bool> {
        match (&self.join, &self.parts[..]) {
            (VerdictJoin::Same, [only]) => only.constant(),
            _ => None,
        }
    }
}

/// The queries of a global property; `None` for the size of the state space, which has no parts.
pub(crate) fn decompose(
    net: &Net,
    scope: &GlobalScope,
    property: Global,
    budget: &Budget,
) -> Option<Decomposition> {
    let context = DecompositionContext { net, scope, budget, equation: OnceCell::new() };
    let simulate = || SimulationFacts::of(net, scope, property, budget);
    Some(match property {
        Global::StateSpace => return None,
        Global::OneSafe => safe::decompose(&context, simulate()),
        Global::StableMarking => stable::decompose(&context, simulate).limited(),
        Global::QuasiLiveness => quasi_live::decompose(&context, &simulate()).limited(),
        Global::Liveness => live::decompose(&context, simulate),
    })
}

struct DecompositionContext<'a> {
    net: &'a Net,
    scope: &'a GlobalScope,
    budget: &'a Budget,
    /// Made when it is first needed; `None` where a weight does not fit.
    equation: OnceCell<Option<StateEquation<'a>>>,
}

impl<'a> DecompositionContext<'a> {
    fn equation(&self) -> Option<&StateEquation<'a>> {
        self.equation.get_or_init(|| StateEquation::of(self.net)).as_ref()
    }

    /// A share of the remaining time, but no more than this.
    fn time(&self, most: Duration) -> Duration {
        self.budget.time_left().map_or(most, |left| most.min(left / TIME_SHARE))
    }

    /// Decides parts by invariants, then by the state equation, up to the first that decides the property.
    fn decide_parts(&self, join: VerdictJoin, parts: Vec<Query>) -> Decomposition {
        match self.open_parts(join, parts) {
            Ok(parts) if parts.is_empty() => Decomposition::known(join == VerdictJoin::All),
            Ok(parts) => Decomposition { join, parts, unasked: 0, witness: None },
            Err(value) => Decomposition::known(value),
        }
    }

    /// The parts that stay open, or the answer to the property.
    fn open_parts(&self, join: VerdictJoin, mut parts: Vec<Query>) -> Result<Vec<Query>, bool> {
        if !parts.is_empty() {
            let bounds = MarkingBounds::of(self.net);
            parts = self.undecided(join, parts, |part| by_invariants(part, &bounds))?;
        }
        let equation = if parts.is_empty() { None } else { self.equation() };
        let Some(equation) = equation else { return Ok(parts) };
        let time = self.time(MAX_TIME);
        let (end, each) = (Instant::now() + time, (time / parts.len() as u32).max(MIN_TIME_PER_PART));
        self.undecided(join, parts, |part| {
            let left = end.saturating_duration_since(Instant::now());
            equation.grant(each.min(left));
            by_equation(part, equation)
        })
    }

    /// The parts to which there is no answer, or the first answer that decides the property.
    fn undecided(
        &self,
        join: VerdictJoin,
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

/// The answer to a part, where place invariants decide it.
fn by_invariants(part: &Query, bounds: &MarkingBounds<'_>) -> Option<bool> {
    let (predicate, _) = part.goal()?;
    match decide_atoms(predicate.into(), bounds) {
        Formula::Constant(value) => Some(value),
        _ => None,
    }
}

/// The answer to a part, where the state equation decides it.
fn by_equation(part: &Query, equation: &StateEquation<'_>) -> Option<bool> {
    let (predicate, sought) = part.goal()?;
    let condition = MarkingCondition::of(predicate, sought, equation.net());
    if condition == MarkingCondition::always() {
        return None;
    }
    equation.refutes(&condition).map(|_| !sought)
}

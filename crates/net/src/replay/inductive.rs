//! Checks inductive formulas.
//!
//! A formula that the initial marking has and every firing keeps is true of every reachable marking; if no marking of the
//! goal has it, the goal is not reachable. The formula is taken as a conjunction of parts, and it is shown
//!
//! 1. that the initial marking has it, by evaluation;
//! 2. for each transition and each part that it could break: where the formula holds and the transition is enabled, the
//!    part holds after it. A part none of whose inequalities gets worse by the transition is kept without more ado;
//!    among these are all sub-invariants;
//! 3. that it does not hold where the goal does.
//!
//! The second and third are shown by [`Intervals`], from definitions alone; inhibitor arcs and weights are bounds like
//! others. What cannot be shown with a limited amount of work is refused, and the refusal names part and transition.
//! Comparisons must be linear. Cost: a transition looks at the parts that speak of places that it changes.
//! Test: `tests/certificates.rs`.

use std::{collections::HashMap, rc::Rc};

use super::{
    Refusal,
    goal::{GoalPart, GoalShape, ReplayGoal},
    holds_in, in_time,
    intervals::{ClaimId, IntervalClaim, Intervals},
};
use crate::{BoolTree, Budget, Linear, Net, PlaceId, Semantics, StateAtom, StatePredicate, TransitionId};

/// Claims that a formula or a goal may become.
const MAX_CLAIMS: usize = 1_000_000;
/// Terms that may be looked at for one transition and part.
const WORK_EACH: usize = 2_000_000;
/// Terms that may be looked at in all.
const WORK: usize = 1_000_000_000;

/// Whether no reachable marking of the net meets the goal, as the formula shows.
pub(super) fn check(
    net: &Net,
    goal: ReplayGoal<'_>,
    invariant: &StatePredicate,
    budget: &Budget,
) -> Result<(), Refusal> {
    if !is_of(net, invariant) {
        return Err(Refusal::Wrong("the formula is not one about the places of this net".into()));
    }
    if !holds_in(net, &net.initial(), invariant) {
        return Err(Refusal::Wrong("the initial marking does not have the formula".into()));
    }
    if invariant.any_atom(&|atom| matches!(atom, StateAtom::Compare(..)) && !is_linear(net, atom)) {
        return Err(Refusal::TooHard("the formula has a comparison that is not linear".into()));
    }
    let places = net.nodes().places.len();
    let mut checker = InductionChecker {
        net,
        intervals: Intervals::new(places),
        parts: Vec::new(),
        parts_at: vec![Vec::new(); places],
        work: WORK,
    };
    checker.take_apart(invariant)?;
    checker.root();
    for t in net.nodes().transition_ids() {
        checker.keeps(t, budget)?;
    }
    checker.excludes(goal)
}

/// Whether a formula names places and transitions of the net only.
fn is_of(net: &Net, predicate: &StatePredicate) -> bool {
    let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
    !predicate.any_atom(&|atom| match atom {
        StateAtom::Deadlock => false,
        StateAtom::Fireable(ts) => ts.iter().any(|t| t.index() >= transitions),
        StateAtom::BindingFireable(_) => true,
        StateAtom::Compare(_, a, b) => {
            let mut has_other = false;
            a.places(&mut |place| has_other |= place.index() >= places);
            b.places(&mut |place| has_other |= place.index() >= places);
            has_other
        }
    })
}

/// Whether a comparison and its opposite are inequalities or pairs of them.
fn is_linear(net: &Net, comparison: &StateAtom) -> bool {
    let predicate = &BoolTree::Atom(comparison.clone());
    let says_something =
        |value| !matches!(GoalPart::Predicate(ReplayGoal { predicate, value }).shape(net), GoalShape::All(0));
    says_something(true) && says_something(false)
}

struct InductionChecker<'a> {
    net: &'a Net,
    intervals: Intervals,
    /// The parts, and with which operand of the formula each belongs together.
    parts: Vec<(ClaimId, usize)>,
    /// For each place, the parts that speak of it.
    parts_at: Vec<Vec<u32>>,
    work: usize,
}

impl InductionChecker<'_> {
    /// Makes the parts of the formula.
    fn take_apart(&mut self, invariant: &StatePredicate) -> Result<(), Refusal> {
        let operands = match invariant {
            BoolTree::And(operands) => operands.as_slice(),
            other => std::slice::from_ref(other),
        };
        for (number, predicate) in operands.iter().enumerate() {
            let mut open = vec![self.claim(&GoalPart::Predicate(ReplayGoal { predicate, value: true }))?];
            while let Some(id) = open.pop() {
                match self.intervals.claim(id) {
                    IntervalClaim::All(parts) => open.extend(parts.iter().rev()),
                    _ => self.parts.push((id, number)),
                }
            }
        }
        for (at, &(id, _)) in self.parts.iter().enumerate() {
            let parts_at = &mut self.parts_at;
            self.intervals.forms(id, &mut |form| {
                for &(place, _) in &form.terms {
                    let list = &mut parts_at[place as usize];
                    if list.last() != Some(&(at as u32)) {
                        list.push(at as u32);
                    }
                }
            });
        }
        Ok(())
    }

    fn claim(&mut self, part: &GoalPart<'_>) -> Result<ClaimId, Refusal> {
        if self.intervals.len() >= MAX_CLAIMS {
            return Err(Refusal::TooHard("the formula is too large".into()));
        }
        let (count, is_all) = match part.shape(self.net) {
            GoalShape::AtLeast(form) => return Ok(self.intervals.add(IntervalClaim::AtLeast(Rc::new(form)))),
            GoalShape::All(count) => (count, true),
            GoalShape::Any(count) => (count, false),
        };
        let mut claims = Vec::new();
        for at in 0..count {
            let part = part.part(at, self.net).expect("a shape tells how many parts there are");
            claims.push(self.claim(&part)?);
        }
        let claims = claims.into();
        Ok(self.intervals.add(if is_all { IntervalClaim::All(claims) } else { IntervalClaim::Any(claims) }))
    }

    /// Assumes the formula, for good.
    fn root(&mut self) {
        for at in 0..self.parts.len() {
            self.intervals.assume(self.parts[at].0);
        }
        self.grant();
        // The initial marking has the formula, so there is no contradiction.
        self.intervals.begin();
        self.take_back();
    }

    /// Lets the intervals be narrowed for some time.
    fn grant(&mut self) {
        self.intervals.work = WORK_EACH.min(self.work);
        self.work -= self.intervals.work;
    }

    /// Takes back the assumptions that were made since.
    fn take_back(&mut self) {
        self.work += std::mem::take(&mut self.intervals.work);
    }

    /// Whether a transition keeps the formula.
    fn keeps(&mut self, t: TransitionId, budget: &Budget) -> Result<(), Refusal> {
        in_time(budget)?;
        let changes = self.changes(t);
        let mut threatened: Vec<u32> =
            changes.keys().flat_map(|&place| &self.parts_at[place as usize]).copied().collect();
        threatened.sort_unstable();
        threatened.dedup();
        threatened.retain(|&part| self.gets_worse(self.parts[part as usize].0, &changes));
        if threatened.is_empty() {
            return Ok(());
        }
        let mark = self.intervals.mark();
        let enabled = self.claim(&GoalPart::Enabled(t))?;
        self.intervals.assume(enabled);
        self.grant();
        let is_dead = self.intervals.settle();
        self.take_back();
        for part in threatened.into_iter().filter(|_| !is_dead) {
            in_time(budget)?;
            let (id, number) = self.parts[part as usize];
            let before = self.intervals.mark();
            let broken = self.broken(id, &changes);
            let is_kept = broken.is_some_and(|broken| self.is_refuted(broken));
            self.intervals.back_to(&before);
            if !is_kept {
                let name = self.net.nodes().transition(t);
                return Err(Refusal::TooHard(format!(
                    "that `{name}` keeps part {} of the formula{}",
                    number + 1,
                    self.about(id)
                )));
            }
        }
        self.intervals.back_to(&mark);
        Ok(())
    }

    /// Whether no marking of the goal has the formula.
    fn excludes(&mut self, goal: ReplayGoal<'_>) -> Result<(), Refusal> {
        let claim = self.claim(&GoalPart::Predicate(goal))?;
        if self.is_refuted(claim) {
            return Ok(());
        }
        Err(Refusal::TooHard("that the formula excludes what must not be reached".into()))
    }

    fn is_refuted(&mut self, claim: ClaimId) -> bool {
        self.intervals.assume(claim);
        self.grant();
        let refuted = self.intervals.is_refuted(0);
        self.take_back();
        refuted
    }

    /// How a transition changes places.
    fn changes(&self, t: TransitionId) -> HashMap<u32, i128> {
        let mut changes: HashMap<u32, i128> = HashMap::new();
        for (arcs, sign) in [(self.net.pre(t), -1), (self.net.post(t), 1)] {
            for arc in arcs {
                *changes.entry(arc.place.index() as u32).or_default() += sign * i128::from(arc.weight);
            }
        }
        changes.retain(|_, change| *change != 0);
        changes
    }

    /// Whether some inequality of a claim gets worse by changes.
    fn gets_worse(&self, id: ClaimId, changes: &HashMap<u32, i128>) -> bool {
        let mut worse = false;
        self.intervals.forms(id, &mut |form| worse |= change(form, changes).is_none_or(|by| by < 0));
        worse
    }

    /// The claim that a claim does not hold after changes; `None` where a number does not fit.
    fn broken(&mut self, id: ClaimId, changes: &HashMap<u32, i128>) -> Option<ClaimId> {
        let claim = match self.intervals.claim(id) {
            IntervalClaim::AtLeast(form) => {
                let mut below = form.scaled(-1)?;
                below.constant = below.constant.checked_sub(change(&form, changes)?)?.checked_sub(1)?;
                IntervalClaim::AtLeast(Rc::new(below))
            }
            IntervalClaim::All(parts) => IntervalClaim::Any(self.each_broken(&parts, changes)?),
            IntervalClaim::Any(parts) => IntervalClaim::All(self.each_broken(&parts, changes)?),
        };
        Some(self.intervals.add(claim))
    }

    fn each_broken(&mut self, parts: &[ClaimId], changes: &HashMap<u32, i128>) -> Option<Rc<[ClaimId]>> {
        parts.iter().map(|&part| self.broken(part, changes)).collect()
    }

    /// Some places of a part, in words.
    fn about(&self, id: ClaimId) -> String {
        let mut places: Vec<u32> = Vec::new();
        self.intervals.forms(id, &mut |form| places.extend(form.terms.iter().map(|term| term.0)));
        places.sort_unstable();
        places.dedup();
        let name = |&place: &u32| format!("`{}`", self.net.nodes().place(PlaceId::new(place as usize)));
        match &places[..] {
            [] => String::new(),
            [place] => format!(", about {}", name(place)),
            [place, ..] => format!(", about {} and others", name(place)),
        }
    }
}

/// How much a form grows by changes; `None` where that does not fit.
fn change(form: &Linear, changes: &HashMap<u32, i128>) -> Option<i128> {
    changes.iter().try_fold(0i128, |sum, (&place, &by)| sum.checked_add(form.factor(place).checked_mul(by)?))
}

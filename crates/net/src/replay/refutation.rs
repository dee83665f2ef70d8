//! Checks refutations of the state equation.
//!
//! A run to the goal has counts `x` of firings, whole and not negative, and ends in the marking `m = m0 + C x`. A
//! [`Refutation`] says that there are no such counts: its cases are exhaustive, and in each leaf a sum of rows over `x`
//! has no factor above 0 and a right side above 0 (Farkas' lemma; only the easy direction is needed). Here each row is
//! made from what it is about: the place, the part of the goal, the chosen case. Of the certificate only names and
//! multipliers are read, and a multiplier cannot make a sum of true inequalities false.
//!
//! Why a cut is true of every run is said at [`Cut`]; it is made from the arcs alone. Inhibitor arcs only take runs away.
//! Numbers: checked, in 128 bits; what does not fit is refused. Cost: linear in the premises and the arcs of their places.
//! Test: `tests/certificates.rs`, and `tests/certificates.rs` of `fireset-reduce` on random nets.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Refusal,
    goal::{GoalPart, GoalShape, ReplayGoal},
    in_time,
};
use crate::{Budget, Choice, Counted, Cut, Linear, Net, PlaceId, Premise, Refutation, TransitionId};

/// Choices inside each other that are followed.
const MAX_DEPTH: usize = 50;

/// Whether no reachable marking of the net meets the goal, as the refutation says.
pub(super) fn check(
    net: &Net,
    goal: ReplayGoal<'_>,
    refutation: &Refutation,
    budget: &Budget,
) -> Result<(), Refusal> {
    let places = net.nodes().places.len();
    let mut arcs = IncidenceArcs { takers: vec![Vec::new(); places], givers: vec![Vec::new(); places] };
    for t in net.nodes().transition_ids() {
        net.pre(t).iter().for_each(|arc| arcs.takers[arc.place.index()].push((t, arc.weight)));
        net.post(t).iter().for_each(|arc| arcs.givers[arc.place.index()].push((t, arc.weight)));
    }
    RefutationChecker { net, goal, arcs, budget, taken: Vec::new() }.check(refutation)
}

/// The arcs of each place, with their weights.
struct IncidenceArcs {
    takers: Vec<Vec<(TransitionId, u64)>>,
    givers: Vec<Vec<(TransitionId, u64)>>,
}

/// A sum of factors times counts of firings that is at least a number.
#[derive(Clone, Debug, Default)]
struct PremiseRow {
    factors: BTreeMap<TransitionId, i128>,
    least: i128,
}

/// A case of a choice.
enum Taken<'a> {
    /// Of a part of the goal, this part.
    Part(&'a [u32], u32),
    Row(PremiseRow),
}

struct RefutationChecker<'a> {
    net: &'a Net,
    goal: ReplayGoal<'a>,
    arcs: IncidenceArcs,
    budget: &'a Budget,
    /// The cases on the way to where we are, and the number of each among its alternatives.
    taken: Vec<(Taken<'a>, usize)>,
}

impl<'a> RefutationChecker<'a> {
    fn check(&mut self, refutation: &'a Refutation) -> Result<(), Refusal> {
        in_time(self.budget)?;
        match refutation {
            Refutation::Contradiction(premises) => self.contradiction(premises),
            Refutation::Cases(choice, cases) => self.cases(choice, cases),
        }
    }

    /// A message about where we are.
    fn wrong<T>(&self, what: impl AsRef<str>) -> Result<T, Refusal> {
        let numbers: Vec<String> = self.taken.iter().map(|(_, number)| (number + 1).to_string()).collect();
        let place =
            if numbers.is_empty() { String::new() } else { format!("in case {}: ", numbers.join(".")) };
        Err(Refusal::Wrong(format!("{place}{}", what.as_ref())))
    }

    fn cases(&mut self, choice: &'a Choice, cases: &'a [Refutation]) -> Result<(), Refusal> {
        if self.taken.len() >= MAX_DEPTH {
            return Err(Refusal::TooHard(format!(
                "there are more than {MAX_DEPTH} choices inside each other"
            )));
        }
        let alternatives: Vec<Taken<'a>> = match choice {
            Choice::Goal(path) => match self.part(path)?.shape(self.net) {
                GoalShape::Any(count) => (0..count as u32).map(|at| Taken::Part(path, at)).collect(),
                _ => return self.wrong(format!("part {path:?} of the goal is no disjunction")),
            },
            Choice::Whole(counted, most) => {
                let form = self.counted(counted)?;
                let up = fits(most.checked_add(1))?;
                [form.at_most(*most)?, form.at_least(up)?].map(|row| Taken::Row(row.rounded())).into()
            }
            Choice::Cut(cut) => self.alternatives(cut)?.into_iter().map(Taken::Row).collect(),
        };
        if alternatives.len() != cases.len() {
            let (needed, given) = (alternatives.len(), cases.len());
            return self.wrong(format!("a choice has {needed} alternative(s), but {given} are refuted"));
        }
        for (at, (alternative, case)) in alternatives.into_iter().zip(cases).enumerate() {
            self.taken.push((alternative, at));
            let refuted = self.check(case);
            self.taken.pop();
            refuted?;
        }
        Ok(())
    }

    fn contradiction(&self, premises: &[(Premise, i128)]) -> Result<(), Refusal> {
        let mut sum = PremiseRow::default();
        for (premise, times) in premises {
            if *times < 0 {
                return self.wrong("an inequality is taken a negative number of times");
            }
            let row = self.row(premise)?;
            for (&t, factor) in &row.factors {
                sum.add(t, fits(factor.checked_mul(*times))?)?;
            }
            let least = fits(row.least.checked_mul(*times))?;
            sum.least = fits(sum.least.checked_add(least))?;
        }
        if let Some((&t, factor)) = sum.factors.iter().find(|(_, factor)| **factor > 0) {
            let name = self.net.nodes().transition(t);
            return self.wrong(format!(
                "the inequalities do not contradict each other: `{name}` has the factor {factor}"
            ));
        }
        if sum.least <= 0 {
            return self.wrong("the inequalities do not contradict each other");
        }
        Ok(())
    }

    fn row(&self, premise: &Premise) -> Result<PremiseRow, Refusal> {
        match premise {
            Premise::Place(place) => {
                self.in_net(*place)?;
                let form = Linear { terms: vec![(place.index() as u32, 1)], constant: 0 };
                Ok(self.at_least_0(&form)?.rounded())
            }
            Premise::Goal(path) => match self.part(path)?.shape(self.net) {
                GoalShape::AtLeast(form) => Ok(self.at_least_0(&form)?.rounded()),
                _ => self.wrong(format!("part {path:?} of the goal is no inequality")),
            },
            Premise::Case(number) => match self.taken.get(*number) {
                Some((Taken::Row(row), _)) => Ok(row.clone()),
                _ => self.wrong(format!("choice {number} gives no inequality here")),
            },
            Premise::Cut(cut) => match <[PremiseRow; 1]>::try_from(self.alternatives(cut)?) {
                Ok([row]) => Ok(row),
                Err(rows) => self.wrong(format!("a cut leaves {} alternatives, not one", rows.len())),
            },
        }
    }

    /// The part of the goal at a path, which must hold where we are.
    fn part(&self, path: &[u32]) -> Result<GoalPart<'a>, Refusal> {
        let mut part = GoalPart::Predicate(self.goal);
        for (depth, &at) in path.iter().enumerate() {
            let holds = match part.shape(self.net) {
                GoalShape::All(_) => true,
                GoalShape::Any(count) => {
                    let is_chosen = |(taken, _): &(Taken<'_>, usize)| matches!(taken, Taken::Part(whole, part) if **whole == path[..depth] && *part == at);
                    count == 1 || self.taken.iter().any(is_chosen)
                }
                GoalShape::AtLeast(_) => return self.wrong(format!("the goal has no part {path:?}")),
            };
            if !holds {
                return self.wrong(format!("part {:?} of the goal was not chosen", &path[..=depth]));
            }
            part = match part.part(at as usize, self.net) {
                Some(part) => part,
                None => return self.wrong(format!("the goal has no part {path:?}")),
            };
        }
        Ok(part)
    }

    fn in_net(&self, place: PlaceId) -> Result<(), Refusal> {
        if place.index() < self.net.nodes().places.len() {
            return Ok(());
        }
        self.wrong("a place is not of this net")
    }

    /// That a form over the last marking is at least 0, over the counts of firings.
    fn at_least_0(&self, form: &Linear) -> Result<PremiseRow, Refusal> {
        let mut row = PremiseRow { factors: BTreeMap::new(), least: fits(form.constant.checked_neg())? };
        for &(place, factor) in &form.terms {
            let place = PlaceId::new(place as usize);
            self.in_net(place)?;
            let initial = self.net.initial_marking().tokens(place);
            let initial = fits(factor.checked_mul(initial.into()))?;
            row.least = fits(row.least.checked_sub(initial))?;
            for &(t, weight) in &self.arcs.givers[place.index()] {
                row.add(t, fits(factor.checked_mul(weight.into()))?)?;
            }
            for &(t, weight) in &self.arcs.takers[place.index()] {
                row.add(t, fits(factor.checked_mul(-i128::from(weight)))?)?;
            }
        }
        row.factors.retain(|_, factor| *factor != 0);
        Ok(row)
    }

    /// A row that says that what is counted is at least 0.
    fn counted(&self, counted: &Counted) -> Result<PremiseRow, Refusal> {
        match counted {
            Counted::Tokens(places) => {
                let terms = places.iter().map(|place| (place.index() as u32, 1)).collect();
                self.at_least_0(&fits(Linear::of(terms, 0))?)
            }
            Counted::Firings(ts) => {
                if ts.iter().any(|t| t.index() >= self.net.nodes().transitions.len()) {
                    return self.wrong("a transition is not of this net");
                }
                let mut row = PremiseRow::default();
                ts.iter().try_for_each(|&t| row.add(t, 1))?;
                Ok(row)
            }
        }
    }

    /// Inequalities, one of which every run satisfies.
    fn alternatives(&self, cut: &Cut) -> Result<Vec<PremiseRow>, Refusal> {
        let (Cut::Emptying(places) | Cut::Filling(places)) = cut;
        places.iter().try_for_each(|&place| self.in_net(place))?;
        let places: BTreeSet<PlaceId> = places.iter().copied().collect();
        let (takers, givers) =
            (neighbours(&self.arcs.takers, &places), neighbours(&self.arcs.givers, &places));
        let is_empty = places.iter().all(|&place| self.net.initial_marking().tokens(place) == 0);
        let mut rows = Vec::new();
        match cut {
            Cut::Emptying(_) => {
                let terms = places.iter().map(|place| (place.index() as u32, 1)).collect();
                rows.push(self.at_least_0(&fits(Linear::of(terms, -1))?)?.rounded());
                rows.extend(fires(takers.difference(&givers)));
                rows.extend(is_empty.then(|| fires_none(&givers)));
            }
            Cut::Filling(_) if !is_empty => return self.wrong("places of a siphon are marked at the start"),
            Cut::Filling(_) => {
                rows.push(fires_none(&takers));
                rows.extend(fires(givers.difference(&takers)));
            }
        }
        Ok(rows)
    }
}

/// The transitions at some places.
fn neighbours(arcs: &[Vec<(TransitionId, u64)>], places: &BTreeSet<PlaceId>) -> BTreeSet<TransitionId> {
    places.iter().flat_map(|place| &arcs[place.index()]).map(|arc| arc.0).collect()
}

/// That some of the transitions fires, if there are any.
fn fires<'t>(transitions: impl Iterator<Item = &'t TransitionId>) -> Option<PremiseRow> {
    let factors: BTreeMap<TransitionId, i128> = transitions.map(|&t| (t, 1)).collect();
    (!factors.is_empty()).then_some(PremiseRow { factors, least: 1 })
}

fn fires_none(transitions: &BTreeSet<TransitionId>) -> PremiseRow {
    PremiseRow { factors: transitions.iter().map(|&t| (t, -1)).collect(), least: 0 }
}

impl PremiseRow {
    fn add(&mut self, t: TransitionId, factor: i128) -> Result<(), Refusal> {
        let sum = self.factors.entry(t).or_default();
        *sum = fits(sum.checked_add(factor))?;
        Ok(())
    }

    /// Of a row that says that a number is at least 0: that the number is at least this. Constants stand on the right.
    fn at_least(&self, number: i128) -> Result<Self, Refusal> {
        let least = fits(self.least.checked_add(number))?;
        Ok(Self { factors: self.factors.clone(), least })
    }

    /// Of a row that says that a number is at least 0: that the number is at most this.
    fn at_most(&self, number: i128) -> Result<Self, Refusal> {
        let negative = |(&t, factor): (_, &i128)| Ok((t, fits(factor.checked_neg())?));
        let factors = self.factors.iter().map(negative).collect::<Result<_, Refusal>>()?;
        let least = fits(self.least.checked_add(number).and_then(i128::checked_neg))?;
        Ok(Self { factors, least })
    }

    /// The same for whole counts: divided by the common divisor of the factors, and the right side rounded up.
    fn rounded(mut self) -> Self {
        let divisor = self.factors.values().fold(0, |d, factor| gcd(d, factor.unsigned_abs()));
        if let Some(divisor) = i128::try_from(divisor).ok().filter(|&d| d > 1) {
            self.factors.values_mut().for_each(|factor| *factor /= divisor);
            self.least = self.least.div_euclid(divisor) + i128::from(self.least.rem_euclid(divisor) != 0);
        }
        self
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What was calculated, if it fits.
fn fits<T>(number: Option<T>) -> Result<T, Refusal> {
    number.ok_or_else(|| Refusal::TooHard("a number does not fit into 128 bits".into()))
}

//! CEGAR over the state equation: runs to a goal by realising its solutions, and unreachability by exhausting them.
//!
//! Source: Wimmel and Wolf, "Applying CEGAR to the Petri net state equation" (LMCS 2012). A solution for the goal is a Parikh
//! vector, and [`orders`] tries to realise it: if its firings have an order, that is a run. If not, the solutions are
//! partitioned, and solutions of the parts are tried in turn: *jumps* are those in which some column fires less often,
//! *increments* those in which none does and some fires more often; first those that bring the missing tokens.
//!
//! How we differ: they look for further constraints that any solution worth trying satisfies, and not all of theirs
//! are necessary. Here the parts are an exact partition of a [`CountRegion`]: with the columns `1..k` of a solution `x`
//!
//! * `y(1) < x(1)`; `y(1) >= x(1)` and `y(2) < x(2)`; and so on up to `k`;
//! * `y >= x`, and tokens come to places where they were missing: a constraint, and its negation for the other parts;
//! * `y >= x`, and some column fires more often that can be the first to do so. A run within `x` never has more tokens
//!   on a place than the initial ones and all that `x` gives; the first firing beyond `x` is enabled by them.
//!
//! Invariant: no part has the counts of a run to the goal that was not in the region, and all of them but `x` are in a
//! part. So when all regions are refuted, and every solution was tried completely, the goal is never met; a search that was cut
//! off anywhere makes the answer open. Lower bounds cost no constraints, so jumps and increments hardly make systems larger.
//!
//! Beside that, partial runs are *extended*: a [`bypass`] lets them go on, and from there the equation is solved
//! again. That proves nothing, but finds runs to which no short sequence of increments leads.
//!
//! Needs nothing: a condition is weaker than a goal that is not linear, so the goal is evaluated where a run ends. Cost:
//! a linear program and a bounded search for each region; regions without end, if the time has none. Test:
//! `tests/realise.rs`, both answers against the reference on random nets.

mod bypass;
mod missing;
mod orders;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet},
    rc::Rc,
    time::Duration,
};

use fireset_net::{Budget, Linear, Marking, Net, StatePredicate, TransitionId, replay};
use fireset_structure::{
    MarkingCondition, StateEquation,
    state_equation::{
        branch_and_cut::BranchResult,
        constraint::FiringConstraint,
        region::{CountRegion, FiringCounts, count},
    },
};

use self::{
    bypass::{Bypass, bypass},
    missing::MissingTokens,
    orders::{PartialRun, RealisedRuns, realise},
};

/// Disjuncts into which a goal is split first.
const MAX_PARTS: usize = 32;
/// Regions that are tried, unless the caller sets another limit.
const MAX_REGIONS: usize = 20_000;
/// Searches of one region with growing effort, while its solutions are not known.
const MAX_EFFORT: u32 = 4;
/// Regions that may wait.
const MAX_WAITING: usize = 50_000;
/// Constraints for missing tokens after one solution.
const MAX_CONSTRAINTS: usize = 4;
/// Bypasses of one run.
const MAX_BYPASSES: usize = 60;
/// Solutions whose partial runs are extended.
const MAX_EXTENSIONS: usize = 300;
/// Parikh vectors that are returned with an open answer.
const MAX_CANDIDATES: usize = 4;
/// Time for siphons and traps where the budget has no limit.
const TRAP_TIME: Duration = Duration::from_secs(10);

/// How often transitions fire; those that never do are left out.
pub type ParikhVector = Vec<(TransitionId, u64)>;

/// The answer that solutions of the state equation give for a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Realisation {
    /// A run from the initial marking to one that meets the goal.
    Run(Vec<TransitionId>),
    /// No reachable marking meets the goal.
    Never,
    /// It is not known. The Parikh vectors lead to the goal if they can be realised; those of which most firings could fire
    /// come first.
    Open(Vec<ParikhVector>),
}

/// Finds runs of a net by solutions of its state equation.
#[derive(Clone, Debug)]
pub struct ParikhRealisation<'a> {
    equation: StateEquation<'a>,
    max_regions: usize,
}

impl<'a> ParikhRealisation<'a> {
    /// Nothing is solved yet; `None` where a weight does not fit.
    pub fn of(net: &'a Net) -> Option<Self> {
        Some(Self { equation: StateEquation::of(net)?, max_regions: MAX_REGIONS })
    }

    /// Limits the regions of solutions that are tried for one goal.
    #[must_use]
    pub fn with_max_regions(self, max_regions: usize) -> Self {
        Self { max_regions, ..self }
    }

    /// Looks for a run to a marking that has a state predicate.
    ///
    /// ```
    /// use fireset_net::{Budget, StateAtom, TransitionId};
    /// use fireset_oracle::tiny;
    /// use fireset_reduce::{ParikhRealisation, Realisation};
    /// let net = tiny::net("a:1 b c; t: a -> b; u: b -> c; v: c, a -> ");
    /// let parikh = ParikhRealisation::of(&net).expect("small weights");
    /// let fireable = |at: usize| StateAtom::Fireable(vec![TransitionId::new(at)]).into();
    /// let once = parikh.realise(&fireable(1), &Budget::unlimited());
    /// assert_eq!(once, Realisation::Run(vec![TransitionId::new(0)]));
    /// assert_eq!(parikh.realise(&fireable(2), &Budget::unlimited()), Realisation::Never);
    /// ```
    pub fn realise(&self, goal: &StatePredicate, budget: &Budget) -> Realisation {
        let equation = &self.equation;
        let condition = MarkingCondition::of(goal, true, equation.net());
        if condition.needs_deadlock(equation.net()) {
            equation.grant(budget.time_left().unwrap_or(TRAP_TIME));
            if equation.traps_against_deadlock().is_some() {
                return Realisation::Never;
            }
        }
        let disjuncts = disjuncts(&condition, MAX_PARTS);
        CegarLoop::new(equation, goal, &disjuncts, budget).run(self.max_regions)
    }
}

/// At most `most` conditions of which one holds exactly where the condition does.
fn disjuncts(condition: &MarkingCondition, most: usize) -> Vec<MarkingCondition> {
    let (mut done, mut open) = (Vec::new(), vec![condition.clone()]);
    while let Some(next) = open.pop() {
        match distributed(&next, most.saturating_sub(done.len() + open.len())) {
            Some(parts) => open.extend(parts),
            None => done.push(next),
        }
    }
    done
}

/// A condition distributed over one of its unions with at most `most` parts: each part repeats the conjuncts beside it.
fn distributed(condition: &MarkingCondition, most: usize) -> Option<Vec<MarkingCondition>> {
    match condition {
        MarkingCondition::Any(parts) => (parts.len() <= most).then(|| parts.clone()),
        MarkingCondition::All(all) => {
            let (at, parts) = all.iter().enumerate().find_map(|(at, c)| Some((at, distributed(c, most)?)))?;
            let with = |part: MarkingCondition| {
                let mut all = all.clone();
                all[at] = part;
                MarkingCondition::All(all)
            };
            Some(parts.into_iter().map(with).collect())
        }
        MarkingCondition::AtLeast(_) | MarkingCondition::Disabled(_) => None,
    }
}

/// A step of the loop that waits for its turn.
enum RefinementStep {
    /// A region, and how often the effort for it was raised.
    Region(CountRegion, u32),
    /// The remaining jumps from a solution: parts of a region, from a column of the list on.
    Jumps(CountRegion, Rc<FiringCounts>, usize),
    Extension(Extension),
}

/// A run that bypasses lead on, with the counts that were tried.
struct Extension {
    run: Vec<TransitionId>,
    fired: FiringCounts,
    marking: Marking,
    bypasses: usize,
}

struct CegarLoop<'e, 'a> {
    equation: &'e StateEquation<'a>,
    goal: &'e StatePredicate,
    parts: &'e [MarkingCondition],
    budget: &'e Budget,
    /// By distance from the first solution, number of the step, and disjunct of the goal.
    waiting: BinaryHeap<Reverse<(usize, usize, usize)>>,
    steps: BTreeMap<usize, RefinementStep>,
    made: usize,
    /// Whether no search was cut off so far.
    complete: bool,
    extensions: usize,
    /// Markings at the ends of bypasses.
    seen: HashSet<Marking>,
    /// Solutions that were tried, by the fewest firings left.
    candidates: Vec<(u64, FiringCounts)>,
}

impl<'e, 'a> CegarLoop<'e, 'a> {
    fn new(
        equation: &'e StateEquation<'a>,
        goal: &'e StatePredicate,
        parts: &'e [MarkingCondition],
        budget: &'e Budget,
    ) -> Self {
        Self {
            equation,
            goal,
            parts,
            budget,
            waiting: BinaryHeap::new(),
            steps: BTreeMap::new(),
            made: 0,
            complete: true,
            extensions: 0,
            seen: HashSet::new(),
            candidates: Vec::new(),
        }
    }

    fn run(mut self, max_regions: usize) -> Realisation {
        for part in 0..self.parts.len() {
            self.push(0, part, RefinementStep::Region(CountRegion::default(), 0));
        }
        let mut tried = 0;
        while let Some(Reverse((far, number, part))) = self.waiting.pop() {
            tried += 1;
            if tried > max_regions || self.budget.go_on().is_err() {
                self.complete = false;
                break;
            }
            let Some(step) = self.steps.remove(&number) else { continue };
            let found = match step {
                RefinementStep::Region(region, effort) => self.try_region(far, part, &region, effort),
                RefinementStep::Jumps(region, columns, at) => {
                    let region = self.jump(far, part, region, &columns, at);
                    self.try_region(far, part, &region, 0)
                }
                RefinementStep::Extension(extension) => self.extend(far, part, extension),
            };
            if let Some(run) = found {
                return Realisation::Run(run);
            }
        }
        if self.complete { Realisation::Never } else { Realisation::Open(self.into_candidates()) }
    }

    fn push(&mut self, far: usize, part: usize, step: RefinementStep) {
        if self.steps.len() >= MAX_WAITING {
            self.complete = false;
            return;
        }
        self.waiting.push(Reverse((far, self.made, part)));
        self.steps.insert(self.made, step);
        self.made += 1;
    }

    /// The region of the next jump; the jumps after it wait.
    fn jump(
        &mut self,
        far: usize,
        part: usize,
        region: CountRegion,
        columns: &Rc<FiringCounts>,
        at: usize,
    ) -> CountRegion {
        let (column, times) = columns[at];
        // It fires at least once, so this fits.
        let jump = region.with(FiringConstraint { terms: vec![(column, -1)], least: 1 - i128::from(times) });
        if at + 1 < columns.len() {
            let rest = region.at_least(column, times);
            self.push(far + 1, part, RefinementStep::Jumps(rest, columns.clone(), at + 1));
        }
        jump
    }

    /// Tries a solution of a region, and partitions the region if the solution has no run.
    fn try_region(
        &mut self,
        far: usize,
        part: usize,
        region: &CountRegion,
        effort: u32,
    ) -> Option<Vec<TransitionId>> {
        let solution = match self.equation.solution(&self.parts[part], region, effort, self.budget) {
            BranchResult::Refuted(_) => return None,
            BranchResult::Open if effort < MAX_EFFORT => {
                self.push(far + 2, part, RefinementStep::Region(region.clone(), effort + 1));
                return None;
            }
            BranchResult::Open => {
                self.complete = false;
                return None;
            }
            BranchResult::Integral(counts) => counts,
        };
        let ends = realise(self.equation, self.equation.net().initial_marking(), &solution, self.budget);
        if let Some(end) = self.met(&ends) {
            return Some(end.run.clone());
        }
        self.complete &= ends.complete;
        self.partition(far, part, region, &solution, &ends);
        if self.extensions < MAX_EXTENSIONS {
            self.extensions += 1;
            let marking = self.equation.net().initial_marking().clone();
            let extension = Extension { run: Vec::new(), fired: solution.clone(), marking, bypasses: 0 };
            if let Some(run) = self.continue_past(far + 1, part, extension, &ends) {
                return Some(run);
            }
        }
        self.keep_candidate(&ends, solution);
        None
    }

    fn met<'s>(&self, ends: &'s RealisedRuns) -> Option<&'s PartialRun> {
        ends.best.iter().find(|end| replay::holds_in(self.equation.net(), &end.marking, self.goal))
    }

    /// Solves the equation again from the end of a run, and realises the solution from there.
    fn extend(&mut self, far: usize, part: usize, mut extension: Extension) -> Option<Vec<TransitionId>> {
        let region = CountRegion { lower: std::mem::take(&mut extension.fired), constraints: Vec::new() };
        let BranchResult::Integral(solution) =
            self.equation.solution(&self.parts[part], &region, 0, self.budget)
        else {
            return None;
        };
        let further = |&(column, times): &(u32, u64)| (column, times - count(&region.lower, column));
        let further: FiringCounts = solution.iter().map(further).filter(|further| further.1 > 0).collect();
        let ends = realise(self.equation, &extension.marking, &further, self.budget);
        if let Some(end) = self.met(&ends) {
            return Some(extension.run.iter().chain(&end.run).copied().collect());
        }
        let far = far + usize::from(extension.bypasses % 4 == 3);
        let extension = Extension { fired: solution, bypasses: extension.bypasses + 1, ..extension };
        self.continue_past(far, part, extension, &ends)
    }

    /// Looks for a bypass at the end of the run with the fewest firings left. The counts of the extension are those that were
    /// tried.
    fn continue_past(
        &mut self,
        far: usize,
        part: usize,
        mut extension: Extension,
        ends: &RealisedRuns,
    ) -> Option<Vec<TransitionId>> {
        let end = ends.best.first().filter(|_| extension.bypasses < MAX_BYPASSES)?;
        let (firings, marking) = match bypass(self.equation, end, self.goal, &self.seen, self.budget)? {
            Bypass::Goal(firings) => (firings, None),
            Bypass::Continues(firings, marking) => (firings, Some(marking)),
        };
        extension.run.extend(end.run.iter().copied().chain(firings.iter().map(|firing| firing.1)));
        let Some(marking) = marking else { return Some(extension.run) };
        self.seen.insert(marking.clone());
        let tried = extension.fired.iter().map(|&(column, times)| (column, times - count(&end.left, column)));
        let lower = tried.filter(|&(_, times)| times > 0).collect();
        let mut fired = CountRegion { lower, constraints: Vec::new() };
        for (column, _) in firings {
            let times = count(&fired.lower, column) + 1;
            fired = fired.at_least(column, times);
        }
        self.push(
            far,
            part,
            RefinementStep::Extension(Extension { fired: fired.lower, marking, ..extension }),
        );
        None
    }

    fn partition(
        &mut self,
        far: usize,
        part: usize,
        region: &CountRegion,
        solution: &FiringCounts,
        ends: &RealisedRuns,
    ) {
        let mut rest = CountRegion { lower: solution.clone(), constraints: region.constraints.clone() };
        for row in self.missing(solution, ends) {
            self.push(far + 2, part, RefinementStep::Region(rest.with(row.clone()), 0));
            if let Some(otherwise) = row.negated() {
                rest = rest.with(otherwise);
            }
        }
        match self.beyond(solution) {
            Some(row) => self.push(far + 4, part, RefinementStep::Region(rest.with(row), 0)),
            None => self.complete = false,
        }
        let is_left = |column: u32| ends.best.first().is_some_and(|end| count(&end.left, column) > 0);
        let mut columns: FiringCounts = solution.clone();
        columns.retain(|&(column, times)| times > count(&region.lower, column));
        columns.sort_by_key(|&(column, _)| !is_left(column));
        if !columns.is_empty() {
            self.push(far + 3, part, RefinementStep::Jumps(region.clone(), Rc::new(columns), 0));
        }
    }

    /// The constraint that some column fires more often which can be the first to do so; `None` when a number does not fit.
    fn beyond(&self, solution: &FiringCounts) -> Option<FiringConstraint> {
        let net = self.equation.net();
        let mut most: Vec<u128> = net.initial_marking().0.iter().map(|&n| n.into()).collect();
        for &(column, times) in solution {
            for arc in net.post(self.equation.columns().first(column)) {
                let given = u128::from(arc.weight).checked_mul(times.into())?;
                let most = &mut most[arc.place.index()];
                *most = most.checked_add(given)?;
            }
        }
        let may_fire =
            |t: TransitionId| net.pre(t).iter().all(|arc| most[arc.place.index()] >= arc.weight.into());
        let columns = self.equation.columns().firsts().enumerate().filter(|&(_, t)| may_fire(t));
        let terms: Vec<(u32, i128)> = columns.map(|(column, _)| (column as u32, 1)).collect();
        more_than(terms, solution, 1)
    }

    /// Constraints that bring tokens to places where they were missing.
    fn missing(&self, solution: &FiringCounts, ends: &RealisedRuns) -> Vec<FiringConstraint> {
        let mut constraints = Vec::new();
        for end in &ends.best {
            for (places, needed) in MissingTokens::of(self.equation, end).sources() {
                let constraint = self.filling(&places, needed, solution, end);
                if let Some(new) = constraint.filter(|new| !constraints.contains(new)) {
                    constraints.push(new);
                }
                if constraints.len() >= MAX_CONSTRAINTS {
                    return constraints;
                }
            }
        }
        constraints
    }

    /// The constraint that columns without firings left give `needed` more tokens to these places.
    fn filling(
        &self,
        places: &BTreeSet<u32>,
        needed: u64,
        solution: &FiringCounts,
        end: &PartialRun,
    ) -> Option<FiringConstraint> {
        let changes = places.iter().flat_map(|&place| self.equation.incidence().changes(place));
        let terms = changes.map(|&(column, change)| (column, i128::from(change))).collect();
        let mut terms = Linear::of(terms, 0)?.terms;
        terms.retain(|&(column, gain)| gain > 0 && count(&end.left, column) == 0);
        if terms.is_empty() { None } else { more_than(terms, solution, needed.into()) }
    }

    fn keep_candidate(&mut self, ends: &RealisedRuns, solution: FiringCounts) {
        let left = ends.best.first().map_or(u64::MAX, PartialRun::firings_left);
        let at = self.candidates.partition_point(|candidate| candidate.0 <= left);
        if at < MAX_CANDIDATES {
            self.candidates.insert(at, (left, solution));
            self.candidates.truncate(MAX_CANDIDATES);
        }
    }

    fn into_candidates(self) -> Vec<ParikhVector> {
        let first = |column: u32| self.equation.columns().first(column);
        let vector = |counts: FiringCounts| counts.iter().map(|&(column, n)| (first(column), n)).collect();
        self.candidates.into_iter().map(|(_, counts)| vector(counts)).collect()
    }
}

/// The constraint that a sum over counts exceeds its value in a solution by `by`; `None` when a number does not fit.
fn more_than(terms: Vec<(u32, i128)>, solution: &FiringCounts, by: i128) -> Option<FiringConstraint> {
    let least = terms.iter().try_fold(by, |sum, &(column, factor)| {
        sum.checked_add(factor.checked_mul(count(solution, column).into())?)
    })?;
    Some(FiringConstraint { terms, least })
}

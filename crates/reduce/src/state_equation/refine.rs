//! Runs to a goal by solutions of the state equation, and that there is none by exhausting them.
//!
//! Source: Wimmel and Wolf, "Applying CEGAR to the Petri net state equation" (LMCS 2012). A solution for the goal is
//! [tried](super::realise): if its firings have an order, that is a run. If not, the solutions are divided, and solutions
//! of the parts are tried in turn: *jumps* are those in which some column fires less often, *increments* those in which
//! none does and some fires more often; first those that bring the tokens which were missing.
//!
//! How we differ: they look for further constraints that any solution worth trying satisfies, and not all of theirs
//! are necessary. Here the parts are an exact division of a [`Region`]: with the columns `1..k` of a solution `x`
//!
//! * `y(1) < x(1)`; `y(1) >= x(1)` and `y(2) < x(2)`; and so on up to `k`;
//! * `y >= x`, and tokens come to places where they were missing: a row, and its negation for what follows;
//! * `y >= x`, and some column fires more often that can be the first to do so. A run within `x` never has more tokens
//!   on a place than the initial ones and all that `x` gives; the first firing beyond `x` is enabled by them.
//!
//! Invariant: no part has the counts of a run to the goal that was not in the region, and all of them but `x` are in a
//! part. So when all regions are refuted, and every solution was tried completely, the goal is never met; what was cut
//! off anywhere makes the answer open. Lower bounds cost no rows, so jumps and increments hardly make systems larger.
//!
//! Beside that, runs that are stuck are *chased*: a [`detour`] makes them go on, and from there the equation is solved
//! again. That proves nothing, but finds runs to which no short way of increments leads.
//!
//! Needs nothing: a condition tells less than a goal that is not linear, so the goal is evaluated where a run ends. Cost:
//! a linear program and a bounded search for each region; regions without end, if the time has none. Test:
//! `tests/realise.rs`, both answers against the reference on random nets.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet},
    rc::Rc,
    time::Duration,
};

use fireset_net::{Budget, Formula, Linear, Marking, Net, TransitionId, replay};

use super::{
    Condition, StateEquation,
    detour::{Detour, detour},
    realise::{Ends, Stuck, realise},
    row::Row,
    search::End,
    solutions::{Counts, Region, count},
};

/// Parts into which a goal is divided before anything else.
const MAX_PARTS: usize = 32;
/// Regions that are looked at, unless said otherwise.
const REGIONS: usize = 20_000;
/// Times that more effort is made for a region whose solutions are not known.
const MAX_EFFORT: u32 = 4;
/// Regions that may wait.
const MAX_WAITING: usize = 50_000;
/// Rows for missing tokens after one solution.
const MAX_ROWS: usize = 4;
/// Places whose tokens are missing that are looked at.
const MAX_MISSING: usize = 200;
/// Detours of a run.
const MAX_DETOURS: usize = 60;
/// Runs that are chased.
const MAX_CHASES: usize = 300;
/// Vectors that are given out.
const MAX_GUIDES: usize = 4;
/// What siphons and traps may take where nothing limits the time.
const TIME: Duration = Duration::from_secs(10);

/// How often transitions fire; those that never do are left out.
pub type Parikh = Vec<(TransitionId, u64)>;

/// What the state equation tells of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A run from the initial marking to one that meets the goal.
    Run(Vec<TransitionId>),
    /// No reachable marking meets it.
    Never,
    /// It is not known. Firings after which the goal would be met, if they had an order; those of which most could fire
    /// come first.
    Open(Vec<Parikh>),
}

/// The state equation of a net, to find runs with.
#[derive(Clone, Debug)]
pub struct Equation<'a> {
    equation: StateEquation<'a>,
    regions: usize,
}

impl<'a> Equation<'a> {
    /// Of a net; `None` where a number does not fit.
    pub fn of(net: &'a Net) -> Option<Self> {
        Some(Self { equation: StateEquation::of(net)?, regions: REGIONS })
    }

    /// The same, but it gives up after so many sets of solutions.
    #[must_use]
    pub fn trying(self, regions: usize) -> Self {
        Self { regions, ..self }
    }

    /// Looks for a run to a marking that has a state predicate.
    ///
    /// ```
    /// use fireset_net::{Budget, Formula, TransitionId};
    /// use fireset_oracle::tiny;
    /// use fireset_reduce::{Equation, Finding};
    /// let net = tiny::net("a:1 b c; t: a -> b; u: b -> c; v: c, a -> ");
    /// let equation = Equation::of(&net).expect("small weights");
    /// let fireable = |at: usize| Formula::Fireable(vec![TransitionId::new(at)]);
    /// let once = equation.realise(&fireable(1), &Budget::unlimited());
    /// assert_eq!(once, Finding::Run(vec![TransitionId::new(0)]));
    /// assert_eq!(equation.realise(&fireable(2), &Budget::unlimited()), Finding::Never);
    /// ```
    pub fn realise(&self, goal: &Formula, budget: &Budget) -> Finding {
        let equation = &self.equation;
        if !goal.is_state_predicate() {
            return Finding::Open(Vec::new());
        }
        let condition = Condition::of(goal, true, equation.net);
        if condition.needs_deadlock(equation.net) {
            equation.grant(budget.time_left().unwrap_or(TIME));
            if equation.never_dead().is_some() {
                return Finding::Never;
            }
        }
        let parts = alternatives(&condition, MAX_PARTS);
        Refinement::new(equation, goal, &parts, budget).run(self.regions)
    }
}

/// Conditions of which one holds exactly where the condition does, at most so many.
fn alternatives(condition: &Condition, most: usize) -> Vec<Condition> {
    let (mut done, mut open) = (Vec::new(), vec![condition.clone()]);
    while let Some(next) = open.pop() {
        match divided(&next, most.saturating_sub(done.len() + open.len())) {
            Some(parts) => open.extend(parts),
            None => done.push(next),
        }
    }
    done
}

/// A condition divided at one of its unions that has no more than so many parts: each part repeats all that stands beside it.
fn divided(condition: &Condition, most: usize) -> Option<Vec<Condition>> {
    match condition {
        Condition::Any(parts) => (parts.len() <= most).then(|| parts.clone()),
        Condition::All(all) => {
            let (at, parts) = all.iter().enumerate().find_map(|(at, c)| Some((at, divided(c, most)?)))?;
            let with = |part: Condition| {
                let mut all = all.clone();
                all[at] = part;
                Condition::All(all)
            };
            Some(parts.into_iter().map(with).collect())
        }
        Condition::AtLeast(_) | Condition::Disabled(_) => None,
    }
}

/// What waits to be looked at.
enum Work {
    /// A region, and how often more effort was made for it than before.
    Region(Region, u32),
    /// The rest of the jumps from a solution: parts of a region, from a column of the list on.
    Jumps(Region, Rc<Counts>, usize),
    Chase(Chase),
}

/// A run on its way to the goal.
struct Chase {
    run: Vec<TransitionId>,
    fired: Counts,
    marking: Marking,
    detours: usize,
}

struct Refinement<'e, 'a> {
    equation: &'e StateEquation<'a>,
    goal: &'e Formula,
    parts: &'e [Condition],
    budget: &'e Budget,
    /// How far from the first solution, in which order, and for which part of the goal.
    waiting: BinaryHeap<Reverse<(usize, usize, usize)>>,
    work: BTreeMap<usize, Work>,
    made: usize,
    /// Whether nothing was cut off so far.
    complete: bool,
    chases: usize,
    /// Where chases began again.
    seen: HashSet<Marking>,
    /// Solutions that were tried, by how many firings were left at best.
    guides: Vec<(u64, Counts)>,
}

impl<'e, 'a> Refinement<'e, 'a> {
    fn new(
        equation: &'e StateEquation<'a>,
        goal: &'e Formula,
        parts: &'e [Condition],
        budget: &'e Budget,
    ) -> Self {
        Self {
            equation,
            goal,
            parts,
            budget,
            waiting: BinaryHeap::new(),
            work: BTreeMap::new(),
            made: 0,
            complete: true,
            chases: 0,
            seen: HashSet::new(),
            guides: Vec::new(),
        }
    }

    fn run(mut self, regions: usize) -> Finding {
        for part in 0..self.parts.len() {
            self.push(0, part, Work::Region(Region::default(), 0));
        }
        let mut tried = 0;
        while let Some(Reverse((far, number, part))) = self.waiting.pop() {
            tried += 1;
            if tried > regions || self.budget.go_on().is_err() {
                self.complete = false;
                break;
            }
            let Some(work) = self.work.remove(&number) else { continue };
            let found = match work {
                Work::Region(region, effort) => self.look(far, part, &region, effort),
                Work::Jumps(region, columns, at) => {
                    let region = self.jump(far, part, region, &columns, at);
                    self.look(far, part, &region, 0)
                }
                Work::Chase(chase) => self.chase(far, part, chase),
            };
            if let Some(run) = found {
                return Finding::Run(run);
            }
        }
        if self.complete { Finding::Never } else { Finding::Open(self.guides()) }
    }

    fn push(&mut self, far: usize, part: usize, work: Work) {
        if self.work.len() >= MAX_WAITING {
            self.complete = false;
            return;
        }
        self.waiting.push(Reverse((far, self.made, part)));
        self.work.insert(self.made, work);
        self.made += 1;
    }

    /// The next jump; those after it wait.
    fn jump(&mut self, far: usize, part: usize, region: Region, columns: &Rc<Counts>, at: usize) -> Region {
        let (column, times) = columns[at];
        // It fires at least once, so this fits.
        let jump = region.with(Row { terms: vec![(column, -1)], least: 1 - i128::from(times) });
        if at + 1 < columns.len() {
            let rest = region.at_least(column, times);
            self.push(far + 1, part, Work::Jumps(rest, columns.clone(), at + 1));
        }
        jump
    }

    /// Tries a solution of a region, and divides the region if it has no run.
    fn look(&mut self, far: usize, part: usize, region: &Region, effort: u32) -> Option<Vec<TransitionId>> {
        let solution = match self.equation.solution(&self.parts[part], region, effort, self.budget) {
            End::Refuted(_) => return None,
            End::Open if effort < MAX_EFFORT => {
                self.push(far + 2, part, Work::Region(region.clone(), effort + 1));
                return None;
            }
            End::Open => {
                self.complete = false;
                return None;
            }
            End::Whole(counts) => counts,
        };
        let ends = realise(self.equation, self.equation.net.initial_marking(), &solution, self.budget);
        if let Some(end) = self.met(&ends) {
            return Some(end.run.clone());
        }
        self.complete &= ends.complete;
        self.divide(far, part, region, &solution, &ends);
        if self.chases < MAX_CHASES {
            self.chases += 1;
            let marking = self.equation.net.initial_marking().clone();
            let chase = Chase { run: Vec::new(), fired: solution.clone(), marking, detours: 0 };
            if let Some(run) = self.go_round(far + 1, part, chase, &ends) {
                return Some(run);
            }
        }
        self.keep_guide(&ends, solution);
        None
    }

    /// An end in the goal.
    fn met<'s>(&self, ends: &'s Ends) -> Option<&'s Stuck> {
        ends.best.iter().find(|end| replay::holds_in(self.equation.net, &end.marking, self.goal))
    }

    /// Goes on with a run, as a solution from where it is says.
    fn chase(&mut self, far: usize, part: usize, mut chase: Chase) -> Option<Vec<TransitionId>> {
        let region = Region { lower: std::mem::take(&mut chase.fired), rows: Vec::new() };
        let End::Whole(solution) = self.equation.solution(&self.parts[part], &region, 0, self.budget) else {
            return None;
        };
        let further = |&(column, times): &(u32, u64)| (column, times - count(&region.lower, column));
        let further: Counts = solution.iter().map(further).filter(|further| further.1 > 0).collect();
        let ends = realise(self.equation, &chase.marking, &further, self.budget);
        if let Some(end) = self.met(&ends) {
            return Some(chase.run.iter().chain(&end.run).copied().collect());
        }
        let far = far + usize::from(chase.detours % 4 == 3);
        let chase = Chase { fired: solution, detours: chase.detours + 1, ..chase };
        self.go_round(far, part, chase, &ends)
    }

    /// Lets the run that came farthest make a detour. The counts of the chase are those that were tried, some of which
    /// are left.
    fn go_round(
        &mut self,
        far: usize,
        part: usize,
        mut chase: Chase,
        ends: &Ends,
    ) -> Option<Vec<TransitionId>> {
        let end = ends.best.first().filter(|_| chase.detours < MAX_DETOURS)?;
        let (firings, marking) = match detour(self.equation, end, self.goal, &self.seen, self.budget)? {
            Detour::Goal(firings) => (firings, None),
            Detour::On(firings, marking) => (firings, Some(marking)),
        };
        chase.run.extend(end.run.iter().copied().chain(firings.iter().map(|firing| firing.1)));
        let Some(marking) = marking else { return Some(chase.run) };
        self.seen.insert(marking.clone());
        let tried = chase.fired.iter().map(|&(column, times)| (column, times - count(&end.left, column)));
        let lower = tried.filter(|&(_, times)| times > 0).collect();
        let mut fired = Region { lower, rows: Vec::new() };
        for (column, _) in firings {
            let times = count(&fired.lower, column) + 1;
            fired = fired.at_least(column, times);
        }
        self.push(far, part, Work::Chase(Chase { fired: fired.lower, marking, ..chase }));
        None
    }

    fn divide(&mut self, far: usize, part: usize, region: &Region, solution: &Counts, ends: &Ends) {
        let mut rest = Region { lower: solution.clone(), rows: region.rows.clone() };
        for row in self.missing(solution, ends) {
            self.push(far + 2, part, Work::Region(rest.with(row.clone()), 0));
            if let Some(otherwise) = row.negated() {
                rest = rest.with(otherwise);
            }
        }
        match self.beyond(solution) {
            Some(row) => self.push(far + 4, part, Work::Region(rest.with(row), 0)),
            None => self.complete = false,
        }
        let is_left = |column: u32| ends.best.first().is_some_and(|end| count(&end.left, column) > 0);
        let mut columns: Counts = solution.clone();
        columns.retain(|&(column, times)| times > count(&region.lower, column));
        columns.sort_by_key(|&(column, _)| !is_left(column));
        if !columns.is_empty() {
            self.push(far + 3, part, Work::Jumps(region.clone(), Rc::new(columns), 0));
        }
    }

    /// That some column fires more often which can be the first to do so; `None` when a number does not fit.
    fn beyond(&self, solution: &Counts) -> Option<Row> {
        let net = self.equation.net;
        let mut most: Vec<u128> = net.initial_marking().0.iter().map(|&n| n.into()).collect();
        for &(column, times) in solution {
            for arc in net.post(self.equation.columns[column as usize]) {
                let given = u128::from(arc.weight).checked_mul(times.into())?;
                let most = &mut most[arc.place.index()];
                *most = most.checked_add(given)?;
            }
        }
        let may_fire =
            |t: TransitionId| net.pre(t).iter().all(|arc| most[arc.place.index()] >= arc.weight.into());
        let columns = self.equation.columns.iter().enumerate().filter(|&(_, &t)| may_fire(t));
        let terms: Vec<(u32, i128)> = columns.map(|(column, _)| (column as u32, 1)).collect();
        more_than(terms, solution, 1)
    }

    /// Rows that bring tokens to where they were missing.
    fn missing(&self, solution: &Counts, ends: &Ends) -> Vec<Row> {
        let mut rows = Vec::new();
        for end in &ends.best {
            for (places, needed) in Missing::of(self.equation, end).sources() {
                let row = self.filling_row(&places, needed, solution, end);
                if let Some(row) = row.filter(|row| !rows.contains(row)) {
                    rows.push(row);
                }
                if rows.len() >= MAX_ROWS {
                    return rows;
                }
            }
        }
        rows
    }

    /// That columns which are not stuck themselves give so many more tokens to these places.
    fn filling_row(
        &self,
        places: &BTreeSet<u32>,
        needed: u64,
        solution: &Counts,
        end: &Stuck,
    ) -> Option<Row> {
        let changes = places.iter().flat_map(|&place| &self.equation.changes[place as usize]);
        let terms = changes.map(|&(column, change)| (column, i128::from(change))).collect();
        let mut terms = Linear::of(terms, 0)?.terms;
        terms.retain(|&(column, gain)| gain > 0 && count(&end.left, column) == 0);
        if terms.is_empty() { None } else { more_than(terms, solution, needed.into()) }
    }

    fn keep_guide(&mut self, ends: &Ends, solution: Counts) {
        let left = ends.best.first().map_or(u64::MAX, Stuck::firings_left);
        let at = self.guides.partition_point(|guide| guide.0 <= left);
        if at < MAX_GUIDES {
            self.guides.insert(at, (left, solution));
            self.guides.truncate(MAX_GUIDES);
        }
    }

    fn guides(self) -> Vec<Parikh> {
        let first = |column: u32| self.equation.columns[column as usize];
        let vector = |counts: Counts| counts.iter().map(|&(column, n)| (first(column), n)).collect();
        self.guides.into_iter().map(|(_, counts)| vector(counts)).collect()
    }
}

/// That a sum over counts is larger by so much than in a solution; `None` when a number does not fit.
fn more_than(terms: Vec<(u32, i128)>, solution: &Counts, by: i128) -> Option<Row> {
    let least = terms.iter().try_fold(by, |sum, &(column, factor)| {
        sum.checked_add(factor.checked_mul(count(solution, column).into())?)
    })?;
    Some(Row { terms, least })
}

/// Where tokens are missing at the end of a run.
///
/// A column that is stuck lacks tokens on places; other stuck columns may give to those once they can fire. What has to
/// come first from elsewhere are tokens on a source: places that wait for each other only.
struct Missing {
    /// For each place, how many tokens each stuck column lacks there.
    lacks: BTreeMap<u32, Vec<(u32, u64)>>,
    /// For each of these places, those that columns which could fill it wait for.
    waits_for: BTreeMap<u32, BTreeSet<u32>>,
}

impl Missing {
    fn of(equation: &StateEquation<'_>, end: &Stuck) -> Self {
        let mut lacks: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
        let mut lacking: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(column, _) in &end.left {
            for arc in equation.net.pre(equation.columns[column as usize]) {
                let place = arc.place.index() as u32;
                let missing = arc.weight.saturating_sub(end.marking.tokens(arc.place));
                if missing > 0 && (lacks.len() < MAX_MISSING || lacks.contains_key(&place)) {
                    lacks.entry(place).or_default().push((column, missing));
                    lacking.entry(column).or_default().push(place);
                }
            }
        }
        let waits_for = |place: &u32| {
            let givers = equation.changes[*place as usize].iter().filter(|change| change.1 > 0);
            let stuck = givers.filter_map(|(column, _)| lacking.get(column));
            (*place, stuck.flatten().copied().collect())
        };
        let waits_for = lacks.keys().map(waits_for).collect();
        Self { lacks, waits_for }
    }

    /// The sources, each with the fewest tokens that let a column go on.
    fn sources(&self) -> Vec<(BTreeSet<u32>, u64)> {
        let before: BTreeMap<u32, BTreeSet<u32>> =
            self.lacks.keys().map(|&place| (place, self.before(place))).collect();
        let is_source = |places: &BTreeSet<u32>| places.iter().all(|other| before[other] == *places);
        let sources: HashSet<&BTreeSet<u32>> = before.values().filter(|places| is_source(places)).collect();
        let mut sources: Vec<(BTreeSet<u32>, u64)> =
            sources.into_iter().map(|places| (places.clone(), self.needed(places))).collect();
        sources.sort();
        sources
    }

    /// A place and all that it waits for, also through others.
    fn before(&self, place: u32) -> BTreeSet<u32> {
        let (mut found, mut open) = (BTreeSet::from([place]), vec![place]);
        while let Some(next) = open.pop() {
            open.extend(self.waits_for[&next].iter().filter(|&&other| found.insert(other)));
        }
        found
    }

    /// The fewest tokens on these places that some column lacks.
    fn needed(&self, places: &BTreeSet<u32>) -> u64 {
        let mut by_column: BTreeMap<u32, u64> = BTreeMap::new();
        for &(column, missing) in places.iter().flat_map(|place| &self.lacks[place]) {
            let sum = by_column.entry(column).or_default();
            *sum = sum.saturating_add(missing);
        }
        by_column.into_values().min().unwrap_or(1)
    }
}

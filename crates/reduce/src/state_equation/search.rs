//! The search for a refutation, or for a whole solution: a growing system of inequalities, and choices where a condition
//! or a run has them.
//!
//! A node of the search is a system with the unions that are still to be met. While it has a solution, what the solution
//! breaks is added: first places that it makes negative, then parts of unions, then cuts, then bounds around a count
//! that is not whole. Where there are several alternatives, each must be refuted. A node is refuted when its rows
//! contradict each other, checked in integers. So a refutation is a tree: its leaves are checked by [`contradict`], and
//! its branches are exhaustive by what unions, [cuts](super::cuts) and whole numbers are. The tree is kept as it is found
//! ([`Tree`]), because each row knows what it is about; [`certificate`](super::certificate) makes one for others of it.
//!
//! When a branch is not refuted, nothing is. A search for a refutation ends at the first leaf that it cannot close, one
//! for a whole solution at the first leaf that has one.
//!
//! All of it happens in a [`Region`]: counts have lower bounds, and there may be other rows. Lower bounds cost no rows:
//! the unknowns of the system are what the counts have beyond them.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
    time::Duration,
};

use fireset_kernel::lp::{LinearProgram, LpOutcome};
use fireset_net::{Budget, Linear};

use super::{
    Condition, StateEquation,
    cuts::{Cut, Point, Source},
    row::{Row, contradict, integers},
    solutions::Region,
};

/// Differences below this are none.
const NEAR: f64 = 1e-6;
/// Rows that are added for one solution.
const ROWS_AT_ONCE: usize = 30;
/// Cuts that are added for one solution.
const CUTS_AT_ONCE: usize = 4;
/// Alternatives inside each other.
const MAX_DEPTH: usize = 40;
/// Counts past this are not taken for whole numbers: floating point does not have them all.
const MAX_COUNT: f64 = 1e12;
/// Steps of one dive.
const MAX_DIVE: usize = 400;
/// Choices of a dive that a run would need.
const MAX_CHOICES: usize = 20;
/// Rounds of cuts in a node.
const MAX_CUT_ROUNDS: usize = 12;

/// What one proof may take, and no proof takes longer.
const TIME: Duration = Duration::from_secs(2);

/// What one search may take.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// Nodes of unions.
    pub(super) nodes: usize,
    /// Nodes of cuts and whole numbers.
    pub(super) splits: usize,
    /// Times that a whole solution is looked for without coming back from choices.
    pub(super) dives: usize,
    /// Rows of a system.
    pub(super) rows: usize,
    /// Steps of the simplex algorithm.
    pub(super) steps: usize,
    pub(super) budget: Budget,
}

impl Limits {
    pub(super) fn of(budget: &Budget) -> Self {
        Self { nodes: 2_000, splits: 60, dives: 6, rows: 600, steps: 20_000, budget: budget.within(TIME) }
    }

    /// The same in the same time, but so many times as many nodes and steps.
    pub(super) fn times(self, by: usize) -> Self {
        let [nodes, splits, steps] = [self.nodes, self.splits, self.steps].map(|n| n.saturating_mul(by));
        Self { nodes, splits, steps, ..self }
    }
}

/// How something was refuted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proof {
    /// Contradictions that were checked.
    pub(crate) leaves: usize,
    /// Rows and choices from traps and siphons.
    pub(crate) cuts: usize,
    /// Choices between the whole numbers around a fraction.
    pub(crate) splits: usize,
}

/// A refutation, over the columns of the equation.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// Rows, each as often as its number says, that contradict each other.
    Leaf(Vec<(Origin, i128)>),
    /// Each alternative is refuted.
    Branch(Split, Vec<Tree>),
}

/// The positions of parts on the way from the whole condition to one of its parts.
pub(super) type Path = Rc<[u32]>;

/// What a row is about.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The place has no less than 0 tokens.
    Place(u32),
    /// A part of the condition.
    Part(Path),
    /// What was chosen after so many other choices.
    Case(usize),
    /// A cut with one alternative.
    Cut(Source),
    /// Of the region, or a guess; nothing that rests on it is shown to others.
    Region,
}

/// Between what there is a choice.
#[derive(Clone, Debug)]
pub(super) enum Split {
    /// The parts of a part of the condition.
    Part(Path),
    /// Tokens of a place, and firings of a column: at most this number, or more.
    Tokens(u32, i128),
    Firings(u32, i128),
    /// The alternatives of a cut.
    Cut(Source),
}

/// The way to a part of a part.
fn below(path: &[u32], further: &[u32]) -> Path {
    path.iter().chain(further).copied().collect()
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Refutation,
    Solution,
}

/// How a search ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// There is no solution that is a run, and why.
    Refuted(Tree),
    /// Counts that solve everything, as far as floating point can tell; ascending columns, no zeros.
    Whole(Vec<(u32, u64)>),
    /// It is not known.
    Open,
}

pub(super) struct Search<'e, 'a> {
    equation: &'e StateEquation<'a>,
    region: &'e Region,
    wanted: Wanted,
    limits: Limits,
    proof: Proof,
}

/// A system and what else must be met.
#[derive(Clone)]
struct Node<'c> {
    system: LinearProgram,
    rows: Vec<Rc<(Row, Origin)>>,
    /// Places whose rows are there.
    places: HashSet<u32>,
    open: Vec<(&'c Condition, Path)>,
    cut_rounds: usize,
    depth: usize,
}

enum Alternative<'c> {
    Condition(&'c Condition, Path),
    Row(Row, Origin),
}

/// A choice, and its alternatives.
type Alternatives<'c> = (Split, Vec<Alternative<'c>>);

/// A solution of a node's system.
struct Found {
    counts: Vec<(u32, f64)>,
    changed: HashMap<u32, f64>,
}

impl<'e, 'a> Search<'e, 'a> {
    pub(super) fn new(equation: &'e StateEquation<'a>, region: &'e Region, limits: Limits) -> Self {
        Self { equation, region, wanted: Wanted::Refutation, limits, proof: Proof::default() }
    }

    /// Tries to refute a condition.
    pub(super) fn refutes(mut self, condition: &Condition) -> Option<(Proof, Tree)> {
        match self.close(self.root(condition)) {
            End::Refuted(tree) => Some((self.proof, tree)),
            End::Whole(_) | End::Open => None,
        }
    }

    /// Looks for a whole solution that meets a condition.
    pub(super) fn solves(mut self, condition: &Condition) -> End {
        self.wanted = Wanted::Solution;
        self.close(self.root(condition))
    }

    fn root<'c>(&self, condition: &'c Condition) -> Node<'c> {
        let mut root = Node {
            system: LinearProgram::default(),
            rows: Vec::new(),
            places: HashSet::new(),
            open: Vec::new(),
            cut_rounds: 0,
            depth: 0,
        };
        self.assume(&mut root, condition, &mut Vec::new());
        self.region.rows.iter().for_each(|row| self.push(&mut root, row, Origin::Region));
        root
    }

    /// Adds a condition, the part at a path, to a node; what does not fit is left out.
    fn assume<'c>(&self, node: &mut Node<'c>, condition: &'c Condition, path: &mut Vec<u32>) {
        match condition {
            Condition::AtLeast(form) => {
                if let Some(row) = self.equation.row(form) {
                    self.push(node, &row, Origin::Part(path[..].into()));
                }
            }
            Condition::All(parts) | Condition::Any(parts)
                if parts.len() == 1 || matches!(condition, Condition::All(_)) =>
            {
                for (at, part) in parts.iter().enumerate() {
                    path.push(at as u32);
                    self.assume(node, part, path);
                    path.pop();
                }
            }
            _ => node.open.push((condition, path[..].into())),
        }
    }

    /// Adds a row over counts to a node, as one over what they have beyond their lower bounds; left out where a
    /// number does not fit.
    fn push(&self, node: &mut Node<'_>, row: &Row, origin: Origin) {
        let Some(row) = self.region.beyond(row) else { return };
        let terms = row.terms.iter().map(|&(column, factor)| (column, factor as f64));
        node.system.push(terms, row.least as f64);
        node.rows.push(Rc::new((row, origin)));
    }

    /// Whether a node has no solution that is a run, or which solution it has.
    fn close(&mut self, mut node: Node<'_>) -> End {
        loop {
            match self.solve(&mut node) {
                LpOutcome::Interrupted => return End::Open,
                LpOutcome::Infeasible(multipliers) => {
                    self.proof.leaves += 1;
                    let leaf = integers(&multipliers).and_then(|multipliers| node.leaf(&multipliers));
                    return leaf.map_or(End::Open, End::Refuted);
                }
                LpOutcome::Feasible => {}
            }
            let found = self.found(&node);
            if self.add_negative_places(&mut node, &found) {
                continue;
            }
            if self.add_unmet_alone(&mut node, &found) {
                continue;
            }
            let Some((split, alternatives)) = self.unmet(&mut node, &found) else {
                if self.cut(&mut node, &found) {
                    continue;
                }
                return self.split(&node, &found);
            };
            if self.limits.nodes < alternatives.len() {
                return End::Open;
            }
            self.limits.nodes -= alternatives.len();
            return self.close_all(&node, split, alternatives);
        }
    }

    fn close_all<'c>(&mut self, node: &Node<'c>, split: Split, alternatives: Vec<Alternative<'c>>) -> End {
        if node.depth >= MAX_DEPTH {
            return End::Open;
        }
        let (mut trees, mut is_open) = (Vec::new(), false);
        for alternative in alternatives {
            match self.close(self.child(node, alternative)) {
                End::Refuted(tree) => trees.push(tree),
                End::Open if self.wanted == Wanted::Solution && self.limits.budget.go_on().is_ok() => {
                    is_open = true;
                }
                end => return end,
            }
        }
        if is_open { End::Open } else { End::Refuted(Tree::Branch(split, trees)) }
    }

    fn child<'c>(&self, node: &Node<'c>, alternative: Alternative<'c>) -> Node<'c> {
        let mut child = node.clone();
        child.depth += 1;
        child.cut_rounds = 0;
        self.choose(&mut child, alternative);
        child
    }

    fn choose<'c>(&self, node: &mut Node<'c>, alternative: Alternative<'c>) {
        match alternative {
            Alternative::Condition(condition, path) => self.assume(node, condition, &mut path.to_vec()),
            Alternative::Row(row, origin) => self.push(node, &row, origin),
        }
    }

    fn solve(&mut self, node: &mut Node<'_>) -> LpOutcome {
        if node.rows.len() > self.limits.rows {
            return LpOutcome::Interrupted;
        }
        let Limits { steps, budget, .. } = &mut self.limits;
        node.system.solve(&mut || {
            *steps = steps.saturating_sub(1);
            *steps > 0 && budget.go_on().is_ok()
        })
    }

    fn found(&self, node: &Node<'_>) -> Found {
        let counts = self.region.counts(node.system.solution());
        let mut changed: HashMap<u32, f64> = HashMap::new();
        for &(column, count) in &counts {
            for &(place, change) in &self.equation.effects[column as usize] {
                *changed.entry(place).or_default() += count * change as f64;
            }
        }
        Found { counts, changed }
    }

    /// The tokens of a place in a solution.
    fn tokens(&self, found: &Found, place: u32) -> f64 {
        self.equation.initial(place) as f64 + found.changed.get(&place).copied().unwrap_or(0.0)
    }

    fn value(&self, found: &Found, form: &Linear) -> f64 {
        let tokens = |&(place, factor): &(u32, i128)| factor as f64 * self.tokens(found, place);
        form.constant as f64 + form.terms.iter().map(tokens).sum::<f64>()
    }

    /// Adds rows for places that the solution makes negative, the worst first.
    fn add_negative_places(&self, node: &mut Node<'_>, found: &Found) -> bool {
        let tokens = found.changed.keys().map(|&place| (place, self.tokens(found, place)));
        let mut negative: Vec<(u32, f64)> =
            tokens.filter(|&(place, tokens)| tokens < -NEAR && !node.places.contains(&place)).collect();
        negative.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut added = false;
        for (place, _) in negative.into_iter().take(ROWS_AT_ONCE) {
            node.places.insert(place);
            if let Some(row) = self.equation.row(&Linear { terms: vec![(place, 1)], constant: 0 }) {
                self.push(node, &row, Origin::Place(place));
                added = true;
            }
        }
        added
    }

    /// Adds rows for transitions that must be disabled, can be in one way only, and are not.
    fn add_unmet_alone(&self, node: &mut Node<'_>, found: &Found) -> bool {
        let net = self.equation.net;
        let mut unmet: Vec<(Linear, &Path, u32)> = Vec::new();
        for (condition, path) in &node.open {
            let Condition::Disabled(ts) = condition else { continue };
            let ts = ts.iter().enumerate();
            for (at, &t) in ts.filter(|&(_, &t)| net.pre(t).len() + net.inhibitors(t).len() == 1) {
                let ways = Condition::disabled(net, t).filter(|form| self.value(found, form) < -NEAR);
                unmet.extend(ways.map(|form| (form, path, at as u32)));
            }
        }
        unmet.sort_by(|a, b| a.0.terms.cmp(&b.0.terms));
        unmet.dedup_by(|a, b| a.0 == b.0);
        let rows = unmet.iter().filter_map(|(form, path, at)| {
            Some((self.equation.row(form)?, Origin::Part(below(path, &[*at, 0]))))
        });
        let rows: Vec<(Row, Origin)> = rows.take(ROWS_AT_ONCE).collect();
        let added = !rows.is_empty();
        rows.into_iter().for_each(|(row, origin)| self.push(node, &row, origin));
        added
    }

    /// The smallest union that the solution does not meet.
    fn unmet<'c>(&self, node: &mut Node<'c>, found: &Found) -> Option<Alternatives<'c>> {
        let unmet = |c: &Condition| !self.is_met(found, c);
        let unions = node.open.iter().enumerate().filter_map(|(at, (condition, _))| match condition {
            Condition::Any(some) => Some((some.len(), at)),
            _ => None,
        });
        let union = unions.filter(|&(_, at)| unmet(node.open[at].0)).min();
        if let Some((_, at)) = union {
            let (Condition::Any(some), path) = node.open.swap_remove(at) else { return None };
            let part = |(at, part)| Alternative::Condition(part, below(&path, &[at as u32]));
            let parts = some.iter().enumerate().map(part).collect();
            return Some((Split::Part(path), parts));
        }
        let net = self.equation.net;
        let disabled = node.open.iter().flat_map(|(condition, path)| {
            let ts = if let Condition::Disabled(ts) = condition { ts.as_slice() } else { &[] };
            ts.iter().enumerate().map(move |(at, &t)| (t, path, at as u32))
        });
        let ways = |t| Condition::disabled(net, t);
        let enabled = disabled.filter(|&(t, ..)| ways(t).all(|form| self.value(found, &form) < -NEAR));
        let (t, path, at) = enabled.min_by_key(|&(t, ..)| net.pre(t).len() + net.inhibitors(t).len())?;
        let way = |(way, form)| {
            let origin = Origin::Part(below(path, &[at, way as u32]));
            Some(Alternative::Row(self.equation.row(&form)?, origin))
        };
        let ways = ways(t).enumerate().map(way).collect::<Option<_>>()?;
        Some((Split::Part(below(path, &[at])), ways))
    }

    /// Whether a solution meets a condition.
    fn is_met(&self, found: &Found, condition: &Condition) -> bool {
        match condition {
            Condition::AtLeast(form) => self.value(found, form) > -NEAR,
            Condition::All(all) => all.iter().all(|c| self.is_met(found, c)),
            Condition::Any(some) => some.iter().any(|c| self.is_met(found, c)),
            Condition::Disabled(ts) => ts.iter().all(|&t| {
                Condition::disabled(self.equation.net, t).any(|form| self.value(found, &form) > -NEAR)
            }),
        }
    }

    /// Adds rows that every run satisfies and the solution breaks.
    fn cut(&mut self, node: &mut Node<'_>, found: &Found) -> bool {
        if node.cut_rounds >= MAX_CUT_ROUNDS {
            return false;
        }
        let mut added = false;
        for mut cut in self.broken(found) {
            if cut.rows.len() == 1 {
                added = true;
                self.proof.cuts += 1;
                self.push(node, &cut.rows.remove(0), Origin::Cut(cut.source));
            }
        }
        node.cut_rounds += usize::from(added);
        added
    }

    fn broken(&self, found: &Found) -> Vec<Cut> {
        let mut fired: Vec<u32> = found.counts.iter().map(|count| count.0).collect();
        fired.sort_unstable();
        let is_empty = |place| self.tokens(found, place) < NEAR;
        self.equation.broken(&Point { is_empty: &is_empty, fired: &fired }, CUTS_AT_ONCE)
    }

    /// Chooses between whole numbers, or between what cuts leave; where there is no choice left, the solution is one.
    fn split(&mut self, node: &Node<'_>, found: &Found) -> End {
        let whole = self.around_a_fraction(found);
        let by_cut = || self.broken(found).into_iter().next().map(|cut| (Split::Cut(cut.source), cut.rows));
        let Some((split, rows)) = whole.or_else(by_cut) else {
            return whole_counts(&found.counts).map_or(End::Open, End::Whole);
        };
        if self.wanted == Wanted::Solution && self.limits.dives > 0 {
            self.limits.dives -= 1;
            if let Some(counts) = self.dive(node.clone()) {
                return End::Whole(counts);
            }
        }
        if self.limits.splits < rows.len() {
            return End::Open;
        }
        self.limits.splits -= rows.len();
        match split {
            Split::Cut(_) => self.proof.cuts += 1,
            _ => self.proof.splits += 1,
        }
        let rows = rows.into_iter().map(|row| Alternative::Row(row, Origin::Case(node.depth)));
        self.close_all(node, split, rows.collect())
    }

    /// Looks for a whole solution below a node without coming back from any choice: fractions become the nearest whole
    /// number, the one that is nearest first. What a run would have to do besides is chosen too, as long as that leads
    /// to a solution; otherwise the last one is good enough to be tried.
    fn dive(&mut self, mut node: Node<'_>) -> Option<Vec<(u32, u64)>> {
        let (mut best, mut choices) = (None, 0);
        for _ in 0..MAX_DIVE {
            if self.solve(&mut node) != LpOutcome::Feasible {
                break;
            }
            let found = self.found(&node);
            if self.add_negative_places(&mut node, &found) || self.add_unmet_alone(&mut node, &found) {
                continue;
            }
            if let Some((_, alternatives)) = self.unmet(&mut node, &found) {
                let far = |at: &Alternative<'_>| self.distance(&found, at);
                let nearest = alternatives.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
                self.choose(&mut node, nearest);
                continue;
            }
            if self.cut(&mut node, &found) {
                continue;
            }
            if let Some(row) = nearest_whole(&found.counts) {
                self.push(&mut node, &row, Origin::Region);
                continue;
            }
            best = whole_counts(&found.counts);
            let choice = self.broken(&found).into_iter().next().filter(|_| choices < MAX_CHOICES);
            // The second alternative says that something fires which makes the solution possible.
            let Some(row) = choice.and_then(|cut| cut.rows.into_iter().nth(1)) else { break };
            choices += 1;
            self.push(&mut node, &row, Origin::Region);
        }
        best
    }

    /// How far a solution is from meeting an alternative.
    fn distance(&self, found: &Found, alternative: &Alternative<'_>) -> f64 {
        match alternative {
            Alternative::Condition(condition, _) => self.distance_to(found, condition),
            Alternative::Row(row, _) => {
                let counts: HashMap<u32, f64> = found.counts.iter().copied().collect();
                let count = |column: u32| counts.get(&column).copied().unwrap_or(0.0);
                let sum: f64 = row.terms.iter().map(|&(column, f)| f as f64 * count(column)).sum();
                (row.least as f64 - sum).max(0.0)
            }
        }
    }

    fn distance_to(&self, found: &Found, condition: &Condition) -> f64 {
        match condition {
            Condition::AtLeast(form) => (-self.value(found, form)).max(0.0),
            Condition::All(all) => all.iter().map(|c| self.distance_to(found, c)).sum(),
            Condition::Any(some) => some
                .iter()
                .map(|c| self.distance_to(found, c))
                .min_by(f64::total_cmp)
                .unwrap_or(f64::INFINITY),
            Condition::Disabled(_) => f64::from(u8::from(!self.is_met(found, condition))),
        }
    }

    /// Two rows, of which every whole solution satisfies one and this solution none.
    fn around_a_fraction(&self, found: &Found) -> Option<(Split, Vec<Row>)> {
        let mut places: Vec<u32> = found.changed.keys().copied().collect();
        places.sort_unstable();
        let place = places.into_iter().find(|&place| is_fraction(self.tokens(found, place)));
        if let Some(place) = place {
            let below = self.tokens(found, place).floor() as i128;
            let row =
                |factor, constant| self.equation.row(&Linear { terms: vec![(place, factor)], constant });
            return Some((Split::Tokens(place, below), vec![row(-1, below)?, row(1, -below - 1)?]));
        }
        let &(column, count) = found.counts.iter().find(|count| is_fraction(count.1))?;
        let below = count.floor() as i128;
        let row = |factor, least| Row { terms: vec![(column, factor)], least };
        Some((Split::Firings(column, below), vec![row(-1, -below), row(1, below + 1)]))
    }
}

impl Node<'_> {
    /// Rows with these multipliers, if they contradict each other.
    fn leaf(&self, multipliers: &[(u32, i128)]) -> Option<Tree> {
        let row = |at: u32| &*self.rows[at as usize];
        let premise = |&(at, times): &(u32, i128)| (row(at).1.clone(), times);
        contradict(|at| &row(at).0, multipliers)
            .then(|| Tree::Leaf(multipliers.iter().map(premise).collect()))
    }
}

/// That the count that is nearest to a whole number, and is none, is that number or on its other side.
fn nearest_whole(counts: &[(u32, f64)]) -> Option<Row> {
    let fractions = counts.iter().filter(|count| is_fraction(count.1));
    let away = |count: f64| (count - count.round()).abs();
    let nearest = fractions.min_by(|a, b| away(a.1).total_cmp(&away(b.1)).then(a.0.cmp(&b.0)));
    let &(column, count) = nearest?;
    let whole = count.round() as i128;
    Some(if count.round() > count {
        Row { terms: vec![(column, 1)], least: whole }
    } else {
        Row { terms: vec![(column, -1)], least: -whole }
    })
}

fn is_fraction(number: f64) -> bool {
    (number - number.round()).abs() > 1e-4
}

/// The counts as whole numbers; `None` where one is not, or is too large.
fn whole_counts(counts: &[(u32, f64)]) -> Option<Vec<(u32, u64)>> {
    let whole = |&(column, count): &(u32, f64)| {
        let fits = !is_fraction(count) && (0.0..MAX_COUNT).contains(&count.round());
        fits.then(|| (column, count.round() as u64))
    };
    let mut whole: Vec<(u32, u64)> = counts.iter().map(whole).collect::<Option<_>>()?;
    whole.retain(|count| count.1 > 0);
    whole.sort_unstable();
    Some(whole)
}

//! The search for a refutation: a growing system of inequalities, and choices where a condition or a run has them.
//!
//! A node of the search is a system with the unions that are still to be met. While it has a solution, what the solution
//! breaks is added: first places that it makes negative, then parts of unions, then cuts, then bounds around a count
//! that is not whole. Where there are several alternatives, each must be refuted. A node is refuted when its rows
//! contradict each other, checked in integers. So a refutation is a tree: its leaves are checked by [`contradict`], and
//! its branches are exhaustive by what unions, [cuts](super::cuts) and whole numbers are.
//!
//! When a branch is not refuted, nothing is: the search ends at the first leaf that it cannot close.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
    time::{Duration, Instant},
};

use fireset_kernel::lp::{Answer, System};
use fireset_net::Linear;

use super::{
    Condition, StateEquation,
    cuts::Point,
    row::{Row, contradict, integers},
};

/// Differences below this are none.
const NEAR: f64 = 1e-6;
/// Rows that are added for one solution.
const ROWS_AT_ONCE: usize = 30;
/// Cuts that are added for one solution.
const CUTS_AT_ONCE: usize = 4;
/// Alternatives inside each other.
const MAX_DEPTH: usize = 40;
/// Rounds of cuts in a node.
const MAX_CUT_ROUNDS: usize = 12;

/// What one proof may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Nodes of unions.
    pub(super) nodes: usize,
    /// Nodes of cuts and whole numbers.
    pub(super) splits: usize,
    /// Rows of a system.
    pub(super) rows: usize,
    /// Steps of the simplex algorithm.
    pub(super) steps: usize,
    pub(super) deadline: Option<Instant>,
}

impl Limits {
    pub(super) fn until(deadline: Option<Instant>) -> Self {
        let own = Instant::now() + Duration::from_millis(2000);
        let deadline = Some(deadline.map_or(own, |deadline| deadline.min(own)));
        Self { nodes: 2_000, splits: 60, rows: 600, steps: 20_000, deadline }
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

pub(super) struct Search<'e, 'a> {
    equation: &'e StateEquation<'a>,
    limits: Limits,
    proof: Proof,
}

/// A system and what else must be met.
#[derive(Clone)]
struct Node<'c> {
    system: System,
    rows: Vec<Rc<Row>>,
    /// Places whose rows are there.
    places: HashSet<u32>,
    open: Vec<&'c Condition>,
    cut_rounds: usize,
    depth: usize,
}

enum Alternative<'c> {
    Condition(&'c Condition),
    Row(Row),
}

/// A solution of a node's system.
struct Found {
    counts: Vec<(u32, f64)>,
    changed: HashMap<u32, f64>,
}

impl<'e, 'a> Search<'e, 'a> {
    pub(super) fn new(equation: &'e StateEquation<'a>, limits: Limits) -> Self {
        Self { equation, limits, proof: Proof::default() }
    }

    /// Tries to refute a condition.
    pub(super) fn refutes(mut self, condition: &Condition) -> Option<Proof> {
        let mut root = Node {
            system: System::default(),
            rows: Vec::new(),
            places: HashSet::new(),
            open: Vec::new(),
            cut_rounds: 0,
            depth: 0,
        };
        self.assume(&mut root, condition);
        self.refute(root).then_some(self.proof)
    }

    /// Adds a condition to a node; what does not fit is left out.
    fn assume<'c>(&self, node: &mut Node<'c>, condition: &'c Condition) {
        match condition {
            Condition::AtLeast(form) => {
                if let Some(row) = self.equation.row(form) {
                    node.push(row);
                }
            }
            Condition::All(all) => all.iter().for_each(|c| self.assume(node, c)),
            Condition::Any(some) if some.len() == 1 => self.assume(node, &some[0]),
            Condition::Any(_) | Condition::Disabled(_) => node.open.push(condition),
        }
    }

    /// Whether a node has no solution that is a run.
    fn refute(&mut self, mut node: Node<'_>) -> bool {
        loop {
            match self.solve(&mut node) {
                Answer::Open => return false,
                Answer::None(multipliers) => {
                    self.proof.leaves += 1;
                    let rows = &node.rows;
                    return integers(&multipliers)
                        .is_some_and(|multipliers| contradict(|at| &rows[at as usize], &multipliers));
                }
                Answer::Solution => {}
            }
            let found = self.found(&node);
            if self.add_negative_places(&mut node, &found) {
                continue;
            }
            if self.add_unmet_alone(&mut node, &found) {
                continue;
            }
            let Some(alternatives) = self.unmet(&mut node, &found) else {
                if self.cut(&mut node, &found) {
                    continue;
                }
                return self.split(&node, &found);
            };
            if self.limits.nodes < alternatives.len() {
                return false;
            }
            self.limits.nodes -= alternatives.len();
            return self.refute_all(&node, alternatives);
        }
    }

    fn refute_all<'c>(&mut self, node: &Node<'c>, alternatives: Vec<Alternative<'c>>) -> bool {
        node.depth < MAX_DEPTH
            && alternatives.into_iter().all(|alternative| self.refute(self.child(node, alternative)))
    }

    fn child<'c>(&self, node: &Node<'c>, alternative: Alternative<'c>) -> Node<'c> {
        let mut child = node.clone();
        child.depth += 1;
        child.cut_rounds = 0;
        match alternative {
            Alternative::Condition(condition) => self.assume(&mut child, condition),
            Alternative::Row(row) => child.push(row),
        }
        child
    }

    fn solve(&mut self, node: &mut Node<'_>) -> Answer {
        if node.rows.len() > self.limits.rows {
            return Answer::Open;
        }
        let deadline = self.limits.deadline;
        let steps = &mut self.limits.steps;
        node.system.solve(&mut || {
            *steps = steps.saturating_sub(1);
            *steps > 0 && deadline.is_none_or(|deadline| Instant::now() < deadline)
        })
    }

    fn found(&self, node: &Node<'_>) -> Found {
        let counts: Vec<(u32, f64)> = node.system.solution().collect();
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
                node.push(row);
                added = true;
            }
        }
        added
    }

    /// Adds rows for transitions that must be disabled, can be in one way only, and are not.
    fn add_unmet_alone(&self, node: &mut Node<'_>, found: &Found) -> bool {
        let net = self.equation.net;
        let mut unmet: Vec<Linear> = Vec::new();
        for condition in &node.open {
            let Condition::Disabled(ts) = condition else { continue };
            for &t in ts.iter().filter(|&&t| net.pre(t).len() + net.inhibitors(t).len() == 1) {
                unmet.extend(Condition::disabled(net, t).filter(|form| self.value(found, form) < -NEAR));
            }
        }
        unmet.sort_by(|a, b| a.terms.cmp(&b.terms));
        unmet.dedup();
        let rows = unmet.iter().filter_map(|form| self.equation.row(form));
        let rows: Vec<Row> = rows.take(ROWS_AT_ONCE).collect();
        let added = !rows.is_empty();
        rows.into_iter().for_each(|row| node.push(row));
        added
    }

    /// The smallest union that the solution does not meet.
    fn unmet<'c>(&self, node: &mut Node<'c>, found: &Found) -> Option<Vec<Alternative<'c>>> {
        let unmet = |c: &Condition| !self.is_met(found, c);
        let unions = node.open.iter().enumerate().filter_map(|(at, condition)| match condition {
            Condition::Any(some) => Some((some.len(), at)),
            _ => None,
        });
        let union = unions.filter(|&(_, at)| unmet(node.open[at])).min();
        if let Some((_, at)) = union {
            let Condition::Any(some) = node.open.swap_remove(at) else { return None };
            return Some(some.iter().map(Alternative::Condition).collect());
        }
        let net = self.equation.net;
        let disabled = node.open.iter().flat_map(|condition| match condition {
            Condition::Disabled(ts) => ts.as_slice(),
            _ => &[],
        });
        let ways = |t| Condition::disabled(net, t);
        let enabled = disabled.filter(|&&t| ways(t).all(|form| self.value(found, &form) < -NEAR));
        let &t = enabled.min_by_key(|&&t| net.pre(t).len() + net.inhibitors(t).len())?;
        ways(t).map(|form| Some(Alternative::Row(self.equation.row(&form)?))).collect()
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
            if cut.len() == 1 {
                added = true;
                self.proof.cuts += 1;
                node.push(cut.remove(0));
            }
        }
        node.cut_rounds += usize::from(added);
        added
    }

    fn broken(&self, found: &Found) -> Vec<Vec<Row>> {
        let mut fired: Vec<u32> = found.counts.iter().map(|count| count.0).collect();
        fired.sort_unstable();
        let is_empty = |place| self.tokens(found, place) < NEAR;
        self.equation.broken(&Point { is_empty: &is_empty, fired: &fired }, CUTS_AT_ONCE)
    }

    /// Chooses between whole numbers, or between what cuts leave.
    fn split(&mut self, node: &Node<'_>, found: &Found) -> bool {
        let whole = self.around_a_fraction(found);
        let is_whole = whole.is_none();
        let Some(rows) = whole.or_else(|| self.broken(found).into_iter().next()) else { return false };
        if self.limits.splits < rows.len() {
            return false;
        }
        self.limits.splits -= rows.len();
        *(if is_whole { &mut self.proof.cuts } else { &mut self.proof.splits }) += 1;
        self.refute_all(node, rows.into_iter().map(Alternative::Row).collect())
    }

    /// Two rows, of which every whole solution satisfies one and this solution none.
    fn around_a_fraction(&self, found: &Found) -> Option<Vec<Row>> {
        let is_fraction = |number: f64| (number - number.round()).abs() > 1e-4;
        let mut places: Vec<u32> = found.changed.keys().copied().collect();
        places.sort_unstable();
        let place = places.into_iter().find(|&place| is_fraction(self.tokens(found, place)));
        if let Some(place) = place {
            let below = self.tokens(found, place).floor() as i128;
            let row =
                |factor, constant| self.equation.row(&Linear { terms: vec![(place, factor)], constant });
            return Some(vec![row(-1, below)?, row(1, -below - 1)?]);
        }
        let &(column, count) = found.counts.iter().find(|count| is_fraction(count.1))?;
        let below = count.floor() as i128;
        let row = |factor, least| Row { terms: vec![(column, factor)], least };
        Some(vec![row(-1, -below), row(1, below + 1)])
    }
}

impl Node<'_> {
    fn push(&mut self, row: Row) {
        self.system.push(row.terms.iter().map(|&(column, factor)| (column, factor as f64)), row.least as f64);
        self.rows.push(Rc::new(row));
    }
}

//! Realisation of Parikh vectors: orders in which given counts of firings can fire, and the ends of runs that have none.
//!
//! A depth-first search fires the counts. Two orders of the same firings lead to the same marking, so a
//! state of the search is the vector of firings left; states with a choice are remembered. In a state only a stubborn set is fired
//! (Valmari, "Stubborn sets for reduced state space generation", 1989): the firings left of a column are a place of their own
//! that only the column takes from, so all runs end, and stubborn sets keep every end. Source: Wimmel and Wolf, "Applying CEGAR
//! to the Petri net state equation" (2012), whose trees of partial solutions are pruned for the same reasons.
//!
//! Invariant: unless the search was cut off, every marking in which a run within the counts cannot go on is an end; so
//! counts without an end that has no firings left are those of no run.
//! With inhibitor arcs all enabled columns fire. A column stands for all transitions with its arcs: one that is enabled
//! is enough. Cost: a step, the arcs of the columns with firings left; steps are limited. Test: `tests/realise.rs`.

use std::collections::{HashMap, HashSet};

use fireset_net::{Budget, Marking, Net, TransitionId};
use fireset_structure::{StateEquation, state_equation::region::FiringCounts};

/// Steps of one search, apart from those that one run needs.
const MAX_STEPS: usize = 20_000;
/// Firings of a run; longer ones are not looked for.
const MAX_LENGTH: u64 = 200_000;
/// Counts in all remembered states together.
const MAX_REMEMBERED: usize = 4_000_000;
/// Partial runs that are kept.
const MAX_ENDS: usize = 6;
/// Enabled columns around which a stubborn set is tried.
const MAX_SEEDS: usize = 12;
/// Steps between two checks of the budget.
const STEPS_PER_CHECK: usize = 64;

/// A run that cannot go on within its counts.
#[derive(Clone, Debug)]
pub(super) struct PartialRun {
    pub(super) run: Vec<TransitionId>,
    pub(super) marking: Marking,
    /// The firings left; none if the run realises its counts.
    pub(super) left: FiringCounts,
}

impl PartialRun {
    pub(super) fn firings_left(&self) -> u64 {
        self.left.iter().map(|count| count.1).sum()
    }
}

/// The ends of runs within some counts.
#[derive(Clone, Debug, Default)]
pub(super) struct RealisedRuns {
    /// Some of the ends, those with the fewest firings left first; only one if it has none left.
    pub(super) best: Vec<PartialRun>,
    /// Whether the search was not cut off.
    pub(super) complete: bool,
}

/// Looks for runs with these counts from a marking.
pub(super) fn realise(
    equation: &StateEquation<'_>,
    from: &Marking,
    counts: &[(u32, u64)],
    budget: &Budget,
) -> RealisedRuns {
    let length = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(count.1));
    match length.filter(|&length| length <= MAX_LENGTH) {
        Some(length) => FiringOrders::new(equation, from, counts).search(MAX_STEPS + length as usize, budget),
        None => RealisedRuns::default(),
    }
}

/// The search. Columns have local numbers, in the order of the counts.
struct FiringOrders<'e> {
    net: &'e Net,
    columns: Vec<u32>,
    members: Vec<&'e [TransitionId]>,
    left: Vec<u64>,
    marking: Marking,
    run: Vec<(usize, TransitionId)>,
    /// Columns one of which may disable the other.
    conflicts: Vec<Vec<usize>>,
    /// Columns that make a place fuller.
    producers: HashMap<usize, Vec<usize>>,
    seen: HashSet<Box<[u64]>>,
    ends: RealisedRuns,
}

impl<'e> FiringOrders<'e> {
    fn new(equation: &StateEquation<'e>, from: &Marking, counts: &[(u32, u64)]) -> Self {
        let net = equation.net();
        let mut producers: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut consumers: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut drains: Vec<(usize, usize)> = Vec::new();
        for (at, &(column, _)) in counts.iter().enumerate() {
            for arc in net.pre(equation.columns().first(column)) {
                consumers.entry(arc.place.index()).or_default().push(at);
            }
            for &(place, change) in equation.incidence().effect(column) {
                if change > 0 {
                    producers.entry(place as usize).or_default().push(at);
                } else {
                    drains.push((at, place as usize));
                }
            }
        }
        let mut conflicts = vec![Vec::new(); counts.len()];
        for (at, place) in drains {
            for &other in consumers.get(&place).into_iter().flatten().filter(|&&other| other != at) {
                conflicts[at].push(other);
                conflicts[other].push(at);
            }
        }
        for all in &mut conflicts {
            all.sort_unstable();
            all.dedup();
        }
        Self {
            net,
            columns: counts.iter().map(|count| count.0).collect(),
            members: counts.iter().map(|count| equation.columns().members(count.0)).collect(),
            left: counts.iter().map(|count| count.1).collect(),
            marking: from.clone(),
            run: Vec::new(),
            conflicts,
            producers,
            seen: HashSet::new(),
            ends: RealisedRuns { best: Vec::new(), complete: true },
        }
    }

    fn search(mut self, max_steps: usize, budget: &Budget) -> RealisedRuns {
        let mut stack = vec![self.enter()];
        let mut steps = 0;
        while let Some(choices) = stack.last_mut() {
            let Some(column) = choices.pop() else {
                stack.pop();
                self.undo();
                continue;
            };
            steps += 1;
            let may_go_on = steps < max_steps
                && self.seen.len().saturating_mul(self.left.len()) < MAX_REMEMBERED
                && (steps % STEPS_PER_CHECK != 0 || budget.go_on().is_ok());
            if !may_go_on {
                self.ends.complete = false;
                break;
            }
            if self.fire(column) {
                stack.push(self.enter());
            }
            if self.ends.best.first().is_some_and(|end| end.left.is_empty()) {
                self.ends.best.truncate(1);
                break;
            }
        }
        self.ends
    }

    /// The columns to fire in the state that the search has come to, the first one last.
    fn enter(&mut self) -> Vec<usize> {
        let all = 0..self.left.len();
        let enabled: Vec<usize> = all.filter(|&at| self.left[at] > 0 && self.enabled(at).is_some()).collect();
        if enabled.is_empty() {
            self.keep_end();
            return enabled;
        }
        let mut choices = if self.net.has_inhibitors() { enabled } else { self.stubborn(&enabled) };
        if choices.len() > 1 && !self.seen.insert(self.left.clone().into()) {
            choices.clear();
        }
        choices
    }

    fn enabled(&self, at: usize) -> Option<TransitionId> {
        self.members[at].iter().copied().find(|&t| self.net.enabled(&self.marking, t).is_ok())
    }

    /// Keeps the run to a state in which no column can fire.
    fn keep_end(&mut self) {
        let sum = self.left.iter().sum::<u64>();
        let at = self.ends.best.partition_point(|end| end.firings_left() <= sum);
        if at >= MAX_ENDS {
            return;
        }
        let counts = self.columns.iter().copied().zip(self.left.iter().copied());
        let left: FiringCounts = counts.filter(|count| count.1 > 0).collect();
        if self.ends.best.iter().any(|end| end.left == left) {
            return;
        }
        let run = self.run.iter().map(|step| step.1).collect();
        let end = PartialRun { run, marking: self.marking.clone(), left };
        self.ends.best.insert(at, end);
        self.ends.best.truncate(MAX_ENDS);
    }

    /// The enabled columns of a stubborn set with few of them.
    fn stubborn(&self, enabled: &[usize]) -> Vec<usize> {
        let mut is_enabled = vec![false; self.left.len()];
        enabled.iter().for_each(|&at| is_enabled[at] = true);
        let mut best = enabled.to_vec();
        for &seed in enabled.iter().take(MAX_SEEDS) {
            if best.len() == 1 {
                break;
            }
            let set = self.closure(seed, &is_enabled);
            if set.len() < best.len() {
                best = set;
            }
        }
        best
    }

    /// The enabled columns of the smallest stubborn set around one of them.
    fn closure(&self, seed: usize, is_enabled: &[bool]) -> Vec<usize> {
        let mut inside = vec![false; self.left.len()];
        inside[seed] = true;
        let (mut open, mut enabled) = (vec![seed], Vec::new());
        while let Some(at) = open.pop() {
            let needed = if is_enabled[at] {
                enabled.push(at);
                &self.conflicts[at][..]
            } else {
                self.could_enable(at)
            };
            for &next in needed {
                if self.left[next] > 0 && !std::mem::replace(&mut inside[next], true) {
                    open.push(next);
                }
            }
        }
        enabled
    }

    /// Columns without which a disabled column stays disabled: those that give to one of the places where it lacks tokens.
    fn could_enable(&self, at: usize) -> &[usize] {
        let arcs = self.net.pre(self.members[at][0]).iter();
        let lacking = arcs.filter(|arc| self.marking.tokens(arc.place) < arc.weight);
        let producers =
            lacking.map(|arc| self.producers.get(&arc.place.index()).map_or(&[][..], Vec::as_slice));
        producers.min_by_key(|producers| producers.len()).unwrap_or_default()
    }

    /// Fires a column that is enabled; the search is cut off where a count does not fit.
    fn fire(&mut self, at: usize) -> bool {
        let Some(transition) = self.enabled(at) else { return false };
        let (pre, post) = (self.net.pre(transition), self.net.post(transition));
        let tokens = &mut self.marking.0;
        pre.iter().for_each(|arc| tokens[arc.place.index()] -= arc.weight);
        if post.iter().any(|arc| tokens[arc.place.index()].checked_add(arc.weight).is_none()) {
            pre.iter().for_each(|arc| tokens[arc.place.index()] += arc.weight);
            self.ends.complete = false;
            return false;
        }
        post.iter().for_each(|arc| tokens[arc.place.index()] += arc.weight);
        self.left[at] -= 1;
        self.run.push((at, transition));
        true
    }

    fn undo(&mut self) {
        let Some((at, transition)) = self.run.pop() else { return };
        self.left[at] += 1;
        for arc in self.net.post(transition) {
            self.marking.0[arc.place.index()] -= arc.weight;
        }
        for arc in self.net.pre(transition) {
            self.marking.0[arc.place.index()] += arc.weight;
        }
    }
}

//! Branch and cut over the state equation: the search for a refutation, or for an integral solution.
//!
//! A node of the search is a linear program with the unions that are still to be met. While it has a solution, constraints that
//! the solution breaks are added: first places that it makes negative, then parts of unions, then [cuts](super::cuts), then
//! bounds around a count that is not integral. Where there are several alternatives the search branches, and each must be
//! refuted. A node is refuted when its constraints contradict each other, checked in integers. So a refutation is a tree: its
//! leaves are checked by `contradict`, and its branches are exhaustive by the definitions of unions, cuts and integers. The
//! tree is kept as it is found ([`RefutationTree`]), because each constraint knows its origin; `Certifier` of `fireset-reduce`
//! translates it into a certificate.
//!
//! A search for a refutation ends at the first leaf that it cannot close, one for an integral solution at the first leaf that
//! has one.
//!
//! All of it happens in a [`CountRegion`]: counts have lower bounds, and there may be other constraints. Lower bounds cost no
//! constraints: the unknowns of the linear program are the excess of the counts over them.
//! Cost: [`BranchLimits`]. Test: `tests.rs`.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
    time::Duration,
};

use fireset_kernel::lp::{LinearProgram, LpOutcome};
use fireset_net::{Budget, Linear};

use super::{
    MarkingCondition, StateEquation,
    constraint::{FiringConstraint, contradict, integers},
    cuts::{CutPoint, StructuralCut},
    integrality::{integral_counts, is_fraction, nearest_integer},
    refutation::{BranchChoice, ConditionPath, ConstraintOrigin, ProofSize, RefutationTree},
    region::{CountRegion, FiringCounts},
};

/// Differences below this are rounding errors.
const NEAR: f64 = 1e-6;
/// Constraints that are added for one solution.
const CONSTRAINTS_PER_SOLUTION: usize = 30;
/// Solutions that make places negative before all places are constrained: a few places decide most questions, and where they
/// do not, one solution after the other would move tokens to the next place that has none.
const SOLUTIONS_BEFORE_ALL_PLACES: usize = 12;
/// A step of the simplex algorithm counts once more for each such number of constraints.
const CONSTRAINTS_PER_STEP: usize = 64;
/// Cuts that are added for one solution.
const CUTS_PER_SOLUTION: usize = 4;
/// Branches inside each other.
const MAX_DEPTH: usize = 40;
/// Steps of one rounding heuristic.
const MAX_ROUNDING_STEPS: usize = 400;
/// Alternatives of cuts that one rounding heuristic takes.
const MAX_ROUNDING_CUTS: usize = 20;

/// No search takes longer, whatever its budget.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The limits of one search.
#[derive(Clone, Debug)]
pub struct BranchLimits {
    /// Nodes that branch over the parts of a union.
    nodes: usize,
    /// Nodes that branch over cuts and around fractions.
    splits: usize,
    /// Rounds of cuts in one node.
    cuts: usize,
    /// Uses of the rounding heuristic.
    roundings: usize,
    /// Constraints of a linear program.
    constraints: usize,
    /// Steps of the simplex algorithm, weighed by the constraints.
    steps: usize,
    budget: Budget,
}

impl BranchLimits {
    pub(crate) fn of(budget: &Budget) -> Self {
        Self {
            nodes: 2_000,
            splits: 60,
            cuts: 12,
            roundings: 6,
            constraints: 20_000,
            steps: 20_000,
            budget: budget.within(MAX_TIME),
        }
    }

    /// Neither branches nor cuts: a single linear program.
    pub(super) fn relaxed(self) -> Self {
        Self { nodes: 0, splits: 0, cuts: 0, ..self }
    }

    /// Multiplies the numbers of nodes and steps, but not the time.
    pub(crate) fn times(self, by: usize) -> Self {
        let [nodes, splits, steps] = [self.nodes, self.splits, self.steps].map(|n| n.saturating_mul(by));
        Self { nodes, splits, steps, ..self }
    }
}

/// The path to a part of a part.
fn below(path: &[u32], further: &[u32]) -> ConditionPath {
    path.iter().chain(further).copied().collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchAim {
    Refutation,
    Solution,
}

/// How a search ends.
#[derive(Clone, Debug)]
pub enum BranchResult {
    /// No run has counts in the region that meet the condition.
    Refuted(RefutationTree),
    /// Integral counts that solve everything, as far as floating point can tell.
    Integral(FiringCounts),
    /// The limits ended the search.
    Open,
}

/// One search; its limits are used up by it.
pub(super) struct BranchAndCut<'e, 'a> {
    equation: &'e StateEquation<'a>,
    region: &'e CountRegion,
    aim: SearchAim,
    limits: BranchLimits,
    proof: ProofSize,
}

#[derive(Clone)]
struct BranchNode<'c> {
    system: LinearProgram,
    constraints: Vec<Rc<(FiringConstraint, ConstraintOrigin)>>,
    /// Places whose counts are constrained not to be below 0.
    places: HashSet<u32>,
    /// Solutions so far that made a place negative.
    negative_solutions: usize,
    /// Unions, and transitions that must be disabled, that no constraint expresses yet.
    open: Vec<(&'c MarkingCondition, ConditionPath)>,
    cut_rounds: usize,
    depth: usize,
}

enum BranchAlternative<'c> {
    Condition(&'c MarkingCondition, ConditionPath),
    Constraint(FiringConstraint, ConstraintOrigin),
}

type BranchAlternatives<'c> = (BranchChoice, Vec<BranchAlternative<'c>>);

/// A solution of a node's linear program: counts by column, and changes by place.
struct LpPoint {
    counts: Vec<(u32, f64)>,
    changed: HashMap<u32, f64>,
}

impl<'e, 'a> BranchAndCut<'e, 'a> {
    pub(crate) fn new(
        equation: &'e StateEquation<'a>,
        region: &'e CountRegion,
        limits: BranchLimits,
    ) -> Self {
        Self { equation, region, aim: SearchAim::Refutation, limits, proof: ProofSize::default() }
    }

    pub(crate) fn refutes(mut self, condition: &MarkingCondition) -> Option<(ProofSize, RefutationTree)> {
        match self.close(self.root(condition)) {
            BranchResult::Refuted(tree) => Some((self.proof, tree)),
            BranchResult::Integral(_) | BranchResult::Open => None,
        }
    }

    /// Looks for an integral solution that meets a condition.
    pub(crate) fn solves(mut self, condition: &MarkingCondition) -> BranchResult {
        self.aim = SearchAim::Solution;
        self.close(self.root(condition))
    }

    fn root<'c>(&self, condition: &'c MarkingCondition) -> BranchNode<'c> {
        let mut root = BranchNode {
            system: LinearProgram::default(),
            constraints: Vec::new(),
            places: HashSet::new(),
            negative_solutions: 0,
            open: Vec::new(),
            cut_rounds: 0,
            depth: 0,
        };
        self.assume(&mut root, condition, &mut Vec::new());
        self.region
            .constraints
            .iter()
            .for_each(|constraint| self.push(&mut root, constraint, ConstraintOrigin::Region));
        root
    }

    /// Adds a condition, the part at a path, to a node; inequalities whose numbers do not fit are left out.
    fn assume<'c>(&self, node: &mut BranchNode<'c>, condition: &'c MarkingCondition, path: &mut Vec<u32>) {
        match condition {
            MarkingCondition::AtLeast(form) => {
                if let Some(constraint) = self.equation.constraint(form) {
                    self.push(node, &constraint, ConstraintOrigin::Part(path[..].into()));
                }
            }
            MarkingCondition::All(parts) | MarkingCondition::Any(parts)
                if parts.len() == 1 || matches!(condition, MarkingCondition::All(_)) =>
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

    /// Adds a constraint on counts to a node, as one on their excess over the lower bounds; it is left out where a number does
    /// not fit.
    fn push(&self, node: &mut BranchNode<'_>, constraint: &FiringConstraint, origin: ConstraintOrigin) {
        let Some(shifted) = self.region.shifted(constraint) else { return };
        let terms = shifted.terms.iter().map(|&(column, factor)| (column, factor as f64));
        node.system.push(terms, shifted.least as f64);
        node.constraints.push(Rc::new((shifted, origin)));
    }

    /// Refutes a node, or finds a solution of it.
    fn close(&mut self, mut node: BranchNode<'_>) -> BranchResult {
        loop {
            match self.solve(&mut node) {
                LpOutcome::Interrupted => return BranchResult::Open,
                LpOutcome::Infeasible(multipliers) => {
                    self.proof.leaves += 1;
                    let leaf = integers(&multipliers).and_then(|multipliers| node.leaf(&multipliers));
                    return leaf.map_or(BranchResult::Open, BranchResult::Refuted);
                }
                LpOutcome::Feasible => {}
            }
            let point = self.point(&node);
            if self.add_negative_places(&mut node, &point) {
                continue;
            }
            if self.add_forced_disabling(&mut node, &point) {
                continue;
            }
            let Some((choice, alternatives)) = self.unmet(&mut node, &point) else {
                if self.add_cuts(&mut node, &point) {
                    continue;
                }
                return self.branch(&node, &point);
            };
            if self.limits.nodes < alternatives.len() {
                return BranchResult::Open;
            }
            self.limits.nodes -= alternatives.len();
            return self.close_all(&node, choice, alternatives);
        }
    }

    fn close_all<'c>(
        &mut self,
        node: &BranchNode<'c>,
        choice: BranchChoice,
        alternatives: Vec<BranchAlternative<'c>>,
    ) -> BranchResult {
        if node.depth >= MAX_DEPTH {
            return BranchResult::Open;
        }
        let (mut trees, mut is_open) = (Vec::new(), false);
        for alternative in alternatives {
            match self.close(self.child(node, alternative)) {
                BranchResult::Refuted(tree) => trees.push(tree),
                BranchResult::Open
                    if self.aim == SearchAim::Solution && self.limits.budget.go_on().is_ok() =>
                {
                    is_open = true;
                }
                end => return end,
            }
        }
        if is_open {
            BranchResult::Open
        } else {
            BranchResult::Refuted(RefutationTree::Branch(choice, trees))
        }
    }

    fn child<'c>(&self, node: &BranchNode<'c>, alternative: BranchAlternative<'c>) -> BranchNode<'c> {
        let mut child = node.clone();
        child.depth += 1;
        child.cut_rounds = 0;
        self.choose(&mut child, alternative);
        child
    }

    fn choose<'c>(&self, node: &mut BranchNode<'c>, alternative: BranchAlternative<'c>) {
        match alternative {
            BranchAlternative::Condition(condition, path) => self.assume(node, condition, &mut path.to_vec()),
            BranchAlternative::Constraint(constraint, origin) => self.push(node, &constraint, origin),
        }
    }

    fn solve(&mut self, node: &mut BranchNode<'_>) -> LpOutcome {
        if node.constraints.len() > self.limits.constraints {
            return LpOutcome::Interrupted;
        }
        let weight = 1 + node.constraints.len() / CONSTRAINTS_PER_STEP;
        let BranchLimits { steps, budget, .. } = &mut self.limits;
        node.system.solve(&mut || {
            *steps = steps.saturating_sub(weight);
            *steps > 0 && budget.go_on().is_ok()
        })
    }

    fn point(&self, node: &BranchNode<'_>) -> LpPoint {
        let counts = self.region.counts(node.system.solution());
        let mut changed: HashMap<u32, f64> = HashMap::new();
        for &(column, count) in &counts {
            for &(place, change) in self.equation.incidence.effect(column) {
                *changed.entry(place).or_default() += count * change as f64;
            }
        }
        LpPoint { counts, changed }
    }

    fn tokens(&self, point: &LpPoint, place: u32) -> f64 {
        self.equation.initial(place) as f64 + point.changed.get(&place).copied().unwrap_or(0.0)
    }

    fn value(&self, point: &LpPoint, form: &Linear) -> f64 {
        let tokens = |&(place, factor): &(u32, i128)| factor as f64 * self.tokens(point, place);
        form.constant as f64 + form.terms.iter().map(tokens).sum::<f64>()
    }

    /// Adds constraints for places that the solution makes negative, the worst first.
    fn add_negative_places(&self, node: &mut BranchNode<'_>, point: &LpPoint) -> bool {
        let tokens = point.changed.keys().map(|&place| (place, self.tokens(point, place)));
        let mut negative: Vec<(u32, f64)> =
            tokens.filter(|&(place, tokens)| tokens < -NEAR && !node.places.contains(&place)).collect();
        negative.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        node.negative_solutions += usize::from(!negative.is_empty());
        let all = 0..self.equation.incidence.rows().len() as u32;
        if node.negative_solutions == SOLUTIONS_BEFORE_ALL_PLACES && all.len() <= self.limits.constraints {
            return self.add_places(node, all);
        }
        self.add_places(node, negative.into_iter().map(|(place, _)| place).take(CONSTRAINTS_PER_SOLUTION))
    }

    /// Adds the constraints that places are not negative, unless they are there.
    fn add_places(&self, node: &mut BranchNode<'_>, places: impl Iterator<Item = u32>) -> bool {
        let mut added = false;
        for place in places {
            let form = Linear { terms: vec![(place, 1)], constant: 0 };
            if node.places.insert(place)
                && let Some(constraint) = self.equation.constraint(&form)
            {
                self.push(node, &constraint, ConstraintOrigin::Place(place));
                added = true;
            }
        }
        added
    }

    /// Adds constraints for transitions that must be disabled, have a single arc that can disable them, and are enabled.
    fn add_forced_disabling(&self, node: &mut BranchNode<'_>, point: &LpPoint) -> bool {
        let net = self.equation.net();
        let mut unmet: Vec<(Linear, &ConditionPath, u32)> = Vec::new();
        for (condition, path) in &node.open {
            let MarkingCondition::Disabled(ts) = condition else { continue };
            let ts = ts.iter().enumerate();
            for (at, &t) in ts.filter(|&(_, &t)| net.pre(t).len() + net.inhibitors(t).len() == 1) {
                let forms =
                    MarkingCondition::disabled_forms(net, t).filter(|form| self.value(point, form) < -NEAR);
                unmet.extend(forms.map(|form| (form, path, at as u32)));
            }
        }
        unmet.sort_by(|a, b| a.0.terms.cmp(&b.0.terms));
        unmet.dedup_by(|a, b| a.0 == b.0);
        let forced = unmet.iter().filter_map(|(form, path, at)| {
            Some((self.equation.constraint(form)?, ConstraintOrigin::Part(below(path, &[*at, 0]))))
        });
        let forced: Vec<(FiringConstraint, ConstraintOrigin)> =
            forced.take(CONSTRAINTS_PER_SOLUTION).collect();
        let added = !forced.is_empty();
        forced.iter().for_each(|(constraint, origin)| self.push(node, constraint, origin.clone()));
        added
    }

    /// The smallest union that the solution does not meet.
    fn unmet<'c>(&self, node: &mut BranchNode<'c>, point: &LpPoint) -> Option<BranchAlternatives<'c>> {
        let unmet = |c: &MarkingCondition| !self.is_met(point, c);
        let unions = node.open.iter().enumerate().filter_map(|(at, (condition, _))| match condition {
            MarkingCondition::Any(some) => Some((some.len(), at)),
            _ => None,
        });
        let union = unions.filter(|&(_, at)| unmet(node.open[at].0)).min();
        if let Some((_, at)) = union {
            let (MarkingCondition::Any(some), path) = node.open.swap_remove(at) else { return None };
            let part = |(at, part)| BranchAlternative::Condition(part, below(&path, &[at as u32]));
            let parts = some.iter().enumerate().map(part).collect();
            return Some((BranchChoice::Part(path), parts));
        }
        let net = self.equation.net();
        let disabled = node.open.iter().flat_map(|(condition, path)| {
            let ts = if let MarkingCondition::Disabled(ts) = condition { ts.as_slice() } else { &[] };
            ts.iter().enumerate().map(move |(at, &t)| (t, path, at as u32))
        });
        let forms = |t| MarkingCondition::disabled_forms(net, t);
        let enabled = disabled.filter(|&(t, ..)| forms(t).all(|form| self.value(point, &form) < -NEAR));
        let (t, path, at) = enabled.min_by_key(|&(t, ..)| net.pre(t).len() + net.inhibitors(t).len())?;
        let alternative = |(number, form)| {
            let origin = ConstraintOrigin::Part(below(path, &[at, number as u32]));
            Some(BranchAlternative::Constraint(self.equation.constraint(&form)?, origin))
        };
        let alternatives = forms(t).enumerate().map(alternative).collect::<Option<_>>()?;
        Some((BranchChoice::Part(below(path, &[at])), alternatives))
    }

    fn is_met(&self, point: &LpPoint, condition: &MarkingCondition) -> bool {
        match condition {
            MarkingCondition::AtLeast(form) => self.value(point, form) > -NEAR,
            MarkingCondition::All(all) => all.iter().all(|c| self.is_met(point, c)),
            MarkingCondition::Any(some) => some.iter().any(|c| self.is_met(point, c)),
            MarkingCondition::Disabled(ts) => ts.iter().all(|&t| {
                MarkingCondition::disabled_forms(self.equation.net(), t)
                    .any(|form| self.value(point, &form) > -NEAR)
            }),
        }
    }

    /// Adds cuts without alternatives that the solution breaks.
    fn add_cuts(&mut self, node: &mut BranchNode<'_>, point: &LpPoint) -> bool {
        if node.cut_rounds >= self.limits.cuts {
            return false;
        }
        let mut added = false;
        for mut cut in self.broken(point) {
            if cut.alternatives.len() == 1 {
                added = true;
                self.proof.cuts += 1;
                self.push(node, &cut.alternatives.remove(0), ConstraintOrigin::Cut(cut.reason));
            }
        }
        node.cut_rounds += usize::from(added);
        added
    }

    fn broken(&self, point: &LpPoint) -> Vec<StructuralCut> {
        let mut fired: Vec<u32> = point.counts.iter().map(|count| count.0).collect();
        fired.sort_unstable();
        let is_empty = |place| self.tokens(point, place) < NEAR;
        self.equation.broken(&CutPoint { is_empty: &is_empty, fired: &fired }, CUTS_PER_SOLUTION)
    }

    /// Branches around a fraction or over the alternatives of a cut; where there is neither, the solution is integral.
    fn branch(&mut self, node: &BranchNode<'_>, point: &LpPoint) -> BranchResult {
        let by_fraction = self.around_a_fraction(point);
        let by_cut = || {
            self.broken(point).into_iter().next().map(|cut| (BranchChoice::Cut(cut.reason), cut.alternatives))
        };
        let Some((choice, constraints)) = by_fraction.or_else(by_cut) else {
            return integral_counts(&point.counts).map_or(BranchResult::Open, BranchResult::Integral);
        };
        if self.aim == SearchAim::Solution && self.limits.roundings > 0 {
            self.limits.roundings -= 1;
            if let Some(counts) = self.round(node.clone()) {
                return BranchResult::Integral(counts);
            }
        }
        if self.limits.splits < constraints.len() {
            return BranchResult::Open;
        }
        self.limits.splits -= constraints.len();
        match choice {
            BranchChoice::Cut(_) => self.proof.cuts += 1,
            _ => self.proof.splits += 1,
        }
        let alternatives = constraints
            .into_iter()
            .map(|constraint| BranchAlternative::Constraint(constraint, ConstraintOrigin::Case(node.depth)));
        self.close_all(node, choice, alternatives.collect())
    }

    /// Looks for an integral solution below a node without backtracking: fractions become the nearest integer, the nearest
    /// first. Alternatives of cuts are taken too, as long as that leads to a solution; otherwise the last solution is returned.
    fn round(&mut self, mut node: BranchNode<'_>) -> Option<FiringCounts> {
        let (mut best, mut choices) = (None, 0);
        for _ in 0..MAX_ROUNDING_STEPS {
            if self.solve(&mut node) != LpOutcome::Feasible {
                break;
            }
            let point = self.point(&node);
            if self.add_negative_places(&mut node, &point) || self.add_forced_disabling(&mut node, &point) {
                continue;
            }
            if let Some((_, alternatives)) = self.unmet(&mut node, &point) {
                let far = |at: &BranchAlternative<'_>| self.distance(&point, at);
                let nearest = alternatives.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
                self.choose(&mut node, nearest);
                continue;
            }
            if self.add_cuts(&mut node, &point) {
                continue;
            }
            if let Some(constraint) = nearest_integer(&point.counts) {
                self.push(&mut node, &constraint, ConstraintOrigin::Region);
                continue;
            }
            best = integral_counts(&point.counts);
            let choice = self.broken(&point).into_iter().next().filter(|_| choices < MAX_ROUNDING_CUTS);
            // The second alternative says that a column fires which makes the solution possible.
            let Some(second) = choice.and_then(|cut| cut.alternatives.into_iter().nth(1)) else { break };
            choices += 1;
            self.push(&mut node, &second, ConstraintOrigin::Region);
        }
        best
    }

    /// How far a solution is from meeting an alternative.
    fn distance(&self, point: &LpPoint, alternative: &BranchAlternative<'_>) -> f64 {
        match alternative {
            BranchAlternative::Condition(condition, _) => self.distance_to(point, condition),
            BranchAlternative::Constraint(constraint, _) => {
                let counts: HashMap<u32, f64> = point.counts.iter().copied().collect();
                let count = |column: u32| counts.get(&column).copied().unwrap_or(0.0);
                let sum: f64 = constraint.terms.iter().map(|&(column, f)| f as f64 * count(column)).sum();
                (constraint.least as f64 - sum).max(0.0)
            }
        }
    }

    fn distance_to(&self, point: &LpPoint, condition: &MarkingCondition) -> f64 {
        match condition {
            MarkingCondition::AtLeast(form) => (-self.value(point, form)).max(0.0),
            MarkingCondition::All(all) => all.iter().map(|c| self.distance_to(point, c)).sum(),
            MarkingCondition::Any(some) => some
                .iter()
                .map(|c| self.distance_to(point, c))
                .min_by(f64::total_cmp)
                .unwrap_or(f64::INFINITY),
            MarkingCondition::Disabled(_) => f64::from(u8::from(!self.is_met(point, condition))),
        }
    }

    /// Two constraints, of which every integral solution satisfies one and this solution none.
    fn around_a_fraction(&self, point: &LpPoint) -> Option<(BranchChoice, Vec<FiringConstraint>)> {
        let mut places: Vec<u32> = point.changed.keys().copied().collect();
        places.sort_unstable();
        let place = places.into_iter().find(|&place| is_fraction(self.tokens(point, place)));
        if let Some(place) = place {
            let below = self.tokens(point, place).floor() as i128;
            let constraint = |factor, constant| {
                self.equation.constraint(&Linear { terms: vec![(place, factor)], constant })
            };
            return Some((
                BranchChoice::Tokens(place, below),
                vec![constraint(-1, below)?, constraint(1, -below - 1)?],
            ));
        }
        let &(column, count) = point.counts.iter().find(|count| is_fraction(count.1))?;
        let below = count.floor() as i128;
        let constraint = |factor, least| FiringConstraint { terms: vec![(column, factor)], least };
        Some((BranchChoice::Firings(column, below), vec![constraint(-1, -below), constraint(1, below + 1)]))
    }
}

impl BranchNode<'_> {
    /// The constraints with these multipliers, if they contradict each other.
    fn leaf(&self, multipliers: &[(u32, i128)]) -> Option<RefutationTree> {
        let constraint = |at: u32| &*self.constraints[at as usize];
        let premise = |&(at, times): &(u32, i128)| (constraint(at).1.clone(), times);
        contradict(|at| &constraint(at).0, multipliers)
            .then(|| RefutationTree::Leaf(multipliers.iter().map(premise).collect()))
    }
}

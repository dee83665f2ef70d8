//! Why a CTL formula has its value, as a tree: for each subformula that matters, the marking where it has which value, and the run that
//! shows it.
//!
//! What: the value of a formula in a marking of some runs that branch comes from the values of its operands there, or along a
//! run of theirs. The tree follows one such reason for each value; where all runs matter it counts the markings that they visit. Why:
//! runs that branch are a set of markings and steps, in which a reader has to find the reason.
//! Needs: evidence that has been confirmed. Invariant: every value in the tree is known from the runs and claims, and a run in it is
//! one of the net. Cost: that of the confirmation, and for each node that has a run a search of the markings of the evidence; all
//! searches together end after a number of markings, and what would come later is left out.
//! Test: `tests/branching.rs`, each node against the reference checker.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
};

use super::{Refusal, branching::CtlValuation, fragment::KnownStates};
use crate::{BoolTree, Branching, CtlAtom, CtlFormula, Model, Quantifier, Semantics, Step, Temporal};

/// Why a formula has its value in a marking.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What has the value.
    pub formula: CtlFormula,
    /// The first number of the marking among those that the runs visit; 0 is the initial one.
    pub marking: usize,
    /// Whether the formula holds there.
    pub holds: bool,
    /// What the value comes from.
    pub reason: ExplanationReason,
}

/// Why a formula has its value.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplanationReason {
    /// The tokens of the marking tell.
    Marking,
    /// The values of these operands in the same marking.
    Operands(Vec<Explanation>),
    /// A run, and the values of operands in its markings.
    Run {
        /// The steps, each with the number of the marking that it leads to.
        steps: Vec<(Step, usize)>,
        /// What follows its last step.
        end: ExplainedEnd,
        /// In the order of the markings.
        operands: Vec<Explanation>,
    },
    /// All steps from the marking: a value after each of them.
    AllSteps(Vec<Explanation>),
    /// All runs from the marking; the number of markings that they visit.
    AllRuns(usize),
    /// Nothing but a claim.
    Claim,
    /// The tree ends here, since it is deep enough or large.
    Omitted,
}

/// What follows the steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainedEnd {
    /// Anything: the last marking decides.
    Open,
    /// The last step leads back to the marking after this number of steps.
    BackTo(usize),
    /// Nothing is enabled.
    Deadlock,
}

/// The markings that all searches for runs see together.
const MOST_SEEN: u64 = 1 << 22;

/// Explains the value of a formula in the initial marking by runs that branch, by this number of operators below each other at
/// most; `None` if the runs leave it open.
pub fn explain(
    model: &Model,
    formula: &CtlFormula,
    evidence: &Branching,
    depth: usize,
) -> Result<Option<Explanation>, Refusal> {
    match model {
        Model::Plain(net) => explain_on(net, formula, evidence, depth),
        Model::Coloured(net) => explain_on(net, formula, evidence, depth),
    }
}

fn explain_on<'a, S: Semantics>(
    net: &'a S,
    formula: &CtlFormula,
    evidence: &'a Branching,
    depth: usize,
) -> Result<Option<Explanation>, Refusal> {
    let (valuation, walked) = CtlValuation::new(net, evidence)?;
    let numbers = valuation.fragment.first_numbers();
    let mut taken = HashMap::new();
    for (run, states) in evidence.runs.iter().zip(&walked) {
        for (step, pair) in run.steps.iter().zip(states.windows(2)) {
            taken.entry((pair[0], pair[1])).or_insert(step);
        }
    }
    let (known, left) = (RefCell::default(), Cell::new(MOST_SEEN));
    let explainer = Explainer { valuation, numbers, taken, known, left };
    explainer.explain(formula, 0, depth)
}

/// A subformula whose value counts, or whose negation does.
#[derive(Clone, Copy)]
struct ExplainedOperand<'f> {
    formula: &'f CtlFormula,
    is_negated: bool,
}

/// An operator that some run shows.
enum RunOperator<'f> {
    Next(ExplainedOperand<'f>),
    /// The second, and until then the first if there is one.
    Until(Option<ExplainedOperand<'f>>, ExplainedOperand<'f>),
    /// Both at the same time, and until then the first.
    Both(ExplainedOperand<'f>, ExplainedOperand<'f>),
    Globally(ExplainedOperand<'f>),
}

struct Explainer<'a, S: Semantics> {
    valuation: CtlValuation<'a, S>,
    /// For each state its first number.
    numbers: Vec<usize>,
    /// For each pair of states the first step of the runs from one to the other.
    taken: HashMap<(usize, usize), &'a Step>,
    known: RefCell<Vec<(CtlFormula, KnownStates)>>,
    /// The markings that searches may still see.
    left: Cell<u64>,
}

impl<S: Semantics> Explainer<'_, S> {
    fn known(&self, formula: &CtlFormula) -> Result<KnownStates, Refusal> {
        if let Some((_, known)) = self.known.borrow().iter().find(|(other, _)| other == formula) {
            return Ok(known.clone());
        }
        let known = self.valuation.known(formula)?;
        self.known.borrow_mut().push((formula.clone(), known.clone()));
        Ok(known)
    }

    fn operand(&self, operand: ExplainedOperand<'_>) -> Result<KnownStates, Refusal> {
        let known = self.known(operand.formula)?;
        Ok(if operand.is_negated { known.not() } else { known })
    }

    /// Why a formula has its value in a marking; `None` if the value is not known.
    fn explain(&self, formula: &CtlFormula, at: usize, depth: usize) -> Result<Option<Explanation>, Refusal> {
        let known = self.known(formula)?;
        let holds = match (known.yes[at], known.no[at]) {
            (true, _) => true,
            (_, true) => false,
            _ => return Ok(None),
        };
        let reason = self.reason(formula, at, holds, depth)?;
        Ok(Some(Explanation { formula: formula.clone(), marking: self.numbers[at], holds, reason }))
    }

    /// `depth` is that of the tree below this node.
    fn reason(
        &self,
        formula: &CtlFormula,
        at: usize,
        holds: bool,
        depth: usize,
    ) -> Result<ExplanationReason, Refusal> {
        let shown = self.valuation.shown(formula)?;
        if !(shown.yes[at] || shown.no[at]) {
            return Ok(ExplanationReason::Claim);
        }
        if formula.as_state().is_some() {
            return Ok(ExplanationReason::Marking);
        }
        let Some(depth) = depth.checked_sub(1).filter(|_| self.left.get() > 0) else {
            return Ok(ExplanationReason::Omitted);
        };
        let operands = |formulas: &[CtlFormula], decides: bool| -> Result<_, Refusal> {
            let mut all = Vec::new();
            for formula in formulas {
                let Some(explanation) = self.explain(formula, at, depth)? else { continue };
                match explanation.holds == decides {
                    // One is enough.
                    true => return Ok(ExplanationReason::Operands(vec![explanation])),
                    false => all.push(explanation),
                }
            }
            Ok(ExplanationReason::Operands(all))
        };
        match formula {
            BoolTree::Constant(_) | BoolTree::Atom(CtlAtom::State(_)) => Ok(ExplanationReason::Marking),
            BoolTree::Not(f) => operands(std::slice::from_ref(f), true),
            BoolTree::And(fs) => operands(fs, false),
            BoolTree::Or(fs) => operands(fs, true),
            BoolTree::Iff(sides) => {
                let both = [self.explain(&sides.0, at, depth)?, self.explain(&sides.1, at, depth)?];
                Ok(ExplanationReason::Operands(both.into_iter().flatten().collect()))
            }
            BoolTree::Atom(CtlAtom::Temporal(quantifier, operator)) => {
                // What all runs have is what no run lacks.
                let is_negated = *quantifier == Quantifier::ForAll;
                let some_run = holds != is_negated;
                for operator in some_runs(operator, is_negated) {
                    if let Some(reason) = self.temporal(&operator, at, some_run, depth)? {
                        return Ok(reason);
                    }
                }
                Ok(ExplanationReason::AllRuns(self.reached(at)))
            }
        }
    }

    /// Why there is, or is not, a run for an operator; `None` if this operator is not the reason.
    fn temporal(
        &self,
        operator: &RunOperator<'_>,
        at: usize,
        some_run: bool,
        depth: usize,
    ) -> Result<Option<ExplanationReason>, Refusal> {
        if some_run {
            return self.run(operator, at, depth);
        }
        let RunOperator::Next(f) = operator else { return Ok(None) };
        let mut all = Vec::new();
        for &next in &self.valuation.fragment.successors[at] {
            all.extend(self.explain(f.formula, next, depth)?);
        }
        Ok(Some(ExplanationReason::AllSteps(all)))
    }

    /// A run for an operator, if there is one.
    fn run(
        &self,
        operator: &RunOperator<'_>,
        at: usize,
        depth: usize,
    ) -> Result<Option<ExplanationReason>, Refusal> {
        let (path, end, goal, along) = match *operator {
            RunOperator::Next(f) => {
                let known = self.operand(f)?;
                let next = self.valuation.fragment.successors[at].iter().find(|&&next| known.yes[next]);
                let Some(&next) = next else { return Ok(None) };
                (vec![at, next], ExplainedEnd::Open, Some(f), None)
            }
            RunOperator::Until(f, g) => {
                let hold = f.map(|f| self.operand(f)).transpose()?;
                let goal = self.operand(g)?;
                let holds = |at: usize| hold.as_ref().is_none_or(|hold| hold.yes[at]);
                let Some(path) = self.path(at, &holds, &goal.yes) else { return Ok(None) };
                (path, ExplainedEnd::Open, Some(g), f)
            }
            RunOperator::Both(f, g) => {
                let hold = self.operand(f)?;
                let goal = hold.and(&self.operand(g)?);
                let Some(path) = self.path(at, &|at| hold.yes[at], &goal.yes) else { return Ok(None) };
                // The first is explained in the last marking, too.
                (path, ExplainedEnd::Open, Some(g), Some(f))
            }
            RunOperator::Globally(f) => {
                let forever = self.valuation.some_globally(&self.operand(f)?);
                let Some((path, end)) = self.endless(at, &forever.yes) else { return Ok(None) };
                (path, end, None, Some(f))
            }
        };
        let mut operands = Vec::new();
        let ends_with_first = end == ExplainedEnd::Deadlock || matches!(operator, RunOperator::Both(..));
        let visited = if ends_with_first { path.len() } else { path.len() - 1 };
        // The values of state predicates can be seen in the markings.
        if let Some(f) = along.filter(|f| f.formula.as_state().is_none()) {
            for &state in &path[..visited] {
                operands.extend(self.explain(f.formula, state, depth)?);
            }
        }
        if let Some(g) = goal {
            operands.extend(self.explain(g.formula, path[path.len() - 1], depth)?);
        }
        let step = |pair: &[usize]| (self.taken[&(pair[0], pair[1])].clone(), self.numbers[pair[1]]);
        let steps = path.windows(2).map(step).collect();
        Ok(Some(ExplanationReason::Run { steps, end, operands }))
    }

    /// Counts a marking that a search sees.
    fn see(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }

    /// A shortest path through states that hold to a goal.
    fn path(&self, from: usize, holds: &dyn Fn(usize) -> bool, goal: &[bool]) -> Option<Vec<usize>> {
        let mut before = HashMap::from([(from, from)]);
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            self.see();
            if goal[at] {
                let mut path = vec![at];
                while path[path.len() - 1] != from {
                    path.push(before[&path[path.len() - 1]]);
                }
                path.reverse();
                return Some(path);
            }
            if !holds(at) {
                continue;
            }
            for &next in &self.valuation.fragment.successors[at] {
                before.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    at
                });
            }
        }
        None
    }

    /// A path inside of a set that ends in a deadlock or comes back to itself, if it begins there.
    fn endless(&self, from: usize, inside: &[bool]) -> Option<(Vec<usize>, ExplainedEnd)> {
        if !inside[from] {
            return None;
        }
        let (mut path, mut at_step) = (vec![from], HashMap::from([(from, 0)]));
        loop {
            let at = path[path.len() - 1];
            self.see();
            if self.valuation.fragment.is_deadlock(at) {
                return Some((path, ExplainedEnd::Deadlock));
            }
            let next = *self.valuation.fragment.successors[at].iter().find(|&&next| inside[next])?;
            path.push(next);
            if let Some(back_to) = at_step.insert(next, path.len() - 1) {
                return Some((path, ExplainedEnd::BackTo(back_to)));
            }
        }
    }

    /// The number of states that the runs from one of them visit.
    fn reached(&self, from: usize) -> usize {
        let mut seen = vec![false; self.valuation.fragment.states.len()];
        let mut open = vec![from];
        let mut count = 0;
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                self.see();
                count += 1;
                open.extend(&self.valuation.fragment.successors[at]);
            }
        }
        count
    }
}

/// The operators of which some run has one exactly if some run has the operator, or if `is_negated`, its negation.
fn some_runs(operator: &Temporal<CtlFormula>, is_negated: bool) -> Vec<RunOperator<'_>> {
    let operand = |formula| ExplainedOperand { formula, is_negated };
    match (operator, is_negated) {
        (Temporal::Next(f), _) => vec![RunOperator::Next(operand(f))],
        (Temporal::Finally(f), false) | (Temporal::Globally(f), true) => {
            vec![RunOperator::Until(None, operand(f))]
        }
        (Temporal::Globally(f), false) | (Temporal::Finally(f), true) => {
            vec![RunOperator::Globally(operand(f))]
        }
        (Temporal::Until(f, g), false) | (Temporal::Release(f, g), true) => {
            vec![RunOperator::Until(Some(operand(f)), operand(g))]
        }
        // The second until both hold, or for ever; of the negations likewise.
        (Temporal::Release(f, g), false) | (Temporal::Until(f, g), true) => {
            vec![RunOperator::Globally(operand(g)), RunOperator::Both(operand(g), operand(f))]
        }
        (Temporal::WeakUntil(f, g), false) => {
            vec![RunOperator::Until(Some(operand(f)), operand(g)), RunOperator::Globally(operand(f))]
        }
        (Temporal::WeakUntil(f, g), true) => vec![RunOperator::Both(operand(g), operand(f))],
    }
}

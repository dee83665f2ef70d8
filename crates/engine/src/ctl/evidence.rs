//! Branching evidence for the value of a CTL formula, built from the status tables of its evaluation.
//!
//! From the formula down: a term in a marking is shown by showing those of its operands that give it its value, and
//! an operator by steps to other markings, in which its operands are shown:
//!
//! | operator | true | false |
//! |---|---|---|
//! | `EX g` | a step to `g` | all steps, if there are few |
//! | `E[f U g]` | a shortest run to `g` | all reachable markings, if there are few |
//! | `A[f U g]` | all markings reachable before `g`, if there are few | a run without `g` to a marking without `f`, a deadlock, or one of its own |
//!
//! A value that would take too many steps is claimed, as it is written in the formula. Where the evidence would be a claim
//! alone, or a limit is passed, there is none. An operator is shown once in a marking. The replay reads runs as a part of
//! the reachability graph, so it does not matter which run was recorded for which operator.
//!
//! Invariants: (1) a term is shown only in a marking in which it is known: an operator that was evaluated in a marking
//! knew its operands there, as far as they decide it; (2) markings have a number before anything is shown in them.
//! Cost: bounded by the limits below. Test: `tests/ctl.rs`, where all evidence is replayed.

use std::collections::{HashSet, VecDeque};

use fireset_kernel::store::RowId;
use fireset_net::{Branching, Budget, CtlFormula};

use super::{
    evaluate::Evaluation,
    operators::{CtlTerm, OperatorId, TemporalKind, TemporalOperator, TermAtom},
    recorder::{BranchingRecorder, GivenUp},
    runs::{MarkingEdge, MarkingLinks, chained},
    status::Status,
};
use crate::search::{ActionCursor, MarkingSpace, PendingSuccessors, StateSpace, WorkLimit};

/// The most firings for all evidence of a formula, which take less than a second, and for one run of it.
const MAX_FIRINGS: u64 = 1_000_000;
const MAX_RUN_FIRINGS: usize = 300_000;
/// The most successors of a marking that are all shown.
const FEW_SUCCESSORS: usize = 16;
/// The most markings whose successors are all shown, and the most steps of those.
const FEW_MARKINGS: usize = 64;
const FEW_STEPS: usize = 512;
/// The most steps of a search for a value that was not needed before.
const EFFORT: usize = 1 << 8;
/// The firings that such a search counts as.
const COST: u64 = 1 << 6;

/// Steps on a space.
type MarkingRun<S> = Vec<MarkingEdge<<S as StateSpace>::ActionId>>;

/// Runs that show that a formula, which was evaluated, has this value.
pub(super) fn of<S: MarkingSpace>(
    evaluation: &mut Evaluation<'_, S>,
    formula: &CtlFormula,
    value: bool,
    budget: &Budget,
) -> Option<Branching> {
    let (initial, operators) = (evaluation.markings.initial, evaluation.operators);
    let record = BranchingRecorder::new(initial, evaluation.net.nodes().places.len());
    let patience = WorkLimit::new(MAX_FIRINGS, budget);
    // Searches from now on are small, and of operators that others depend on.
    evaluation.queues = false;
    let mut builder =
        EvidenceBuilder { evaluation, formula, record, shown: HashSet::new(), patience, budget };
    builder.show(&operators.root, value, initial).ok()?;
    builder.record.finish()
}

/// The role of a marking in a run that is searched for.
enum RunRole {
    /// The run ends in the marking.
    End,
    /// The run may go on from the marking.
    Inner,
    /// The run must not visit the marking.
    Outside,
}

/// The markings reachable from one until each decides an operator alone.
struct ReachedRegion<S: MarkingSpace> {
    /// The markings that do not decide it alone, and those that do.
    inside: Vec<RowId>,
    border: Vec<RowId>,
    /// The steps between them.
    steps: MarkingRun<S>,
}

struct EvidenceBuilder<'e, 'a, S: MarkingSpace> {
    evaluation: &'e mut Evaluation<'a, S>,
    formula: &'e CtlFormula,
    record: BranchingRecorder,
    /// The operators that are shown, and where.
    shown: HashSet<(OperatorId, RowId)>,
    patience: WorkLimit<'e>,
    budget: &'e Budget,
}

impl<S: MarkingSpace> EvidenceBuilder<'_, '_, S> {
    /// Evaluates a term, with searches for the operators of it that are not known.
    fn value(&mut self, term: &CtlTerm, marking: RowId) -> Result<bool, GivenUp> {
        loop {
            match self.evaluation.at(marking).term(term) {
                Ok(value) => return Ok(value),
                Err(operator) => self.evaluate(operator, marking)?,
            }
        }
    }

    /// The value of an operator, if a marking decides it alone.
    fn alone(&mut self, operator: &TemporalOperator, marking: RowId) -> Result<Option<bool>, GivenUp> {
        loop {
            match self.evaluation.at(marking).alone(operator) {
                Ok(alone) => return Ok(alone),
                Err(inside) => self.evaluate(inside, marking)?,
            }
        }
    }

    /// Evaluates an operator where a lemma made that needless for the value of the formula.
    fn evaluate(&mut self, operator: OperatorId, marking: RowId) -> Result<(), GivenUp> {
        if self.evaluation.lemmas.is_none() || self.patience.spend(COST) {
            return Err(GivenUp);
        }
        let term = CtlTerm::Atom(TermAtom::Temporal(operator));
        match self.evaluation.attempt(&term, (marking, EFFORT), self.budget) {
            Ok(value) => value.map(|_| ()).ok_or(GivenUp),
            Err(_) => {
                self.evaluation.abandon();
                Err(GivenUp)
            }
        }
    }

    /// Shows that a term has a value in a marking.
    fn show(&mut self, term: &CtlTerm, value: bool, marking: RowId) -> Result<(), GivenUp> {
        match term {
            CtlTerm::Constant(_) | CtlTerm::Atom(TermAtom::Predicate(_)) => Ok(()),
            CtlTerm::Not(term) => self.show(term, !value, marking),
            CtlTerm::And(terms) | CtlTerm::Or(terms) => {
                if value == matches!(term, CtlTerm::And(_)) {
                    return terms.iter().try_for_each(|term| self.show(term, value, marking));
                }
                self.show_easiest(terms, value, marking)
            }
            CtlTerm::Iff(sides) => {
                let left = self.value(&sides.0, marking)?;
                self.show(&sides.0, left, marking)?;
                self.show(&sides.1, left == value, marking)
            }
            CtlTerm::Atom(TermAtom::Temporal(operator)) => self.show_operator(*operator, value, marking),
        }
    }

    /// Shows that one of some terms has a value, which is enough for their conjunction or disjunction.
    fn show_easiest(&mut self, terms: &[CtlTerm], value: bool, marking: RowId) -> Result<(), GivenUp> {
        let operators = self.evaluation.operators;
        let effort = |term: &&CtlTerm| effort(&operators.all, term, value);
        let mut here = self.evaluation.at(marking);
        let known = terms.iter().filter(|term| here.term(term) == Ok(value));
        if let Some(easiest) = known.min_by_key(effort) {
            return self.show(easiest, value, marking);
        }
        for term in terms {
            if self.value(term, marking)? == value {
                return self.show(term, value, marking);
            }
        }
        Err(GivenUp)
    }

    fn show_operator(&mut self, id: OperatorId, value: bool, marking: RowId) -> Result<(), GivenUp> {
        if !self.shown.insert((id, marking)) {
            return Ok(());
        }
        let operators = self.evaluation.operators;
        let operator = &operators.all[id as usize];
        let shown = match (operator.kind, value) {
            (TemporalKind::Next, true) => self.show_step(operator, marking)?,
            (TemporalKind::Next, false) => self.show_steps(operator, marking)?,
            (TemporalKind::SomeUntil, true) | (TemporalKind::AllUntil, false) => {
                self.show_run(id, operator, marking)?
            }
            (TemporalKind::SomeUntil, false) | (TemporalKind::AllUntil, true) => {
                self.show_part(operator, marking)?
            }
        };
        if shown { Ok(()) } else { self.claim(operator, value, marking) }
    }

    /// Claims that an operator has a value in a marking.
    fn claim(&mut self, operator: &TemporalOperator, value: bool, marking: RowId) -> Result<(), GivenUp> {
        let initial = self.evaluation.markings.initial;
        for (formula, negated) in &operator.written {
            if marking == initial && formula == self.formula {
                return Err(GivenUp);
            }
            self.record.claim(marking, formula, value != *negated)?;
        }
        Ok(())
    }

    /// Shows that `EX` is true in a marking by one step.
    fn show_step(&mut self, operator: &TemporalOperator, from: RowId) -> Result<bool, GivenUp> {
        let mut cursor = ActionCursor::default();
        while let Some((to, action)) = self.next(from, &mut cursor)? {
            if self.value(&operator.goal, to) == Ok(true) {
                self.take(&[MarkingEdge { from, action, to }])?;
                self.show(&operator.goal, true, to)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Shows that `EX` is false in a marking by all of its steps.
    fn show_steps(&mut self, operator: &TemporalOperator, from: RowId) -> Result<bool, GivenUp> {
        let Some(steps) = self.all_steps(from, FEW_SUCCESSORS)? else { return Ok(false) };
        self.take(&steps)?;
        steps.iter().try_for_each(|edge| self.show(&operator.goal, false, edge.to))?;
        Ok(true)
    }

    /// `EU` is true, or `AU` false.
    fn show_run(
        &mut self,
        id: OperatorId,
        operator: &TemporalOperator,
        from: RowId,
    ) -> Result<bool, GivenUp> {
        let run = match self.shortest(id, operator, from)? {
            None if operator.kind == TemporalKind::AllUntil => self.walk(id, operator, from)?,
            run => run,
        };
        let Some(run) = run else { return Ok(false) };
        self.take(&run)?;
        let end = run.last().map_or(from, |edge| edge.to);
        let before_end = run.iter().map(|edge| edge.from);
        if operator.kind == TemporalKind::SomeUntil {
            before_end.into_iter().try_for_each(|marking| self.show(&operator.hold, true, marking))?;
            self.show(&operator.goal, true, end)?;
        } else {
            before_end.chain([end]).try_for_each(|marking| self.show(&operator.goal, false, marking))?;
            if self.value(&operator.hold, end) == Ok(false) {
                self.show(&operator.hold, false, end)?;
            }
        }
        Ok(true)
    }

    /// `EU` is false, or `AU` true.
    fn show_part(&mut self, operator: &TemporalOperator, from: RowId) -> Result<bool, GivenUp> {
        let Some(ReachedRegion { inside, border, steps }) = self.part(operator, from)? else {
            return Ok(false);
        };
        self.take(&chained(&inside, steps))?;
        if operator.kind == TemporalKind::AllUntil {
            inside.iter().try_for_each(|&marking| self.show(&operator.hold, true, marking))?;
            border.iter().try_for_each(|&marking| self.show(&operator.goal, true, marking))?;
        } else {
            let all = inside.iter().chain(&border);
            all.into_iter().try_for_each(|&marking| self.show(&operator.goal, false, marking))?;
            border.iter().try_for_each(|&marking| self.show(&operator.hold, false, marking))?;
        }
        Ok(true)
    }

    /// The region that is reached from a marking; `None` if it is large.
    fn part(
        &mut self,
        operator: &TemporalOperator,
        from: RowId,
    ) -> Result<Option<ReachedRegion<S>>, GivenUp> {
        let (mut found, mut seen) = (VecDeque::from([from]), HashSet::from([from]));
        let mut part = ReachedRegion { inside: Vec::new(), border: Vec::new(), steps: Vec::new() };
        let most = FEW_STEPS.min(self.record.room() / 2);
        while let Some(marking) = found.pop_front() {
            match self.alone(operator, marking) {
                Ok(None) => part.inside.push(marking),
                Ok(Some(_)) => {
                    part.border.push(marking);
                    continue;
                }
                Err(_) => return Ok(None),
            }
            if part.inside.len() > FEW_MARKINGS {
                return Ok(None);
            }
            let Some(steps) = self.all_steps(marking, most - part.steps.len())? else { return Ok(None) };
            found.extend(steps.iter().map(|edge| edge.to).filter(|&to| seen.insert(to)));
            part.steps.extend(steps);
        }
        Ok(Some(part))
    }

    /// A shortest run that shows that an `EU` is true or an `AU` false; `None` if none is found soon.
    fn shortest(
        &mut self,
        id: OperatorId,
        operator: &TemporalOperator,
        start: RowId,
    ) -> Result<Option<MarkingRun<S>>, GivenUp> {
        if matches!(self.role(id, operator, start), RunRole::End) {
            return Ok(Some(Vec::new()));
        }
        let mut links = MarkingLinks::new(start);
        let mut queue = VecDeque::from([start]);
        let mut firings = 0;
        while let Some(from) = queue.pop_front() {
            let mut cursor = ActionCursor::default();
            while let Some((to, action)) = self.next(from, &mut cursor)? {
                firings += 1;
                if firings > MAX_RUN_FIRINGS {
                    return Ok(None);
                }
                let ends = if links.has(to) {
                    operator.kind == TemporalKind::AllUntil && links.is_before(to, from)
                } else {
                    match self.role(id, operator, to) {
                        RunRole::End => true,
                        RunRole::Outside => false,
                        RunRole::Inner => {
                            links.add(from, action, to);
                            queue.push_back(to);
                            false
                        }
                    }
                };
                if ends {
                    let mut run = links.run_to(from);
                    run.push(MarkingEdge { from, action, to });
                    return Ok((run.len() <= self.record.room()).then_some(run));
                }
            }
        }
        Ok(None)
    }

    /// Some run that shows that an `AU` is false: each marking in which it is leads to another one, or ends the run.
    fn walk(
        &mut self,
        id: OperatorId,
        operator: &TemporalOperator,
        start: RowId,
    ) -> Result<Option<MarkingRun<S>>, GivenUp> {
        let (mut run, mut seen) = (Vec::new(), HashSet::from([start]));
        let mut from = start;
        'steps: while run.len() < self.record.room() {
            let mut cursor = ActionCursor::default();
            while let Some((to, action)) = self.next(from, &mut cursor)? {
                let ends = match self.role(id, operator, to) {
                    RunRole::Outside => continue,
                    RunRole::Inner => !seen.insert(to),
                    RunRole::End => true,
                };
                run.push(MarkingEdge { from, action, to });
                if ends {
                    return Ok(Some(run));
                }
                from = to;
                continue 'steps;
            }
            return Ok(None);
        }
        Ok(None)
    }

    /// The role of a marking in a run that shows that an `EU` is true or an `AU` false.
    fn role(&mut self, id: OperatorId, operator: &TemporalOperator, marking: RowId) -> RunRole {
        let wanted = operator.kind == TemporalKind::SomeUntil;
        let mut status = self.evaluation.values[id as usize].get(marking);
        if !wanted && !matches!(status, Status::Decided(_)) && self.evaluate(id, marking).is_ok() {
            status = self.evaluation.values[id as usize].get(marking);
        }
        // Orders other than depth-first leave markings undecided that a run may go through.
        if status == Status::Decided(!wanted) || !wanted && status != Status::Decided(wanted) {
            return RunRole::Outside;
        }
        match self.alone(operator, marking) {
            Ok(Some(value)) if value == wanted => RunRole::End,
            Ok(None) if !wanted && self.is_deadlock(marking) => RunRole::End,
            Ok(None) => RunRole::Inner,
            Ok(Some(_)) | Err(_) => RunRole::Outside,
        }
    }

    fn is_deadlock(&mut self, marking: RowId) -> bool {
        let here = self.evaluation.at(marking);
        here.space.next(here.row, ActionCursor::default()).is_none()
    }

    /// All steps from a marking; `None` if there are more than `most`.
    fn all_steps(&mut self, from: RowId, most: usize) -> Result<Option<MarkingRun<S>>, GivenUp> {
        let (mut cursor, mut steps) = (ActionCursor::default(), Vec::new());
        while let Some((to, action)) = self.next(from, &mut cursor)? {
            if steps.len() == most {
                return Ok(None);
            }
            steps.push(MarkingEdge { from, action, to });
        }
        Ok(Some(steps))
    }

    /// The next successor of a marking.
    fn next(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
    ) -> Result<Option<(RowId, S::ActionId)>, GivenUp> {
        if self.patience.is_over() {
            return Err(GivenUp);
        }
        self.evaluation.markings.next(marking, cursor, &mut PendingSuccessors::default()).map_err(|_| GivenUp)
    }

    fn take(&mut self, run: &[MarkingEdge<S::ActionId>]) -> Result<(), GivenUp> {
        run.iter().try_for_each(|edge| {
            let step = self.evaluation.markings.space.step(edge.action);
            self.record.step(edge.from, edge.to, step)
        })
    }
}

/// The estimated effort to show that a term has a value: 0 for none, 1 for a run, 2 for all runs; then its number of operators.
fn effort(all: &[TemporalOperator], term: &CtlTerm, value: bool) -> (u32, u32) {
    let join = |a: (u32, u32), b: (u32, u32)| (a.0.max(b.0), a.1 + b.1);
    match term {
        CtlTerm::Constant(_) | CtlTerm::Atom(TermAtom::Predicate(_)) => (0, 0),
        CtlTerm::Not(term) => effort(all, term, !value),
        CtlTerm::And(terms) | CtlTerm::Or(terms) => {
            terms.iter().map(|term| effort(all, term, value)).fold((0, 0), join)
        }
        CtlTerm::Iff(sides) => {
            let side = |term, value| effort(all, term, value);
            [side(&sides.0, false), side(&sides.1, true), side(&sides.1, false)]
                .into_iter()
                .fold(side(&sides.0, true), join)
        }
        CtlTerm::Atom(TermAtom::Temporal(id)) => {
            let operator = &all[*id as usize];
            let own = if value == (operator.kind != TemporalKind::AllUntil) { 1 } else { 2 };
            let inside = join(effort(all, &operator.goal, value), effort(all, &operator.hold, value));
            join((own, 1), inside)
        }
    }
}

//! Runs that show the value of a CTL formula, put together from what its evaluation has left in the tables.
//!
//! From the formula down: a term in a marking is shown by showing those of its operands that give it its value, and
//! an operator by steps to other markings, in which its operands are shown:
//!
//! | operator | true | false |
//! |---|---|---|
//! | `EX g` | a step to `g` | all steps, if there are few |
//! | `E[f U g]` | a shortest run to `g` | all that can be reached, if that is little |
//! | `A[f U g]` | all that can be reached before `g`, if that is little | a run without `g` to a marking without `f`, a deadlock, or one of its own |
//!
//! What would take too many steps is claimed, as it is written in the formula. Where nothing but a claim would be left,
//! or a limit is passed, there is no evidence. What is shown once is not shown again.
//! The replay reads runs as a part of the reachability graph, so it does not matter which run is there for what.
//!
//! Invariants: (1) a term is shown only in a marking in which it is known: an operator that was evaluated in a marking
//! knew its operands there, as far as they decide it; (2) markings have a number before anything is shown in them.
//! Cost: bounded by the limits below. Test: `tests/ctl.rs`, where all evidence is replayed.

use std::collections::{HashSet, VecDeque};

use fireset_kernel::store::RowId;
use fireset_net::{Branching, Budget, Formula};

use super::{
    evaluate::Evaluation,
    operators::{Kind, Operator, OperatorId, Term},
    record::{GivenUp, Record},
    steps::{Edge, Links, chained},
    values::Standing,
};
use crate::search::{ActionCursor, MarkingSpace, PendingSuccessors, StateSpace, WorkLimit};

/// Firings that all evidence of a formula may take: less than a second; and those that one run of it may.
const MAX_FIRINGS: u64 = 1_000_000;
const MAX_RUN_FIRINGS: usize = 300_000;
/// Successors of a marking that are shown all together.
const FEW_SUCCESSORS: usize = 16;
/// Markings whose successors are shown all together, and their steps.
const FEW_MARKINGS: usize = 64;
const FEW_STEPS: usize = 512;

/// Steps on a space.
type Run<S> = Vec<Edge<<S as StateSpace>::ActionId>>;

/// Runs that show that a formula, which was evaluated, has this value.
pub(super) fn of<S: MarkingSpace>(
    evaluation: &mut Evaluation<'_, S>,
    formula: &Formula,
    value: bool,
    budget: &Budget,
) -> Option<Branching> {
    let (initial, operators) = (evaluation.markings.initial, evaluation.operators);
    let record = Record::new(initial, evaluation.net.nodes().places.len());
    let patience = WorkLimit::new(MAX_FIRINGS, budget);
    let mut descent = Descent { evaluation, formula, record, shown: HashSet::new(), patience };
    descent.show(&operators.root, value, initial).ok()?;
    descent.record.finish()
}

/// What a marking is for a run that is looked for.
enum Meeting {
    /// It ends here.
    End,
    /// It may go on from here.
    Through,
    /// It must not come here.
    Not,
}

/// All that can be reached from a marking until an operator is decided by a marking alone.
struct Part<S: MarkingSpace> {
    /// Those that do not decide it alone, and those that do.
    inside: Vec<RowId>,
    border: Vec<RowId>,
    /// The steps between them.
    steps: Run<S>,
}

struct Descent<'e, 'a, S: MarkingSpace> {
    evaluation: &'e mut Evaluation<'a, S>,
    formula: &'e Formula,
    record: Record,
    /// The operators that are shown, and where.
    shown: HashSet<(OperatorId, RowId)>,
    patience: WorkLimit<'e>,
}

impl<S: MarkingSpace> Descent<'_, '_, S> {
    /// Shows that a term has a value in a marking.
    fn show(&mut self, term: &Term, value: bool, marking: RowId) -> Result<(), GivenUp> {
        match term {
            Term::Predicate(_) => Ok(()),
            Term::Not(term) => self.show(term, !value, marking),
            Term::And(terms) => self.show_several(terms, value, marking, true),
            Term::Or(terms) => self.show_several(terms, value, marking, false),
            Term::Iff(sides) => {
                let left = self.evaluation.at(marking).term(&sides.0).map_err(|_| GivenUp)?;
                self.show(&sides.0, left, marking)?;
                self.show(&sides.1, left == value, marking)
            }
            Term::Temporal(operator) => self.show_operator(*operator, value, marking),
        }
    }

    /// Shows that a conjunction or disjunction has a value: all terms, if it is the one that all must have.
    fn show_several(
        &mut self,
        terms: &[Term],
        value: bool,
        marking: RowId,
        of_all: bool,
    ) -> Result<(), GivenUp> {
        if value == of_all {
            return terms.iter().try_for_each(|term| self.show(term, value, marking));
        }
        let operators = self.evaluation.operators;
        let mut here = self.evaluation.at(marking);
        let known = terms.iter().filter(|term| here.term(term) == Ok(value));
        let easiest = known.min_by_key(|term| effort(&operators.all, term, value)).ok_or(GivenUp)?;
        self.show(easiest, value, marking)
    }

    fn show_operator(&mut self, id: OperatorId, value: bool, marking: RowId) -> Result<(), GivenUp> {
        if !self.shown.insert((id, marking)) {
            return Ok(());
        }
        let operators = self.evaluation.operators;
        let operator = &operators.all[id as usize];
        let shown = match (operator.kind, value) {
            (Kind::Next, true) => self.show_step(operator, marking)?,
            (Kind::Next, false) => self.show_steps(operator, marking)?,
            (Kind::SomeUntil, true) | (Kind::AllUntil, false) => self.show_run(id, operator, marking)?,
            (Kind::SomeUntil, false) | (Kind::AllUntil, true) => self.show_part(operator, marking)?,
        };
        if shown { Ok(()) } else { self.claim(operator, value, marking) }
    }

    /// Claims that an operator has a value in a marking.
    fn claim(&mut self, operator: &Operator, value: bool, marking: RowId) -> Result<(), GivenUp> {
        let initial = self.evaluation.markings.initial;
        for (formula, negated) in &operator.written {
            if marking == initial && formula == self.formula {
                return Err(GivenUp);
            }
            self.record.claim(marking, formula, value != *negated)?;
        }
        Ok(())
    }

    /// `EX` is true.
    fn show_step(&mut self, operator: &Operator, from: RowId) -> Result<bool, GivenUp> {
        let mut cursor = ActionCursor::default();
        while let Some((to, action)) = self.next(from, &mut cursor)? {
            if self.evaluation.at(to).term(&operator.goal) == Ok(true) {
                self.take(&[Edge { from, action, to }])?;
                self.show(&operator.goal, true, to)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `EX` is false.
    fn show_steps(&mut self, operator: &Operator, from: RowId) -> Result<bool, GivenUp> {
        let Some(steps) = self.all_steps(from, FEW_SUCCESSORS)? else { return Ok(false) };
        self.take(&steps)?;
        steps.iter().try_for_each(|edge| self.show(&operator.goal, false, edge.to))?;
        Ok(true)
    }

    /// `EU` is true, or `AU` false.
    fn show_run(&mut self, id: OperatorId, operator: &Operator, from: RowId) -> Result<bool, GivenUp> {
        let run = match self.shortest(id, operator, from)? {
            None if operator.kind == Kind::AllUntil => self.walk(id, operator, from)?,
            run => run,
        };
        let Some(run) = run else { return Ok(false) };
        self.take(&run)?;
        let end = run.last().map_or(from, |edge| edge.to);
        let before_end = run.iter().map(|edge| edge.from);
        if operator.kind == Kind::SomeUntil {
            before_end.into_iter().try_for_each(|marking| self.show(&operator.hold, true, marking))?;
            self.show(&operator.goal, true, end)?;
        } else {
            before_end.chain([end]).try_for_each(|marking| self.show(&operator.goal, false, marking))?;
            if self.evaluation.at(end).term(&operator.hold) == Ok(false) {
                self.show(&operator.hold, false, end)?;
            }
        }
        Ok(true)
    }

    /// `EU` is false, or `AU` true.
    fn show_part(&mut self, operator: &Operator, from: RowId) -> Result<bool, GivenUp> {
        let Some(Part { inside, border, steps }) = self.part(operator, from)? else { return Ok(false) };
        self.take(&chained(&inside, steps))?;
        if operator.kind == Kind::AllUntil {
            inside.iter().try_for_each(|&marking| self.show(&operator.hold, true, marking))?;
            border.iter().try_for_each(|&marking| self.show(&operator.goal, true, marking))?;
        } else {
            let all = inside.iter().chain(&border);
            all.into_iter().try_for_each(|&marking| self.show(&operator.goal, false, marking))?;
            border.iter().try_for_each(|&marking| self.show(&operator.hold, false, marking))?;
        }
        Ok(true)
    }

    /// What is reached from a marking until it decides an operator alone; `None` if that is much.
    fn part(&mut self, operator: &Operator, from: RowId) -> Result<Option<Part<S>>, GivenUp> {
        let (mut found, mut seen) = (VecDeque::from([from]), HashSet::from([from]));
        let mut part = Part { inside: Vec::new(), border: Vec::new(), steps: Vec::new() };
        let most = FEW_STEPS.min(self.record.room() / 2);
        while let Some(marking) = found.pop_front() {
            match self.evaluation.at(marking).alone(operator) {
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
        operator: &Operator,
        start: RowId,
    ) -> Result<Option<Run<S>>, GivenUp> {
        if matches!(self.meet(id, operator, start), Meeting::End) {
            return Ok(Some(Vec::new()));
        }
        let mut links = Links::new(start);
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
                    operator.kind == Kind::AllUntil && links.is_before(to, from)
                } else {
                    match self.meet(id, operator, to) {
                        Meeting::End => true,
                        Meeting::Not => false,
                        Meeting::Through => {
                            links.add(from, action, to);
                            queue.push_back(to);
                            false
                        }
                    }
                };
                if ends {
                    let mut run = links.run_to(from);
                    run.push(Edge { from, action, to });
                    return Ok((run.len() <= self.record.room()).then_some(run));
                }
            }
        }
        Ok(None)
    }

    /// Some run that shows that an `AU` is false: each marking in which it is leads to another one, or ends the run.
    fn walk(&mut self, id: OperatorId, operator: &Operator, start: RowId) -> Result<Option<Run<S>>, GivenUp> {
        let (mut run, mut seen) = (Vec::new(), HashSet::from([start]));
        let mut from = start;
        'steps: while run.len() < self.record.room() {
            let mut cursor = ActionCursor::default();
            while let Some((to, action)) = self.next(from, &mut cursor)? {
                let ends = match self.meet(id, operator, to) {
                    Meeting::Not => continue,
                    Meeting::Through => !seen.insert(to),
                    Meeting::End => true,
                };
                run.push(Edge { from, action, to });
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

    /// What a marking is for a run that shows that an `EU` is true or an `AU` false.
    fn meet(&mut self, id: OperatorId, operator: &Operator, marking: RowId) -> Meeting {
        let standing = self.evaluation.values[id as usize].get(marking);
        let wanted = operator.kind == Kind::SomeUntil;
        // Orders other than depth-first leave markings undecided that a run may go through.
        if standing == Standing::Decided(!wanted) || !wanted && standing != Standing::Decided(wanted) {
            return Meeting::Not;
        }
        match self.evaluation.at(marking).alone(operator) {
            Ok(Some(value)) if value == wanted => Meeting::End,
            Ok(None) if !wanted && self.is_deadlock(marking) => Meeting::End,
            Ok(None) => Meeting::Through,
            Ok(Some(_)) | Err(_) => Meeting::Not,
        }
    }

    fn is_deadlock(&mut self, marking: RowId) -> bool {
        let here = self.evaluation.at(marking);
        here.space.next(here.row, ActionCursor::default()).is_none()
    }

    /// All steps from a marking; `None` if there are more than so many.
    fn all_steps(&mut self, from: RowId, most: usize) -> Result<Option<Run<S>>, GivenUp> {
        let (mut cursor, mut steps) = (ActionCursor::default(), Vec::new());
        while let Some((to, action)) = self.next(from, &mut cursor)? {
            if steps.len() == most {
                return Ok(None);
            }
            steps.push(Edge { from, action, to });
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

    /// Puts steps into the record.
    fn take(&mut self, run: &[Edge<S::ActionId>]) -> Result<(), GivenUp> {
        run.iter().try_for_each(|edge| {
            let step = self.evaluation.markings.space.step(edge.action);
            self.record.step(edge.from, edge.to, step)
        })
    }
}

/// How much it seems to take to show that a term has a value: nothing, steps, or more than steps show; then how many
/// operators are in it.
fn effort(all: &[Operator], term: &Term, value: bool) -> (u32, u32) {
    let join = |a: (u32, u32), b: (u32, u32)| (a.0.max(b.0), a.1 + b.1);
    match term {
        Term::Predicate(_) => (0, 0),
        Term::Not(term) => effort(all, term, !value),
        Term::And(terms) | Term::Or(terms) => {
            terms.iter().map(|term| effort(all, term, value)).fold((0, 0), join)
        }
        Term::Iff(sides) => {
            let side = |term, value| effort(all, term, value);
            [side(&sides.0, false), side(&sides.1, true), side(&sides.1, false)]
                .into_iter()
                .fold(side(&sides.0, true), join)
        }
        Term::Temporal(id) => {
            let operator = &all[*id as usize];
            let own = if value == (operator.kind != Kind::AllUntil) { 1 } else { 2 };
            let inside = join(effort(all, &operator.goal, value), effort(all, &operator.hold, value));
            join((own, 1), inside)
        }
    }
}

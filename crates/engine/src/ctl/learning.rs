//! Lemmas from the runs that searches find, and their use by searches.
//!
//! When a search for `E[f U g]` finds `g`, the path of the search is a run. Backwards from bounds that imply `g`, or from a lemma
//! that holds where the run ends, the weakest precondition of each step gives bounds for all markings before it. A step that
//! leads from a marking within the bounds is not needed and left out, if `f` is true everywhere: so depth-first search, which
//! strays, gives short explanations. Otherwise `f` is implied by bounds in each marking of the run.
//!
//! Cost: the successors of at most [`MAX_STEPS`] markings for a run, which is as long as the search for it. Test: `tests/ctl.rs`.

use std::ops::ControlFlow;

use fireset_kernel::store::{RowId, TreeRow};
use fireset_net::{BoolTree, TransitionId};

use super::{
    evaluate::{Evaluation, RowSource},
    implicant::imply,
    lemmas::Lemmas,
    operators::{CtlTerm, OperatorId, TemporalKind, TermAtom},
    terms::MarkingValuation,
    token_bounds::{OutOfBounds, TokenBounds},
};
use crate::search::{ActionCursor, MarkingSpace};

/// The most steps of a run that are explained: its last ones.
const MAX_STEPS: usize = 256;

impl<S: MarkingSpace> Evaluation<'_, S> {
    /// The value of an operator in a marking, if a lemma tells.
    pub(super) fn recall(&mut self, operator: OperatorId, marking: RowId, known: RowSource) -> Option<bool> {
        let mut lemmas = self.lemmas.take()?;
        let MarkingValuation { space, row, .. } = self.here(marking, known);
        let value = lemmas.value(operator, &|place| space.tokens(row, place));
        self.lemmas = Some(lemmas);
        value
    }

    /// Learns from the path of the last search, for an operator, which a step from its end to a marking decides.
    pub(super) fn learn(&mut self, operator: OperatorId, end: RowId) {
        if self.kind(operator) != TemporalKind::SomeUntil || self.has_queue() {
            return;
        }
        let Some(mut lemmas) = self.lemmas.take() else { return };
        if lemmas.wants_run(operator) {
            let bounds = self.explain_path(&lemmas, operator, end).ok();
            lemmas.add(operator, bounds);
        }
        self.lemmas = Some(lemmas);
    }

    /// Bounds within which the last steps of the path decide an operator as they do here.
    fn explain_path(
        &mut self,
        lemmas: &Lemmas<'_>,
        id: OperatorId,
        end: RowId,
    ) -> Result<TokenBounds, OutOfBounds> {
        let operators = self.operators;
        let operator = &operators.all[id as usize];
        let mut bounds = TokenBounds::default();
        if self.at(end).term(&operator.goal) == Ok(true) {
            self.explain(lemmas, &mut bounds, (&operator.goal, true), end)?;
        } else {
            self.explain_operator(lemmas, &mut bounds, (id, true), end)?;
        }
        let holds_anywhere = is_true(&operator.hold);
        let mut next = end;
        for at in (0..self.path.len()).rev().take(MAX_STEPS) {
            let frame = self.path.get(at);
            if frame.operator != id {
                break;
            }
            let here = self.at(frame.marking);
            if !holds_anywhere || !bounds.contain(|place| here.space.tokens(here.row, place)) {
                let transition = self.transition_between(frame.marking, next).ok_or(OutOfBounds)?;
                bounds.move_before(lemmas.net, transition)?;
            }
            if !holds_anywhere {
                self.explain(lemmas, &mut bounds, (&operator.hold, true), frame.marking)?;
            }
            next = frame.marking;
        }
        Ok(bounds)
    }

    /// Adds bounds that imply that a term has a value, as it has in a marking.
    fn explain(
        &mut self,
        lemmas: &Lemmas<'_>,
        bounds: &mut TokenBounds,
        (term, value): (&CtlTerm, bool),
        marking: RowId,
    ) -> Result<(), OutOfBounds> {
        match term {
            CtlTerm::Constant(constant) if *constant == value => Ok(()),
            CtlTerm::Constant(_) => Err(OutOfBounds),
            CtlTerm::Not(term) => self.explain(lemmas, bounds, (term, !value), marking),
            CtlTerm::And(terms) | CtlTerm::Or(terms) if matches!(term, CtlTerm::And(_)) == value => {
                terms.iter().try_for_each(|term| self.explain(lemmas, bounds, (term, value), marking))
            }
            CtlTerm::And(terms) | CtlTerm::Or(terms) => {
                let explained = terms.iter().find_map(|term| {
                    let mut more = bounds.clone();
                    let is_so = self.at(marking).term(term) == Ok(value);
                    (is_so && self.explain(lemmas, &mut more, (term, value), marking).is_ok()).then_some(more)
                });
                *bounds = explained.ok_or(OutOfBounds)?;
                Ok(())
            }
            CtlTerm::Iff(sides) => {
                let left = self.at(marking).term(&sides.0).map_err(|_| OutOfBounds)?;
                self.explain(lemmas, bounds, (&sides.0, left), marking)?;
                self.explain(lemmas, bounds, (&sides.1, left == value), marking)
            }
            CtlTerm::Atom(TermAtom::Predicate(predicate)) => {
                let here = self.at(marking);
                imply(bounds, lemmas.net, (predicate, value), &|place| here.space.tokens(here.row, place))
            }
            CtlTerm::Atom(TermAtom::Temporal(operator)) => {
                self.explain_operator(lemmas, bounds, (*operator, value), marking)
            }
        }
    }

    /// Adds the bounds of a lemma by which an operator has a value in a marking.
    fn explain_operator(
        &mut self,
        lemmas: &Lemmas<'_>,
        bounds: &mut TokenBounds,
        (operator, value): (OperatorId, bool),
        marking: RowId,
    ) -> Result<(), OutOfBounds> {
        let here = self.at(marking);
        let lemma = lemmas.bounds(operator, value, &|place| here.space.tokens(here.row, place));
        bounds.intersect(lemma.ok_or(OutOfBounds)?)
    }

    /// A transition that leads from a marking to another one.
    fn transition_between(&mut self, from: RowId, to: RowId) -> Option<TransitionId> {
        let (mut source, mut target) = (TreeRow::default(), TreeRow::default());
        self.markings.store.get(from, &mut source);
        self.markings.store.get(to, &mut target);
        let found =
            self.markings.space.successors(
                source.row(),
                ActionCursor::default(),
                |successor| match successor.row == Some(target.row()) {
                    true => ControlFlow::Break(successor.transition),
                    false => ControlFlow::Continue(()),
                },
            );
        found.break_value().map(|transition| TransitionId::new(transition as usize))
    }
}

fn is_true(term: &CtlTerm) -> bool {
    matches!(term, CtlTerm::Atom(TermAtom::Predicate(BoolTree::Constant(true))))
}

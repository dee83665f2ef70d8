//! What Boolean terms come to in one marking, as far as the operators in them are known there.

use fireset_kernel::store::RowId;

use super::{
    operators::{Kind, Operator, OperatorId, Term},
    values::{Standing, Values},
};
use crate::search::{MarkingSpace, value};

/// A marking, and what is known of the operators in all markings.
pub(super) struct Here<'a, S> {
    pub(super) space: &'a mut S,
    pub(super) row: &'a [u64],
    pub(super) marking: RowId,
    pub(super) values: &'a [Values],
}

impl<S: MarkingSpace> Here<'_, S> {
    /// The value of a term, or an operator that has to be evaluated first.
    pub(super) fn term(&mut self, term: &Term) -> Result<bool, OperatorId> {
        match term {
            Term::Predicate(predicate) => Ok(value(self.space, predicate, self.row)),
            Term::Temporal(operator) => match self.values[*operator as usize].get(self.marking) {
                Standing::Decided(value) => Ok(value),
                _ => Err(*operator),
            },
            Term::Not(term) => Ok(!self.term(term)?),
            Term::And(terms) => Ok(!self.some(terms, false)?),
            Term::Or(terms) => self.some(terms, true),
            Term::Iff(sides) => Ok(self.term(&sides.0)? == self.term(&sides.1)?),
        }
    }

    /// Whether some of the terms has a value; what is known is looked for before anything is asked.
    fn some(&mut self, terms: &[Term], wanted: bool) -> Result<bool, OperatorId> {
        let mut asked = Ok(false);
        for term in terms {
            match self.term(term) {
                Ok(value) if value == wanted => return Ok(true),
                Ok(_) => {}
                Err(operator) => asked = asked.and(Err(operator)),
            }
        }
        asked
    }

    /// The value of an operator, if the marking alone decides it; or an operator that has to be evaluated first.
    pub(super) fn alone(&mut self, operator: &Operator) -> Result<Option<bool>, OperatorId> {
        if operator.kind == Kind::Next {
            return Ok(None);
        }
        if self.term(&operator.goal)? {
            return Ok(Some(true));
        }
        Ok(if self.term(&operator.hold)? { None } else { Some(false) })
    }
}

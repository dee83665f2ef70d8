//! The values of Boolean terms in one marking, as far as their operators are known there.

use fireset_kernel::store::RowId;

use super::{
    operators::{CtlTerm, OperatorId, TemporalKind, TemporalOperator, TermAtom},
    status::{Status, StatusTable},
};
use crate::search::{MarkingSpace, value};

/// A marking, with the status of the operators in all markings.
pub(super) struct MarkingValuation<'a, S> {
    pub(super) space: &'a mut S,
    pub(super) row: &'a [u64],
    pub(super) marking: RowId,
    pub(super) values: &'a [StatusTable],
}

impl<S: MarkingSpace> MarkingValuation<'_, S> {
    /// The value of a term, or an operator that has to be evaluated first.
    pub(super) fn term(&mut self, term: &CtlTerm) -> Result<bool, OperatorId> {
        match term {
            CtlTerm::Atom(TermAtom::Predicate(predicate)) => Ok(value(self.space, predicate, self.row)),
            CtlTerm::Atom(TermAtom::Temporal(operator)) => {
                match self.values[*operator as usize].get(self.marking) {
                    Status::Decided(value) => Ok(value),
                    _ => Err(*operator),
                }
            }
            CtlTerm::Constant(value) => Ok(*value),
            CtlTerm::Not(term) => Ok(!self.term(term)?),
            CtlTerm::And(terms) => Ok(!self.some(terms, false)?),
            CtlTerm::Or(terms) => self.some(terms, true),
            CtlTerm::Iff(sides) => Ok(self.term(&sides.0)? == self.term(&sides.1)?),
        }
    }

    /// Whether some of the terms has a value; known values are tried before an unknown operator is returned.
    fn some(&mut self, terms: &[CtlTerm], wanted: bool) -> Result<bool, OperatorId> {
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
    pub(super) fn alone(&mut self, operator: &TemporalOperator) -> Result<Option<bool>, OperatorId> {
        if operator.kind == TemporalKind::Next {
            return Ok(None);
        }
        if self.term(&operator.goal)? {
            return Ok(Some(true));
        }
        Ok(if self.term(&operator.hold)? { None } else { Some(false) })
    }
}

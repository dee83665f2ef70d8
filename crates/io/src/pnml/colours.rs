//! Binds terms for single colours to their declarations. Constants are folded.

use fireset_net::{
    SortId,
    coloured::{Colour, ColourTerm, SortKind},
};

use super::{
    sort_table::{Declared, NamedConstant, SortTable},
    terms::{TermId, TermOp},
};
use crate::Fault;

impl SortTable<'_> {
    /// A term for one colour of a sort.
    pub(super) fn colour(&mut self, term: TermId, sort: SortId) -> Result<ColourTerm, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            // Some tools write a single colour as a tuple of one.
            TermOp::Tuple if !self.is_product(sort) && terms.children(term).count() == 1 => {
                self.colour(terms.only(term)?, sort)
            }
            TermOp::Tuple => {
                let parts = self.components(term, sort)?;
                let colours: Result<_, _> =
                    parts.into_iter().map(|(child, part)| self.colour(child, part)).collect();
                Ok(self.tuple(sort, colours?))
            }
            TermOp::Successor => self.shifted(term, sort, 1),
            TermOp::Predecessor => self.shifted(term, sort, -1),
            TermOp::FiniteIntRangeConstant => {
                let value = self.integer(term)?;
                match *self.kind(sort) {
                    SortKind::IntRange { start, end } if (start..=end).contains(&value) => {
                        Ok(ColourTerm::Constant(sort, Colour(value.abs_diff(start))))
                    }
                    SortKind::IntRange { start, end } => {
                        let name = self.sort_name(sort);
                        let message = format!("{value} is not in the sort `{name}`, from {start} to {end}");
                        Err(terms.fault(term, message))
                    }
                    _ => Err(self.mismatch(term, "an integer", sort)),
                }
            }
            op => match self.infer(term)? {
                None => {
                    let message = format!("`<{}>` does not denote a single colour", op.name());
                    Err(terms.fault(term, message))
                }
                Some(own) if !self.same(own, sort) => {
                    let what = format!("a colour of the sort `{}`", self.sort_name(own));
                    Err(self.mismatch(term, &what, sort))
                }
                Some(_) => self.leaf(term, sort),
            },
        }
    }

    /// Binds a variable, constant or block whose sort has been checked.
    fn leaf(&mut self, term: TermId, sort: SortId) -> Result<ColourTerm, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            TermOp::Variable => match terms.key(term).and_then(|key| self.variables.get(&key)) {
                Some(&variable) => Ok(ColourTerm::Variable(variable)),
                None => Err(self.undeclared("variable", term, self.variables.keys().copied())),
            },
            TermOp::UserOperator => match self.operator_of(term)? {
                NamedConstant::Constant(own, colour) | NamedConstant::Block(own, colour) => {
                    Ok(ColourTerm::Constant(own, colour))
                }
            },
            TermOp::PartitionElementOf => {
                let SortKind::Partition { base, .. } = *self.kind(sort) else {
                    return Err(self.mismatch(term, "a block of a partition", sort));
                };
                let inner = self.colour(terms.only(term)?, base)?;
                Ok(match (inner, self.kind(sort)) {
                    (ColourTerm::Constant(_, colour), SortKind::Partition { block_of, .. }) => {
                        ColourTerm::Constant(sort, block_of[colour.0 as usize])
                    }
                    (inner, _) => ColourTerm::BlockOf(sort, Box::new(inner)),
                })
            }
            TermOp::BooleanConstant => Ok(ColourTerm::Constant(sort, Colour(u64::from(self.boolean(term)?)))),
            // The remaining operator is `<dotconstant>`.
            _ => Ok(ColourTerm::Constant(sort, Colour(0))),
        }
    }

    /// Binds a successor or predecessor.
    fn shifted(&mut self, term: TermId, sort: SortId, step: i64) -> Result<ColourTerm, Fault> {
        let inner = self.colour(self.terms.only(term)?, sort)?;
        if matches!(self.kind(sort), SortKind::Product(_) | SortKind::Partition { .. }) {
            let message = format!("the sort `{}` has no successors", self.sort_name(sort));
            return Err(self.terms.fault(term, message));
        }
        let (inner, by) = match inner {
            ColourTerm::Shift { term: inner, by, .. } => (inner, by + step),
            other => (Box::new(other), step),
        };
        if let ColourTerm::Constant(own, _) = *inner {
            let shift = ColourTerm::Shift { term: inner, sort, by };
            let colour = shift.value(&self.builder.sorts, &|_| Colour(0));
            return Ok(ColourTerm::Constant(own, colour));
        }
        Ok(if by == 0 { *inner } else { ColourTerm::Shift { term: inner, sort, by } })
    }

    pub(super) fn is_product(&self, sort: SortId) -> bool {
        matches!(self.kind(sort), SortKind::Product(_))
    }

    /// The components of a tuple with their sorts.
    pub(super) fn components(&self, term: TermId, sort: SortId) -> Result<Vec<(TermId, SortId)>, Fault> {
        let SortKind::Product(parts) = self.kind(sort) else {
            return Err(self.mismatch(term, "a tuple", sort));
        };
        let children: Vec<TermId> = self.terms.children(term).collect();
        if children.len() != parts.len() {
            let (has, name, needs) = (children.len(), self.sort_name(sort), parts.len());
            let message = format!("the tuple has {has} components, but the sort `{name}` has {needs}");
            return Err(self.terms.fault(term, message));
        }
        Ok(children.into_iter().zip(parts.iter().copied()).collect())
    }

    /// A tuple; a tuple of constants is a constant.
    pub(super) fn tuple(&self, sort: SortId, colours: Vec<ColourTerm>) -> ColourTerm {
        let constant = |colour: &ColourTerm| match colour {
            ColourTerm::Constant(_, colour) => Some(*colour),
            _ => None,
        };
        match (colours.iter().map(constant).collect::<Option<Vec<_>>>(), self.kind(sort)) {
            (Some(constants), SortKind::Product(parts)) => {
                ColourTerm::Constant(sort, self.builder.sorts.tuple(parts, &constants))
            }
            _ => ColourTerm::Tuple(sort, colours),
        }
    }

    /// The sort of a term; `None` if it depends on the context.
    pub(super) fn infer(&mut self, term: TermId) -> Result<Option<SortId>, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            TermOp::Variable => match terms.key(term).and_then(|key| self.variables.get(&key)) {
                Some(&variable) => Ok(Some(self.builder.sort_of(variable))),
                None => Err(self.undeclared("variable", term, self.variables.keys().copied())),
            },
            TermOp::UserOperator => match self.operator_of(term)? {
                NamedConstant::Constant(sort, _) | NamedConstant::Block(sort, _) => Ok(Some(sort)),
            },
            TermOp::DotConstant => self.dot(terms.offset(term)).map(Some),
            TermOp::BooleanConstant => self.unnamed_sort(SortKind::Bool, terms.offset(term)).map(Some),
            TermOp::FiniteIntRangeConstant => {
                terms.children(term).next().map(|range| self.sort(range, 0)).transpose()
            }
            TermOp::Successor | TermOp::Predecessor => self.infer(terms.only(term)?),
            TermOp::Tuple => {
                let parts: Result<Option<Vec<_>>, _> =
                    terms.children(term).map(|child| self.infer(child)).collect::<Result<_, _>>();
                Ok(parts?.and_then(|parts| self.product(&parts)))
            }
            TermOp::PartitionElementOf => match terms.key(term).and_then(|key| self.sorts.get(&key)) {
                Some(&Declared::Done(sort)) => Ok(Some(sort)),
                _ => Err(self.undeclared("partition", term, self.sorts.keys().copied())),
            },
            _ => Ok(None),
        }
    }

    /// The constant that a `<useroperator>` names.
    pub(super) fn operator_of(&mut self, term: TermId) -> Result<NamedConstant, Fault> {
        match self.terms.key(term).and_then(|key| self.operators.get(&key)) {
            Some(known) => Ok(*known),
            // The plain token needs no declaration.
            None if self.terms.value(term) == "dot" => {
                Ok(NamedConstant::Constant(self.dot(self.terms.offset(term))?, Colour(0)))
            }
            None => Err(self.undeclared("constant", term, self.operators.keys().copied())),
        }
    }

    /// The value of an integer constant.
    pub(super) fn integer(&self, term: TermId) -> Result<i64, Fault> {
        let text = self.terms.value(term);
        text.trim()
            .parse()
            .map_err(|_| self.terms.fault(term, format!("`{text}` is not an integer that fits into 64 bits")))
    }

    /// The value of a boolean constant.
    pub(super) fn boolean(&self, term: TermId) -> Result<bool, Fault> {
        let text = self.terms.value(term);
        let value = text.trim().parse();
        value.map_err(|_| self.terms.fault(term, format!("`{text}` is neither `true` nor `false`")))
    }

    /// The fault of a term with a wrong sort.
    pub(super) fn mismatch(&self, term: TermId, what: &str, sort: SortId) -> Fault {
        let name = match self.terms.op(term) {
            TermOp::Variable => format!("the variable `{}` denotes {what}", self.terms.value(term)),
            TermOp::UserOperator => format!("`{}` is {what}", self.terms.value(term)),
            _ => format!("found {what}"),
        };
        let message = format!("{name}, but the sort `{}` is expected", self.sort_name(sort));
        self.terms.fault(term, message)
    }
}

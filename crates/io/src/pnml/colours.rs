//! Terms for single colours, bound to their declarations. Constants are folded.

use fireset_net::{
    SortId,
    coloured::{Colour, ColourTerm, SortKind},
};

use super::{
    palette::{Declared, Operator, Palette},
    terms::{Op, TermId},
};
use crate::Fault;

impl Palette<'_> {
    /// A term for one colour of a sort.
    pub(super) fn colour(&mut self, term: TermId, sort: SortId) -> Result<ColourTerm, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            // Some tools write a single colour as a tuple of one.
            Op::Tuple if !self.is_product(sort) && terms.children(term).count() == 1 => {
                self.colour(terms.only(term)?, sort)
            }
            Op::Tuple => {
                let parts = self.components(term, sort)?;
                let colours: Result<_, _> =
                    parts.into_iter().map(|(child, part)| self.colour(child, part)).collect();
                Ok(self.tuple(sort, colours?))
            }
            Op::Successor => self.shifted(term, sort, 1),
            Op::Predecessor => self.shifted(term, sort, -1),
            Op::FiniteIntRangeConstant => {
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
                    let message = format!("`<{}>` does not stand for a single colour", op.name());
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

    /// A variable, constant or block whose sort is known to be right.
    fn leaf(&mut self, term: TermId, sort: SortId) -> Result<ColourTerm, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            Op::Variable => match terms.key(term).and_then(|key| self.variables.get(&key)) {
                Some(&variable) => Ok(ColourTerm::Variable(variable)),
                None => Err(self.undeclared("variable", term, self.variables.keys().copied())),
            },
            Op::UserOperator => match self.operator_of(term)? {
                Operator::Constant(own, colour) | Operator::Block(own, colour) => {
                    Ok(ColourTerm::Constant(own, colour))
                }
            },
            Op::PartitionElementOf => {
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
            Op::BooleanConstant => Ok(ColourTerm::Constant(sort, Colour(u64::from(self.boolean(term)?)))),
            // The only one left is the dot.
            _ => Ok(ColourTerm::Constant(sort, Colour(0))),
        }
    }

    /// The term below, one further on or back.
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

    /// Whether a sort has tuples.
    pub(super) fn is_product(&self, sort: SortId) -> bool {
        matches!(self.kind(sort), SortKind::Product(_))
    }

    /// The terms of a tuple with the sort of each.
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

    /// A tuple; one of constants is a constant.
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

    /// The sort that a term has by itself; `None` where that depends on where it stands.
    pub(super) fn infer(&mut self, term: TermId) -> Result<Option<SortId>, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            Op::Variable => match terms.key(term).and_then(|key| self.variables.get(&key)) {
                Some(&variable) => Ok(Some(self.builder.sort_of(variable))),
                None => Err(self.undeclared("variable", term, self.variables.keys().copied())),
            },
            Op::UserOperator => match self.operator_of(term)? {
                Operator::Constant(sort, _) | Operator::Block(sort, _) => Ok(Some(sort)),
            },
            Op::DotConstant => self.dot(terms.offset(term)).map(Some),
            Op::BooleanConstant => self.unnamed_sort(SortKind::Bool, terms.offset(term)).map(Some),
            Op::FiniteIntRangeConstant => {
                terms.children(term).next().map(|range| self.sort(range, 0)).transpose()
            }
            Op::Successor | Op::Predecessor => self.infer(terms.only(term)?),
            Op::Tuple => {
                let parts: Result<Option<Vec<_>>, _> =
                    terms.children(term).map(|child| self.infer(child)).collect::<Result<_, _>>();
                Ok(parts?.and_then(|parts| self.product(&parts)))
            }
            Op::PartitionElementOf => match terms.key(term).and_then(|key| self.sorts.get(&key)) {
                Some(&Declared::Done(sort)) => Ok(Some(sort)),
                _ => Err(self.undeclared("partition", term, self.sorts.keys().copied())),
            },
            _ => Ok(None),
        }
    }

    /// What the name in a `<useroperator>` stands for.
    pub(super) fn operator_of(&self, term: TermId) -> Result<Operator, Fault> {
        let found = self.terms.key(term).and_then(|key| self.operators.get(&key));
        found.copied().ok_or_else(|| self.undeclared("constant", term, self.operators.keys().copied()))
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

    /// What is wrong with a term of another sort.
    pub(super) fn mismatch(&self, term: TermId, what: &str, sort: SortId) -> Fault {
        let name = match self.terms.op(term) {
            Op::Variable => format!("the variable `{}` stands for {what}", self.terms.value(term)),
            Op::UserOperator => format!("`{}` is {what}", self.terms.value(term)),
            _ => format!("here is {what}"),
        };
        let message = format!("{name}, but one of the sort `{}` is expected", self.sort_name(sort));
        self.terms.fault(term, message)
    }
}

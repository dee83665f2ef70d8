//! Binds terms for multisets and guards to their declarations.
//!
//! Terms are normalised: sums are flat, and sums and multiples of constants are multisets. So a net that is written and read
//! again stays the same.

use fireset_net::{
    Comparison, SortId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, Guard, SortKind},
};

use super::{
    labels::parse_count,
    sort_table::{NamedConstant, SortTable},
    terms::{TermId, TermOp},
};
use crate::Fault;

impl SortTable<'_> {
    /// A term for a multiset over a sort.
    pub(super) fn bag(&mut self, term: TermId, sort: SortId) -> Result<BagTerm, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            TermOp::Add => {
                let summands: Result<_, _> =
                    terms.children(term).map(|child| self.bag(child, sort)).collect();
                sum(summands?, sort, terms.offset(term))
            }
            TermOp::Subtract => {
                let mut rest = terms.children(term);
                let first = rest.next().ok_or_else(|| terms.fault(term, "`<subtract>` is empty"))?;
                let first = self.bag(first, sort)?;
                let rest: Result<Vec<_>, _> = rest.map(|child| self.bag(child, sort)).collect();
                let rest = rest?;
                if rest.is_empty() {
                    return Ok(first);
                }
                // Subtraction stops at zero, so subtracting one after the other is subtracting the sum.
                Ok(BagTerm::Minus(Box::new(first), Box::new(sum(rest, sort, terms.offset(term))?)))
            }
            TermOp::NumberOf | TermOp::ScalarProduct => {
                let mut children = terms.children(term);
                let count = match terms.children(term).count() {
                    0 | 1 => 1,
                    _ => children.next().map_or(Ok(1), |count| self.count(count))?,
                };
                // With several terms behind the number, each of them occurs so often.
                let of: Result<Vec<_>, _> = children.map(|child| self.bag(child, sort)).collect();
                let of = of?;
                if of.is_empty() {
                    return Err(terms.fault(term, format!("`<{}>` is empty", terms.op(term).name())));
                }
                times(count, sum(of, sort, terms.offset(term))?, sort, terms.offset(term))
            }
            TermOp::All => {
                let own = self.sort(terms.only(term)?, 0)?;
                if self.same(own, sort) {
                    return Ok(BagTerm::All(own));
                }
                let what = format!("every colour of the sort `{}`", self.sort_name(own));
                Err(self.mismatch(term, &what, sort))
            }
            TermOp::Empty => Ok(BagTerm::Fixed(Bag::default())),
            TermOp::Tuple if self.is_product(sort) => self.tuples(term, sort),
            // Some tools write a single multiset as a tuple of one.
            TermOp::Tuple if terms.children(term).count() == 1 => self.bag(terms.only(term)?, sort),
            TermOp::UserOperator => self.constant(term, sort),
            _ => Ok(BagTerm::One(self.colour(term, sort)?)),
        }
    }

    /// The product of multisets; if each is a single colour, one tuple.
    fn tuples(&mut self, term: TermId, sort: SortId) -> Result<BagTerm, Fault> {
        let parts = self.components(term, sort)?;
        let bags: Result<Vec<_>, _> = parts.into_iter().map(|(child, part)| self.bag(child, part)).collect();
        let bags = bags?;
        if !bags.iter().all(|bag| matches!(bag, BagTerm::One(_))) {
            return Ok(BagTerm::Tuple(sort, bags));
        }
        let colours = bags.into_iter().filter_map(|bag| match bag {
            BagTerm::One(colour) => Some(colour),
            _ => None,
        });
        let colours = colours.collect();
        Ok(BagTerm::One(self.tuple(sort, colours)))
    }

    /// A named colour, or the colours of a named block.
    fn constant(&mut self, term: TermId, sort: SortId) -> Result<BagTerm, Fault> {
        if let NamedConstant::Block(partition, block) = self.operator_of(term)?
            && let SortKind::Partition { base, .. } = *self.kind(partition)
            && self.same(base, sort)
        {
            let bag = self.blocks.get(&(partition, block)).cloned().unwrap_or_default();
            // A short name may stand for many colours; other constants are as long in the file.
            self.spend(bag.iter().len() as u64, self.terms.offset(term))?;
            return Ok(fixed(bag, sort));
        }
        Ok(BagTerm::One(self.colour(term, sort)?))
    }

    /// How many dots a term has, if it is about dots alone.
    pub(super) fn dots(&mut self, term: TermId) -> Option<Result<u64, Fault>> {
        let terms = self.terms;
        let (mut at, mut count) = (term, Ok(1));
        loop {
            match terms.op(at) {
                TermOp::NumberOf if terms.children(at).count() == 2 => {
                    let (number, of) = terms.both(at).ok()?;
                    let factor = self.count(number);
                    count = count.and_then(|count: u64| Ok(factor?.saturating_mul(count)));
                    at = of;
                }
                TermOp::Add if terms.children(at).count() == 1 => at = terms.only(at).ok()?,
                TermOp::DotConstant => return Some(count),
                TermOp::All => {
                    let sort = self.sort(terms.only(at).ok()?, 0).ok()?;
                    return (*self.kind(sort) == SortKind::Dot).then_some(count);
                }
                _ => return None,
            }
        }
    }

    /// The number in a `<numberconstant>`.
    fn count(&self, term: TermId) -> Result<u64, Fault> {
        if self.terms.op(term) != TermOp::NumberConstant {
            let message = format!("expected a number, found `<{}>`", self.terms.op(term).name());
            return Err(self.terms.fault(term, message));
        }
        parse_count(self.terms.value(term).trim(), "the count of a colour")
            .map_err(|message| self.terms.fault(term, message))
    }

    pub(super) fn guard(&mut self, term: TermId) -> Result<Guard, Fault> {
        let terms = self.terms;
        let operands = |table: &mut Self| {
            let all: Result<Vec<_>, _> = terms.children(term).map(|child| table.guard(child)).collect();
            match all {
                Ok(all) if all.is_empty() => {
                    Err(terms.fault(term, format!("`<{}>` is empty", terms.op(term).name())))
                }
                all => all,
            }
        };
        match terms.op(term) {
            TermOp::And => Ok(Guard::And(operands(self)?)),
            TermOp::Or => Ok(Guard::Or(operands(self)?)),
            TermOp::Not => Ok(Guard::Not(Box::new(self.guard(terms.only(term)?)?))),
            TermOp::Imply => {
                let (premise, conclusion) = terms.both(term)?;
                let premise = Guard::Not(Box::new(self.guard(premise)?));
                Ok(Guard::Or(vec![premise, self.guard(conclusion)?]))
            }
            TermOp::BooleanConstant => Ok(Guard::Constant(self.boolean(term)?)),
            TermOp::Equality => self.compare(term, Comparison::Equal),
            TermOp::Inequality => self.compare(term, Comparison::NotEqual),
            TermOp::LessThan => self.compare(term, Comparison::Less),
            TermOp::LessThanOrEqual => self.compare(term, Comparison::LessEqual),
            TermOp::GreaterThan => self.compare(term, Comparison::Greater),
            TermOp::GreaterThanOrEqual => self.compare(term, Comparison::GreaterEqual),
            op => match self.infer(term)? {
                // A Boolean colour as a condition means that it is true.
                Some(sort) if *self.kind(sort) == SortKind::Bool => {
                    let truth = (sort, ColourTerm::Constant(sort, Colour(1)));
                    Ok(Guard::Compare(Comparison::Equal, (sort, self.colour(term, sort)?), truth))
                }
                _ => Err(terms.fault(term, format!("`<{}>` is not a condition", op.name()))),
            },
        }
    }

    fn compare(&mut self, term: TermId, ordering: Comparison) -> Result<Guard, Fault> {
        let (left, right) = self.terms.both(term)?;
        let sides = [self.operand_sort(left, right)?, self.operand_sort(right, left)?];
        let (Some(one), Some(other)) = (sides[0].or(sides[1]), sides[1].or(sides[0])) else {
            return Err(self.terms.fault(term, "the sorts of the operands are unknown"));
        };
        let range = |sort| matches!(self.kind(sort), SortKind::IntRange { .. });
        if !(self.same(one, other) || range(one) && range(other)) {
            let (one, other) = (self.sort_name(one), self.sort_name(other));
            let message = format!("colours of the sorts `{one}` and `{other}` cannot be compared");
            return Err(self.terms.fault(term, message));
        }
        Ok(Guard::Compare(ordering, (one, self.colour(left, one)?), (other, self.colour(right, other)?)))
    }

    /// The sort of one side of a comparison. An integer has the other side's sort if it is one of its values.
    fn operand_sort(&mut self, term: TermId, other: TermId) -> Result<Option<SortId>, Fault> {
        let integer = |table: &Self, term| table.terms.op(term) == TermOp::FiniteIntRangeConstant;
        if integer(self, term) && !integer(self, other) {
            let value = self.integer(term)?;
            if let Some(sort) = self.infer(other)?
                && let SortKind::IntRange { start, end } = *self.kind(sort)
                && (start..=end).contains(&value)
            {
                return Ok(Some(sort));
            }
        }
        self.infer(term)
    }
}

/// A multiset multiplied by a number.
pub(crate) fn times(count: u64, of: BagTerm, sort: SortId, at: u64) -> Result<BagTerm, Fault> {
    let bag = match of {
        of if count == 1 => return Ok(of),
        BagTerm::Fixed(bag) => bag.times(count),
        BagTerm::One(ColourTerm::Constant(_, colour)) => Some(Bag::of(colour, count)),
        of => return Ok(BagTerm::Times(count, Box::new(of))),
    };
    Ok(fixed(bag.ok_or_else(|| overflow(at))?, sort))
}

pub(crate) fn sum(summands: Vec<BagTerm>, sort: SortId, at: u64) -> Result<BagTerm, Fault> {
    let mut flat = Vec::with_capacity(summands.len());
    for summand in summands {
        match summand {
            // The left operand of a deep sum is the long one, so it is moved, not copied.
            BagTerm::Sum(inner) if flat.is_empty() => flat = inner,
            BagTerm::Sum(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    let constant = |summand: &BagTerm| match summand {
        BagTerm::Fixed(bag) => Some(bag.clone()),
        BagTerm::One(ColourTerm::Constant(_, colour)) => Some(Bag::of(*colour, 1)),
        _ => None,
    };
    if flat.len() == 1
        && let Some(only) = flat.pop()
    {
        return Ok(only);
    }
    match flat.iter().map(constant).collect::<Option<Vec<_>>>() {
        Some(bags) => {
            let bag = Bag::collect(bags.iter().flat_map(Bag::iter));
            Ok(fixed(bag.ok_or_else(|| overflow(at))?, sort))
        }
        None => Ok(BagTerm::Sum(flat)),
    }
}

/// A constant multiset; a single colour becomes that colour.
fn fixed(bag: Bag, sort: SortId) -> BagTerm {
    let (first, length) = (bag.iter().next(), bag.iter().len());
    match first {
        Some((colour, 1)) if length == 1 => BagTerm::One(ColourTerm::Constant(sort, colour)),
        _ => BagTerm::Fixed(bag),
    }
}

fn overflow(at: u64) -> Fault {
    Fault::at(at, "the term's counts do not fit into 64 bits")
}

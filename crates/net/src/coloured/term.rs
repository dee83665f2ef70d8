//! Terms over colours: what arcs carry and what guards compare, and their values under a binding.

use super::{Bag, Colour, SortKind, Sorts};
use crate::{Comparison, SortId, VariableId};

/// A term whose value is one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColourTerm {
    /// A fixed colour of a sort.
    Constant(SortId, Colour),
    /// A variable; it has the sort of its declaration.
    Variable(VariableId),
    /// The colour `by` places further on, wrapping around; negative for predecessors.
    Shift {
        /// The term before the shift, of the same sort.
        term: Box<ColourTerm>,
        /// The sort in which it is shifted.
        sort: SortId,
        /// The number of colours to go on, backwards if negative.
        by: i64,
    },
    /// A tuple of a product sort.
    Tuple(SortId, Vec<ColourTerm>),
    /// The block of a partition in which the term's value lies.
    BlockOf(SortId, Box<ColourTerm>),
}

/// A term whose value is a multiset of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BagTerm {
    /// One colour, once.
    One(ColourTerm),
    /// Each colour of a sort, once.
    All(SortId),
    /// A fixed multiset: constants, blocks of a partition.
    Fixed(Bag),
    /// The multiset, each count multiplied.
    Times(u64, Box<BagTerm>),
    /// The sum of several bags.
    Sum(Vec<BagTerm>),
    /// The first without the second, never below zero.
    Minus(Box<BagTerm>, Box<BagTerm>),
    /// Tuples of a product sort: every way to pick one element of each component, counts multiplied.
    Tuple(SortId, Vec<BagTerm>),
}

/// A condition on the variables of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Always true or always false.
    Constant(bool),
    /// The guard does not hold.
    Not(Box<Guard>),
    /// A conjunction; true when it is empty.
    And(Vec<Guard>),
    /// At least one of the guards holds.
    Or(Vec<Guard>),
    /// A comparison, by integer value in integer ranges and by position elsewhere.
    Compare(Comparison, (SortId, ColourTerm), (SortId, ColourTerm)),
}

/// Why a multiset term is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermError {
    /// A count may not fit into 64 bits.
    Overflow,
    /// The multiset may hold more different colours than [`BagTerm::MAX_COLOURS`].
    TooLarge,
}

impl std::fmt::Display for TermError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Overflow => f.write_str("the term's counts may not fit into 64 bits"),
            Self::TooLarge => {
                write!(f, "the term may stand for more than {} different colours", BagTerm::MAX_COLOURS)
            }
        }
    }
}

impl std::error::Error for TermError {}

impl ColourTerm {
    /// Its value where variable `v` has colour `binding(v)`.
    pub fn value(&self, sorts: &Sorts, binding: &impl Fn(VariableId) -> Colour) -> Colour {
        match self {
            Self::Constant(_, colour) => *colour,
            Self::Variable(v) => binding(*v),
            Self::Shift { term, sort, by } => {
                let size = i128::from(sorts[*sort].size());
                let moved = i128::from(term.value(sorts, binding).0) + i128::from(*by);
                Colour(moved.rem_euclid(size) as u64)
            }
            Self::Tuple(sort, terms) => {
                let SortKind::Product(parts) = &sorts[*sort].kind else {
                    panic!("a tuple has a product sort")
                };
                let components: Vec<_> = terms.iter().map(|t| t.value(sorts, binding)).collect();
                sorts.tuple(parts, &components)
            }
            Self::BlockOf(partition, term) => {
                let SortKind::Partition { block_of, .. } = &sorts[*partition].kind else {
                    panic!("a block belongs to a partition")
                };
                block_of[term.value(sorts, binding).0 as usize]
            }
        }
    }

    /// Calls `visit` with each variable in it.
    pub fn variables(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Self::Constant(..) => {}
            Self::Variable(v) => visit(*v),
            Self::Shift { term, .. } | Self::BlockOf(_, term) => term.variables(visit),
            Self::Tuple(_, terms) => terms.iter().for_each(|t| t.variables(visit)),
        }
    }
}

impl BagTerm {
    /// A multiset with more different colours than this is refused rather than built.
    pub const MAX_COLOURS: u64 = 1 << 24;

    /// Whether every value of it stays within bounds, whatever the binding; [`value`](Self::value) relies on it.
    pub fn check(&self, sorts: &Sorts) -> Result<(), TermError> {
        self.bounds(sorts).map(|_| ())
    }

    /// At most how many different colours its values have, and at most how many of one.
    fn bounds(&self, sorts: &Sorts) -> Result<(u64, u64), TermError> {
        let multiply = |a: u64, b: u64| a.checked_mul(b).ok_or(TermError::Overflow);
        let (colours, count) = match self {
            Self::One(_) => (1, 1),
            Self::All(sort) => (sorts[*sort].size(), 1),
            Self::Fixed(bag) => (bag.iter().len() as u64, bag.largest()),
            Self::Times(factor, term) => {
                let (colours, count) = term.bounds(sorts)?;
                (colours, multiply(count, *factor)?)
            }
            Self::Sum(terms) => terms.iter().try_fold((0u64, 0u64), |(colours, count), term| {
                let (c, n) = term.bounds(sorts)?;
                Ok((colours.saturating_add(c), count.checked_add(n).ok_or(TermError::Overflow)?))
            })?,
            Self::Minus(from, what) => {
                what.bounds(sorts)?;
                from.bounds(sorts)?
            }
            Self::Tuple(_, terms) => terms.iter().try_fold((1u64, 1u64), |(colours, count), term| {
                let (c, n) = term.bounds(sorts)?;
                Ok((colours.saturating_mul(c), multiply(count, n)?))
            })?,
        };
        if colours > Self::MAX_COLOURS { Err(TermError::TooLarge) } else { Ok((colours, count)) }
    }

    /// How many tokens its values have, where that does not depend on the binding; `None` where it may, or does not fit.
    pub fn cardinality(&self, sorts: &Sorts) -> Option<u64> {
        match self {
            Self::One(_) => Some(1),
            Self::All(sort) => Some(sorts[*sort].size()),
            Self::Fixed(bag) => u64::try_from(bag.total()).ok(),
            Self::Times(0, _) => Some(0),
            Self::Times(factor, term) => term.cardinality(sorts)?.checked_mul(*factor),
            Self::Sum(terms) => {
                terms.iter().try_fold(0u64, |n, term| n.checked_add(term.cardinality(sorts)?))
            }
            Self::Minus(..) => None,
            Self::Tuple(_, terms) => {
                terms.iter().try_fold(1u64, |n, term| n.checked_mul(term.cardinality(sorts)?))
            }
        }
    }

    /// Its value where variable `v` has colour `binding(v)`. The term has passed [`check`](Self::check).
    pub fn value(&self, sorts: &Sorts, binding: &impl Fn(VariableId) -> Colour) -> Bag {
        let collect =
            |counts: Vec<(Colour, u64)>| Bag::collect(counts).expect("a checked term does not overflow");
        match self {
            Self::One(term) => Bag::of(term.value(sorts, binding), 1),
            Self::All(sort) => collect((0..sorts[*sort].size()).map(|c| (Colour(c), 1)).collect()),
            Self::Fixed(bag) => bag.clone(),
            Self::Times(factor, term) => {
                let bag = term.value(sorts, binding);
                bag.times(*factor).expect("a checked term does not overflow")
            }
            Self::Sum(terms) => {
                let bags: Vec<Bag> = terms.iter().map(|t| t.value(sorts, binding)).collect();
                collect(bags.iter().flat_map(Bag::iter).collect())
            }
            Self::Minus(from, what) => from.value(sorts, binding).minus(&what.value(sorts, binding)),
            Self::Tuple(sort, terms) => {
                let SortKind::Product(parts) = &sorts[*sort].kind else {
                    panic!("a tuple has a product sort")
                };
                let mut tuples = vec![(Colour(0), 1u64)];
                for (term, &part) in terms.iter().zip(parts) {
                    let (bag, size) = (term.value(sorts, binding), sorts[part].size());
                    let longer = |&(head, n): &(Colour, u64)| {
                        bag.iter().map(move |(c, m)| (Colour(head.0 * size + c.0), n * m)).collect::<Vec<_>>()
                    };
                    tuples = tuples.iter().flat_map(longer).collect();
                }
                collect(tuples)
            }
        }
    }

    /// Calls `visit` with each variable in it.
    pub fn variables(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Self::One(term) => term.variables(visit),
            Self::All(_) | Self::Fixed(_) => {}
            Self::Times(_, term) => term.variables(visit),
            Self::Sum(terms) | Self::Tuple(_, terms) => terms.iter().for_each(|t| t.variables(visit)),
            Self::Minus(a, b) => {
                a.variables(visit);
                b.variables(visit);
            }
        }
    }
}

impl Guard {
    /// Whether it is true where variable `v` has colour `binding(v)`.
    pub fn holds(&self, sorts: &Sorts, binding: &impl Fn(VariableId) -> Colour) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Not(guard) => !guard.holds(sorts, binding),
            Self::And(guards) => guards.iter().all(|g| g.holds(sorts, binding)),
            Self::Or(guards) => guards.iter().any(|g| g.holds(sorts, binding)),
            Self::Compare(ordering, left, right) => {
                let rank =
                    |(sort, term): &(SortId, ColourTerm)| sorts.rank(*sort, term.value(sorts, binding));
                let (a, b) = (rank(left), rank(right));
                ordering.holds(&a, &b)
            }
        }
    }

    /// Calls `visit` with each variable in it.
    pub fn variables(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Self::Constant(_) => {}
            Self::Not(guard) => guard.variables(visit),
            Self::And(guards) | Self::Or(guards) => guards.iter().for_each(|g| g.variables(visit)),
            Self::Compare(_, (_, a), (_, b)) => {
                a.variables(visit);
                b.variables(visit);
            }
        }
    }
}

//! Colour terms and guards, compiled so that evaluating them takes no memory and no lookups.
//!
//! A colour of a product sort is a number of mixed radix, so a term's value is a sum: a constant and, for each
//! component with a variable, a weight times its value. Most components are a variable moved on by a constant,
//! which can be solved for the variable; what is left (a shift of a tuple, a block of a partition) is nested.
//!
//! Invariants: (1) a term's value is that of the [`ColourTerm`] it was made from; (2) a part's value is below its
//! `size`, and `weight * size` does not exceed the sort's size. Test: below, against the terms of the net.

use fireset_net::{
    Comparison, VariableId,
    coloured::{ColourTerm, Guard, SortKind, Sorts},
};

/// Where the variables of a transition are in a binding.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub(super) sorts: &'a Sorts,
    /// The variables, ascending.
    pub(super) variables: &'a [VariableId],
    /// For each of them, how many colours it has.
    pub(super) sizes: &'a [u64],
}

impl Slots<'_> {
    fn of(&self, variable: VariableId) -> usize {
        self.variables.binary_search(&variable).expect("a transition's terms use its own variables")
    }
}

/// A term whose value is one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) constant: u64,
    /// In the order of the components.
    pub(super) parts: Box<[Part]>,
}

/// A component with variables in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) weight: u64,
    pub(super) size: u64,
    pub(super) of: Of,
}

/// What a component's value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// A variable of as many colours as the component has, moved on by `by`.
    Variable { slot: u32, by: u64 },
    /// Something made from the value of a term.
    Nested(Box<(Term, Map)>),
}

/// A function of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Map {
    Same,
    /// Moved on by the first number among as many colours as the second says.
    Shift(u64, u64),
    Table(Box<[u64]>),
}

impl Map {
    fn value(&self, colour: u64) -> u64 {
        match self {
            Self::Same => colour,
            Self::Shift(by, size) => shifted(colour, *by, *size),
            Self::Table(table) => table[colour as usize],
        }
    }
}

/// A colour moved on by less than a whole round.
#[inline]
pub(super) fn shifted(colour: u64, by: u64, size: u64) -> u64 {
    if by == 0 {
        colour
    } else if colour >= size - by {
        colour - (size - by)
    } else {
        colour + by
    }
}

/// What [`shifted`] does, undone.
#[inline]
pub(super) fn unshifted(colour: u64, by: u64, size: u64) -> u64 {
    if colour >= by { colour - by } else { colour + (size - by) }
}

impl Part {
    /// Its value under a binding.
    #[inline]
    pub(super) fn value(&self, binding: &[u64]) -> u64 {
        match &self.of {
            Of::Variable { slot, by } => shifted(binding[*slot as usize], *by, self.size),
            Of::Nested(nested) => nested.1.value(nested.0.value(binding)),
        }
    }
}

impl Term {
    /// Compiles a term that stands where one of `size` colours is wanted.
    pub(super) fn new(term: &ColourTerm, size: u64, slots: Slots<'_>) -> Self {
        let part = |of: Of| Self { constant: 0, parts: [Part { weight: 1, size, of }].into() };
        match term {
            ColourTerm::Constant(_, colour) => Self::constant(colour.0),
            ColourTerm::Variable(v) => {
                let slot = slots.of(*v);
                let variable = Of::Variable { slot: slot as u32, by: 0 };
                if slots.sizes[slot] == size {
                    return part(variable);
                }
                let own = Part { weight: 1, size: slots.sizes[slot], of: variable };
                part(Of::Nested(Box::new((Self { constant: 0, parts: [own].into() }, Map::Same))))
            }
            ColourTerm::Shift { term, sort, by } => {
                let own = slots.sorts[*sort].size();
                let by = i128::from(*by).rem_euclid(i128::from(own)) as u64;
                let inner = Self::new(term, own, slots);
                match &*inner.parts {
                    [] => Self::constant(shifted(inner.constant, by, own)),
                    [Part { size: inner, of: Of::Variable { slot, by: before }, .. }]
                        if *inner == own && own == size =>
                    {
                        part(Of::Variable { slot: *slot, by: shifted(*before, by, own) })
                    }
                    _ => part(Of::Nested(Box::new((inner, Map::Shift(by, own))))),
                }
            }
            ColourTerm::Tuple(sort, terms) => {
                let SortKind::Product(parts) = &slots.sorts[*sort].kind else {
                    panic!("a tuple has a product sort")
                };
                let sizes = parts.iter().map(|&part| slots.sorts[part].size());
                let terms = terms.iter().zip(sizes).map(|(t, size)| (Self::new(t, size, slots), size));
                terms.fold(Self::constant(0), |head, (term, size)| head.followed_by(term, size))
            }
            ColourTerm::BlockOf(partition, term) => {
                let SortKind::Partition { base, block_of, .. } = &slots.sorts[*partition].kind else {
                    panic!("a block belongs to a partition")
                };
                let inner = Self::new(term, slots.sorts[*base].size(), slots);
                if inner.parts.is_empty() {
                    return Self::constant(block_of[inner.constant as usize].0);
                }
                let table = block_of.iter().map(|block| block.0).collect();
                part(Of::Nested(Box::new((inner, Map::Table(table)))))
            }
        }
    }

    /// The term of a fixed colour.
    pub(super) fn constant(colour: u64) -> Self {
        Self { constant: colour, parts: Box::default() }
    }

    /// The tuple of this term and another one of `size` colours.
    pub(super) fn followed_by(self, last: Self, size: u64) -> Self {
        let heavier = |part: Part| Part { weight: part.weight * size, ..part };
        let parts = self.parts.into_iter().map(heavier).chain(last.parts).collect();
        Self { constant: self.constant * size + last.constant, parts }
    }

    /// Its value under a binding.
    #[inline]
    pub(super) fn value(&self, binding: &[u64]) -> u64 {
        self.parts.iter().fold(self.constant, |sum, part| sum + part.weight * part.value(binding))
    }

    /// Calls `visit` with the slot of each variable in it.
    pub(super) fn slots(&self, visit: &mut dyn FnMut(usize)) {
        for part in &self.parts {
            match &part.of {
                Of::Variable { slot, .. } => visit(*slot as usize),
                Of::Nested(nested) => nested.0.slots(visit),
            }
        }
    }
}

/// A condition on a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Constant(bool),
    Not(Box<Test>),
    All(Box<[Test]>),
    Any(Box<[Test]>),
    /// How the first term plus a number compares with the second.
    Compare(Comparison, Box<(Term, i128, Term)>),
}

impl Test {
    /// Compiles a guard.
    pub(super) fn new(guard: &Guard, slots: Slots<'_>) -> Self {
        let all = |guards: &[Guard]| guards.iter().map(|g| Self::new(g, slots)).collect();
        match guard {
            Guard::Constant(value) => Self::Constant(*value),
            Guard::Not(guard) => Self::Not(Box::new(Self::new(guard, slots))),
            Guard::And(guards) => Self::All(all(guards)),
            Guard::Or(guards) => Self::Any(all(guards)),
            Guard::Compare(how, (left_sort, left), (right_sort, right)) => {
                let first = |sort| slots.sorts.rank(sort, fireset_net::coloured::Colour(0));
                let term = |sort, term| Term::new(term, slots.sorts[sort].size(), slots);
                let ahead = first(*left_sort) - first(*right_sort);
                Self::Compare(*how, Box::new((term(*left_sort, left), ahead, term(*right_sort, right))))
            }
        }
    }

    /// Whether a binding has it.
    pub(super) fn holds(&self, binding: &[u64]) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Not(test) => !test.holds(binding),
            Self::All(tests) => tests.iter().all(|t| t.holds(binding)),
            Self::Any(tests) => tests.iter().any(|t| t.holds(binding)),
            Self::Compare(how, terms) => {
                let (left, ahead, right) = &**terms;
                let (a, b) = (i128::from(left.value(binding)) + ahead, i128::from(right.value(binding)));
                how.holds(&a, &b)
            }
        }
    }

    /// Calls `visit` with the slot of each variable in it.
    pub(super) fn slots(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Constant(_) => {}
            Self::Not(test) => test.slots(visit),
            Self::All(tests) | Self::Any(tests) => tests.iter().for_each(|t| t.slots(visit)),
            Self::Compare(_, terms) => {
                terms.0.slots(visit);
                terms.2.slots(visit);
            }
        }
    }

    /// The conditions that it is the conjunction of.
    pub(super) fn conjuncts(self) -> Vec<Self> {
        match self {
            Self::All(tests) => tests.into_iter().flat_map(Self::conjuncts).collect(),
            Self::Constant(true) => Vec::new(),
            other => vec![other],
        }
    }
}

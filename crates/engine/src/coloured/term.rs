//! Colour terms and guards, compiled so that evaluating them takes no memory and no lookups.
//!
//! A colour of a product sort is a number of mixed radix, so a term's value is a sum: a constant and, for each
//! component with a variable, a weight times its value. Most components are a variable moved on by a constant,
//! which can be solved for the variable; other components (a shift of a tuple, a block of a partition) are nested.
//!
//! Invariants: (1) a term's value is that of the [`ColourTerm`] it was made from; (2) a part's value is below its
//! `size`, and `weight * size` does not exceed the sort's size. Test: below, against the terms of the net.

use fireset_net::{
    Comparison, VariableId,
    coloured::{ColourTerm, Guard, SortKind, Sorts},
};

/// The positions of the variables of a transition in a binding.
#[derive(Clone, Copy)]
pub(super) struct VariableSlots<'a> {
    pub(super) sorts: &'a Sorts,
    /// The variables, ascending.
    pub(super) variables: &'a [VariableId],
    /// The number of colours of each variable.
    pub(super) sizes: &'a [u64],
}

impl VariableSlots<'_> {
    fn of(&self, variable: VariableId) -> usize {
        self.variables.binary_search(&variable).expect("a transition's terms use its own variables")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CompiledTerm {
    pub(super) constant: u64,
    /// The parts, in the order of the components.
    pub(super) parts: Box<[TermPart]>,
}

/// A component with variables in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TermPart {
    pub(super) weight: u64,
    pub(super) size: u64,
    pub(super) of: PartValue,
}

/// The value of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PartValue {
    /// A variable of as many colours as the component has, moved on by `by`.
    Variable { slot: u32, by: u64 },
    /// A function of the value of a term.
    Nested(Box<(CompiledTerm, ColourMap)>),
}

/// A function of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ColourMap {
    Same,
    /// The successor function, iterated: by how many colours, and among how many.
    Shift(u64, u64),
    Table(Box<[u64]>),
}

impl ColourMap {
    fn value(&self, colour: u64) -> u64 {
        match self {
            Self::Same => colour,
            Self::Shift(by, size) => shifted(colour, *by, *size),
            Self::Table(table) => table[colour as usize],
        }
    }
}

/// The colour `by` steps after another one, cyclically; `by` is below `size`.
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

/// The inverse of [`shifted`].
#[inline]
pub(super) fn unshifted(colour: u64, by: u64, size: u64) -> u64 {
    if colour >= by { colour - by } else { colour + (size - by) }
}

impl TermPart {
    #[inline]
    pub(super) fn value(&self, binding: &[u64]) -> u64 {
        match &self.of {
            PartValue::Variable { slot, by } => shifted(binding[*slot as usize], *by, self.size),
            PartValue::Nested(nested) => nested.1.value(nested.0.value(binding)),
        }
    }
}

impl CompiledTerm {
    /// Compiles a term in a position that has `size` colours.
    pub(super) fn new(term: &ColourTerm, size: u64, slots: VariableSlots<'_>) -> Self {
        let part = |of: PartValue| Self { constant: 0, parts: [TermPart { weight: 1, size, of }].into() };
        match term {
            ColourTerm::Constant(_, colour) => Self::constant(colour.0),
            ColourTerm::Variable(v) => {
                let slot = slots.of(*v);
                let variable = PartValue::Variable { slot: slot as u32, by: 0 };
                if slots.sizes[slot] == size {
                    return part(variable);
                }
                let own = TermPart { weight: 1, size: slots.sizes[slot], of: variable };
                part(PartValue::Nested(Box::new((
                    Self { constant: 0, parts: [own].into() },
                    ColourMap::Same,
                ))))
            }
            ColourTerm::Shift { term, sort, by } => {
                let own = slots.sorts[*sort].size();
                let by = i128::from(*by).rem_euclid(i128::from(own)) as u64;
                let inner = Self::new(term, own, slots);
                match &*inner.parts {
                    [] => Self::constant(shifted(inner.constant, by, own)),
                    [TermPart { size: inner, of: PartValue::Variable { slot, by: before }, .. }]
                        if *inner == own && own == size =>
                    {
                        part(PartValue::Variable { slot: *slot, by: shifted(*before, by, own) })
                    }
                    _ => part(PartValue::Nested(Box::new((inner, ColourMap::Shift(by, own))))),
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
                part(PartValue::Nested(Box::new((inner, ColourMap::Table(table)))))
            }
        }
    }

    pub(super) fn constant(colour: u64) -> Self {
        Self { constant: colour, parts: Box::default() }
    }

    /// The tuple of this term and another one of a sort with `size` colours.
    pub(super) fn followed_by(self, last: Self, size: u64) -> Self {
        let heavier = |part: TermPart| TermPart { weight: part.weight * size, ..part };
        let parts = self.parts.into_iter().map(heavier).chain(last.parts).collect();
        Self { constant: self.constant * size + last.constant, parts }
    }

    #[inline]
    pub(super) fn value(&self, binding: &[u64]) -> u64 {
        self.parts.iter().fold(self.constant, |sum, part| sum + part.weight * part.value(binding))
    }

    /// Calls `visit` with the slot of each variable.
    pub(super) fn slots(&self, visit: &mut dyn FnMut(usize)) {
        for part in &self.parts {
            match &part.of {
                PartValue::Variable { slot, .. } => visit(*slot as usize),
                PartValue::Nested(nested) => nested.0.slots(visit),
            }
        }
    }
}

/// A condition on a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompiledGuard {
    Constant(bool),
    Not(Box<CompiledGuard>),
    All(Box<[CompiledGuard]>),
    Any(Box<[CompiledGuard]>),
    /// The comparison of the first term plus a number with the second term.
    Compare(Comparison, Box<(CompiledTerm, i128, CompiledTerm)>),
}

impl CompiledGuard {
    pub(super) fn new(guard: &Guard, slots: VariableSlots<'_>) -> Self {
        let all = |guards: &[Guard]| guards.iter().map(|g| Self::new(g, slots)).collect();
        match guard {
            Guard::Constant(value) => Self::Constant(*value),
            Guard::Not(guard) => Self::Not(Box::new(Self::new(guard, slots))),
            Guard::And(guards) => Self::All(all(guards)),
            Guard::Or(guards) => Self::Any(all(guards)),
            Guard::Compare(how, (left_sort, left), (right_sort, right)) => {
                let first = |sort| slots.sorts.rank(sort, fireset_net::coloured::Colour(0));
                let term = |sort, term| CompiledTerm::new(term, slots.sorts[sort].size(), slots);
                let ahead = first(*left_sort) - first(*right_sort);
                Self::Compare(*how, Box::new((term(*left_sort, left), ahead, term(*right_sort, right))))
            }
        }
    }

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

    /// Calls `visit` with the slot of each variable.
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

    pub(super) fn conjuncts(self) -> Vec<Self> {
        match self {
            Self::All(tests) => tests.into_iter().flat_map(Self::conjuncts).collect(),
            Self::Constant(true) => Vec::new(),
            other => vec![other],
        }
    }
}

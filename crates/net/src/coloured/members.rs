//! The colours that a multiset term surely holds, as terms that can be matched with tokens.
//!
//! Why: a transition takes what its input arcs hold, so a token of each member must be there, and it gives the
//! variables of the member their colours. See `matching`.
//! Invariant: under every binding, the value of the multiset term holds the value of each member at least as often
//! as the members with that value count together; exactly so often, and nothing else, where they are complete.

use super::{BagTerm, Colour, ColourTerm, SortKind, Sorts};
use crate::SortId;

/// Terms with many members are represented by one of them.
const MOST: usize = 16;

/// Members of the values of a multiset term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Terms of colours, and how often each is there.
    pub terms: Vec<(ColourTerm, u64)>,
    /// Whether they are all that there is.
    pub complete: bool,
}

impl Members {
    /// The members of `term`, whose values are multisets over `sort`.
    pub fn of(term: &BagTerm, sort: SortId, sorts: &Sorts) -> Self {
        let constant = |colour: Colour| ColourTerm::Constant(sort, colour);
        match term {
            BagTerm::One(term) if term.is_invertible() => Self::complete(vec![(term.clone(), 1)]),
            BagTerm::One(_) | BagTerm::Minus(..) => Self::default(),
            BagTerm::All(_) => {
                let size = usize::try_from(sorts[sort].size()).unwrap_or(usize::MAX);
                let few = (0..size.min(MOST) as u64).map(|c| (constant(Colour(c)), 1)).collect();
                Self::complete(few).or_one(size)
            }
            BagTerm::Fixed(bag) => {
                let few = bag.iter().take(MOST).map(|(colour, n)| (constant(colour), n)).collect();
                Self::complete(few).or_one(bag.iter().len())
            }
            BagTerm::Times(0, _) => Self::complete(Vec::new()),
            BagTerm::Times(factor, term) => {
                let Self { mut terms, complete } = Self::of(term, sort, sorts);
                terms.iter_mut().for_each(|member| member.1 *= factor);
                Self { terms, complete }
            }
            BagTerm::Sum(terms) => {
                let mut all = Self::complete(Vec::new());
                for part in terms.iter().map(|term| Self::of(term, sort, sorts)) {
                    all.terms.extend(part.terms);
                    all.complete &= part.complete;
                }
                all
            }
            BagTerm::Tuple(product, terms) => Self::tuples(*product, terms, sorts),
        }
    }

    fn complete(terms: Vec<(ColourTerm, u64)>) -> Self {
        Self { terms, complete: true }
    }

    /// The same, or one of them where there are too many.
    fn or_one(mut self, there_are: usize) -> Self {
        if there_are > MOST {
            self.terms.truncate(1);
            self.complete = false;
        }
        self
    }

    /// Tuples of members.
    fn tuples(product: SortId, terms: &[BagTerm], sorts: &Sorts) -> Self {
        let SortKind::Product(parts) = &sorts[product].kind else { panic!("a tuple has a product sort") };
        let mut components: Vec<Self> =
            terms.iter().zip(parts).map(|(term, &part)| Self::of(term, part, sorts)).collect();
        let count = components.iter().fold(1, |n: usize, c| n.saturating_mul(c.terms.len()));
        let mut complete = components.iter().all(|c| c.complete);
        if count > MOST {
            components.iter_mut().for_each(|c| c.terms.truncate(1));
            complete = false;
        }
        let mut tuples = vec![(Vec::new(), 1u64)];
        for component in &components {
            let longer = |(head, n): &(Vec<ColourTerm>, u64)| {
                let with =
                    |(term, m): &(ColourTerm, u64)| ([&head[..], std::slice::from_ref(term)].concat(), n * m);
                component.terms.iter().map(with).collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        let terms = tuples.into_iter().map(|(tuple, n)| (ColourTerm::Tuple(product, tuple), n)).collect();
        Self { terms, complete }
    }
}

impl ColourTerm {
    /// Whether its value tells the colours of its variables.
    pub fn is_invertible(&self) -> bool {
        match self {
            Self::Constant(..) | Self::Variable(_) => true,
            Self::Shift { term, .. } => term.is_invertible(),
            Self::Tuple(_, terms) => terms.iter().all(Self::is_invertible),
            Self::BlockOf(_, term) => {
                let mut ground = true;
                term.variables(&mut |_| ground = false);
                ground
            }
        }
    }

    /// Gives the variables that have no colour yet those for which the term has the value `colour`; `false` where
    /// there are none, and then some may have been given all the same. The term is invertible, up to parts whose
    /// variables all have a colour.
    pub(super) fn unify(&self, sorts: &Sorts, colour: Colour, slots: &mut [Option<Colour>]) -> bool {
        match self {
            Self::Constant(_, own) => *own == colour,
            Self::Variable(v) => *slots[v.index()].get_or_insert(colour) == colour,
            Self::Shift { term, sort, by } => {
                let size = i128::from(sorts[*sort].size());
                let back = (i128::from(colour.0) - i128::from(*by)).rem_euclid(size);
                i128::from(colour.0) < size && term.unify(sorts, Colour(back as u64), slots)
            }
            Self::Tuple(sort, terms) => {
                let SortKind::Product(parts) = &sorts[*sort].kind else {
                    panic!("a tuple has a product sort")
                };
                let mut rest = colour.0;
                terms.iter().zip(parts).rev().all(|(term, &part)| {
                    let size = sorts[part].size();
                    let component = Colour(rest % size);
                    rest /= size;
                    term.unify(sorts, component, slots)
                })
            }
            Self::BlockOf(..) => self.value(sorts, &known(slots)) == colour,
        }
    }
}

/// The colours of variables that all have one.
pub(super) fn known(slots: &[Option<Colour>]) -> impl Fn(crate::VariableId) -> Colour {
    |v| slots[v.index()].expect("a plan asks for values only where the variables have colours")
}

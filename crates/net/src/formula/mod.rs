//! One tree for every logic as users write it: CTL, LTL, reachability, bounds. A new analysis is a function over
//! [`Formula::children`] and [`Formula::map_children`]. Engines get formulas of one kind each ([`typed`]).

mod bool_tree;
mod ctl_star;
mod run;
mod steps;
mod temporal;
mod typed;

use num_bigint::BigInt;

pub use self::{
    bool_tree::BoolTree,
    ctl_star::{CtlStarAtom, CtlStarFormula},
    run::{Past, RunAtom, RunFormula},
    steps::StepSet,
    temporal::Temporal,
    typed::{
        CtlAtom, CtlFormula, PathAtom, PathFormula, PathPrefix, StateAtom, StatePredicate, TemporalAtom,
        WrongKind,
    },
};
use crate::{
    Fairness, NamedProperty, PlaceId, TransitionId,
    coloured::{BindingPattern, PlaceColours},
};

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Written `<` in queries.
    Less,
    /// Written `<=` in queries.
    LessEqual,
    /// Written `=` in queries.
    Equal,
    /// Written `!=` in queries.
    NotEqual,
    /// Written `>=` in queries.
    GreaterEqual,
    /// Written `>` in queries.
    Greater,
}

impl Comparison {
    /// Each of the six once.
    pub const ALL: [Self; 6] =
        [Self::Less, Self::LessEqual, Self::Equal, Self::NotEqual, Self::GreaterEqual, Self::Greater];

    /// Whether `a` and `b` compare so.
    pub fn holds<T: Ord>(self, a: &T, b: &T) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::GreaterEqual => a >= b,
            Self::Greater => a > b,
        }
    }

    /// True exactly when `self` is false.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::GreaterEqual => Self::Less,
            Self::Greater => Self::LessEqual,
        }
    }

    /// The same with the sides exchanged.
    #[must_use]
    pub fn mirror(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::GreaterEqual => Self::LessEqual,
            Self::Greater => Self::Less,
            same => same,
        }
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        }
    }
}

/// The token counts of a marking, by which an expression has its value.
pub trait TokenCounts {
    /// The tokens of a place, of all colours together.
    fn tokens(&self, place: PlaceId) -> u128;

    /// The tokens of some colours in a place.
    fn colour_tokens(&self, tokens: &PlaceColours) -> u128;
}

/// The counts of a place/transition net, of which no expression names colours.
impl<F: Fn(PlaceId) -> u128> TokenCounts for F {
    fn tokens(&self, place: PlaceId) -> u128 {
        self(place)
    }

    fn colour_tokens(&self, _: &PlaceColours) -> u128 {
        unreachable!("only the expressions of a coloured net name colours")
    }
}

/// An integer expression over token counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An integer, which may be negative.
    Constant(i64),
    /// The tokens on these places together; on a coloured net, of all colours.
    Tokens(Vec<PlaceId>),
    /// The tokens of some colours in a place; only on a coloured net.
    ColourTokens(PlaceColours),
    /// A sum; 0 when it is empty.
    Sum(Vec<Expr>),
    /// The first minus the second.
    Difference(Box<Expr>, Box<Expr>),
    /// A product; 1 when it is empty.
    Product(Vec<Expr>),
}

impl Expr {
    /// A token count; one that does not fit into a constant is a sum.
    pub fn count(tokens: u128) -> Self {
        match i64::try_from(tokens) {
            Ok(n) => Self::Constant(n),
            Err(_) => Self::Sum(vec![Self::Constant(i64::MAX), Self::count(tokens - i64::MAX as u128)]),
        }
    }

    /// Its value, where `tokens` tells what a place holds; `None` when it does not fit into 128 bits.
    pub fn small_value(&self, tokens: &impl TokenCounts) -> Option<i128> {
        match self {
            Self::Constant(n) => Some(i128::from(*n)),
            Self::Tokens(places) => {
                let count = |p: PlaceId| i128::try_from(tokens.tokens(p)).ok();
                places.iter().try_fold(0i128, |sum, &p| sum.checked_add(count(p)?))
            }
            Self::ColourTokens(some) => i128::try_from(tokens.colour_tokens(some)).ok(),
            Self::Sum(terms) => {
                terms.iter().try_fold(0i128, |sum, t| sum.checked_add(t.small_value(tokens)?))
            }
            Self::Difference(a, b) => a.small_value(tokens)?.checked_sub(b.small_value(tokens)?),
            Self::Product(factors) => {
                factors.iter().try_fold(1i128, |product, f| product.checked_mul(f.small_value(tokens)?))
            }
        }
    }

    /// Its value, whatever its size.
    pub fn value(&self, tokens: &impl TokenCounts) -> BigInt {
        match self {
            Self::Constant(n) => BigInt::from(*n),
            Self::Tokens(places) => places.iter().map(|&p| BigInt::from(tokens.tokens(p))).sum(),
            Self::ColourTokens(some) => BigInt::from(tokens.colour_tokens(some)),
            Self::Sum(terms) => terms.iter().map(|t| t.value(tokens)).sum(),
            Self::Difference(a, b) => a.value(tokens) - b.value(tokens),
            Self::Product(factors) => factors.iter().map(|f| f.value(tokens)).product(),
        }
    }

    /// Whether two expressions compare so; exact, since it falls back to big integers.
    pub fn compare(&self, how: Comparison, other: &Self, tokens: &impl TokenCounts) -> bool {
        match (self.small_value(tokens), other.small_value(tokens)) {
            (Some(a), Some(b)) => how.holds(&a, &b),
            _ => how.holds(&self.value(tokens), &other.value(tokens)),
        }
    }

    /// Whether it counts the tokens of some colours only.
    pub fn names_colours(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Tokens(_) => false,
            Self::ColourTokens(_) => true,
            Self::Sum(terms) | Self::Product(terms) => terms.iter().any(Self::names_colours),
            Self::Difference(a, b) => a.names_colours() || b.names_colours(),
        }
    }

    /// The same count on a place/transition net, in words that name no colours.
    #[must_use]
    pub fn without_colours(&self) -> Self {
        let all = |terms: &[Self]| terms.iter().map(Self::without_colours).collect();
        match self {
            Self::Constant(_) | Self::Tokens(_) => self.clone(),
            Self::ColourTokens(tokens) if tokens.is_plain() => Self::Tokens(vec![tokens.place]),
            Self::ColourTokens(_) => Self::Constant(0),
            Self::Sum(terms) => Self::Sum(all(terms)),
            Self::Product(factors) => Self::Product(all(factors)),
            Self::Difference(a, b) => {
                Self::Difference(Box::new(a.without_colours()), Box::new(b.without_colours()))
            }
        }
    }

    /// Calls `visit` with each place in it, also with those of which it counts some colours only.
    pub fn places(&self, visit: &mut impl FnMut(PlaceId)) {
        match self {
            Self::Constant(_) => {}
            Self::Tokens(places) => places.iter().copied().for_each(visit),
            Self::ColourTokens(some) => visit(some.place),
            Self::Sum(terms) | Self::Product(terms) => terms.iter().for_each(|t| t.places(visit)),
            Self::Difference(a, b) => {
                a.places(visit);
                b.places(visit);
            }
        }
    }
}

/// A property that speaks of the net as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Global {
    /// How large the state space is.
    StateSpace,
    /// Every place has at most one token in every reachable marking.
    OneSafe,
    /// Some place keeps its initial count in every reachable marking.
    StableMarking,
    /// Every transition can fire at some time.
    QuasiLiveness,
    /// Every transition can always fire again later.
    Liveness,
}

/// A property's tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Has this value in every state.
    Constant(bool),
    /// No transition is enabled.
    Deadlock,
    /// Some of these transitions is enabled; on a coloured net, under some binding.
    Fireable(Vec<TransitionId>),
    /// The transition is enabled under some of these bindings; only on a coloured net.
    BindingFireable(BindingPattern),
    /// The step that is taken now is one of these; only in path formulas.
    Fired(StepSet),
    /// A comparison of token counts.
    Compare(Comparison, Expr, Expr),
    /// Holds where the operand does not.
    Not(Box<Formula>),
    /// All of them; true when empty.
    And(Vec<Formula>),
    /// Some of them; false when empty.
    Or(Vec<Formula>),
    /// Both or neither. Kept, because spelling it out doubles both sides.
    Iff(Box<Formula>, Box<Formula>),
    /// In the next state.
    Next(Box<Formula>),
    /// Now or at some time later.
    Finally(Box<Formula>),
    /// Now and always later.
    Globally(Box<Formula>),
    /// The second at some time, and the first until then.
    Until(Box<Formula>, Box<Formula>),
    /// The second up to and including the moment when the first holds, or for ever.
    Release(Box<Formula>, Box<Formula>),
    /// The first until the second, or the first for ever.
    WeakUntil(Box<Formula>, Box<Formula>),
    /// At the position before; false at the first.
    Yesterday(Box<Formula>),
    /// Now or at some time before.
    Once(Box<Formula>),
    /// Now and at all times before.
    Historically(Box<Formula>),
    /// The second now or at some time before, and the first ever since.
    Since(Box<Formula>, Box<Formula>),
    /// On some maximal path.
    Exists(Box<Formula>),
    /// On all maximal paths.
    ForAll(Box<Formula>),
    /// The operand, asked about fair runs alone; only around a whole property.
    Under(Fairness, Box<Formula>),
    /// The largest number of tokens on these places together; only as a whole property.
    Bound(Vec<PlaceId>),
    /// The largest number of tokens of some colours on some places together; only on a coloured net, and as a whole
    /// property.
    ColourBound(Vec<PlaceColours>),
    /// A property of the whole net; only as a whole property.
    Global(Global),
    /// A property that the literature has a name for; only as a whole property.
    Named(NamedProperty),
}

impl Formula {
    /// Negation, without stacking two.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::Constant(value) => Self::Constant(!value),
            other => Self::Not(Box::new(other)),
        }
    }

    /// The disjunction of the negated formula and `other`.
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        Self::Or(vec![self.negate(), other])
    }

    /// The CTL formula `E F self`.
    #[must_use]
    pub fn possible(self) -> Self {
        Self::Exists(Box::new(Self::Finally(Box::new(self))))
    }

    /// The CTL formula `A G self`.
    #[must_use]
    pub fn invariant(self) -> Self {
        Self::ForAll(Box::new(Self::Globally(Box::new(self))))
    }

    /// The formulas directly below, in order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Formula> {
        use std::slice::from_ref;
        let (first, second): (&[Formula], &[Formula]) = match self {
            Self::Constant(_)
            | Self::Deadlock
            | Self::Fireable(_)
            | Self::BindingFireable(_)
            | Self::Fired(_)
            | Self::Compare(..)
            | Self::Bound(_)
            | Self::ColourBound(_)
            | Self::Global(_)
            | Self::Named(_) => (&[], &[]),
            Self::Not(f)
            | Self::Next(f)
            | Self::Finally(f)
            | Self::Globally(f)
            | Self::Yesterday(f)
            | Self::Once(f)
            | Self::Historically(f)
            | Self::Exists(f)
            | Self::ForAll(f)
            | Self::Under(_, f) => (from_ref(&**f), &[]),
            Self::And(fs) | Self::Or(fs) => (fs, &[]),
            Self::Iff(f, g)
            | Self::Until(f, g)
            | Self::Release(f, g)
            | Self::WeakUntil(f, g)
            | Self::Since(f, g) => (from_ref(&**f), from_ref(&**g)),
        };
        first.iter().chain(second)
    }

    /// The same node over changed children.
    #[must_use]
    pub fn map_children(self, change: &mut impl FnMut(Formula) -> Formula) -> Self {
        let mut boxed = |mut f: Box<Formula>| {
            *f = change(std::mem::replace(&mut *f, Formula::Deadlock));
            f
        };
        match self {
            Self::Constant(_)
            | Self::Deadlock
            | Self::Fireable(_)
            | Self::BindingFireable(_)
            | Self::Fired(_)
            | Self::Compare(..)
            | Self::Bound(_)
            | Self::ColourBound(_)
            | Self::Global(_)
            | Self::Named(_) => self,
            Self::Not(f) => Self::Not(boxed(f)),
            Self::Next(f) => Self::Next(boxed(f)),
            Self::Finally(f) => Self::Finally(boxed(f)),
            Self::Globally(f) => Self::Globally(boxed(f)),
            Self::Yesterday(f) => Self::Yesterday(boxed(f)),
            Self::Once(f) => Self::Once(boxed(f)),
            Self::Historically(f) => Self::Historically(boxed(f)),
            Self::Exists(f) => Self::Exists(boxed(f)),
            Self::ForAll(f) => Self::ForAll(boxed(f)),
            Self::Under(fairness, f) => Self::Under(fairness, boxed(f)),
            Self::And(fs) => Self::And(fs.into_iter().map(change).collect()),
            Self::Or(fs) => Self::Or(fs.into_iter().map(change).collect()),
            Self::Iff(f, g) => Self::Iff(boxed(f), boxed(g)),
            Self::Until(f, g) => Self::Until(boxed(f), boxed(g)),
            Self::Release(f, g) => Self::Release(boxed(f), boxed(g)),
            Self::WeakUntil(f, g) => Self::WeakUntil(boxed(f), boxed(g)),
            Self::Since(f, g) => Self::Since(boxed(f), boxed(g)),
        }
    }

    /// Whether this node is a temporal operator (not a path quantifier).
    pub fn is_temporal(&self) -> bool {
        matches!(
            self,
            Self::Next(_)
                | Self::Finally(_)
                | Self::Globally(_)
                | Self::Until(..)
                | Self::Release(..)
                | Self::WeakUntil(..)
        ) || self.is_past()
    }

    /// Whether this node is an operator about the past.
    pub fn is_past(&self) -> bool {
        matches!(self, Self::Yesterday(_) | Self::Once(_) | Self::Historically(_) | Self::Since(..))
    }

    /// Whether it speaks of steps, of the past or of fair runs, as only LTL with these can.
    pub fn is_about_runs(&self) -> bool {
        self.any(&|f| f.is_past() || matches!(f, Self::Fired(_) | Self::Under(..)))
    }

    /// Whether this node is a bound or a property of the whole net, which stand alone.
    pub fn is_whole_property(&self) -> bool {
        matches!(self, Self::Bound(_) | Self::ColourBound(_) | Self::Global(_) | Self::Named(_))
    }

    /// How many temporal operators it has.
    pub fn temporal_operators(&self) -> usize {
        usize::from(self.is_temporal()) + self.children().map(Self::temporal_operators).sum::<usize>()
    }

    /// How deep its temporal operators stand inside each other.
    pub fn temporal_depth(&self) -> usize {
        usize::from(self.is_temporal()) + self.children().map(Self::temporal_depth).max().unwrap_or(0)
    }

    /// Whether `test` is true of some node of the tree.
    pub fn any(&self, test: &impl Fn(&Formula) -> bool) -> bool {
        test(self) || self.children().any(|f| f.any(test))
    }

    /// Whether it speaks of one state only: no temporal operator, quantifier, bound or global property.
    pub fn is_state_predicate(&self) -> bool {
        !self.any(&|f| {
            f.is_temporal()
                || f.is_whole_property()
                || matches!(f, Self::Exists(_) | Self::ForAll(_) | Self::Fired(_) | Self::Under(..))
        })
    }
}

//! LTL formulas in negation normal form.

/// The number of an atomic proposition; its meaning is the caller's.
pub type AtomId = u32;

/// An atomic proposition or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomLiteral {
    /// The proposition without its sign.
    pub atom: AtomId,
    /// False for the negation.
    pub positive: bool,
}

/// A formula over infinite words, each of whose letters is a valuation of the atomic propositions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LtlFormula {
    /// Every word or none.
    Constant(bool),
    /// The first letter has this literal.
    Literal(AtomLiteral),
    /// Conjunction; true when empty.
    And(Vec<LtlFormula>),
    /// Disjunction; false when empty.
    Or(Vec<LtlFormula>),
    /// The word without its first letter satisfies the operand.
    Next(Box<LtlFormula>),
    /// The second operand holds at some time, and the first until then.
    Until(Box<LtlFormula>, Box<LtlFormula>),
    /// The second operand holds up to and including the moment when the first does, or for ever.
    Release(Box<LtlFormula>, Box<LtlFormula>),
}

//! Formulas in negation normal form.

/// The number of an atomic proposition.
pub type Atom = u32;

/// An atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// Which atom.
    pub atom: Atom,
    /// Whether it is to be true.
    pub positive: bool,
}

/// A formula over infinite words of letters, each of which says which atoms are true.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ltl {
    /// True or false.
    Constant(bool),
    /// Of the first letter.
    Literal(Literal),
    /// All of them; true when empty.
    And(Vec<Ltl>),
    /// Some of them; false when empty.
    Or(Vec<Ltl>),
    /// After the first letter.
    Next(Box<Ltl>),
    /// The second at some time, and the first until then.
    Until(Box<Ltl>, Box<Ltl>),
    /// The second up to and including the moment when the first holds, or for ever.
    Release(Box<Ltl>, Box<Ltl>),
}

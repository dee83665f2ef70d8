//! Refutations as trees: the branches of a search, and the contradictions at its leaves.
//!
//! Constraints are told by their origins and never by their numbers, so that a certificate can be made of the tree whose numbers
//! `fireset_net::replay` calculates again. Test: `tests/certificates.rs` of `fireset-reduce`.

use std::rc::Rc;

use super::cuts::CutReason;

/// The size of a refutation, by its kinds of reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofSize {
    /// Contradictions that were checked.
    pub leaves: usize,
    /// Constraints and branches from traps and siphons.
    pub cuts: usize,
    /// Branches between the integers around a fraction.
    pub splits: usize,
}

/// A refutation over the columns of the equation.
#[derive(Clone, Debug)]
pub enum RefutationTree {
    /// Constraints that contradict each other, each with its multiplier.
    Leaf(Vec<(ConstraintOrigin, i128)>),
    /// A branch whose alternatives are all refuted.
    Branch(BranchChoice, Vec<RefutationTree>),
}

/// The positions of parts on the path from the whole condition to one of its parts.
pub type ConditionPath = Rc<[u32]>;

/// Where a constraint comes from.
#[derive(Clone, Debug)]
pub enum ConstraintOrigin {
    /// A place has no less than 0 tokens.
    Place(u32),
    /// An inequality of the condition, named by its path.
    Part(ConditionPath),
    /// The alternative that was taken at this depth of branches.
    Case(usize),
    /// A cut with one alternative.
    Cut(CutReason),
    /// The region, or a guess of the rounding heuristic; a refutation that rests on it is no certificate.
    Region,
}

/// The question that the alternatives of a branch answer.
#[derive(Clone, Debug)]
pub enum BranchChoice {
    /// The cases of a disjunction of the condition, named by its path.
    Part(ConditionPath),
    /// A place has at most this number of tokens, or more.
    Tokens(u32, i128),
    /// A column fires at most this number of times, or more often.
    Firings(u32, i128),
    /// The alternatives of a cut.
    Cut(CutReason),
}

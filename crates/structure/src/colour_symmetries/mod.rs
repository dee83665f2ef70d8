//! Symmetries of a coloured net: permutations of colours that change neither the net nor the queries.
//!
//! Why: processes of the same kind are colours of one sort, and which of them is where seldom matters. Markings that are
//! the same but for such a permutation behave in the same way, so a search needs only one of them.
//! Source: Chiola, Dutheillet, Franceschinis and Haddad, "Stochastic well-formed colored nets and symmetric modeling
//! applications" (IEEE Trans. Computers 1993): static subclasses and rotations of well-formed nets. They are declared there; here
//! they are found from the terms.
//!
//! A symmetry has a permutation of each sort that is no product; a tuple follows its components, a marking its tokens, a binding
//! its variables. Each sort has one of three groups, and every combination of their elements is a symmetry:
//! * all permutations within *blocks* of colours. Two colours are in one block if swapping them changes no term. That is an
//!   equivalence, because `(c e) = (d e)(c d)(d e)`, and swaps within the blocks generate the group. So it is enough to ask
//!   for pairs;
//! * all *rotations*, where successors are taken and no colour is named;
//! * the identity alone (*rigid*).
//!
//! Proof. Let `g` be a symmetry. The value of a term under the binding `g b` is `g` of its value under `b`: by induction over
//! terms, where `constraints` demands for each kind what the step needs (a constant is fixed; a sort with successors only rotates; a
//! partition's blocks stay; sums, differences and tuples of multisets commute with every injective renaming). Guards have the same
//! value under `g b`: equality since `g` is injective, guards on one variable since the set of colours that satisfy them is fixed,
//! other comparisons since their sorts are rigid. So `m [t, b> m'` if and only if `g m [t, g b> g m'`. Atoms that name
//! colours have them fixed, and all others only count tokens or ask for transitions, so they have the same value in `m` and `g m`.
//! The initial marking need not be symmetric: by induction over runs, each marking that is reachable from `h m`, for any symmetry
//! `h`, is `g m'` for a symmetry `g` and a marking `m'` that is reachable from `m`, and conversely.
//!
//! Cost: for each constant multiset and each guard on one variable, its size times the colours and blocks of its sort.
//! Test: below, each symmetry on the bindings of random nets; `crates/engine/tests/symmetry.rs`.

mod constraints;

use fireset_net::{
    Query, SortId,
    coloured::{ColouredNet, SortKind, Sorts},
};

use self::constraints::Constraints;

/// The permutations of the colours of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortSymmetry {
    /// The identity alone; a product follows its components.
    Rigid,
    /// All permutations within blocks: the block of each colour.
    Blocks(Box<[u32]>),
    /// All colours move on by the same number.
    Rotations,
}

/// Permutations of the colours of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColourSymmetries(Vec<SortSymmetry>);

impl ColourSymmetries {
    /// The symmetries of a net that leave queries as they are. Queries about sizes and runs have only the identity.
    pub fn of(net: &ColouredNet, queries: &[Query]) -> Self {
        let mut constraints = Constraints::new(net);
        net.nodes().transition_ids().for_each(|t| constraints.keep_transition(net.transition(t)));
        queries.iter().for_each(|query| constraints.keep_query(query));
        Self(constraints.symmetries())
    }

    /// The permutations of a sort's colours.
    pub fn sort(&self, sort: SortId) -> &SortSymmetry {
        &self.0[sort.index()]
    }

    /// Whether there is only the identity.
    pub fn is_trivial(&self) -> bool {
        self.0.iter().all(|sort| *sort == SortSymmetry::Rigid)
    }
}

/// Whether colours of a sort are no tuples.
fn is_basic(sorts: &Sorts, sort: SortId) -> bool {
    !matches!(sorts[sort].kind, SortKind::Product(_))
}

#[cfg(test)]
mod tests;

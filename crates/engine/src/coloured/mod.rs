//! Coloured nets on rows of words, without unfolding: bindings are found from the tokens of each marking.
//!
//! | file | contents |
//! |---|---|
//! | `term`, `bags`, `compile` | terms, guards and arcs, compiled |
//! | `binding_plan` | how the bindings of a transition are found |
//! | `layout` | layouts of markings |
//! | `bindings` | the methods that find enabled bindings |
//! | `space`, `net` | the interfaces that searches use |
//! | `symmetry` | one marking of each orbit under permutations of colours |
//! | `skeleton` | the net without its colours |
//!
//! Source: He and Ding, "More efficient on-the-fly verification methods of colored Petri nets" (2021); finding
//! bindings from tokens is ours. Test: `tests/coloured.rs`, each method and layout against the reference checker.

mod bags;
mod binding_plan;
mod bindings;
mod compile;
mod layout;
mod net;
mod skeleton;
mod space;
mod symmetry;
mod term;

pub(crate) use self::{
    compile::CompiledNet,
    net::{PackedColouredNet, any_step},
    skeleton::Skeleton,
    symmetry::SymmetricColours,
};

/// Methods that find the enabled bindings of a coloured net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Arc terms are matched with the tokens of the marking.
    #[default]
    Token,
    /// All bindings are tried, each on demand.
    DynExp,
    /// The first enabled binding of each transition is kept with the state.
    MinRep,
    /// All enabled bindings are kept with the state.
    FullInfo,
}

/// Layouts of coloured markings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenLayout {
    /// The layout that is likely to be smaller.
    #[default]
    Auto,
    /// A field for each colour of each place.
    Dense,
    /// A sorted list of tokens.
    Sparse,
}

/// Whether a search keeps only one marking of those that are equal up to symmetries of the colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// Where the net and the queries have symmetries.
    #[default]
    On,
    /// Every marking is kept.
    Off,
}

/// How coloured nets are encoded and their bindings found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColouredConfig {
    /// The method that finds bindings.
    pub bindings: Binding,
    /// The layout of markings.
    pub tokens: TokenLayout,
    /// Whether explicit searches use symmetries.
    pub symmetry: Symmetry,
}

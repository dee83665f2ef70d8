//! Coloured nets on rows of words, without unfolding: bindings are found from the tokens of each marking.
//!
//! | file | what |
//! |---|---|
//! | `term`, `bags`, `compile` | terms, guards and arcs, compiled |
//! | `plan` | how the bindings of a transition are found |
//! | `marks` | layouts of markings |
//! | `bindings` | the ways to the enabled bindings |
//! | `space`, `net` | what a search asks for |
//! | `skeleton` | the net without its colours, and what it tells |
//!
//! Source: He and Ding, "More efficient on-the-fly verification methods of colored Petri nets" (2021); finding
//! bindings from tokens is ours. Test: `tests/coloured.rs`, each way and layout against the reference checker.

mod bags;
mod bindings;
mod compile;
mod marks;
mod net;
mod plan;
mod skeleton;
mod space;
mod term;

pub(crate) use self::{
    compile::Compiled,
    net::{Coloured, any_step},
    skeleton::Skeleton,
};

/// ColouredConfig to the enabled bindings of a coloured net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// From the tokens that are there.
    #[default]
    Token,
    /// All bindings are tried when the next one is asked for.
    DynExp,
    /// The first one of each transition is kept with the state.
    MinRep,
    /// All of them are kept with the state.
    FullInfo,
}

/// Layouts of coloured markings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// What is likely to be smaller.
    #[default]
    Auto,
    /// A field for each colour of each place.
    Dense,
    /// A list of tokens.
    Sparse,
}

/// How coloured nets are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColouredConfig {
    /// How bindings are found.
    pub bindings: Binding,
    /// How markings are laid out.
    pub tokens: Tokens,
}

//! Stubborn sets: of the transitions that are enabled in a marking only those are fired that are needed to decide what
//! is asked.
//!
//! After Valmari. The files: `arcs`, a net seen from its places; `set`, the closure that makes a set of transitions
//! stubborn; `goal`, the transitions to begin with for a question about states; `reach`, the sets for such questions;
//! `stutter`, those for LTL; `worth`, which gives up where little is saved. Place/transition nets only: on a coloured
//! net a transition stands for too many bindings to say much about them.
//! Test: `tests/stubborn.rs`.

mod arcs;
mod goal;
mod reach;
mod set;
mod stutter;
mod worth;

pub(crate) use self::{
    arcs::Arcs,
    goal::Goal,
    reach::Reach,
    stutter::{Extent, Stutter},
};

/// Whether searches fire only the transitions of stubborn sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stubborn {
    /// Where a question allows it and it saves something.
    #[default]
    On,
    /// All enabled transitions are fired.
    Off,
}

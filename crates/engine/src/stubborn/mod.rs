//! Stubborn sets: of the enabled transitions of a marking only those are fired that the queries need.
//!
//! After Valmari. The files: `arc_index`, the arcs of a net by places; `set`, the closure that makes a set of
//! transitions stubborn; `goal`, the transitions that the closure starts with for a state predicate; `reachability`,
//! the sets for reachability of predicates; `stutter`, the sets for LTL; `benefit`, which gives up where little is
//! saved. Place/transition nets only: on a coloured net a transition stands for too many bindings.
//! Test: `tests/stubborn.rs`.

mod arc_index;
mod benefit;
mod goal;
mod reachability;
mod set;
mod stutter;

pub(crate) use self::{
    arc_index::ArcIndex,
    goal::StubbornGoal,
    reachability::{ReachabilityReduction, ReductionHistory},
    stutter::{Extent, ObservedAtom, StutterReduction},
};

/// Whether searches fire only the transitions of stubborn sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stubborn {
    /// Where the queries allow it and the sets save enough firings.
    #[default]
    On,
    /// All enabled transitions are fired.
    Off,
}

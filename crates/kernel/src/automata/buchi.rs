//! Büchi automata whose edges are labelled by cubes of literals.

use super::Literal;

/// An automaton that accepts an infinite word if some run on it comes to accepting states for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// Where runs start: in all of these.
    pub initial: Vec<u32>,
    /// By number.
    pub states: Vec<State>,
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Whether runs have to come here, or to another accepting state, for ever.
    pub accepting: bool,
    /// Ways on.
    pub edges: Vec<Edge>,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The present letter has all of these; in the order of the atoms, and no atom twice.
    pub cube: Vec<Literal>,
    /// Where it leads.
    pub to: u32,
}

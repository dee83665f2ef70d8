//! The ways to the enabled bindings of a transition, one after another and in the order of their positions.
//!
//! | way | what it does |
//! |---|---|
//! | `token` | binds variables from the tokens that are there (ours) |
//! | `trial` | tries all bindings from a position on: the paper's DynExp |
//! | `minrep` | keeps the first enabled binding of each transition with the state: MinRep |
//! | `fullinfo` | keeps all enabled bindings with the state: FullInfo |
//!
//! Source: He and Ding, "More efficient on-the-fly verification methods of colored Petri nets" (2021), Algorithms
//! 1-5. There the least binding, or the last one, moves on in the state itself; here the search remembers where it
//! stands, for all four ways, so that a state is the same whoever looks at it.

mod fullinfo;
mod kept;
mod minrep;
mod token;
mod trial;

pub(super) use self::{fullinfo::FullInfo, minrep::MinRep, token::Token, trial::Trial};
use super::{compile::Compiled, marks::Marks};
use crate::search::Interrupt;

/// A marking: a row, how to read it, the net that it is of, and what limits the search for its bindings.
pub(super) struct State<'a, M> {
    pub(super) net: &'a Compiled,
    pub(super) marks: &'a M,
    pub(super) row: &'a [u64],
    pub(super) interrupt: &'a Interrupt,
}

impl<M> Clone for State<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for State<'_, M> {}

/// A way to the enabled bindings.
///
/// Laws: `seek` finds the first enabled binding from a position on; `next` the one after that which was found
/// last, in the same marking; both give its position, and `binding` its colours; both tick as they work, and when
/// that interrupts them nothing is kept that is not complete.
pub(super) trait Bindings<M: Marks>: Send {
    /// The first enabled binding of a transition from a position on.
    fn seek(&mut self, state: State<'_, M>, transition: usize, from: u64) -> Option<u64>;

    /// The enabled binding after the one that was found last.
    fn next(&mut self, state: State<'_, M>) -> Option<u64>;

    /// The colours of the binding that was found last.
    fn binding(&self) -> &[u64];

    /// One for another thread.
    fn another(&self) -> Box<dyn Bindings<M>>;

    /// The bytes that it keeps.
    fn bytes(&self) -> usize {
        0
    }
}

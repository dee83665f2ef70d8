//! Methods that find the enabled bindings of a transition, one after another and in the order of their positions.
//!
//! | method | what it does |
//! |---|---|
//! | `token` | matches arc terms with the tokens of the marking (ours) |
//! | `trial` | tries all bindings from a position on: the paper's DynExp |
//! | `minrep` | keeps the first enabled binding of each transition with the state: MinRep |
//! | `fullinfo` | keeps all enabled bindings with the state: FullInfo |
//!
//! Source: He and Ding, "More efficient on-the-fly verification methods of colored Petri nets" (2021), Algorithms
//! 1-5. There the least binding, or the last one, is stored and advanced in the state itself; here the search remembers
//! its position, with all four methods, so that the same marking is always the same state.

mod enumeration;
mod fullinfo;
mod matching;
mod minrep;
mod row_cache;

pub(super) use self::{
    enumeration::BindingEnumeration, fullinfo::FullInfo, matching::TokenMatching, minrep::MinRep,
};
use super::{binding_plan::BindingPlan, compile::CompiledNet, layout::MarkingLayout};
use crate::search::Interrupt;

/// A marking whose bindings are searched, and the interrupt that limits the search.
pub(super) struct BindingContext<'a, M> {
    pub(super) net: &'a CompiledNet,
    pub(super) layout: &'a M,
    pub(super) row: &'a [u64],
    pub(super) interrupt: &'a Interrupt,
}

impl<M> Clone for BindingContext<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for BindingContext<'_, M> {}

impl<'a, M> BindingContext<'a, M> {
    /// The plan of a transition, unless all its bindings are before a position.
    #[inline]
    fn plan_from(&self, transition: usize, from: u64) -> Option<&'a BindingPlan> {
        let plan = &self.net.transitions[transition].plan;
        (from < plan.positions).then_some(plan)
    }
}

/// Finds enabled bindings.
///
/// Laws: `seek` finds the first enabled binding from a position on; `next` finds the one after the last result, in the
/// same marking; both return its position, and `binding` its colours; both tick the interrupt, and when that unwinds
/// they keep nothing incomplete.
pub(super) trait EnabledBindings<M: MarkingLayout>: Send {
    /// The first enabled binding of a transition from a position on.
    fn seek(&mut self, context: BindingContext<'_, M>, transition: usize, from: u64) -> Option<u64>;

    /// The enabled binding after the last result.
    fn next(&mut self, context: BindingContext<'_, M>) -> Option<u64>;

    /// The colours of the last result.
    fn binding(&self) -> &[u64];

    /// The same method for another thread.
    fn another(&self) -> Box<dyn EnabledBindings<M>>;

    /// The bytes of bindings that are kept with states.
    fn bytes(&self) -> usize {
        0
    }
}

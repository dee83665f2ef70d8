//! A coloured net whose bindings are looked for within a budget.
//!
//! Whether a transition is enabled may take longer to tell than anybody waits: where no binding is, all of them are tried. What is
//! told after the budget is used up is worthless, and [`BudgetedNet::is_over`] says so; it is told at once, so a replay ends soon.
//! Test: `tests/limits.rs` of `fireset`.

use std::{cell::Cell, ops::ControlFlow};

use crate::{
    Budget, Nodes, PlaceId, Step, TransitionId,
    coloured::{BindingPattern, ColouredMarking, ColouredNet, PlaceColours},
    semantics::{FireError, Semantics, Tokens},
};

pub(super) struct BudgetedNet<'n> {
    net: &'n ColouredNet,
    budget: &'n Budget,
    is_over: Cell<bool>,
}

impl<'n> BudgetedNet<'n> {
    pub(super) fn new(net: &'n ColouredNet, budget: &'n Budget) -> Self {
        Self { net, budget, is_over: Cell::new(false) }
    }

    /// Whether the budget ended the search for a binding.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    fn go_on(&self) -> bool {
        self.is_over.set(self.is_over.get() || self.budget.go_on().is_err());
        !self.is_over.get()
    }
}

impl AsRef<Nodes> for BudgetedNet<'_> {
    fn as_ref(&self) -> &Nodes {
        self.net.as_ref()
    }
}

impl Semantics for BudgetedNet<'_> {
    type State = ColouredMarking;

    fn initial(&self) -> ColouredMarking {
        self.net.initial()
    }

    fn steps(&self, state: &ColouredMarking) -> Vec<Step> {
        self.net.steps_within(state, &|| self.go_on())
    }

    fn can_fire(&self, state: &ColouredMarking, transition: TransitionId) -> bool {
        self.net.each_enabled(state, transition, || self.go_on(), ControlFlow::Break).is_break()
    }

    fn can_fire_under(&self, state: &ColouredMarking, bindings: &BindingPattern) -> bool {
        self.net.can_fire_under_within(state, bindings, || self.go_on())
    }

    fn fire(&self, state: &ColouredMarking, step: &Step) -> Result<ColouredMarking, FireError> {
        self.net.fire(state, step)
    }

    fn tokens(&self, state: &ColouredMarking, place: PlaceId) -> Tokens {
        self.net.tokens(state, place)
    }

    fn colour_tokens(&self, state: &ColouredMarking, tokens: &PlaceColours) -> u128 {
        self.net.colour_tokens(state, tokens)
    }

    fn monotone(&self) -> bool {
        self.net.monotone()
    }
}

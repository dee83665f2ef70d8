//! All bindings tried, from a position on: the paper's DynExp. Nothing is kept.
//!
//! Cost: guard and arcs for each binding of the transition, whatever the marking.

use super::{
    Bindings, State,
    token::{lacks, needs},
};
use crate::coloured::{bags::Counts, compile::Transition, marks::Marks};

/// The binding that is being tried.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Trial {
    transition: usize,
    binding: Vec<u64>,
    counts: Counts,
}

impl<M: Marks> Bindings<M> for Trial {
    fn seek(&mut self, state: State<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let plan = &state.net.transitions[transition].plan;
        if from >= plan.positions {
            return None;
        }
        self.transition = transition;
        self.binding.resize(plan.variables(), 0);
        plan.unpack(from, &mut self.binding);
        self.try_on(state)
    }

    fn next(&mut self, state: State<'_, M>) -> Option<u64> {
        let plan = &state.net.transitions[self.transition].plan;
        if plan.advance(&mut self.binding) { self.try_on(state) } else { None }
    }

    fn binding(&self) -> &[u64] {
        &self.binding
    }

    fn another(&self) -> Box<dyn Bindings<M>> {
        Box::new(Self::default())
    }
}

impl Trial {
    /// The first enabled binding from the present one on.
    fn try_on<M: Marks>(&mut self, state: State<'_, M>) -> Option<u64> {
        let transition = &state.net.transitions[self.transition];
        while !self.enabled(state, transition) {
            state.interrupt.tick(1);
            if !transition.plan.advance(&mut self.binding) {
                return None;
            }
        }
        Some(transition.plan.pack(&self.binding))
    }

    fn enabled<M: Marks>(&mut self, state: State<'_, M>, transition: &Transition) -> bool {
        let Self { binding, counts, .. } = self;
        transition.tests.iter().all(|test| test.holds(binding))
            && transition.pre.iter().all(|arc| needs(state, arc, binding, counts))
            && transition.inhibitors.iter().all(|arc| lacks(state, arc, binding, counts))
    }
}

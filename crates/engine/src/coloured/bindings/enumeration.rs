//! All bindings are tried, from a position on: the paper's DynExp. Nothing is kept.
//!
//! Cost: guard and arcs for each binding of the transition, whatever the marking.

use super::{
    BindingContext, EnabledBindings,
    matching::{lacks, needs},
};
use crate::coloured::{bags::ColourCounts, compile::CompiledTransition, layout::MarkingLayout};

/// Tries one binding after another.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct BindingEnumeration {
    transition: usize,
    binding: Vec<u64>,
    counts: ColourCounts,
}

impl<M: MarkingLayout> EnabledBindings<M> for BindingEnumeration {
    fn seek(&mut self, context: BindingContext<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let plan = context.plan_from(transition, from)?;
        self.transition = transition;
        self.binding.resize(plan.variables(), 0);
        plan.unpack(from, &mut self.binding);
        self.try_on(context)
    }

    fn next(&mut self, context: BindingContext<'_, M>) -> Option<u64> {
        let plan = &context.net.transitions[self.transition].plan;
        if plan.advance(&mut self.binding) { self.try_on(context) } else { None }
    }

    fn binding(&self) -> &[u64] {
        &self.binding
    }

    fn another(&self) -> Box<dyn EnabledBindings<M>> {
        Box::new(Self::default())
    }
}

impl BindingEnumeration {
    /// The first enabled binding from the present one on.
    fn try_on<M: MarkingLayout>(&mut self, context: BindingContext<'_, M>) -> Option<u64> {
        let transition = &context.net.transitions[self.transition];
        while !self.enabled(context, transition) {
            context.interrupt.tick(1);
            if !transition.plan.advance(&mut self.binding) {
                return None;
            }
        }
        Some(transition.plan.pack(&self.binding))
    }

    fn enabled<M: MarkingLayout>(
        &mut self,
        context: BindingContext<'_, M>,
        transition: &CompiledTransition,
    ) -> bool {
        let Self { binding, counts, .. } = self;
        transition.guards.iter().all(|guard| guard.holds(binding))
            && transition.pre.iter().all(|arc| needs(context, arc, binding, counts))
            && transition.inhibitors.iter().all(|arc| lacks(context, arc, binding, counts))
    }
}

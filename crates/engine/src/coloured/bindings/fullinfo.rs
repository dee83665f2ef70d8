//! All enabled bindings are kept with the state: the paper's FullInfo.

use super::{BindingContext, EnabledBindings, enumeration::BindingEnumeration, row_cache::RowCache};
use crate::coloured::layout::MarkingLayout;

/// The enabled bindings of all states seen so far, as actions, ascending.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct FullInfo {
    kept: RowCache,
    trial: BindingEnumeration,
    transition: usize,
    /// The position of the last result in its list.
    at: usize,
    binding: Vec<u64>,
}

impl<M: MarkingLayout> EnabledBindings<M> for FullInfo {
    fn seek(&mut self, context: BindingContext<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let from = context.net.action(transition, from);
        self.transition = transition;
        self.at = self.list(context).partition_point(|&action| action < from);
        self.found(context)
    }

    fn next(&mut self, context: BindingContext<'_, M>) -> Option<u64> {
        self.at += 1;
        self.found(context)
    }

    fn binding(&self) -> &[u64] {
        &self.binding
    }

    fn another(&self) -> Box<dyn EnabledBindings<M>> {
        Box::new(Self::default())
    }

    fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}

impl FullInfo {
    /// All enabled bindings of a marking.
    fn list<M: MarkingLayout>(&mut self, context: BindingContext<'_, M>) -> &[u64] {
        let Self { kept, trial, .. } = self;
        kept.of(context.row, || {
            let mut all = Vec::new();
            for transition in 0..context.net.transitions.len() {
                let mut found = trial.seek(context, transition, 0);
                while let Some(position) = found {
                    all.push(context.net.action(transition, position));
                    found = trial.next(context);
                }
            }
            all
        })
    }

    /// The binding at the present position, if it belongs to the transition.
    fn found<M: MarkingLayout>(&mut self, context: BindingContext<'_, M>) -> Option<u64> {
        let (wanted, at) = (self.transition, self.at);
        let &action = self.list(context).get(at)?;
        let (transition, position) = context.net.parts(action);
        if transition != wanted {
            return None;
        }
        let plan = &context.net.transitions[transition].plan;
        self.binding.resize(plan.variables(), 0);
        plan.unpack(position, &mut self.binding);
        Some(position)
    }
}

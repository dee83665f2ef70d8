//! All enabled bindings are kept with the state: the paper's FullInfo.

use super::{Bindings, State, kept::Kept, trial::Trial};
use crate::coloured::marks::Marks;

/// The enabled bindings of all states that were looked at, as actions, ascending.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct FullInfo {
    kept: Kept,
    trial: Trial,
    transition: usize,
    /// Where the binding that was found last stands in its list.
    at: usize,
    binding: Vec<u64>,
}

impl<M: Marks> Bindings<M> for FullInfo {
    fn seek(&mut self, state: State<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let from = state.net.action(transition, from);
        self.transition = transition;
        self.at = self.list(state).partition_point(|&action| action < from);
        self.found(state)
    }

    fn next(&mut self, state: State<'_, M>) -> Option<u64> {
        self.at += 1;
        self.found(state)
    }

    fn binding(&self) -> &[u64] {
        &self.binding
    }

    fn another(&self) -> Box<dyn Bindings<M>> {
        Box::new(Self::default())
    }

    fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}

impl FullInfo {
    /// All enabled bindings of a marking.
    fn list<M: Marks>(&mut self, state: State<'_, M>) -> &[u64] {
        let Self { kept, trial, .. } = self;
        kept.of(state.row, || {
            let mut all = Vec::new();
            for transition in 0..state.net.transitions.len() {
                let mut found = trial.seek(state, transition, 0);
                while let Some(position) = found {
                    all.push(state.net.action(transition, position));
                    found = trial.next(state);
                }
            }
            all
        })
    }

    /// The binding where it stands, if it is one of the transition.
    fn found<M: Marks>(&mut self, state: State<'_, M>) -> Option<u64> {
        let (wanted, at) = (self.transition, self.at);
        let &action = self.list(state).get(at)?;
        let (transition, position) = state.net.parts(action);
        if transition != wanted {
            return None;
        }
        let plan = &state.net.transitions[transition].plan;
        self.binding.resize(plan.variables(), 0);
        plan.unpack(position, &mut self.binding);
        Some(position)
    }
}

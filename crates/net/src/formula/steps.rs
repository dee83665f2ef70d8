//! Sets of steps, as `fired(...)` and fairness assumptions name them.

use super::{BoolTree, StateAtom, StatePredicate};
use crate::{Step, TransitionId, coloured::BindingPattern};

/// Steps of a net: all firings of some transitions and, on a coloured net, the firings under some bindings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StepSet {
    /// Every firing of these is in the set.
    pub transitions: Vec<TransitionId>,
    /// Their firings under these bindings are; only on a coloured net.
    pub bindings: Vec<BindingPattern>,
}

impl StepSet {
    /// Whether a step is in the set.
    pub fn contains(&self, step: &Step) -> bool {
        self.transitions.contains(&step.transition)
            || self.bindings.iter().any(|some| some.matches_step(step))
    }

    /// The predicate of the markings in which some step of the set is enabled.
    pub fn enabled(&self) -> StatePredicate {
        let bindings = self.bindings.iter().map(|some| StateAtom::BindingFireable(some.clone()));
        let mut atoms: Vec<StatePredicate> = bindings.map(StatePredicate::from).collect();
        if !self.transitions.is_empty() || atoms.is_empty() {
            atoms.insert(0, StateAtom::Fireable(self.transitions.clone()).into());
        }
        if atoms.len() == 1 { atoms.swap_remove(0) } else { BoolTree::Or(atoms) }
    }

    /// The same set on a place/transition net, in words that name no colours: its transitions have no variables.
    #[must_use]
    pub fn without_colours(&self) -> Self {
        let plain = self.bindings.iter().filter(|some| some.variables().len() == 0);
        let mut transitions = self.transitions.clone();
        transitions.extend(plain.map(BindingPattern::transition));
        Self { transitions, bindings: Vec::new() }
    }
}

impl From<TransitionId> for StepSet {
    fn from(transition: TransitionId) -> Self {
        Self { transitions: vec![transition], bindings: Vec::new() }
    }
}

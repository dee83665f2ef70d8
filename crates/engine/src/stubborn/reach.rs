//! Stubborn sets for what looking at each state once decides: reachability, deadlocks, invariants, bounds.
//!
//! Proof. Let a run lead from a marking to one that is wanted, a shortest one, and let it have at least one step. By
//! the law of [`super::goal`], or because of a key that nothing else disables, some step is in the stubborn set; by D1
//! the first such step may come first. Then what is left is a shorter run from a successor that the search goes to. So
//! by induction the search comes to a marking that is wanted, and shortest runs stay shortest. For a bound the marking that is wanted has the most
//! tokens that any has. Cycles need no care, since runs get shorter; sets may have no enabled transition at all. With
//! several goals the set serves each of them, and it goes on to serve those that are left when one is decided.
//!
//! Cost: a closure for each state, a few where a key is looked for.

use super::{
    arcs::Arcs,
    goal::{Goal, Scene},
    set::Set,
    worth::Worth,
};
use crate::search::MarkingSpace;

/// Chooses transitions that are enough to come to goals.
#[derive(Clone, Debug)]
pub(crate) struct Reach<'n> {
    set: Set<'n>,
    worth: Worth,
    /// Whether it ever chose.
    pub(crate) used: bool,
    /// The enabled transitions of the marking at hand.
    all: Vec<u32>,
    /// Those that are tried as keys.
    keys: Vec<u32>,
    /// The fewest so far.
    best: Vec<u32>,
}

impl<'n> Reach<'n> {
    /// On a net.
    pub(crate) fn new(arcs: &'n Arcs<'n>) -> Self {
        let (all, keys, best) = (Vec::new(), Vec::new(), Vec::new());
        Self { set: Set::new(arcs), worth: Worth::default(), used: false, all, keys, best }
    }

    /// Fewer goals are asked for from now on.
    pub(crate) fn restart(&mut self) {
        self.worth.restart();
    }

    /// Decides whether to go on; in between what is chosen for a marking depends on nothing else.
    pub(crate) fn prepare(&mut self) {
        self.worth.decide();
    }

    /// Adds what another one saw.
    pub(crate) fn join(&mut self, other: &Self) {
        self.worth.join(&other.worth);
        self.used |= other.used;
    }

    /// Whether sets are to be computed at all.
    pub(crate) fn is_worth_it(&self) -> bool {
        self.worth.is_given()
    }

    /// The enabled transitions of a marking that are enough for these goals.
    pub(crate) fn choose<'g, S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        goals: impl Iterator<Item = &'g Goal> + Clone,
        actions: &mut Vec<S::ActionId>,
    ) {
        self.used = true;
        let asks = goals.clone().any(Goal::asks_for_deadlock);
        if asks || self.worth.measures() {
            space.enabled_transitions(row, &mut self.all);
        }
        let mut scene = Scene { deadlock: asks && self.all.is_empty(), space: &mut *space, row };
        self.set.clear();
        let before = self.set.work;
        let mut key = false;
        for goal in goals {
            match goal {
                Goal::More(transitions) => transitions.iter().for_each(|&t| self.set.add(t)),
                // A marking that meets a goal decides it, and what follows is not needed for it.
                Goal::Holds(condition) if condition.is_met(&mut scene) => {}
                Goal::Holds(condition) => key |= condition.attract(&mut scene, &mut self.set),
            }
        }
        if key {
            self.close_with_key(space, row);
        } else {
            self.set.close(space, row, usize::MAX);
        }
        if self.worth.measures() {
            self.worth.note(self.all.len(), self.set.enabled.len(), self.set.work - before);
        }
        self.set.enabled.sort_unstable();
        actions.clear();
        actions.extend(self.set.enabled.iter().map(|&t| S::ActionId::from(t)));
    }

    /// Closes the set with a key in it; something is enabled.
    fn close_with_key<S: MarkingSpace>(&mut self, space: &mut S, row: &[u64]) {
        let Self { set, all, keys, best, .. } = self;
        if !set.is_empty() {
            set.close(space, row, usize::MAX);
            let key = *set.enabled.first().unwrap_or(&all[0]);
            set.add(key);
            set.disable(key);
            set.close(space, row, usize::MAX);
            return;
        }
        best.clone_from(all);
        keys.clone_from(all);
        set.best_keys(keys);
        for &key in &*keys {
            set.begin(key);
            if set.close(space, row, best.len() - 1) {
                best.clone_from(&set.enabled);
            }
            if best.len() == 1 {
                break;
            }
        }
        set.enabled.clone_from(best);
    }
}

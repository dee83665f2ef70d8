//! Stubborn sets for queries about single markings: reachability, deadlocks, invariants, bounds.
//!
//! Proof. Let a shortest run lead from a marking to a goal marking, and let it have at least one step. By
//! the law of [`super::goal`], or because of a key that nothing else disables, some step is in the stubborn set; by D1
//! the first such step may come first. Then the remaining run is a shorter one from a successor that the search goes to. So
//! by induction the search comes to a goal marking, and shortest runs stay shortest. For a bound the goal marking is
//! one with the most tokens. Cycles need no care, since runs get shorter; sets may have no enabled transition at all. With
//! several goals the set serves each of them, and it still serves the open ones when one is decided.
//!
//! Cost: a closure for each state, a few where a key is looked for.

use super::{
    arc_index::ArcIndex,
    benefit::ReductionBenefit,
    goal::{MarkingView, StubbornGoal},
    set::StubbornSet,
};
use crate::search::MarkingSpace;

/// Chooses enabled transitions that suffice to reach goals.
#[derive(Clone, Debug)]
pub(crate) struct ReachabilityReduction<'n> {
    set: StubbornSet<'n>,
    benefit: ReductionBenefit,
    /// Whether a set was ever chosen.
    pub(crate) used: bool,
    /// All enabled transitions of the present marking.
    all: Vec<u32>,
    /// The transitions that are tried as keys.
    keys: Vec<u32>,
    /// The smallest set of enabled transitions so far.
    best: Vec<u32>,
}

/// What a search that is suspended remembers of its stubborn sets.
#[derive(Clone, Debug)]
pub(crate) struct ReductionHistory {
    benefit: ReductionBenefit,
    used: bool,
}

impl<'n> ReachabilityReduction<'n> {
    pub(crate) fn new(arcs: &'n ArcIndex<'n>) -> Self {
        let (all, keys, best) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            set: StubbornSet::new(arcs),
            benefit: ReductionBenefit::default(),
            used: false,
            all,
            keys,
            best,
        }
    }

    pub(crate) fn history(&self) -> ReductionHistory {
        ReductionHistory { benefit: self.benefit.clone(), used: self.used }
    }

    /// Goes on with the measurements of a suspended search.
    pub(crate) fn resume(&mut self, history: ReductionHistory) {
        (self.benefit, self.used) = (history.benefit, history.used);
    }

    /// Called when fewer goals are open than before.
    pub(crate) fn restart(&mut self) {
        self.benefit.restart();
    }

    /// Decides whether to go on; between two calls the choice for a marking depends on the marking only.
    pub(crate) fn prepare(&mut self) {
        self.benefit.decide();
    }

    /// Adds the measurements of another thread.
    pub(crate) fn join(&mut self, other: &Self) {
        self.benefit.join(&other.benefit);
        self.used |= other.used;
    }

    /// Whether to compute sets at all.
    pub(crate) fn is_worth_it(&self) -> bool {
        self.benefit.is_worth_it()
    }

    /// Writes enabled transitions of a marking that suffice for these goals into `actions`.
    pub(crate) fn choose<'g, S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        goals: impl Iterator<Item = &'g StubbornGoal> + Clone,
        actions: &mut Vec<S::ActionId>,
    ) {
        self.used = true;
        let asks = goals.clone().any(StubbornGoal::asks_for_deadlock);
        if asks || self.benefit.measures() {
            space.enabled_transitions(row, &mut self.all);
        }
        let mut scene = MarkingView { deadlock: asks && self.all.is_empty(), space: &mut *space, row };
        self.set.clear();
        let before = self.set.work;
        let mut key = false;
        for goal in goals {
            match goal {
                StubbornGoal::More(transitions) => transitions.iter().for_each(|&t| self.set.add(t)),
                // A marking that meets a goal decides it, and its successors are not needed for it.
                StubbornGoal::Holds(condition) if condition.is_met(&mut scene) => {}
                StubbornGoal::Holds(condition) => key |= condition.attract(&mut scene, &mut self.set),
            }
        }
        if key {
            self.close_with_key(space, row);
        } else {
            self.set.close(space, row, usize::MAX);
        }
        if self.benefit.measures() {
            self.benefit.record(self.all.len(), self.set.enabled.len(), self.set.work - before);
        }
        self.set.enabled.sort_unstable();
        actions.clear();
        actions.extend(self.set.enabled.iter().map(|&t| S::ActionId::from(t)));
    }

    /// Closes the set with a key in it; some transition is enabled.
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

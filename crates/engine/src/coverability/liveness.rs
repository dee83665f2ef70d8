//! Liveness of nets with infinitely many markings.
//!
//! What: the markings from which a transition can fire some time are upward closed, and backward coverability gives the least of
//! them. The net is not live if a reachable marking is outside for some transition: a node of a coverability tree, or a
//! marking of a short search. It is live if these sets are never left, see [`always`](super::always).
//! Invariants: as in `always`. Cost: a basis for each transition. Test: `tests/coverability.rs`.

use std::collections::{HashSet, VecDeque};

use fireset_kernel::random::Random;
use fireset_net::{Budget, Marking, Net, StopReason, TransitionId};
use fireset_structure::PlaceSemiflows;

use super::{
    always::{InductionGraphs, UpwardClosedSet},
    backward::{BasisLimits, CoverabilityBasis},
    tree::CoverabilityTree,
};
use crate::search::PollTimer;

/// Members of the basis of a transition.
const MAX_MEMBERS: usize = 20_000;
/// Markings that are searched breadth-first for one in which a transition is dead.
const MAX_MARKINGS: usize = 10_000;
/// Random walks for the same purpose, and their steps.
const WALKS: u64 = 40;
const STEPS: usize = 400;

/// The question whether goals can always be covered again: those of all transitions, or one of a formula.
pub(super) struct LivenessQuestion<'a, 'n> {
    pub(super) net: &'n Net,
    pub(super) semiflows: &'a PlaceSemiflows,
    /// The minimal coverability set, if there is one.
    pub(super) set: Option<&'a CoverabilityTree<'n>>,
    pub(super) graphs: &'a InductionGraphs<'n>,
    /// Members of a basis, and markings of a search.
    pub(super) effort: usize,
    pub(super) budget: Budget,
}

impl<'n> LivenessQuestion<'_, 'n> {
    /// Whether every transition can always fire again, if that is found out.
    pub(super) fn of_transitions(&self) -> Option<bool> {
        let enabling = |t: TransitionId| {
            let mut marking = vec![0u64; self.net.nodes().places.len()].into_boxed_slice();
            self.net.pre(t).iter().for_each(|arc| marking[arc.place.index()] = arc.weight);
            vec![marking]
        };
        self.of_goals(self.net.nodes().transition_ids().map(enabling).collect())
    }

    /// Whether each of some goals, given by their least markings, can always be covered again.
    pub(super) fn of_goals(&self, goals: Vec<Vec<Box<[u64]>>>) -> Option<bool> {
        let count = goals.len();
        let bases: Vec<_> = goals.into_iter().filter_map(|goal| self.basis(goal).ok()).collect();
        let sets: Vec<_> = bases.iter().map(UpwardClosedSet::of).collect();
        if self.is_left(&sets).ok()? {
            return Some(false);
        }
        let proven = sets.len() == count && self.graphs.prove(&sets, &self.budget);
        proven.then_some(true)
    }

    /// The least markings from which a goal can be covered.
    fn basis(&self, goal: Vec<Box<[u64]>>) -> Result<CoverabilityBasis, StopReason> {
        let limits = BasisLimits {
            members: MAX_MEMBERS.min(self.effort),
            semiflows: self.semiflows,
            start: None,
            budget: &self.budget,
        };
        CoverabilityBasis::of(self.net, goal, &limits)
    }

    /// Whether a reachable marking outside of some set is found.
    fn is_left(&self, sets: &[UpwardClosedSet<'_>]) -> Result<bool, StopReason> {
        let is_outside = |marking: &[u64]| sets.iter().any(|set| !set.contains(marking));
        let mut timer = PollTimer::default();
        for node in self.set.iter().flat_map(|set| &set.nodes) {
            if timer.is_due() {
                self.budget.go_on()?;
            }
            if is_outside(&node.marking.0) {
                return Ok(true);
            }
        }
        Ok(self.search(&is_outside)? || self.walk(&is_outside)?)
    }

    /// Whether a marking is found by breadth-first search.
    fn search(&self, sought: &dyn Fn(&[u64]) -> bool) -> Result<bool, StopReason> {
        let (mut seen, mut open) = (HashSet::new(), VecDeque::from([self.net.initial_marking().clone()]));
        while let Some(marking) = open.pop_front() {
            self.budget.go_on()?;
            if sought(&marking.0) {
                return Ok(true);
            }
            for t in self.net.nodes().transition_ids() {
                let Ok(next) = self.net.fire_transition(&marking, t) else { continue };
                if seen.len() < MAX_MARKINGS.min(self.effort) && seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        Ok(false)
    }

    /// Whether a marking is found by random walks.
    fn walk(&self, sought: &dyn Fn(&[u64]) -> bool) -> Result<bool, StopReason> {
        let transitions: Vec<TransitionId> = self.net.nodes().transition_ids().collect();
        for walk in 0..WALKS {
            let (mut random, mut marking) = (Random::new(walk), self.net.initial_marking().clone());
            for _ in 0..STEPS {
                self.budget.go_on()?;
                if sought(&marking.0) {
                    return Ok(true);
                }
                let Some(next) = self.random_step(&transitions, &marking, &mut random) else { break };
                marking = next;
            }
        }
        Ok(false)
    }

    fn random_step(&self, all: &[TransitionId], marking: &Marking, random: &mut Random) -> Option<Marking> {
        let enabled: Vec<_> =
            all.iter().filter(|&&t| self.net.enabled(marking, t).is_ok()).copied().collect();
        let chosen = *enabled.get(random.below(enabled.len().max(1)))?;
        self.net.fire_transition(marking, chosen).ok()
    }
}

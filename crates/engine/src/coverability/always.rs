//! Upward-closed sets that are never left: deadlock freedom, and liveness.
//!
//! What: whether every reachable marking lies in an upward-closed set is a question of reachability, not of coverability. Two
//! arguments decide it often. A node of a coverability tree that is outside stands for reachable markings that are outside, because
//! they are below it. And the set is never left if it is inductive over the coverability graph: from a marking of the
//! set at a node, whose counts other than `ω` are exact, each transition of the node leads into the set again. The graph may be
//! coarser than that of the initial marking: from more tokens on every run has its path, too.
//!
//! Liveness is such a question: the markings from which a transition can fire some time are upward closed, and backward
//! coverability computes them. The transition is live if no reachable marking lies outside.
//! Source: Karp and Miller (1969) for the nodes; Esparza and Nielsen, "Decidability issues for Petri nets" (1994), for liveness
//! as a home-space question; the induction is ours and needs nothing but the invariants of `tree`.
//!
//! Invariants: 1. an answer rests on a node or on a complete graph, never on what was cut off; 2. where neither argument applies
//! there is no answer.
//! Cost: nodes times transitions times the square of the basis. Test: `tests/coverability.rs`.

use std::cell::OnceCell;

use fireset_net::{Budget, Net, StopReason, TransitionId};

use super::{
    backward::CoverabilityBasis,
    omega::{OMEGA, OmegaMarking},
    tree::{CoverabilityTree, Pruning, Unfinished},
};
use crate::search::PollTimer;

/// The share of the time for a graph.
const GRAPH_SHARE: f64 = 0.4;

/// Coverability graphs for inductions, from the coarsest to the finest; each is built when it is first asked for.
pub(super) struct InductionGraphs<'n> {
    net: &'n Net,
    /// The places that have `ω` from the start in the second graph.
    unbounded: Vec<bool>,
    max_nodes: usize,
    built: [OnceCell<Option<CoverabilityTree<'n>>>; 3],
}

impl<'n> InductionGraphs<'n> {
    pub(super) fn new(net: &'n Net, unbounded: Vec<bool>, max_nodes: usize) -> Self {
        Self { net, unbounded, max_nodes, built: Default::default() }
    }

    /// Whether an induction over one of the graphs shows that every reachable marking belongs to all sets.
    pub(super) fn prove(&self, sets: &[UpwardClosedSet<'_>], budget: &Budget) -> bool {
        (0..self.built.len()).any(|precision| {
            let graph = self.built[precision].get_or_init(|| self.build(precision, budget).ok());
            let succeeds = |graph| Induction { sets, graph, budget }.succeeds() == Ok(true);
            graph.as_ref().is_some_and(succeeds)
        })
    }

    /// One node for all markings; `ω` on all places that are unbounded; the coverability graph itself.
    fn build(&self, precision: usize, budget: &Budget) -> Result<CoverabilityTree<'n>, Unfinished> {
        let mut start = OmegaMarking::initial(self.net)?;
        for (count, unbounded) in start.0.iter_mut().zip(&self.unbounded) {
            if precision == 0 || precision == 1 && *unbounded {
                *count = OMEGA;
            }
        }
        let budget = &budget.share(GRAPH_SHARE);
        CoverabilityTree::from_limit(start, self.net, Pruning::Equal, self.max_nodes, budget)
    }
}

/// A set of markings: those above one of its least members.
pub(super) struct UpwardClosedSet<'a> {
    pub(super) least: Vec<&'a [u64]>,
}

impl<'a> UpwardClosedSet<'a> {
    pub(super) fn of(basis: &'a CoverabilityBasis) -> Self {
        Self { least: basis.minimal().collect() }
    }

    /// Whether a marking belongs to it; for one with `ω`, whether a marking below it does.
    pub(super) fn contains(&self, marking: &[u64]) -> bool {
        self.least.iter().any(|least| least.iter().zip(marking).all(|(least, count)| least <= count))
    }

    /// Whether a transition leads from every marking at a node and above `least` into the set.
    fn is_kept(
        &self,
        net: &Net,
        node: &OmegaMarking,
        transition: TransitionId,
        least: &[u64],
    ) -> Result<bool, StopReason> {
        let count = |(node, least): (&u64, &u64)| if *node == OMEGA { *least } else { *node };
        let mut after: Vec<u64> = node.0.iter().zip(least).map(count).collect();
        for arc in net.pre(transition) {
            let tokens = &mut after[arc.place.index()];
            *tokens = tokens.saturating_sub(arc.weight);
        }
        for arc in net.post(transition) {
            let tokens = &mut after[arc.place.index()];
            *tokens = tokens.checked_add(arc.weight).ok_or(StopReason::Overflow)?;
        }
        Ok(self.contains(&after))
    }
}

/// Several sets and a complete coverability graph, over whose nodes it is shown that no run leaves any of them.
struct Induction<'a, 'n> {
    sets: &'a [UpwardClosedSet<'a>],
    graph: &'a CoverabilityTree<'n>,
    budget: &'a Budget,
}

impl Induction<'_, '_> {
    /// Whether every reachable marking belongs to all sets, as far as the induction shows.
    fn succeeds(&self) -> Result<bool, StopReason> {
        let (net, mut timer) = (self.graph.net, PollTimer::default());
        let initial = &net.initial_marking().0;
        if !self.sets.iter().all(|set| set.contains(initial)) {
            return Ok(false);
        }
        for node in &self.graph.nodes {
            let enabled: Vec<TransitionId> =
                net.nodes().transition_ids().filter(|&t| node.marking.enables(net, t)).collect();
            for set in self.sets {
                for least in set.least.iter().filter(|least| node.marking.covers(least)) {
                    for &transition in &enabled {
                        if timer.is_due() {
                            self.budget.go_on()?;
                        }
                        if !self.keeps(set, &node.marking, transition, least)? {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether a transition leads from every marking at a node that is above `least` and belongs to all sets into this set.
    fn keeps(
        &self,
        set: &UpwardClosedSet<'_>,
        node: &OmegaMarking,
        transition: TransitionId,
        least: &[u64],
    ) -> Result<bool, StopReason> {
        let net = self.graph.net;
        if set.is_kept(net, node, transition, least)? {
            return Ok(true);
        }
        // The marking is above a member of each other set, too.
        for other in self.sets {
            let mut kept = true;
            for more in other.least.iter().filter(|more| node.covers(more)) {
                self.budget.go_on()?;
                let both: Vec<u64> = least.iter().zip(*more).map(|(a, b)| *a.max(b)).collect();
                kept &= set.is_kept(net, node, transition, &both)?;
                if !kept {
                    break;
                }
            }
            if kept {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

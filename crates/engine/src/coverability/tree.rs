//! Karp-Miller trees: limits of reachable markings, found by firing and acceleration.
//!
//! What: the root is the initial marking. A node fires every transition that it enables. Where the new marking covers that of an
//! ancestor, the firings between them can be repeated, so the places that gained tokens become `ω` (*acceleration*).
//! A cycle can be repeated from every marking above its first one, so the first cycles also accelerate markings elsewhere.
//! With [`Pruning::Covered`] a marking that another node covers is left out, and a node whose marking a new one covers is
//! not expanded any more: the nodes that remain are the *minimal coverability set*. With [`Pruning::Equal`] only
//! markings that are there already are left out: the *coverability graph*, whose counts other than `ω` are exact.
//!
//! Source: Karp and Miller, "Parallel program schemata" (1969); Finkel, "The minimal coverability graph for Petri nets"
//! (1993); Valmari and Hansen, "Old and new algorithms for minimal coverability sets" (2014). As there, a
//! covered node keeps its descendants, so that the flaw of Finkel's algorithm does not arise. Cycles that serve elsewhere: Finkel,
//! Haddad and Khmelnitsky, "Minimal coverability tree construction made complete and efficient" (2020).
//! Needs: no inhibitor arcs.
//!
//! Invariants: 1. for every node and every number `k` a marking is reachable that has the node's counts, and at least `k` tokens
//! where it has `ω`; this is true of covered nodes, too. 2. A complete tree with either pruning has a maximal node above every
//! reachable marking: the maximal nodes are closed under firing. 3. In a complete graph every run has a path of nodes
//! whose counts other than `ω` are those of its markings.
//! Cost: not primitive recursive in the worst case; a comparison with all maximal nodes for each firing.
//! Test: `tests/coverability.rs`, against the textbook tree of the oracle.

use std::{
    collections::{HashMap, hash_map::Entry},
    rc::Rc,
};

use fireset_net::{Budget, Net, StopReason, TransitionId};

use super::omega::{OMEGA, OmegaMarking};
use crate::search::PollTimer;

/// Nodes after which a tree without `ω` is given up: a branch comes to its `ω` soon, and the tree of a bounded net lists its markings.
const PATIENCE: usize = 1 << 9;
/// Cycles that are tried on every new marking.
const MAX_CYCLES: usize = 256;

/// Why a tree is not complete.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// None of the first nodes has an `ω`: the net is probably bounded.
    SeemsBounded,
    /// It met a limit.
    Stopped(StopReason),
}

impl From<StopReason> for Unfinished {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// Which markings get no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pruning {
    /// Those that a node covers.
    Covered,
    /// Those that a node has.
    Equal,
}

/// A node and how its marking comes about.
#[derive(Debug)]
pub(super) struct TreeNode {
    pub(super) marking: OmegaMarking,
    /// The node before it, and the transition between them; `None` for the root.
    pub(super) origin: Option<(usize, TransitionId)>,
    /// The cycles by which the marking was accelerated after the firing, in this order.
    pub(super) pumped: Vec<PumpingCycle>,
    is_maximal: bool,
    summary: MarkingSummary,
}

/// A path of the tree whose last marking covers its first one. Its firings can be repeated from every marking above the first.
#[derive(Clone, Debug)]
pub(super) struct PumpingCycle {
    /// The node where it begins.
    pub(super) ancestor: usize,
    /// The node where it ends, after a number of the accelerations there.
    pub(super) node: usize,
    pub(super) accelerations: usize,
    /// The places that get `ω`.
    pub(super) places: Rc<[usize]>,
}

/// What tells most markings apart without a look at their places.
#[derive(Clone, Copy, Debug, Default)]
struct MarkingSummary {
    /// A bit for each place with `ω`, modulo 64.
    unbounded: u64,
    /// A bit for each place with tokens, modulo 64.
    marked: u64,
}

impl MarkingSummary {
    fn of(marking: &OmegaMarking) -> Self {
        let mut summary = Self::default();
        for (place, &count) in marking.0.iter().enumerate() {
            summary.unbounded |= u64::from(count == OMEGA) << (place % 64);
            summary.marked |= u64::from(count > 0) << (place % 64);
        }
        summary
    }

    /// False only where the marking of `other` cannot be covered.
    fn may_cover(self, other: Self) -> bool {
        other.unbounded & !self.unbounded == 0 && other.marked & !self.marked == 0
    }
}

/// A complete tree.
#[derive(Debug)]
pub(super) struct CoverabilityTree<'n> {
    pub(super) net: &'n Net,
    pub(super) nodes: Vec<TreeNode>,
    /// The transitions that some node enables.
    pub(super) fireable: Vec<bool>,
}

impl<'n> CoverabilityTree<'n> {
    /// Builds the tree of a net without inhibitor arcs, with at most this number of nodes.
    pub(super) fn build(
        net: &'n Net,
        pruning: Pruning,
        max_nodes: usize,
        budget: &Budget,
    ) -> Result<Self, Unfinished> {
        Self::from_limit(OmegaMarking::initial(net)?, net, pruning, max_nodes, budget)
    }

    /// Builds the tree from another marking than the initial one. Where it is above that, runs have their paths in the graph all
    /// the same, but its markings are no limits of reachable ones.
    pub(super) fn from_limit(
        start: OmegaMarking,
        net: &'n Net,
        pruning: Pruning,
        max_nodes: usize,
        budget: &Budget,
    ) -> Result<Self, Unfinished> {
        debug_assert!(!net.has_inhibitors(), "more tokens never disable a transition");
        let tree = Self { net, nodes: Vec::new(), fireable: vec![false; net.nodes().transitions.len()] };
        let mut builder = TreeBuilder {
            tree,
            pruning,
            max_nodes,
            maximal: Vec::new(),
            known: HashMap::new(),
            cycles: Vec::new(),
            open: Vec::new(),
            has_omega: false,
            timer: PollTimer::default(),
            budget,
        };
        builder.run(start)?;
        Ok(builder.tree)
    }

    /// The nodes whose markings no other node covers.
    pub(super) fn maximal(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|&at| self.nodes[at].is_maximal)
    }

    /// The marking of a node after its firing and a number of its accelerations.
    pub(super) fn marking_after(
        &self,
        node: usize,
        accelerations: usize,
    ) -> Result<OmegaMarking, StopReason> {
        let TreeNode { origin: Some((parent, transition)), pumped, .. } = &self.nodes[node] else {
            return Ok(self.nodes[node].marking.clone());
        };
        let mut marking = self.nodes[*parent].marking.fired(self.net, *transition)?;
        for cycle in &pumped[..accelerations] {
            cycle.places.iter().for_each(|&place| marking.0[place] = OMEGA);
        }
        Ok(marking)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        (self.nodes.len() * (size_of::<TreeNode>() + 8 * self.net.nodes().places.len() + 48)) as u64
    }
}

struct TreeBuilder<'a, 'n> {
    tree: CoverabilityTree<'n>,
    pruning: Pruning,
    max_nodes: usize,
    /// The nodes that no other covers, with [`Pruning::Covered`].
    maximal: Vec<usize>,
    /// The node of each marking, with [`Pruning::Equal`].
    known: HashMap<OmegaMarking, usize>,
    /// The cycles that were found first, with [`Pruning::Covered`].
    cycles: Vec<PumpingCycle>,
    open: Vec<usize>,
    /// Whether some node has an `ω`.
    has_omega: bool,
    timer: PollTimer,
    budget: &'a Budget,
}

impl TreeBuilder<'_, '_> {
    fn run(&mut self, start: OmegaMarking) -> Result<(), Unfinished> {
        let net = self.tree.net;
        self.budget.check(0, 0)?;
        self.add(start, None, Vec::new());
        // The newest node first: a branch comes to its `ω` soon, and these cover what is open elsewhere.
        while let Some(at) = self.open.pop() {
            for transition in net.nodes().transition_ids() {
                if !self.tree.nodes[at].is_maximal {
                    break;
                }
                if self.timer.is_due() {
                    self.budget.check(self.tree.bytes(), self.tree.nodes.len() as u64)?;
                }
                if self.tree.nodes[at].marking.enables(net, transition) {
                    self.tree.fireable[transition.index()] = true;
                    self.fire(at, transition)?;
                }
            }
        }
        if self.pruning == Pruning::Equal {
            self.mark_maximal()?;
        }
        Ok(())
    }

    fn fire(&mut self, at: usize, transition: TransitionId) -> Result<(), Unfinished> {
        let mut marking = self.tree.nodes[at].marking.fired(self.tree.net, transition)?;
        if self.is_left_out(&marking) {
            return Ok(());
        }
        let pumped = self.accelerate(&mut marking, at);
        if !pumped.is_empty() && self.is_left_out(&marking) {
            return Ok(());
        }
        if self.tree.nodes.len() >= self.max_nodes {
            return Err(StopReason::States(self.max_nodes).into());
        }
        if self.pruning == Pruning::Covered && !self.has_omega && self.tree.nodes.len() >= PATIENCE {
            return Err(Unfinished::SeemsBounded);
        }
        self.add(marking, Some((at, transition)), pumped);
        Ok(())
    }

    /// Accelerates a marking by all ancestors that it covers and by known cycles, until nothing changes.
    fn accelerate(&self, marking: &mut OmegaMarking, parent: usize) -> Vec<PumpingCycle> {
        let mut pumped: Vec<PumpingCycle> = Vec::new();
        loop {
            let before = pumped.len();
            // Where places become `ω`, it may cover more than this tells; the loop is then gone through again.
            let summary = MarkingSummary::of(marking);
            for cycle in &self.cycles {
                let gains = |&place: &usize| marking.0[place] != OMEGA;
                if cycle.places.iter().any(gains)
                    && marking.covers(&self.tree.nodes[cycle.ancestor].marking.0)
                {
                    cycle.places.iter().for_each(|&place| marking.0[place] = OMEGA);
                    pumped.push(cycle.clone());
                }
            }
            let mut ancestor = Some(parent);
            while let Some(at) = ancestor {
                let node = &self.tree.nodes[at];
                if summary.may_cover(node.summary)
                    && marking.covers(&node.marking.0)
                    && marking.accelerate(&node.marking)
                {
                    let gains = |place: &usize| marking.0[*place] == OMEGA && node.marking.0[*place] != OMEGA;
                    let places = (0..marking.0.len()).filter(gains).collect();
                    let (node, accelerations) = (self.tree.nodes.len(), pumped.len());
                    pumped.push(PumpingCycle { ancestor: at, node, accelerations, places });
                }
                ancestor = node.origin.map(|(parent, _)| parent);
            }
            if pumped.len() == before {
                return pumped;
            }
        }
    }

    /// Keeps the cycles that end in a new node for markings elsewhere.
    fn keep_cycles(&mut self, at: usize) {
        let room = MAX_CYCLES.saturating_sub(self.cycles.len());
        let own = self.tree.nodes[at].pumped.iter().filter(|cycle| cycle.node == at);
        self.cycles.extend(own.take(room).cloned());
    }

    fn is_left_out(&self, marking: &OmegaMarking) -> bool {
        if self.pruning == Pruning::Equal {
            return self.known.contains_key(marking);
        }
        let summary = MarkingSummary::of(marking);
        self.maximal.iter().any(|&at| {
            let node = &self.tree.nodes[at];
            node.summary.may_cover(summary) && node.marking.covers(&marking.0)
        })
    }

    fn add(
        &mut self,
        marking: OmegaMarking,
        origin: Option<(usize, TransitionId)>,
        pumped: Vec<PumpingCycle>,
    ) {
        let (summary, at) = (MarkingSummary::of(&marking), self.tree.nodes.len());
        self.has_omega |= summary.unbounded != 0;
        match self.pruning {
            Pruning::Equal => {
                if let Entry::Vacant(entry) = self.known.entry(marking.clone()) {
                    entry.insert(at);
                }
            }
            Pruning::Covered => {
                let nodes = &mut self.tree.nodes;
                self.maximal.retain(|&other| {
                    let node = &mut nodes[other];
                    node.is_maximal = !(summary.may_cover(node.summary) && marking.covers(&node.marking.0));
                    node.is_maximal
                });
                self.maximal.push(at);
            }
        }
        self.tree.nodes.push(TreeNode { marking, origin, pumped, is_maximal: true, summary });
        self.open.push(at);
        if self.pruning == Pruning::Covered {
            self.keep_cycles(at);
        }
    }

    /// Finds the maximal nodes of a graph, which are not kept while it is built.
    fn mark_maximal(&mut self) -> Result<(), StopReason> {
        for at in 0..self.tree.nodes.len() {
            if self.timer.is_due() {
                self.budget.check(self.tree.bytes(), self.tree.nodes.len() as u64)?;
            }
            let (marking, summary) = (&self.tree.nodes[at].marking, self.tree.nodes[at].summary);
            let covered = self.tree.nodes.iter().enumerate().any(|(other, node)| {
                other != at && node.summary.may_cover(summary) && node.marking.covers(&marking.0)
            });
            self.tree.nodes[at].is_maximal = !covered;
        }
        Ok(())
    }
}

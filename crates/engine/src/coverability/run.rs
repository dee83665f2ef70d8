//! Runs to nodes of a coverability tree: how often its cycles are repeated.
//!
//! What: a node stands for markings with any number of tokens where it has `ω`. Given how many are demanded there, the run is
//! built backwards: each firing asks the marking before it for what it takes and for what is still missing. At an
//! acceleration the counts before it are known; as long as more is demanded on the places that it fills, its cycle is put in once more, with the
//! accelerations inside of it, which are treated in the same way.
//! Source: the proof that Karp-Miller trees have no markings that are too large (Karp and Miller 1969), made effective.
//!
//! Invariants: 1. on the path from the root the demand never exceeds the counts of the tree where these are not `ω`: a path fires as
//! the tree says. Inside of a cycle that starts from more tokens it may, but only on places that the cycle keeps or fills. 2. Each
//! repetition of a cycle lowers the demand where its acceleration set `ω`, so each acceleration is done with.
//! Cost: linear in the run, which is given up when it becomes too long. Test: `tests/coverability.rs`, by replay.

use fireset_net::{Budget, Net, Step, Trace, TransitionId};

use super::tree::CoverabilityTree;
use crate::search::PollTimer;

/// Firings of a run; a longer one is not shown.
const MAX_STEPS: usize = 100_000;

/// A part of the run that is still to be put before the rest.
#[derive(Clone, Copy, Debug)]
enum RunPart {
    Firing(TransitionId),
    /// The acceleration with this number of a node.
    Acceleration(usize, usize),
}

/// A run to a marking that has at least the demanded tokens, and exactly the counts of the node where these are not `ω`.
pub(super) fn run_to(
    tree: &CoverabilityTree<'_>,
    node: usize,
    mut demand: Vec<u64>,
    budget: &Budget,
) -> Option<Trace> {
    let (mut open, mut run, mut work) = (Vec::new(), Vec::new(), 0);
    let mut timer = PollTimer::default();
    push_path(tree, None, node, tree.nodes[node].pumped.len(), &mut open);
    while let Some(part) = open.pop() {
        work += 1;
        if work > 4 * MAX_STEPS || run.len() > MAX_STEPS || open.len() > MAX_STEPS {
            return None;
        }
        if timer.is_due() {
            budget.go_on().ok()?;
        }
        match part {
            RunPart::Firing(transition) => {
                undo(tree.net, transition, &mut demand)?;
                run.push(Step::plain(transition));
            }
            RunPart::Acceleration(at, number) => {
                let before = tree.marking_after(at, number).ok()?;
                let cycle = &tree.nodes[at].pumped[number];
                if cycle.places.iter().any(|&place| before.0[place] < demand[place]) {
                    open.push(part);
                    push_path(tree, Some(cycle.ancestor), cycle.node, cycle.accelerations, &mut open);
                }
            }
        }
    }
    run.reverse();
    Some(Trace(run))
}

/// Adds the path from an ancestor, or from the root, to a node with some of its accelerations.
fn push_path(
    tree: &CoverabilityTree<'_>,
    ancestor: Option<usize>,
    node: usize,
    accelerations: usize,
    open: &mut Vec<RunPart>,
) {
    let start = open.len();
    let (mut at, mut count) = (node, accelerations);
    while Some(at) != ancestor {
        open.extend((0..count).rev().map(|number| RunPart::Acceleration(at, number)));
        let Some((parent, transition)) = tree.nodes[at].origin else { break };
        open.push(RunPart::Firing(transition));
        (at, count) = (parent, tree.nodes[parent].pumped.len());
    }
    open[start..].reverse();
}

/// What must be there before a firing, so that afterwards the demand is met.
fn undo(net: &Net, transition: TransitionId, demand: &mut [u64]) -> Option<()> {
    for arc in net.post(transition) {
        let tokens = &mut demand[arc.place.index()];
        *tokens = tokens.saturating_sub(arc.weight);
    }
    for arc in net.pre(transition) {
        let tokens = &mut demand[arc.place.index()];
        *tokens = tokens.checked_add(arc.weight)?;
    }
    Some(())
}

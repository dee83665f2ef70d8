//! Properties of the whole net that follow from its structure or its initial marking, and liveness.

use fireset_kernel::scc::{self, SccGraph};
use fireset_net::{Budget, Evidence, Global, Net, PlaceId, Query, StopReason, Trace, Verdict};
use fireset_structure::PlaceInvariants;

use super::{
    VerdictWithEvidence,
    exploration::{Exploration, ExploredGraph},
};
use crate::search::EncodedNet;

/// About the bytes that the search for components holds for each state.
const BYTES_A_NODE: usize = 16;

pub(super) fn by_initial_marking(net: &Net, query: &Query) -> Option<VerdictWithEvidence> {
    let unsafe_place = || net.initial_marking().0.iter().any(|&tokens| tokens > 1);
    let fails = *query == Query::Global(Global::OneSafe) && unsafe_place();
    fails.then(|| (Verdict::Fails, Some(Evidence::Trace(Trace::default()))))
}

pub(super) fn by_structure(
    net: &Net,
    invariants: &PlaceInvariants,
    query: &Query,
) -> Option<VerdictWithEvidence> {
    let holds = match query {
        Query::Global(Global::OneSafe) => invariants.bounds().iter().all(|b| b.is_some_and(|b| b <= 1)),
        Query::Global(Global::StableMarking) => net.nodes().place_ids().any(|p| never_changes(net, p)),
        _ => false,
    };
    holds.then_some((Verdict::Holds, None))
}

/// Whether every transition gives back to a place as many tokens as it takes.
fn never_changes(net: &Net, place: PlaceId) -> bool {
    let weight = |arcs: &[fireset_net::Arc]| {
        arcs.binary_search_by_key(&place, |a| a.place).map_or(0, |at| arcs[at].weight)
    };
    net.nodes().transition_ids().all(|t| weight(net.pre(t)) == weight(net.post(t)))
}

/// Whether every bottom component of the explored graph fires every transition. The exploration is complete.
pub(super) fn live<E: EncodedNet>(
    exploration: &Exploration<E>,
    transitions: usize,
    budget: &Budget,
) -> Result<bool, StopReason> {
    let states = &exploration.search.states;
    let bytes = (states.store.bytes() + BYTES_A_NODE * states.store.limit()) as u64;
    exploration.with_graph(budget, |graph| {
        let mut components = BottomComponents { graph, budget, bytes, transitions, work: 0 };
        match scc::search(&mut components, [states.initial]) {
            Ok(()) => Ok(true),
            Err(Some(reason)) => Err(reason),
            Err(None) => Ok(false),
        }
    })?
}

/// The explored graph; its search stops with `None` at a bottom component that misses a transition.
struct BottomComponents<'b> {
    graph: &'b mut dyn ExploredGraph,
    budget: &'b Budget,
    bytes: u64,
    transitions: usize,
    work: u64,
}

impl SccGraph for BottomComponents<'_> {
    type Stop = Option<StopReason>;

    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), Self::Stop> {
        self.work += 1;
        if self.work.is_multiple_of(1 << 12) {
            self.budget.check(self.bytes + 8 * to.len() as u64, self.work)?;
        }
        self.graph.edges(node, &mut |_, next| to.push(next));
        Ok(())
    }

    fn component(&mut self, nodes: &[u32]) -> Result<(), Self::Stop> {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        let mut fires = vec![false; self.transitions];
        let mut bottom = true;
        for &node in nodes {
            self.graph.edges(node, &mut |transition, next| {
                fires[transition as usize] = true;
                bottom &= sorted.binary_search(&next).is_ok();
            });
            if !bottom {
                return Ok(());
            }
        }
        if fires.into_iter().all(|fires| fires) { Ok(()) } else { Err(None) }
    }
}

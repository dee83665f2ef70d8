//! Properties of the whole net: safety, stable markings, liveness.

use fireset_net::{
    Budget, Evidence, Global, Net, PlaceId, Query, StopReason, Verdict,
    reference::scc::{self, Space},
};

use super::{
    explore::{Edges, Explorer, Progress, View},
    watch::{Answer, Watch},
};
use crate::packed::choose::Knowledge;

/// What the structure of a net tells.
pub(crate) fn at_once(net: &Net, knowledge: &Knowledge, query: &Query) -> Option<Answer> {
    let holds = match query {
        Query::Global(Global::OneSafe) => knowledge.bounds.iter().all(|b| b.is_some_and(|b| b <= 1)),
        Query::Global(Global::StableMarking) => net.nodes().place_ids().any(|p| never_changes(net, p)),
        _ => false,
    };
    holds.then_some((Verdict::Holds, None))
}

/// Whether every transition gives back to a place what it takes.
fn never_changes(net: &Net, place: PlaceId) -> bool {
    let weight = |arcs: &[fireset_net::Arc]| {
        arcs.binary_search_by_key(&place, |a| a.place).map_or(0, |at| arcs[at].weight)
    };
    net.nodes().transition_ids().all(|t| weight(net.pre(t)) == weight(net.post(t)))
}

/// Every place holds at most one token, always.
pub(crate) struct OneSafe;

impl Watch for OneSafe {
    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> Option<Answer> {
        let safe = progress.layout.total_and_most(view.row).1 <= 1;
        (!safe).then(|| (Verdict::Fails, Some(Evidence::Trace(progress.trace(view.id)))))
    }

    fn finish(&mut self, _: &Progress<'_>) -> Answer {
        (Verdict::Holds, None)
    }
}

/// Some place keeps its initial count.
pub(crate) struct StableMarking {
    stable: Vec<(PlaceId, u64)>,
}

impl StableMarking {
    pub(crate) fn new(net: &Net) -> Self {
        let initial = net.initial_marking();
        Self { stable: net.nodes().place_ids().map(|p| (p, initial.tokens(p))).collect() }
    }
}

impl Watch for StableMarking {
    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> Option<Answer> {
        self.stable.retain(|&(place, initial)| progress.layout.tokens(view.row, place) == initial);
        self.stable.is_empty().then_some((Verdict::Fails, None))
    }

    fn finish(&mut self, _: &Progress<'_>) -> Answer {
        (Verdict::Holds, None)
    }
}

/// Whether every bottom component of the explored graph fires every transition. The exploration is complete.
pub(crate) fn live(
    explorer: &mut Explorer<'_>,
    transitions: usize,
    budget: &Budget,
) -> Result<bool, StopReason> {
    let (bytes, states) = (explorer.progress().bytes(), explorer.store.len());
    let edges = explorer.edges();
    let mut components =
        Components { edges, budget, bytes: bytes + 16 * states as u64, transitions, left: states, work: 0 };
    match scc::search(&mut components, 0..1) {
        Ok(()) => Ok(true),
        Err(Some(reason)) => Err(reason),
        Err(None) => Ok(false),
    }
}

/// The explored graph; its search stops with `None` at a bottom component that misses a transition.
struct Components<'b> {
    edges: Box<dyn Edges + 'b>,
    budget: &'b Budget,
    bytes: u64,
    transitions: usize,
    left: usize,
    work: u64,
}

impl Space for Components<'_> {
    type Stop = Option<StopReason>;

    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), Self::Stop> {
        self.work += 1;
        if self.work.is_multiple_of(1 << 12) {
            self.budget.check(self.bytes + 8 * to.len() as u64, self.work)?;
        }
        self.edges.each(node, &mut |_, next| to.push(next));
        Ok(())
    }

    fn component(&mut self, nodes: &[u32]) -> Result<(), Self::Stop> {
        self.left -= nodes.len();
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        let mut fires = vec![false; self.transitions];
        let mut bottom = true;
        for &node in nodes {
            self.edges.each(node, &mut |transition, next| {
                fires[transition] = true;
                bottom &= sorted.binary_search(&next).is_ok();
            });
            if !bottom {
                return Ok(());
            }
        }
        if fires.into_iter().all(|fires| fires) { Ok(()) } else { Err(None) }
    }
}

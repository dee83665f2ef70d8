//! Safety, stable markings, quasi-liveness and liveness.
//!
//! What a place's tokens are on a coloured net is decided by [`Tokens`] alone. A net is live when every bottom
//! component of its graph fires every transition: from each state some bottom component can be reached, and
//! none can be left. Test: against the definitions in `tests/reference/global.rs`.

use fireset_net::{
    PlaceId, Semantics, StopReason, Tokens, TransitionId,
    reachability::{CoveringPair, ReachabilityGraph, StateView},
};

use crate::{
    components::components,
    decide::{Explored, OpenQuery, OracleAnswer},
};

/// Every place holds at most one token, always.
pub(super) struct OneSafe;

impl<S: Semantics> OpenQuery<S> for OneSafe {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let net = view.graph.net();
        let all_safe = net.as_ref().place_ids().all(|p| net.tokens(view.state(), p).is_safe());
        (!all_safe).then(|| OracleAnswer::traced(false, view.graph.trace(view.at)))
    }

    /// The run between the two can be repeated: it adds a token to a place, and then another one.
    fn covering(&mut self, graph: &ReachabilityGraph<'_, S>, pair: CoveringPair) -> Option<OracleAnswer> {
        let mut trace = graph.trace(pair.state);
        let start = graph.trace(pair.ancestor).0.len();
        trace.0.extend_from_within(start..);
        Some(OracleAnswer::traced(false, trace))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        Ok(OracleAnswer::bare(true))
    }
}

/// Some place keeps its initial count.
pub(super) struct StableMarking {
    /// The places that did so up to now, with what they hold.
    stable: Vec<(PlaceId, Tokens)>,
}

impl StableMarking {
    pub(super) fn new<S: Semantics>(net: &S) -> Self {
        let initial = net.initial();
        Self { stable: net.as_ref().place_ids().map(|p| (p, net.tokens(&initial, p))).collect() }
    }
}

impl<S: Semantics> OpenQuery<S> for StableMarking {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let net = view.graph.net();
        self.stable.retain(|&(place, initial)| net.tokens(view.state(), place).is_unchanged(initial));
        self.stable.is_empty().then(|| OracleAnswer::bare(false))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        Ok(OracleAnswer::bare(true))
    }
}

/// Every transition can fire.
pub(super) struct QuasiLiveness {
    /// The transitions that were not seen enabled up to now.
    dead: Vec<TransitionId>,
}

impl QuasiLiveness {
    pub(super) fn new<S: Semantics>(net: &S) -> Self {
        Self { dead: net.as_ref().transition_ids().collect() }
    }
}

impl<S: Semantics> OpenQuery<S> for QuasiLiveness {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        self.dead.retain(|t| !view.enabled[t.index()]);
        self.dead.is_empty().then(|| OracleAnswer::bare(true))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        Ok(OracleAnswer::bare(false))
    }
}

/// Every transition can always fire again.
pub(super) struct Liveness;

impl<S: Semantics> OpenQuery<S> for Liveness {
    /// In a deadlock nothing can fire again.
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let any = !view.enabled.is_empty();
        (any && view.graph.is_deadlock(view.at)).then(|| OracleAnswer::bare(false))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        let graph = explored.graph;
        graph.complete()?;
        let transitions = graph.net().as_ref().transitions.len();
        let targets = |state| graph.edges(state).iter().map(|e| e.target() as u32).collect();
        let successors: Vec<Vec<u32>> = (0..graph.states().len()).map(targets).collect();
        let components = components(&successors);
        let mut of = vec![0; graph.states().len()];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|&state| of[state as usize] = number);
        }
        let live = components.iter().enumerate().all(|(number, component)| {
            let edges = || component.iter().flat_map(|&state| graph.edges(state as usize));
            if edges().any(|e| of[e.target()] != number) {
                return true;
            }
            let mut fires = vec![false; transitions];
            edges().for_each(|&e| fires[graph.step(e).transition.index()] = true);
            fires.into_iter().all(|fires| fires)
        });
        Ok(OracleAnswer::bare(live))
    }
}

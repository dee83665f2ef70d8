//! Named properties that are no formulas, by their definitions on the reachability graph.
//!
//! A covering pair shows that the net is unbounded, and that the run between both can be repeated for ever; what it does not show is
//! answered from a complete graph alone. Test: `tests/reference/named.rs`, on nets whose properties the literature gives.

use fireset_net::{
    LivenessLevel, NamedProperty, PlaceId, Semantics, StopReason, TransitionId,
    reachability::{CoveringPair, ReachabilityGraph, StateView},
};

use crate::{
    components::components,
    decide::{Explored, OpenQuery, OracleAnswer},
    soundness,
};

pub(super) fn open<S: Semantics>(property: &NamedProperty) -> Box<dyn OpenQuery<S>> {
    match property {
        NamedProperty::Bounded(places) => Box::new(Bounded(places.clone())),
        NamedProperty::KBounded(k, places) => Box::new(KBounded(*k, places.clone())),
        NamedProperty::Reversible => Box::new(Reversible),
        NamedProperty::Live(ts, LivenessLevel::L2 | LivenessLevel::L3) => Box::new(Repeatable(ts.clone())),
        NamedProperty::Persistent => Box::new(Persistent),
        NamedProperty::Terminating => Box::new(Terminating),
        NamedProperty::Sound(notion, ends) => Box::new(soundness::OpenSoundness::new(*notion, ends)),
        NamedProperty::DeadlockFree
        | NamedProperty::Home(_)
        | NamedProperty::Dead(_)
        | NamedProperty::Live(..) => unreachable!("a query of a formula"),
    }
}

/// Each of these places has a largest number of tokens.
struct Bounded(Vec<PlaceId>);

impl<S: Semantics> OpenQuery<S> for Bounded {
    fn covering(&mut self, graph: &ReachabilityGraph<'_, S>, pair: CoveringPair) -> Option<OracleAnswer> {
        let tokens = |at: usize, p| graph.net().tokens(&graph.states()[at], p).total;
        let grows = self.0.iter().any(|&p| tokens(pair.ancestor, p) < tokens(pair.state, p));
        grows.then(|| OracleAnswer::bare(false))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete().map(|()| OracleAnswer::bare(true))
    }
}

/// No place ever has more than a number of tokens.
struct KBounded(u64, Vec<PlaceId>);

impl<S: Semantics> OpenQuery<S> for KBounded {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let tokens = |&p| view.graph.net().tokens(view.state(), p).total;
        let above = self.1.iter().any(|p| tokens(p) > u128::from(self.0));
        above.then(|| OracleAnswer::traced(false, view.graph.trace(view.at)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete().map(|()| OracleAnswer::bare(true))
    }
}

/// All states lead back to the first.
struct Reversible;

impl<S: Semantics> OpenQuery<S> for Reversible {
    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        let mut leads_back = vec![false; explored.graph.states().len()];
        let mut open = vec![0u32];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut leads_back[state as usize], true) {
                open.extend(&explored.reverse()[state as usize]);
            }
        }
        Ok(OracleAnswer::bare(leads_back.into_iter().all(|leads| leads)))
    }
}

/// Some run fires a transition infinitely often; on a finite graph this is as much as arbitrarily often.
struct Repeatable(Vec<TransitionId>);

impl<S: Semantics> OpenQuery<S> for Repeatable {
    fn covering(&mut self, graph: &ReachabilityGraph<'_, S>, pair: CoveringPair) -> Option<OracleAnswer> {
        let (run, start) = (graph.trace(pair.state).0, graph.trace(pair.ancestor).0.len());
        let fires = run[start..].iter().any(|step| self.0.contains(&step.transition));
        fires.then(|| OracleAnswer::bare(true))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        let graph = explored.graph;
        graph.complete()?;
        let fires = |e| self.0.contains(&graph.step(e).transition);
        Ok(OracleAnswer::bare(inner_edges(graph).into_iter().any(fires)))
    }
}

/// No enabled step is disabled by another one.
struct Persistent;

impl<S: Semantics> OpenQuery<S> for Persistent {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let (net, state) = (view.graph.net(), view.state());
        let enabled = net.steps(state);
        for step in &enabled {
            let Ok(next) = net.fire(state, step) else { continue };
            let still = net.steps(&next);
            if enabled.iter().any(|other| other != step && !still.contains(other)) {
                return Some(OracleAnswer::traced(false, view.graph.trace(view.at)));
            }
        }
        None
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete().map(|()| OracleAnswer::bare(true))
    }
}

/// There is no infinite run.
struct Terminating;

impl<S: Semantics> OpenQuery<S> for Terminating {
    fn covering(&mut self, _: &ReachabilityGraph<'_, S>, _: CoveringPair) -> Option<OracleAnswer> {
        Some(OracleAnswer::bare(false))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        Ok(OracleAnswer::bare(inner_edges(explored.graph).is_empty()))
    }
}

/// The edges inside of components: those that lie on cycles.
fn inner_edges<S: Semantics>(
    graph: &ReachabilityGraph<'_, S>,
) -> Vec<fireset_net::reachability::ReachabilityEdge> {
    let count = graph.states().len();
    let targets = |state| graph.edges(state).iter().map(|e| e.target() as u32).collect();
    let successors: Vec<Vec<u32>> = (0..count).map(targets).collect();
    let mut component_of = vec![0; count];
    for (number, component) in components(&successors).iter().enumerate() {
        component.iter().for_each(|&state| component_of[state as usize] = number);
    }
    let is_inner = |from: usize, to: usize| component_of[from] == component_of[to];
    let inner = |from: usize| graph.edges(from).iter().copied().filter(move |e| is_inner(from, e.target()));
    (0..count).flat_map(inner).collect()
}

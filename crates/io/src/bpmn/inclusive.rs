//! Inclusive gateways that join: exact for every shape of process, with inhibitor arcs.
//!
//! Source: the BPMN 2.0 standard, chapter 13, on the inclusive gateway. A set `T` of incoming flows with tokens activates the
//! gateway when no other incoming flow has one, and each token elsewhere from which a path leads to an incoming flow outside of
//! `T`, but not through the gateway, has such a path to a flow in `T`, too. The paths are known from the diagram alone, so for
//! each `T` the rule names the places that must be empty: one transition with inhibitor arcs for each `T`.
//!
//! A token inside an activity or a gateway is taken to be on the way to the outgoing flows; a token of a sub-process counts as
//! the token of the sub-process itself. A pair of link events is a flow. A boundary event is at no flow's end, so by the letter of
//! the rule no path leads from an activity to it: a join does not wait for a boundary event that has not occurred.
//!
//! Cost: `2^n - 1` transitions for `n` incoming flows, each with at most one arc for each place of the scope.

use fireset_net::{PlaceId, TransitionId};

use super::{
    notes,
    translation::{TokenPosition, Translation},
};
use crate::Fault;

/// The most incoming flows of an inclusive gateway.
const MAX_JOINED: usize = 8;

/// The transition of a gateway for one set of incoming flows.
pub(super) struct InclusiveJoin {
    gateway: usize,
    step: TransitionId,
    /// A bit for each incoming flow that gives a token.
    taken: u32,
}

impl Translation<'_> {
    /// The transitions of a gateway with several incoming flows. Their inhibitor arcs are added when all places are known.
    pub(super) fn inclusive_join(&mut self, gateway: usize) -> Result<(), Fault> {
        let incoming = &self.graph.incoming[gateway];
        if incoming.len() > MAX_JOINED {
            let message = format!("an inclusive gateway joins more than {MAX_JOINED} sequence flows");
            let node = self.node(gateway);
            return Err(Fault::at(node.head.offset, message).within(node.described()));
        }
        self.notes.say(notes::JOINS);
        for taken in 1..1_u32 << incoming.len() {
            let step = self.step_at(gateway, &format!(".join.{taken}"))?;
            for (at, &flow) in incoming.iter().enumerate() {
                if let Some(place) = self.flow_places[flow].filter(|_| taken >> at & 1 == 1) {
                    self.builder.input(place, step, 1);
                }
            }
            self.leave(step, gateway)?;
            self.joins.push(InclusiveJoin { gateway, step, taken });
        }
        Ok(())
    }

    /// Adds the inhibitor arcs of all joins.
    pub(super) fn close_joins(&mut self) -> Result<(), Fault> {
        let mut reached: Option<(usize, Vec<(PlaceId, u32)>)> = None;
        for join in std::mem::take(&mut self.joins) {
            let places = match reached.take() {
                Some((gateway, places)) if gateway == join.gateway => places,
                _ => self.reaching_places(join.gateway)?,
            };
            for &(place, targets) in &places {
                if targets & join.taken == 0 {
                    self.needs_empty(join.step, place)?;
                }
            }
            reached = Some((join.gateway, places));
        }
        Ok(())
    }

    /// The places from which tokens can come to a gateway, with a bit for each incoming flow.
    fn reaching_places(&mut self, gateway: usize) -> Result<Vec<(PlaceId, u32)>, Fault> {
        let scope = self.node(gateway).scope;
        let (mut flows, mut nodes) =
            (vec![0_u32; self.graph.sources.len()], vec![0_u32; self.graph.incoming.len()]);
        self.spend(flows.len() + nodes.len() + self.origins.len())?;
        for (at, &flow) in self.graph.incoming[gateway].iter().enumerate() {
            self.walk_back(gateway, flow, &mut |position| {
                let bits = match position {
                    TokenPosition::Flow(flow) => &mut flows[flow],
                    TokenPosition::Node(node) => &mut nodes[node],
                };
                let is_new = *bits >> at & 1 == 0;
                *bits |= 1 << at;
                is_new
            });
        }
        let bits = |position: &TokenPosition| match *position {
            TokenPosition::Flow(flow) => flows[flow],
            TokenPosition::Node(node) => nodes[node],
        };
        let own = self.origins.iter().enumerate().filter(|(_, origin)| origin.scope == Some(scope));
        let targets = own
            .map(|(at, origin)| (PlaceId::new(at), origin.positions.iter().map(bits).fold(0, |a, b| a | b)));
        Ok(targets.filter(|(_, targets)| *targets != 0).collect())
    }

    /// Visits the flows and nodes from which a path leads to a flow, but not through the gateway. `visit` says whether it is new.
    fn walk_back(&self, gateway: usize, flow: usize, visit: &mut impl FnMut(TokenPosition) -> bool) {
        let graph = self.graph;
        let mut open = vec![TokenPosition::Flow(flow)];
        while let Some(position) = open.pop() {
            if !visit(position) {
                continue;
            }
            match position {
                TokenPosition::Flow(flow) => open.extend(graph.sources[flow].map(TokenPosition::Node)),
                // A token in the gateway is about to leave it; one before it would have to pass it.
                TokenPosition::Node(node) if node == gateway => {}
                TokenPosition::Node(node) => {
                    open.extend(graph.incoming[node].iter().copied().map(TokenPosition::Flow));
                    open.extend(graph.link_sources[node].iter().copied().map(TokenPosition::Node));
                }
            }
        }
    }
}

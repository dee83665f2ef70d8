//! Scopes as a whole: how they start, complete and are ended early.
//!
//! A sub-process completes when it holds no token any more: a transition with an inhibitor arc to each of its places. A scope
//! that can be ended early has a place that is marked while it runs; each transition in it tests that place. Whatever ends it
//! takes that token, so nothing in the scope moves from then on. Then transitions remove its tokens one by one, and the flow
//! goes on when its places are empty. No token of an ended scope is therefore there when it is started again.

use std::collections::BTreeSet;

use fireset_net::{PlaceId, TransitionId};

use super::{
    document::{ElementHead, FlowNodeKind, TriggerKind},
    effects::Effect,
    notes,
    translation::{PlaceOrigin, TokenPosition, Translation},
};
use crate::Fault;

/// A transition that needs a scope to be empty.
pub(super) struct ScopeClosing {
    pub(super) step: TransitionId,
    pub(super) scope: usize,
    /// Boundary events that may still occur do not keep a sub-process running.
    pub(super) passes_armed: bool,
}

impl<'d> Translation<'d> {
    /// Of the process or the sub-process.
    fn scope_head(&self, scope: usize) -> &'d ElementHead {
        let data = &self.document.scopes[scope];
        match data.owner {
            Some(owner) => &self.document.nodes[owner].head,
            None => &self.document.processes[data.process].head,
        }
    }

    /// Adds the places of all included scopes, flows, starts and messages.
    pub(super) fn lay_out(&mut self) -> Result<(), Fault> {
        for (at, node) in self.document.nodes.iter().enumerate() {
            if let FlowNodeKind::SubProcess { inner } = node.kind
                && self.scopes[node.scope].is_included
            {
                self.scopes[inner].running = Some(self.place_at(at, ".active")?);
                self.notes.add(notes::ONE_AT_A_TIME, node.head.shown());
            }
        }
        self.lay_out_mailboxes()?;
        self.lay_out_endings()?;
        self.lay_out_flows()?;
        for scope in 0..self.scopes.len() {
            if self.scopes[scope].is_included {
                self.lay_out_starts(scope)?;
            }
        }
        Ok(())
    }

    fn lay_out_endings(&mut self) -> Result<(), Fault> {
        let mut ends = BTreeSet::new();
        for (effect, node) in self.effects.iter().zip(&self.document.nodes) {
            if let (Effect::End { scope, goes_on }, true) = (*effect, self.scopes[node.scope].is_included) {
                ends.insert((scope, goes_on));
            }
        }
        for (scope, goes_on) in ends {
            self.notes.say(notes::REMOVED);
            let data = &self.document.scopes[scope];
            let head = self.scope_head(scope);
            let control = || PlaceOrigin::control(data.parent);
            if self.scopes[scope].running.is_none() {
                let tokens = u64::from(!self.waits_for_message(scope));
                let origin = PlaceOrigin { tokens, ..control() };
                let running = self.place(&format!("{}.running", head.id), origin)?;
                self.scopes[scope].running = Some(running);
            }
            if self.scopes[scope].cancelling.is_none() {
                let cancelling = self.place(&format!("{}.cancelling", head.id), control())?;
                self.scopes[scope].cancelling = Some(cancelling);
            }
            let pending = match (goes_on.or(data.owner), goes_on) {
                (Some(node), Some(_)) => self.place_at(node, ".occurred")?,
                (Some(node), None) => self.place_at(node, ".terminated")?,
                (None, _) => self.place(&format!("{}.terminated", head.id), control())?,
            };
            self.scopes[scope].pending.insert(goes_on, pending);
        }
        Ok(())
    }

    fn lay_out_flows(&mut self) -> Result<(), Fault> {
        let document = self.document;
        for (at, node) in document.nodes.iter().enumerate() {
            if matches!(node.kind, FlowNodeKind::EventBased { .. }) && self.scopes[node.scope].is_included {
                let place = self.place_at(at, "")?;
                self.leave_through(at, place);
                for &flow in &self.graph.outgoing[at] {
                    self.flow_places[flow] = Some(place);
                }
            }
        }
        let included: Vec<usize> =
            (0..self.scopes.len()).filter(|&scope| self.scopes[scope].is_included).collect();
        for scope in included {
            for &flow in &self.graph.flows[scope] {
                let head = &document.flows[flow].head;
                if self.graph.sources[flow].is_none() || self.graph.targets[flow].is_none() {
                    self.notes.add(notes::LOOSE, head.shown());
                }
                if self.flow_places[flow].is_none() {
                    let place = self.place(&head.id, PlaceOrigin::at(scope, TokenPosition::Flow(flow)))?;
                    self.builder.nodes_mut().places.set_label(place.index(), &head.name);
                    self.flow_places[flow] = Some(place);
                }
            }
        }
        Ok(())
    }

    /// A place for the messages to each node, unless messages to it can come from outside of the net.
    fn lay_out_mailboxes(&mut self) -> Result<(), Fault> {
        let document = self.document;
        for (at, node) in document.nodes.iter().enumerate() {
            let received = &self.graph.received[at];
            if received.is_empty() || !self.scopes[node.scope].is_included {
                continue;
            }
            let has_others = node.triggers.len() > 1 && !node.needs_all;
            let sender = |&flow: &usize| self.graph.senders[flow];
            let is_inside = |node: usize| self.scopes[document.nodes[node].scope].is_included;
            if has_others || !received.iter().all(|flow| sender(flow).is_some_and(is_inside)) {
                continue;
            }
            let id = match &received[..] {
                [flow] => document.message_flows[*flow].head.id.clone(),
                _ => format!("{}.messages", node.head.id),
            };
            let mailbox = self.place(&id, PlaceOrigin::control(None))?;
            if let [flow] = received[..] {
                let name = &document.message_flows[flow].head.name;
                self.builder.nodes_mut().places.set_label(mailbox.index(), name);
            }
            self.mailboxes[at] = Some(mailbox);
            self.notes.say(notes::UNREAD);
        }
        Ok(())
    }

    /// The places that let the nodes without incoming flows start.
    fn lay_out_starts(&mut self, scope: usize) -> Result<(), Fault> {
        let starts = &self.graph.starts[scope];
        let data = &self.document.scopes[scope];
        let tokens = u64::from(data.owner.is_none());
        if self.waits_for_message(scope) {
            self.notes.say(notes::SHARED);
        } else if let [start] = starts[..] {
            let place = self.marked_place_at(start, ".in", tokens)?;
            self.node_places[start] = Some(place);
            self.scopes[scope].entry.push(place);
        } else if !starts.is_empty() {
            let head = self.scope_head(scope);
            self.notes.add(notes::STARTS, head.shown());
            let positions = starts.iter().copied().map(TokenPosition::Node).collect();
            let origin = PlaceOrigin { scope: Some(scope), positions, tokens, is_armed: false };
            let place = self.place(&format!("{}.start", head.id), origin)?;
            for &start in starts {
                self.node_places[start] = Some(place);
            }
            self.scopes[scope].entry.push(place);
        }
        for &node in &self.graph.nodes[scope] {
            let is_entered = !self.graph.incoming[node].is_empty()
                || starts.binary_search(&node).is_ok()
                || matches!(self.node(node).kind, FlowNodeKind::Boundary { .. });
            if is_entered && self.graph.link_sources[node].is_empty() {
                continue;
            }
            let is_link = self.node(node).has_trigger(TriggerKind::Link)
                && matches!(self.node(node).kind, FlowNodeKind::Catch);
            let is_entry = starts.is_empty() && !is_link;
            let place = self.marked_place_at(node, ".in", if is_entry { tokens } else { 0 })?;
            self.node_places[node] = Some(place);
            match starts.is_empty() {
                _ if is_link => {}
                true => self.scopes[scope].entry.push(place),
                false => self.notes.add(notes::WITHOUT_TOKEN, self.node(node).head.shown()),
            }
        }
        Ok(())
    }

    /// Whether a process is started by messages from other processes alone.
    fn waits_for_message(&self, scope: usize) -> bool {
        let starts = &self.graph.starts[scope];
        let waits =
            |&start: &usize| self.node(start).kind == FlowNodeKind::Start && self.mailboxes[start].is_some();
        self.document.scopes[scope].owner.is_none() && !starts.is_empty() && starts.iter().all(waits)
    }

    /// Adds the transitions that end a process which can be ended early.
    pub(super) fn process(&mut self, scope: usize) -> Result<(), Fault> {
        let places = &self.scopes[scope];
        let process = &self.document.processes[self.document.scopes[scope].process].head;
        let (Some(running), Some(cancelling)) = (places.running, places.cancelling) else {
            return Ok(());
        };
        // The scope's own transitions stop with it, so these belong to no scope.
        let complete = self.free_step(&format!("{}.complete", process.id), "")?;
        self.builder.input(running, complete, 1);
        self.closings.push(ScopeClosing { step: complete, scope, passes_armed: false });
        if let Some(&pending) = self.scopes[scope].pending.get(&None) {
            let end = self.free_step(&format!("{}.end", process.id), "")?;
            self.builder.input(cancelling, end, 1);
            self.builder.input(pending, end, 1);
            self.closings.push(ScopeClosing { step: end, scope, passes_armed: false });
        }
        Ok(())
    }

    /// Adds the inhibitor arcs of transitions that need an empty scope, and the transitions that remove tokens.
    pub(super) fn close_scopes(&mut self) -> Result<(), Fault> {
        let mut inner = vec![Vec::new(); self.scopes.len()];
        for (at, origin) in self.origins.iter().enumerate() {
            let mut around = origin.scope;
            while let Some(scope) = around {
                inner[scope].push(PlaceId::new(at));
                around = self.document.scopes[scope].parent;
            }
        }
        for closing in std::mem::take(&mut self.closings) {
            for &place in &inner[closing.scope] {
                let origin = &self.origins[place.index()];
                let is_own_event = origin.is_armed && origin.scope == Some(closing.scope);
                if !(closing.passes_armed && is_own_event) {
                    self.needs_empty(closing.step, place)?;
                }
            }
        }
        for (scope, places) in inner.iter().enumerate() {
            let Some(cancelling) = self.scopes[scope].cancelling else { continue };
            let head = self.scope_head(scope);
            for &place in places {
                let id = format!("{}.remove.{}", head.id, self.builder.nodes_mut().places.get(place.index()));
                let removal = self.free_step(&id, "")?;
                self.spend(3)?;
                self.builder.input(cancelling, removal, 1);
                self.builder.input(place, removal, 1);
                self.builder.output(removal, cancelling, 1);
            }
        }
        Ok(())
    }
}

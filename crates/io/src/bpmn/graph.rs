//! The flow graph of a document: names bound to numbers, and what is malformed refused with its element.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{BpmnDocument, ElementHead, FlowNodeKind, Participant, TriggerKind};
use crate::{Fault, suggest::nearest};

/// Who is connected with whom; nodes, flows and scopes by their numbers in the document.
#[derive(Debug, Default)]
pub(super) struct FlowGraph {
    pub(super) incoming: Vec<Vec<usize>>,
    pub(super) outgoing: Vec<Vec<usize>>,
    /// For each flow; absent where an end is not drawn.
    pub(super) sources: Vec<Option<usize>>,
    pub(super) targets: Vec<Option<usize>>,
    /// For each activity the boundary events on it.
    pub(super) boundaries: Vec<Vec<usize>>,
    /// For each boundary event its activity.
    pub(super) activities: Vec<Option<usize>>,
    /// For each throwing link event the catching one, and the reverse.
    pub(super) link_targets: Vec<Option<usize>>,
    pub(super) link_sources: Vec<Vec<usize>>,
    /// For each node its default flow.
    pub(super) defaults: Vec<Option<usize>>,
    /// For each scope.
    pub(super) nodes: Vec<Vec<usize>>,
    pub(super) flows: Vec<Vec<usize>>,
    /// For each scope the nodes one of which starts it, ascending.
    pub(super) starts: Vec<Vec<usize>>,
    /// For each node the message flows at it that have a node at the other end, too.
    pub(super) sent: Vec<Vec<usize>>,
    pub(super) received: Vec<Vec<usize>>,
    /// For each message flow its ends that are nodes.
    pub(super) senders: Vec<Option<usize>>,
    pub(super) receivers: Vec<Option<usize>>,
}

/// What an id stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Referent {
    Node(usize),
    Flow(usize),
    Participant,
    Other,
}

struct GraphBinder<'d> {
    document: &'d BpmnDocument,
    ids: BTreeMap<&'d str, Referent>,
    graph: FlowGraph,
}

/// Binds all names of a document.
pub(super) fn bind(document: &BpmnDocument) -> Result<FlowGraph, Fault> {
    let (nodes, flows, scopes) = (document.nodes.len(), document.flows.len(), document.scopes.len());
    let graph = FlowGraph {
        incoming: vec![Vec::new(); nodes],
        outgoing: vec![Vec::new(); nodes],
        sources: vec![None; flows],
        targets: vec![None; flows],
        boundaries: vec![Vec::new(); nodes],
        activities: vec![None; nodes],
        link_targets: vec![None; nodes],
        link_sources: vec![Vec::new(); nodes],
        defaults: vec![None; nodes],
        nodes: vec![Vec::new(); scopes],
        flows: vec![Vec::new(); scopes],
        starts: vec![Vec::new(); scopes],
        sent: vec![Vec::new(); nodes],
        received: vec![Vec::new(); nodes],
        senders: Vec::new(),
        receivers: Vec::new(),
    };
    let mut binder = GraphBinder { document, ids: BTreeMap::new(), graph };
    binder.index_ids()?;
    binder.sequence_flows()?;
    binder.boundary_events()?;
    binder.links()?;
    binder.message_flows()?;
    binder.starts();
    Ok(binder.graph)
}

impl<'d> GraphBinder<'d> {
    fn index_ids(&mut self) -> Result<(), Fault> {
        let document = self.document;
        let nodes = document.nodes.iter().enumerate().map(|(at, node)| (&node.head, Referent::Node(at)));
        let flows = document.flows.iter().enumerate().map(|(at, flow)| (&flow.head, Referent::Flow(at)));
        let pools = document.participants.iter().map(|pool| (&pool.head, Referent::Participant));
        let processes = document.processes.iter().map(|process| (&process.head, Referent::Other));
        let messages = document.message_flows.iter().map(|flow| (&flow.head, Referent::Other));
        for (head, referent) in nodes.chain(flows).chain(pools).chain(processes).chain(messages) {
            if self.ids.insert(&head.id, referent).is_some() {
                return Err(Fault::at(head.offset, format!("the id `{}` is used twice", head.id)));
            }
        }
        for (at, node) in document.nodes.iter().enumerate() {
            self.graph.nodes[node.scope].push(at);
        }
        let mut pools = BTreeSet::new();
        for Participant { head, process, .. } in &document.participants {
            let Some(process) = process else { continue };
            if !pools.insert(process) {
                let message = format!("another participant has the process `{process}`, too");
                return Err(Fault::at(head.offset, message).within(head.described("participant")));
            }
        }
        Ok(())
    }

    /// The fault of a reference that names no element of the right kind.
    fn unknown(&self, kind: &str, id: &str, at: &ElementHead) -> Fault {
        let fault = Fault::at(at.offset, format!("no {kind} has the id `{id}`"));
        match nearest(id, self.ids.keys().copied()) {
            Some(other) if other != id => fault.hint(format!("did you mean `{other}`?")),
            _ => fault,
        }
    }

    fn end(&self, id: Option<&String>, at: &ElementHead) -> Result<Option<usize>, Fault> {
        let Some(id) = id else { return Ok(None) };
        match self.ids.get(&**id) {
            Some(&Referent::Node(node)) => Ok(Some(node)),
            _ => Err(self.unknown("flow node", id, at).within(at.described("sequenceFlow"))),
        }
    }

    fn sequence_flows(&mut self) -> Result<(), Fault> {
        let document = self.document;
        for (at, flow) in document.flows.iter().enumerate() {
            let source = self.end(flow.source.as_ref(), &flow.head)?;
            let target = self.end(flow.target.as_ref(), &flow.head)?;
            let scope = |node: usize| document.nodes[node].scope;
            let described = || flow.head.described("sequenceFlow");
            if let (Some(from), Some(to)) = (source, target)
                && scope(from) != scope(to)
            {
                let message = "the sequence flow crosses the border of a process or sub-process";
                return Err(Fault::at(flow.head.offset, message).within(described()).hint(
                    "between pools use a message flow; into a sub-process lead the flow to its border",
                ));
            }
            let fault = |message: &str| Err(Fault::at(flow.head.offset, message).within(described()));
            if let Some(source) = source {
                let kind = &document.nodes[source].kind;
                if *kind == FlowNodeKind::End {
                    return fault("the sequence flow leaves an end event");
                }
                let may_choose = document.nodes[source].is_activity()
                    || matches!(kind, FlowNodeKind::Exclusive | FlowNodeKind::Inclusive);
                if flow.is_conditional && !may_choose {
                    return fault("the sequence flow has a condition, but its source cannot choose");
                }
                self.graph.outgoing[source].push(at);
            }
            if let Some(target) = target {
                match document.nodes[target].kind {
                    FlowNodeKind::Start => return fault("the sequence flow enters a start event"),
                    FlowNodeKind::Boundary { .. } => {
                        return fault("the sequence flow enters a boundary event");
                    }
                    _ => self.graph.incoming[target].push(at),
                }
            }
            if let Some(node) = source.or(target) {
                self.graph.flows[scope(node)].push(at);
            }
            (self.graph.sources[at], self.graph.targets[at]) = (source, target);
        }
        self.defaults()
    }

    fn defaults(&mut self) -> Result<(), Fault> {
        for (at, node) in self.document.nodes.iter().enumerate() {
            let Some(id) = &node.default else { continue };
            match self.ids.get(&**id) {
                Some(&Referent::Flow(flow)) if self.graph.sources[flow] == Some(at) => {
                    self.graph.defaults[at] = Some(flow);
                }
                _ => {
                    let message = format!("the default flow `{id}` does not leave the node");
                    return Err(Fault::at(node.head.offset, message).within(node.described()));
                }
            }
        }
        Ok(())
    }

    fn boundary_events(&mut self) -> Result<(), Fault> {
        for (at, node) in self.document.nodes.iter().enumerate() {
            let FlowNodeKind::Boundary { activity, .. } = &node.kind else { continue };
            let fault = match self.ids.get(&**activity) {
                Some(&Referent::Node(owner)) => {
                    let owner_node = &self.document.nodes[owner];
                    if owner_node.is_activity() && owner_node.scope == node.scope {
                        self.graph.boundaries[owner].push(at);
                        self.graph.activities[at] = Some(owner);
                        continue;
                    }
                    Fault::at(node.head.offset, "the boundary event is attached to no activity of its scope")
                }
                _ => self.unknown("activity", activity, &node.head),
            };
            return Err(fault.within(node.described()));
        }
        Ok(())
    }

    fn links(&mut self) -> Result<(), Fault> {
        let document = self.document;
        let link = |at: usize| {
            let node = &document.nodes[at];
            let mut links = node.triggers.iter().filter(|trigger| trigger.kind == TriggerKind::Link);
            links.next().map(|trigger| (node.scope, trigger.reference.as_deref().unwrap_or("")))
        };
        let mut catching = BTreeMap::new();
        for (at, node) in document.nodes.iter().enumerate() {
            if let (FlowNodeKind::Catch, Some(key)) = (&node.kind, link(at))
                && catching.insert(key, at).is_some()
            {
                let message = format!("two events catch the link \"{}\"", key.1);
                return Err(Fault::at(node.head.offset, message).within(node.described()));
            }
        }
        for (at, node) in document.nodes.iter().enumerate() {
            if let (FlowNodeKind::Throw, Some(key)) = (&node.kind, link(at)) {
                let Some(&target) = catching.get(&key) else {
                    let message = format!("no event catches the link \"{}\"", key.1);
                    return Err(Fault::at(node.head.offset, message).within(node.described()));
                };
                self.graph.link_targets[at] = Some(target);
                self.graph.link_sources[target].push(at);
            }
        }
        Ok(())
    }

    fn message_flows(&mut self) -> Result<(), Fault> {
        let document = self.document;
        for (at, flow) in document.message_flows.iter().enumerate() {
            let end = |id: Option<&String>| match id.map(|id| (id, self.ids.get(&**id))) {
                None | Some((_, Some(Referent::Participant))) => Ok(None),
                Some((_, Some(&Referent::Node(node)))) => Ok(Some(node)),
                Some((id, _)) => Err(self
                    .unknown("flow node or participant", id, &flow.head)
                    .within(flow.head.described("messageFlow"))),
            };
            let (sender, receiver) = (end(flow.source.as_ref())?, end(flow.target.as_ref())?);
            let fault = |message: &str, node: usize| {
                let within = document.nodes[node].described();
                Err(Fault::at(flow.head.offset, message).within(within))
            };
            if let Some(node) = sender {
                let is_sender = document.nodes[node].is_activity()
                    || matches!(document.nodes[node].kind, FlowNodeKind::Throw | FlowNodeKind::End);
                if !is_sender {
                    return fault("a message flow starts at a node that sends no messages", node);
                }
            }
            if let Some(node) = receiver {
                let kind = &document.nodes[node].kind;
                let is_event =
                    matches!(kind, FlowNodeKind::Start | FlowNodeKind::Catch | FlowNodeKind::Boundary { .. });
                let triggers = &document.nodes[node].triggers;
                let waits = triggers.is_empty() || document.nodes[node].has_trigger(TriggerKind::Message);
                if !(document.nodes[node].is_activity() || is_event && (waits || triggers.len() > 1)) {
                    return fault("a message flow ends at a node that receives no messages", node);
                }
            }
            self.graph.senders.push(sender);
            self.graph.receivers.push(receiver);
            if let Some(node) = sender {
                self.graph.sent[node].push(at);
            }
            if let Some(node) = receiver {
                self.graph.received[node].push(at);
            }
        }
        Ok(())
    }

    /// An event-based gateway and a task that receives start a process, too, if their attribute `instantiate` says so.
    fn starts(&mut self) {
        for (at, node) in self.document.nodes.iter().enumerate() {
            let starts = match node.kind {
                FlowNodeKind::Start => true,
                FlowNodeKind::Task { is_instantiating } | FlowNodeKind::EventBased { is_instantiating } => {
                    is_instantiating && self.graph.incoming[at].is_empty()
                }
                _ => false,
            };
            if starts {
                self.graph.starts[node.scope].push(at);
            }
        }
    }
}

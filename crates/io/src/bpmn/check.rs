//! Refuses events, gateways and activities that have no meaning where they are.

use super::{
    document::{BpmnDocument, FlowNodeKind, Repetition, TriggerKind},
    graph::FlowGraph,
};
use crate::Fault;

impl FlowGraph {
    /// The first node that is malformed or not supported is the fault.
    pub(super) fn check(&self, document: &BpmnDocument) -> Result<(), Fault> {
        for (at, node) in document.nodes.iter().enumerate() {
            let checked = match &node.kind {
                FlowNodeKind::EventBased { .. } => self.check_race(document, at),
                FlowNodeKind::SubProcess { .. } | FlowNodeKind::Task { .. } => {
                    self.check_activity(document, at)
                }
                _ => check_triggers(document, at, !self.outgoing[at].is_empty()),
            };
            checked.map_err(|message| Fault::at(node.head.offset, message).within(node.described()))?;
        }
        Ok(())
    }

    /// Behind an event-based gateway the first event that occurs decides.
    fn check_race(&self, document: &BpmnDocument, gateway: usize) -> Result<(), String> {
        for &flow in &self.outgoing[gateway] {
            let Some(target) = self.targets[flow] else { continue };
            let node = &document.nodes[target];
            let occurs = match node.kind {
                FlowNodeKind::Catch => !node.has_trigger(TriggerKind::Link),
                FlowNodeKind::Task { .. } => {
                    let receives = node.tag == "receiveTask" || !self.received[target].is_empty();
                    receives && self.boundaries[target].is_empty() && node.repetition == Repetition::Once
                }
                _ => false,
            };
            if !occurs {
                return Err(format!(
                    "the event-based gateway leads to no event, but to {}",
                    node.described()
                ));
            }
        }
        Ok(())
    }

    fn check_activity(&self, document: &BpmnDocument, activity: usize) -> Result<(), String> {
        let node = &document.nodes[activity];
        let is_sub_process = matches!(node.kind, FlowNodeKind::SubProcess { .. });
        if is_sub_process && node.repetition == Repetition::Parallel {
            return Err("a sub-process with several instances side by side is not supported".into());
        }
        if is_sub_process && !self.sent[activity].is_empty() && !self.received[activity].is_empty() {
            return Err("message flows into and out of the border of a sub-process are not supported".into());
        }
        let is_interrupting = |&event: &usize| {
            matches!(document.nodes[event].kind, FlowNodeKind::Boundary { is_interrupting: true, .. })
        };
        if node.repetition != Repetition::Once && !self.boundaries[activity].iter().all(is_interrupting) {
            return Err("a repeated activity with a non-interrupting boundary event is not supported".into());
        }
        if node.tag == "transaction" && self.boundaries[activity].is_empty() {
            return Ok(());
        }
        let cancels = |&event: &usize| document.nodes[event].has_trigger(TriggerKind::Cancel);
        if node.tag != "transaction" && self.boundaries[activity].iter().any(cancels) {
            return Err("a cancel event is attached to an activity that is no transaction".into());
        }
        Ok(())
    }
}

/// Whether the triggers of an event are ones that it can have.
fn check_triggers(document: &BpmnDocument, event: usize, has_outgoing: bool) -> Result<(), String> {
    use TriggerKind::{
        Cancel, Conditional, Cycle, Error, Escalation, Link, Message, Signal, Terminate, Timer,
    };
    let node = &document.nodes[event];
    let is_inner = document.scopes[node.scope].owner.is_some();
    let waiting = [Message, Timer, Cycle, Signal, Conditional];
    let allowed: &[TriggerKind] = match node.kind {
        FlowNodeKind::Start if is_inner => &[],
        FlowNodeKind::Start => &waiting,
        FlowNodeKind::Catch => &[Message, Timer, Cycle, Signal, Conditional, Link],
        FlowNodeKind::Boundary { is_interrupting: true, .. } => {
            &[Message, Timer, Cycle, Signal, Conditional, Error, Escalation, Cancel]
        }
        FlowNodeKind::Boundary { .. } => &[Message, Timer, Cycle, Signal, Conditional, Escalation],
        FlowNodeKind::Throw => &[Message, Signal, Escalation, Link],
        FlowNodeKind::End => &[Message, Signal, Escalation, Error, Cancel, Terminate],
        _ => return Ok(()),
    };
    let catches = matches!(node.kind, FlowNodeKind::Start | FlowNodeKind::Catch);
    // An event with several triggers waits for one of them or for all. Some editors write triggers that it cannot have.
    if catches && node.triggers.len() > 1 && !is_inner && !node.has_trigger(Link) {
        return Ok(());
    }
    if let Some(wrong) = node.triggers.iter().find(|trigger| !allowed.contains(&trigger.kind)) {
        let what = format!("{:?}", wrong.kind).to_lowercase();
        let article = if what.starts_with('e') { "an" } else { "a" };
        return Err(format!("the event cannot have {article} {what} event definition"));
    }
    if node.kind == FlowNodeKind::Throw && node.has_trigger(Link) && has_outgoing {
        return Err("a sequence flow leaves an event that throws a link".into());
    }
    let ends = |kind: TriggerKind| matches!(kind, Error | Cancel | Terminate | Escalation | Link);
    if node.triggers.len() > 1 && node.triggers.iter().any(|trigger| ends(trigger.kind)) {
        return Err("the event has several event definitions, which is not supported here".into());
    }
    if node.triggers.is_empty() && matches!(node.kind, FlowNodeKind::Catch | FlowNodeKind::Boundary { .. }) {
        return Err("the event waits for nothing: it has no event definition".into());
    }
    Ok(())
}

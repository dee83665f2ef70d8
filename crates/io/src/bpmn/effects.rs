//! What events do to the scopes around them: which scope an end event or a boundary event ends, and where it goes on.
//!
//! An error or an escalation goes outwards from scope to scope until a boundary event catches it: one with the same reference
//! first, then one without. An error that no event catches ends the process; an escalation that no event catches does nothing.

use std::collections::BTreeSet;

use super::{
    document::{BpmnDocument, EventTrigger, FlowNodeKind, TriggerKind},
    graph::FlowGraph,
};
use crate::Fault;

/// What the occurrence of an event does beside moving its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// Ends a scope; it goes on at a boundary event, or as after its completion.
    End {
        scope: usize,
        goes_on: Option<usize>,
    },
    /// A non-interrupting boundary event occurs, too.
    Raise(usize),
    /// A boundary event that occurs only when an inner event causes it.
    OnlyCaused,
}

/// The effect of each node.
pub(super) fn effects(document: &BpmnDocument, graph: &FlowGraph) -> Result<Vec<Effect>, Fault> {
    let mut effects = Vec::new();
    for node in &document.nodes {
        let throws = matches!(node.kind, FlowNodeKind::End | FlowNodeKind::Throw);
        let found = node.triggers.iter().filter(|_| throws).map(|trigger| {
            let thrown = ThrownTrigger { document, graph, scope: node.scope, trigger };
            thrown.effect().map_err(|message| Fault::at(node.head.offset, message).within(node.described()))
        });
        let found: Vec<Effect> = found.collect::<Result<_, _>>()?;
        effects.push(found.into_iter().find(|effect| *effect != Effect::None).unwrap_or(Effect::None));
    }
    let caused: BTreeSet<usize> = effects.iter().filter_map(|effect| effect.boundary()).collect();
    for (at, node) in document.nodes.iter().enumerate() {
        let (FlowNodeKind::Boundary { is_interrupting, .. }, Some(activity)) =
            (&node.kind, graph.activities[at])
        else {
            continue;
        };
        let FlowNodeKind::SubProcess { inner } = document.nodes[activity].kind else { continue };
        effects[at] = if caused.contains(&at) || node.has_trigger(TriggerKind::Cancel) {
            Effect::OnlyCaused
        } else if *is_interrupting {
            Effect::End { scope: inner, goes_on: Some(at) }
        } else {
            Effect::None
        };
    }
    Ok(effects)
}

impl Effect {
    fn boundary(&self) -> Option<usize> {
        match *self {
            Self::End { goes_on, .. } => goes_on,
            Self::Raise(boundary) => Some(boundary),
            Self::None | Self::OnlyCaused => None,
        }
    }
}

struct ThrownTrigger<'d> {
    document: &'d BpmnDocument,
    graph: &'d FlowGraph,
    scope: usize,
    trigger: &'d EventTrigger,
}

impl ThrownTrigger<'_> {
    fn effect(&self) -> Result<Effect, String> {
        let ends = |(scope, boundary)| Effect::End { scope, goes_on: Some(boundary) };
        Ok(match self.trigger.kind {
            TriggerKind::Terminate => Effect::End { scope: self.scope, goes_on: None },
            TriggerKind::Error => {
                let mut root = self.scope;
                while let Some(parent) = self.document.scopes[root].parent {
                    root = parent;
                }
                self.caught().map_or(Effect::End { scope: root, goes_on: None }, ends)
            }
            TriggerKind::Escalation => match self.caught() {
                Some((scope, boundary)) => match self.document.nodes[boundary].kind {
                    FlowNodeKind::Boundary { is_interrupting: false, .. } => Effect::Raise(boundary),
                    _ => ends((scope, boundary)),
                },
                None => Effect::None,
            },
            TriggerKind::Cancel => {
                let caught = self.caught_at(self.scope);
                caught.map(ends).ok_or("no cancel event on the border of its transaction catches it")?
            }
            _ => Effect::None,
        })
    }

    /// The nearest scope with a boundary event that catches the trigger.
    fn caught(&self) -> Option<(usize, usize)> {
        let mut scope = Some(self.scope);
        while let Some(at) = scope {
            if let Some(caught) = self.caught_at(at) {
                return Some(caught);
            }
            scope = self.document.scopes[at].parent;
        }
        None
    }

    fn caught_at(&self, scope: usize) -> Option<(usize, usize)> {
        let owner = self.document.scopes[scope].owner?;
        let catches = |boundary: usize, reference: &Option<String>| {
            let triggers = &self.document.nodes[boundary].triggers;
            triggers.iter().any(|caught| caught.kind == self.trigger.kind && caught.reference == *reference)
        };
        let boundaries = &self.graph.boundaries[owner];
        let same = boundaries.iter().find(|&&boundary| catches(boundary, &self.trigger.reference));
        let found = same.or_else(|| boundaries.iter().find(|&&boundary| catches(boundary, &None)));
        found.map(|&boundary| (scope, boundary))
    }
}

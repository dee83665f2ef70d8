//! Events and gateways as transitions.

use fireset_net::{PlaceId, TransitionId};

use super::{
    document::{FlowNodeKind, Repetition, TriggerKind},
    effects::Effect,
    notes,
    translation::Translation,
};
use crate::Fault;

impl Translation<'_> {
    /// Adds the transitions of a node.
    pub(super) fn flow_node(&mut self, node: usize) -> Result<(), Fault> {
        self.add_notes(node);
        match self.node(node).kind {
            FlowNodeKind::Start => self.start(node),
            FlowNodeKind::Throw | FlowNodeKind::End => self.throw(node),
            FlowNodeKind::Catch => self.catch(node),
            // Boundary events are translated with their activities.
            FlowNodeKind::Boundary { .. } => Ok(()),
            FlowNodeKind::Task { .. } => self.task(node),
            FlowNodeKind::SubProcess { inner } => self.sub_process(node, inner),
            FlowNodeKind::Exclusive => self.choice(node),
            FlowNodeKind::Inclusive if self.graph.incoming[node].len() > 1 => self.inclusive_join(node),
            FlowNodeKind::Inclusive => self.choice(node),
            FlowNodeKind::Parallel => {
                let step = self.step_at(node, "")?;
                for place in self.inputs(node) {
                    self.builder.input(place, step, 1);
                }
                self.leave(step, node)
            }
            FlowNodeKind::EventBased { .. } => self.race(node),
        }
    }

    fn add_notes(&mut self, node: usize) {
        let data = self.node(node);
        let name = data.head.shown();
        for trigger in &data.triggers {
            match trigger.kind {
                TriggerKind::Timer | TriggerKind::Cycle => self.notes.say(notes::TIMERS),
                TriggerKind::Signal => self.notes.say(notes::SIGNALS),
                TriggerKind::Conditional => self.notes.say(notes::CONDITIONS),
                _ => {}
            }
        }
        let throws = matches!(data.kind, FlowNodeKind::Throw | FlowNodeKind::End);
        if data.triggers.len() > 1 && !throws && !data.needs_all {
            self.notes.add(notes::MULTIPLE, name);
        }
        if data.tag == "callActivity" {
            self.notes.add(notes::CALLS, name);
        }
        match data.repetition {
            Repetition::Once => {}
            Repetition::Parallel => self.notes.add(notes::INSTANCES, name),
            Repetition::OnceOrMore | Repetition::ZeroOrMore => self.notes.add(notes::LOOPS, name),
        }
        let is_outside = |end: Option<usize>| {
            end.is_none_or(|other| !self.scopes[self.document.nodes[other].scope].is_included)
        };
        let sends = self.graph.sent[node].iter().any(|&flow| is_outside(self.graph.receivers[flow]));
        let receives = self.graph.received[node].iter().any(|&flow| is_outside(self.graph.senders[flow]));
        if sends || receives {
            self.notes.say(notes::BLACK_BOXES);
        }
    }

    /// The places from which tokens come to a node, each once.
    pub(super) fn inputs(&self, node: usize) -> Vec<PlaceId> {
        let flows = self.graph.incoming[node].iter().filter_map(|&flow| self.flow_places[flow]);
        let mut places: Vec<PlaceId> = flows.chain(self.node_places[node]).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The places from which a node takes its token: one, where tokens of all incoming flows come together. Behind an event-based
    /// gateway there are several, since a token there must not decide before an event occurs.
    pub(super) fn entries(&mut self, node: usize) -> Result<Vec<PlaceId>, Fault> {
        let inputs = self.inputs(node);
        let is_race = |&flow: &usize| {
            let source = self.graph.sources[flow].map(|source| &self.node(source).kind);
            matches!(source, Some(FlowNodeKind::EventBased { .. }))
        };
        if inputs.len() < 2 || self.graph.incoming[node].iter().any(is_race) {
            return Ok(inputs);
        }
        let entry = self.place_at(node, ".in")?;
        for (at, place) in inputs.into_iter().enumerate() {
            let step = self.step_at(node, &format!(".merge.{}", at + 1))?;
            self.builder.input(place, step, 1);
            self.builder.output(step, entry, 1);
        }
        Ok(vec![entry])
    }

    /// The suffix of the transition for one of several entries: none for the first.
    pub(super) fn variant(at: usize) -> String {
        if at == 0 { String::new() } else { format!(".{}", at + 1) }
    }

    /// Takes a message to a node, if one is needed.
    pub(super) fn receive(&mut self, step: TransitionId, node: usize) {
        if let Some(mailbox) = self.mailboxes[node] {
            self.builder.input(mailbox, step, 1);
        }
    }

    /// Sends the messages of a node.
    pub(super) fn send(&mut self, step: TransitionId, node: usize) {
        for &flow in &self.graph.sent[node] {
            if let Some(mailbox) = self.graph.receivers[flow].and_then(|receiver| self.mailboxes[receiver]) {
                self.builder.output(step, mailbox, 1);
            }
        }
    }

    /// A start event takes the token of its scope, or the message that starts its process.
    fn start(&mut self, node: usize) -> Result<(), Fault> {
        let scope = self.node(node).scope;
        let Some(place) = self.node_places[node] else {
            let label = &self.node(node).head.name;
            let (running, cancelling) = (self.scopes[scope].running, self.scopes[scope].cancelling);
            let step = self.free_step(&self.node(node).head.id, label)?;
            if let (Some(running), Some(cancelling)) = (running, cancelling) {
                self.notes.add(notes::ONE_AT_A_TIME, self.node(node).head.shown());
                self.needs_empty(step, running)?;
                self.needs_empty(step, cancelling)?;
                self.builder.output(step, running, 1);
            }
            self.receive(step, node);
            return self.leave(step, node);
        };
        let step = self.step_at(node, "")?;
        self.builder.input(place, step, 1);
        self.receive(step, node);
        self.leave(step, node)
    }

    fn throw(&mut self, node: usize) -> Result<(), Fault> {
        for (at, entry) in self.entries(node)?.into_iter().enumerate() {
            let suffix = Self::variant(at);
            let step = match self.effects[node] {
                // What ends its scope does not go on in it.
                Effect::End { scope, goes_on } => self.ending_step(node, &suffix, (scope, goes_on))?,
                effect => {
                    let step = self.step_at(node, &suffix)?;
                    if let Effect::Raise(boundary) = effect {
                        self.leave(step, boundary)?;
                    }
                    match self.graph.link_targets[node].and_then(|target| self.node_places[target]) {
                        Some(target) => self.builder.output(step, target, 1),
                        None => self.leave(step, node)?,
                    }
                    step
                }
            };
            self.builder.input(entry, step, 1);
            self.send(step, node);
        }
        Ok(())
    }

    fn catch(&mut self, node: usize) -> Result<(), Fault> {
        for (at, entry) in self.entries(node)?.into_iter().enumerate() {
            let step = self.step_at(node, &Self::variant(at))?;
            self.builder.input(entry, step, 1);
            self.receive(step, node);
            self.leave(step, node)?;
        }
        Ok(())
    }

    /// A gateway that passes on each token, to one of several sets of outgoing flows.
    fn choice(&mut self, node: usize) -> Result<(), Fault> {
        let (inputs, alternatives) = (self.inputs(node), self.alternatives(node)?);
        if let [input] = inputs[..] {
            return self.choose(input, node, &alternatives);
        }
        for (at, input) in inputs.into_iter().enumerate() {
            let step = self.step_at(node, &format!(".merge.{}", at + 1))?;
            self.builder.input(input, step, 1);
            self.leave(step, node)?;
        }
        Ok(())
    }

    /// The outgoing flows of an event-based gateway are one place, so the first event takes the token.
    fn race(&mut self, node: usize) -> Result<(), Fault> {
        let starts = self.graph.starts[self.node(node).scope].binary_search(&node).is_ok();
        for (at, input) in self.inputs(node).into_iter().enumerate() {
            let suffix = if starts { ".start".to_owned() } else { format!(".merge.{}", at + 1) };
            let step = self.step_at(node, &suffix)?;
            self.builder.input(input, step, 1);
            self.leave(step, node)?;
        }
        Ok(())
    }
}

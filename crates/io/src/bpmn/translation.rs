//! The net under construction: places with the scope and the position of their tokens, transitions that stop with their scope.

use std::collections::BTreeMap;

use fireset_net::{NetBuilder, PlaceId, TransitionId};

use super::{
    document::{
        BpmnDocument, FlowNode,
        FlowNodeKind::{Exclusive, Inclusive},
    },
    effects::Effect,
    graph::FlowGraph,
    inclusive::InclusiveJoin,
    notes::TranslationNotes,
    scopes::ScopeClosing,
};
use crate::Fault;

/// The most arcs that joins and scopes may need beside those of the flows, so that a hostile file does not fill the memory.
const MAX_EXTRA_ARCS: usize = 20_000_000;

/// The most sequence flows among which a node may choose a subset.
const MAX_CHOICES: usize = 10;

pub(super) struct Translation<'d> {
    pub(super) document: &'d BpmnDocument,
    pub(super) graph: &'d FlowGraph,
    pub(super) builder: NetBuilder,
    /// For each place where its tokens are.
    pub(super) origins: Vec<PlaceOrigin>,
    pub(super) flow_places: Vec<Option<PlaceId>>,
    /// For nodes without incoming flows, the place that lets them start.
    pub(super) node_places: Vec<Option<PlaceId>>,
    /// Where messages to a node wait.
    pub(super) mailboxes: Vec<Option<PlaceId>>,
    /// What nodes do to scopes.
    pub(super) effects: Vec<Effect>,
    pub(super) scopes: Vec<ScopePlaces>,
    pub(super) notes: TranslationNotes,
    /// Transitions that need the tokens of a scope to be gone.
    pub(super) closings: Vec<ScopeClosing>,
    pub(super) joins: Vec<InclusiveJoin>,
    /// Behind nodes that choose among subsets of their outgoing flows, and behind repeated activities.
    exits: BTreeMap<usize, PlaceId>,
    extra_arcs: usize,
}

/// The places of a scope as a whole.
#[derive(Default)]
pub(super) struct ScopePlaces {
    pub(super) is_included: bool,
    /// Marked while the scope runs; every sub-process has it, a process only if it can be ended early.
    pub(super) running: Option<PlaceId>,
    /// Marked while the tokens of an ended scope are removed.
    pub(super) cancelling: Option<PlaceId>,
    /// How it goes on after the tokens are removed: at a boundary event, or behind the scope.
    pub(super) pending: BTreeMap<Option<usize>, PlaceId>,
    /// The places that get a token when the scope starts.
    pub(super) entry: Vec<PlaceId>,
}

/// What the tokens of a place are.
pub(super) struct PlaceOrigin {
    /// Absent for messages.
    pub(super) scope: Option<usize>,
    pub(super) positions: Vec<TokenPosition>,
    /// In the initial marking.
    pub(super) tokens: u64,
    /// A boundary event that may still occur: it does not keep its sub-process running.
    pub(super) is_armed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenPosition {
    Flow(usize),
    Node(usize),
}

impl<'d> Translation<'d> {
    pub(super) fn new(document: &'d BpmnDocument, graph: &'d FlowGraph, name: &str) -> Self {
        let nodes = document.nodes.len();
        Self {
            document,
            graph,
            builder: NetBuilder::new(name),
            origins: Vec::new(),
            flow_places: vec![None; document.flows.len()],
            node_places: vec![None; nodes],
            mailboxes: vec![None; nodes],
            effects: vec![Effect::None; nodes],
            scopes: document.scopes.iter().map(|_| ScopePlaces::default()).collect(),
            notes: TranslationNotes::default(),
            closings: Vec::new(),
            joins: Vec::new(),
            exits: BTreeMap::new(),
            extra_arcs: 0,
        }
    }

    pub(super) fn node(&self, node: usize) -> &'d FlowNode {
        &self.document.nodes[node]
    }

    /// Adds a place; an id that is taken gets a mark.
    pub(super) fn place(&mut self, id: &str, origin: PlaceOrigin) -> Result<PlaceId, Fault> {
        let mut id = id.to_owned();
        while self.builder.nodes_mut().places.find(&id).is_some() {
            id.push('\'');
        }
        let tokens = origin.tokens;
        self.origins.push(origin);
        self.builder.place(&id, tokens).map_err(|error| Fault::at(0, error.to_string()))
    }

    /// Adds a place for a token at a node, in the node's scope.
    pub(super) fn place_at(&mut self, node: usize, suffix: &str) -> Result<PlaceId, Fault> {
        self.marked_place_at(node, suffix, 0)
    }

    pub(super) fn marked_place_at(
        &mut self,
        node: usize,
        suffix: &str,
        tokens: u64,
    ) -> Result<PlaceId, Fault> {
        let origin =
            PlaceOrigin { tokens, ..PlaceOrigin::at(self.node(node).scope, TokenPosition::Node(node)) };
        let id = format!("{}{suffix}", self.node(node).head.id);
        let place = self.place(&id, origin)?;
        let label = self.label(node, suffix);
        self.builder.nodes_mut().places.set_label(place.index(), &label);
        Ok(place)
    }

    /// What people call a part of a node; empty for a node without a name. Variants, which have numbers, are the node itself.
    fn label(&self, node: usize, suffix: &str) -> String {
        let name = &self.node(node).head.name;
        match (name.is_empty(), suffix.trim_start_matches('.')) {
            (true, _) => String::new(),
            (false, part) if part.bytes().all(|byte| byte.is_ascii_digit()) => name.clone(),
            (false, part) => format!("{name} ({part})"),
        }
    }

    /// Adds a transition of a scope: it can fire only while the scope and those around it run.
    pub(super) fn step(&mut self, scope: usize, id: &str, label: &str) -> Result<TransitionId, Fault> {
        self.step_but(scope, id, label, None)
    }

    /// A transition for a part of a node; the part without a suffix is the node itself.
    pub(super) fn step_at(&mut self, node: usize, suffix: &str) -> Result<TransitionId, Fault> {
        let (scope, label) = (self.node(node).scope, self.label(node, suffix));
        self.step(scope, &format!("{}{suffix}", self.node(node).head.id), &label)
    }

    /// A transition for a node that ends a scope early: the scope goes on as said once its tokens are removed.
    pub(super) fn ending_step(
        &mut self,
        node: usize,
        suffix: &str,
        (killed, goes_on): (usize, Option<usize>),
    ) -> Result<TransitionId, Fault> {
        let (scope, label) = (self.node(node).scope, self.label(node, suffix));
        let id = format!("{}{suffix}", self.node(node).head.id);
        let step = self.step_but(scope, &id, &label, Some(killed))?;
        let places = &self.scopes[killed];
        let pending = places.pending.get(&goes_on).copied();
        if let (Some(running), Some(cancelling), Some(pending)) = (places.running, places.cancelling, pending)
        {
            self.builder.input(running, step, 1);
            self.builder.output(step, cancelling, 1);
            self.builder.output(step, pending, 1);
        }
        Ok(step)
    }

    fn step_but(
        &mut self,
        scope: usize,
        id: &str,
        label: &str,
        killed: Option<usize>,
    ) -> Result<TransitionId, Fault> {
        let step = self.free_step(id, label)?;
        let mut around = Some(scope);
        while let Some(scope) = around {
            if let (Some(running), Some(_)) = (self.scopes[scope].running, self.scopes[scope].cancelling)
                && killed != Some(scope)
            {
                self.spend(2)?;
                self.builder.input(running, step, 1);
                self.builder.output(step, running, 1);
            }
            around = self.document.scopes[scope].parent;
        }
        Ok(step)
    }

    /// A transition that stops with no scope; an id that is taken gets a mark.
    pub(super) fn free_step(&mut self, id: &str, label: &str) -> Result<TransitionId, Fault> {
        let mut id = id.to_owned();
        while self.builder.nodes_mut().transitions.find(&id).is_some() {
            id.push('\'');
        }
        let step = self.builder.transition(&id).map_err(|error| Fault::at(0, error.to_string()))?;
        self.builder.nodes_mut().transitions.set_label(step.index(), label);
        Ok(step)
    }

    /// An inhibitor arc: the transition needs the place to be empty.
    pub(super) fn needs_empty(&mut self, step: TransitionId, place: PlaceId) -> Result<(), Fault> {
        self.builder.inhibitor(place, step, 1);
        self.spend(1)
    }

    pub(super) fn spend(&mut self, arcs: usize) -> Result<(), Fault> {
        self.extra_arcs += arcs;
        if self.extra_arcs <= MAX_EXTRA_ARCS {
            return Ok(());
        }
        let message = format!("the processes need more than {MAX_EXTRA_ARCS} arcs as a net");
        Err(Fault::at(0, message).hint("there are large inclusive gateways or deeply nested sub-processes"))
    }

    /// Lets a transition leave a node: it gives tokens to the outgoing flows, or to a place where they are chosen.
    pub(super) fn leave(&mut self, step: TransitionId, node: usize) -> Result<(), Fault> {
        if let Some(&exit) = self.exits.get(&node) {
            self.builder.output(step, exit, 1);
            return Ok(());
        }
        let alternatives = self.alternatives(node)?;
        if let [flows] = &alternatives[..] {
            self.give(step, flows);
            return Ok(());
        }
        let exit = self.place_at(node, ".out")?;
        self.exits.insert(node, exit);
        self.builder.output(step, exit, 1);
        self.choose(exit, node, &alternatives)
    }

    /// Makes transitions leave a node through a place of their own.
    pub(super) fn leave_through(&mut self, node: usize, exit: PlaceId) {
        self.exits.insert(node, exit);
    }

    /// A transition for each alternative, from a place.
    pub(super) fn choose(
        &mut self,
        from: PlaceId,
        node: usize,
        alternatives: &[Vec<usize>],
    ) -> Result<(), Fault> {
        let head = &self.node(node).head;
        for (at, flows) in alternatives.iter().enumerate() {
            let id = match &flows[..] {
                [] => head.id.clone(),
                [flow] if alternatives.len() > 1 => {
                    format!("{}.{}", head.id, self.document.flows[*flow].head.id)
                }
                _ if alternatives.len() == 1 => head.id.clone(),
                _ => format!("{}.out.{}", head.id, at + 1),
            };
            let label = self.choice_label(node, flows, alternatives.len() > 1);
            let step = self.step(self.node(node).scope, &id, &label)?;
            self.builder.input(from, step, 1);
            self.give(step, flows);
        }
        Ok(())
    }

    /// A gateway's name with those of the chosen flows. The choice behind an activity must not look like the activity.
    fn choice_label(&self, node: usize, flows: &[usize], is_choice: bool) -> String {
        let name = &self.node(node).head.name;
        if !matches!(self.node(node).kind, Exclusive | Inclusive) {
            return self.label(node, ".out");
        }
        let names = flows.iter().map(|&flow| &*self.document.flows[flow].head.name);
        let named: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        match (name.is_empty(), named.is_empty() || !is_choice) {
            (_, true) => name.clone(),
            (true, false) => named.join(", "),
            (false, false) => format!("{name}: {}", named.join(", ")),
        }
    }

    /// Puts a token on each of some flows.
    pub(super) fn give(&mut self, step: TransitionId, flows: &[usize]) {
        for &flow in flows {
            if let Some(place) = self.flow_places[flow] {
                self.builder.output(step, place, 1);
            }
        }
    }

    /// The sets of outgoing flows of which a node takes one each time.
    pub(super) fn alternatives(&self, node: usize) -> Result<Vec<Vec<usize>>, Fault> {
        let outgoing = &self.graph.outgoing[node];
        let default = self.graph.defaults[node];
        let kind = &self.node(node).kind;
        if *kind == Exclusive && !outgoing.is_empty() {
            return Ok(outgoing.iter().map(|&flow| vec![flow]).collect());
        }
        let is_choice = |flow: usize| {
            (*kind == Inclusive || self.document.flows[flow].is_conditional) && default != Some(flow)
        };
        let (choices, mut always): (Vec<usize>, Vec<usize>) =
            outgoing.iter().partition(|&&flow| is_choice(flow));
        if choices.is_empty() {
            return Ok(vec![always]);
        }
        if choices.len() > MAX_CHOICES {
            let message = format!("the node chooses among more than {MAX_CHOICES} conditional flows");
            let head = &self.node(node).head;
            return Err(Fault::at(head.offset, message).within(self.node(node).described()));
        }
        always.retain(|&flow| default != Some(flow));
        let chosen = |mask: usize| {
            let taken = choices.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1);
            taken.map(|(_, &flow)| flow)
        };
        let mut sets: Vec<Vec<usize>> = (1..1 << choices.len())
            .map(|mask| always.iter().copied().chain(chosen(mask)).collect())
            .collect();
        // Without a default flow one condition must hold, unless there is a flow without a condition.
        match default {
            Some(flow) => sets.push(always.iter().copied().chain([flow]).collect()),
            None if !always.is_empty() => sets.push(always),
            None => {}
        }
        Ok(sets)
    }
}

impl PlaceOrigin {
    pub(super) fn at(scope: usize, position: TokenPosition) -> Self {
        Self { scope: Some(scope), positions: vec![position], tokens: 0, is_armed: false }
    }

    /// A place of a scope whose tokens are no tokens of the process.
    pub(super) fn control(scope: Option<usize>) -> Self {
        Self { scope, positions: Vec::new(), tokens: 0, is_armed: false }
    }
}

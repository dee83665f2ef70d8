//! Business Process Model and Notation: the processes of a BPMN 2.0 file as one place/transition net.
//!
//! Source: the BPMN 2.0 standard of the Object Management Group (chapters 10 and 13), and Dijkman, Dumas, Ouyang, "Semantics and
//! analysis of business process models in BPMN" (2008). Where the paper leaves something out (sub-processes that hold several
//! tokens, early endings, inclusive joins), the translation follows the standard with inhibitor arcs.
//!
//! ```text
//! definitions   = { process | collaboration | passed over }
//! collaboration = { participant | messageFlow }
//! process       = { flow node | sequenceFlow | subProcess | passed over: lanes, data, artifacts, layout }
//! flow node     = { event definition | loop marker | passed over }
//! ```
//!
//! | BPMN | net |
//! |---|---|
//! | sequence flow | a place with the flow's id; one without a target keeps its tokens, one without a source gets none |
//! | task, event | a transition with the element's id and its name as label; incoming flows merge, outgoing ones get a token each |
//! | conditional flows of an activity | a choice of a set of them, as conditions and the default flow allow |
//! | exclusive, parallel gateway | a choice; a synchronisation |
//! | inclusive gateway | a choice of a set; a join by the standard's rule, see `inclusive` |
//! | event-based gateway | one place, from which the events behind it take the token |
//! | message flow | a place with its id; several to one node share a place; messages from and to black boxes need none |
//! | start event | takes the token of `ID.in`; of several start events one occurs, from `PROCESS.start`; one with a message from another process takes the message |
//! | process without start event | every node without incoming flows has a token |
//! | end event | consumes its token; terminate and error events end their scope, see `scopes` |
//! | sub-process | runs while `ID.active` is marked and completes when it holds no token, see `scopes` |
//! | boundary event | while `ID.active` of its activity is marked, see `activities` |
//! | loop marker, sequential instances | the activity is repeated |
//! | call activity | a task; the process that it calls is left out, unless it has a pool |
//! | link event | a place between the throwing and the catching event |
//!
//! A process has completed when none of its tokens is left, so the final marking is the empty one. Messages that are never
//! received stay in their places.
//!
//! Soundness of the translation. Each transition is one step of the standard's token game or a silent part of one: a merge, a
//! choice, the start of an activity, the removal of a token from a scope that was ended. Silent parts are never in the way of
//! other steps: what a merge takes has one way to go, choices are free because conditions are not evaluated, and removals end.
//! Two simplifications remain, and notes say so: a sub-process runs once at a time, and instances of a process that several
//! messages start are not told apart.
//!
//! Refused by name: complex gateways, ad-hoc and event sub-processes, compensation, parallel event-based gateways, sub-processes
//! with instances side by side, quantities other than 1, flows that cross the border of a scope, choreographies. Data, lanes and
//! layout are passed over.
//!
//! Test: `tests/bpmn.rs`; `tests/bpmn_random.rs` compares random processes with an interpreter of their tokens.

mod activities;
mod check;
mod document;
mod effects;
mod graph;
mod inclusive;
mod nodes;
mod notes;
mod parse;
mod scopes;
mod translation;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::BufRead,
};

use document::{BpmnDocument, ElementHead};
use fireset_net::Model;
use translation::Translation;

use crate::{
    Fault,
    net_file::{Head, NetChoice, NetFile},
    suggest::nearest,
};

/// Whether a file is BPMN: other formats have the same root element, but not its namespace.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let is_bpmn = ["/BPMN/", "omg.org/bpmn", "bpmndi", ":process ", "<process "];
    head.root == Some("definitions") && is_bpmn.iter().any(|mark| head.text.contains(mark))
}

/// Reads the processes of a BPMN text as a net.
pub fn read(reader: impl BufRead) -> Result<NetFile, Fault> {
    read_net(reader, NetChoice::Only)
}

/// Reads one process of a BPMN text, or all of them side by side.
pub(crate) fn read_net(reader: impl BufRead, choice: NetChoice<'_>) -> Result<NetFile, Fault> {
    let document = parse::parse(reader)?;
    let graph = graph::bind(&document)?;
    graph.check(&document)?;
    let chosen = chosen_processes(&document, choice)?;
    let name = match &chosen[..] {
        [process] => process_name(&document, *process),
        _ => document.name.clone(),
    };
    let mut translation = Translation::new(&document, &graph, &name);
    translation.effects = effects::effects(&document, &graph)?;
    for (at, scope) in document.scopes.iter().enumerate() {
        translation.scopes[at].is_included = chosen.binary_search(&scope.process).is_ok();
    }
    translation.translate(&chosen)?;
    let mut messages: Vec<_> = translation.mailboxes.iter().flatten().copied().collect();
    messages.sort_unstable();
    messages.dedup();
    let net = translation.builder.build().map_err(|error| Fault::at(0, error.to_string()))?;
    let notes = translation.notes.sentences();
    let final_markings = vec![Vec::new()];
    Ok(NetFile { final_markings, messages, notes, ..NetFile::of(Model::Plain(net)) })
}

/// All processes with flow nodes, or the named one.
fn chosen_processes(document: &BpmnDocument, choice: NetChoice<'_>) -> Result<Vec<usize>, Fault> {
    if document.processes.is_empty() {
        let fault = match document.other_model {
            Some((what, offset)) => Fault::at(offset, format!("the BPMN file has {what}, but no process")),
            None => Fault::at(document.offset, "the BPMN file has no process"),
        };
        return Err(fault.hint("fireset reads processes and collaborations of processes"));
    }
    let mut has_nodes = vec![false; document.processes.len()];
    document.nodes.iter().for_each(|node| has_nodes[document.scopes[node.scope].process] = true);
    let NetChoice::Named(name) = choice else {
        let mut all: Vec<usize> =
            (0..document.processes.len()).filter(|&process| has_nodes[process]).collect();
        // A process that others call does not start on its own.
        let called: BTreeSet<&String> =
            document.nodes.iter().filter_map(|node| node.called.as_ref()).collect();
        let pools: BTreeSet<&String> =
            document.participants.iter().filter_map(|pool| pool.process.as_ref()).collect();
        let is_main = |process: &usize| {
            let id = &document.processes[*process].head.id;
            pools.contains(id) || !called.contains(id)
        };
        if all.iter().any(is_main) {
            all.retain(is_main);
        }
        let empty = Fault::at(document.processes[0].head.offset, "no process of the file has a flow node");
        return if all.is_empty() { Err(empty) } else { Ok(all) };
    };
    let pools = document.participants.iter().filter_map(|pool| Some((pool.process.as_ref()?, &pool.head)));
    let pools: BTreeMap<&String, &ElementHead> = pools.collect();
    let pool = |process: usize| pools.get(&document.processes[process].head.id).copied();
    let heads = (0..document.processes.len()).map(|at| (at, [Some(&document.processes[at].head), pool(at)]));
    let names = heads.flat_map(|(at, heads)| {
        heads.into_iter().flatten().flat_map(move |head| [(at, &*head.id), (at, &*head.name)])
    });
    let names: Vec<(usize, &str)> = names.filter(|(_, name)| !name.is_empty()).collect();
    if let Some(&(process, _)) = names.iter().find(|(_, known)| *known == name) {
        return Ok(vec![process]);
    }
    let fault =
        Fault::at(document.processes[0].head.offset, format!("no process or participant is called `{name}`"));
    Err(match nearest(name, names.iter().map(|(_, name)| *name)) {
        Some(other) => fault.hint(format!("did you mean `{other}`?")),
        None => fault.hint(format!("the first process is `{}`", document.processes[0].head.id)),
    })
}

/// A process is often named by its pool.
fn process_name(document: &BpmnDocument, process: usize) -> String {
    let head = &document.processes[process].head;
    let pool = document.participants.iter().find(|pool| pool.process.as_ref() == Some(&head.id));
    let named = [Some(head), pool.map(|pool| &pool.head)].into_iter().flatten();
    named.map(|head| &head.name).find(|name| !name.is_empty()).unwrap_or(&head.id).clone()
}

impl Translation<'_> {
    fn translate(&mut self, processes: &[usize]) -> Result<(), Fault> {
        self.lay_out()?;
        for pool in self.document.participants.iter().filter(|pool| pool.has_several_instances) {
            self.notes.add(notes::POOLS, pool.head.shown());
        }
        for &process in processes {
            self.process(self.document.processes[process].scope)?;
        }
        for (at, node) in self.document.nodes.iter().enumerate() {
            if self.scopes[node.scope].is_included {
                self.flow_node(at)?;
            }
        }
        self.close_joins()?;
        self.close_scopes()
    }
}

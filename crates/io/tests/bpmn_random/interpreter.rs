//! A token game of BPMN, played on the model itself as the standard describes it.
//!
//! It shares nothing with the translation: tokens are on flows and in activities, sub-processes are instances of their own, ending
//! a scope drops its instance, and inclusive joins look for paths from each token.

use std::collections::BTreeMap;

use super::model::{ModelKind, ModelScope, RandomModel};

/// An instance of a scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// Tokens on each flow.
    flows: Vec<u8>,
    /// For each task how often it is active: before and after its timer went off, with messages unsent and sent.
    active: Vec<[u8; 4]>,
    inner: Vec<Option<Box<Instance>>>,
    /// For each sub-process whether its timer went off.
    has_occurred: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct World {
    pools: Vec<Option<Instance>>,
    messages: Vec<u8>,
}

/// What becomes of an instance after a step.
enum AfterStep {
    GoesOn(Instance),
    Terminated,
    Failed,
}

struct ScopeStep {
    label: Option<String>,
    after: AfterStep,
    messages: Vec<u8>,
}

pub struct Interpreter<'m> {
    model: &'m RandomModel,
    /// The place of messages to a node.
    mailboxes: BTreeMap<&'m str, usize>,
}

/// More tokens than this on a flow end a comparison.
const MOST_TOKENS: u8 = 3;

impl<'m> Interpreter<'m> {
    pub fn new(model: &'m RandomModel) -> Self {
        let mut mailboxes = BTreeMap::new();
        for (_, receiver) in &model.messages {
            let next = mailboxes.len();
            mailboxes.entry(&**receiver).or_insert(next);
        }
        Self { model, mailboxes }
    }

    pub fn initial(&self) -> World {
        let waits = |pool: &ModelScope| matches!(pool.nodes[0].kind, ModelKind::MessageStart);
        let pools = self.model.pools.iter().map(|pool| (!waits(pool)).then(|| started(pool))).collect();
        World { pools, messages: vec![0; self.mailboxes.len()] }
    }

    /// All steps with their labels; `None` for silent ones.
    pub fn steps(&self, world: &World) -> Vec<(Option<String>, World)> {
        let mut steps = Vec::new();
        for (at, scope) in self.model.pools.iter().enumerate() {
            if let Some(instance) = &world.pools[at] {
                for step in self.scope_steps(scope, instance, &world.messages) {
                    let mut next = world.clone();
                    next.messages = step.messages;
                    next.pools[at] = match step.after {
                        AfterStep::GoesOn(instance) => (!instance.is_empty()).then_some(instance),
                        AfterStep::Terminated | AfterStep::Failed => None,
                    };
                    steps.push((step.label, next));
                }
            }
            steps.extend(self.message_start(at, world).map(|next| (None, next)));
        }
        steps
    }

    fn message_start(&self, pool: usize, world: &World) -> Option<World> {
        let scope = &self.model.pools[pool];
        let mailbox = *self.mailboxes.get(&*scope.nodes[0].id)?;
        if !matches!(scope.nodes[0].kind, ModelKind::MessageStart) || world.messages[mailbox] == 0 {
            return None;
        }
        let mut next = world.clone();
        next.messages[mailbox] -= 1;
        let started = started(scope);
        next.pools[pool] = match &world.pools[pool] {
            None => Some(started),
            // Instances that can be ended early do not run at the same time; others share their places.
            Some(_) if can_end_early(scope) => return None,
            Some(other) => {
                let mut both = other.clone();
                both.flows.iter_mut().zip(&started.flows).for_each(|(tokens, more)| *tokens += more);
                Some(both)
            }
        };
        Some(next)
    }

    fn scope_steps(&self, scope: &ModelScope, now: &Instance, messages: &[u8]) -> Vec<ScopeStep> {
        let mut steps = Vec::new();
        for (at, node) in scope.nodes.iter().enumerate() {
            match &node.kind {
                ModelKind::Start | ModelKind::MessageStart | ModelKind::Boundary { .. } => {}
                ModelKind::Xor => self.pass_on(scope, now, messages, at, &mut steps),
                ModelKind::And => {
                    let incoming = incoming(scope, at);
                    if !incoming.is_empty() && incoming.iter().all(|&flow| now.flows[flow] > 0) {
                        let mut next = now.clone();
                        incoming.iter().for_each(|&flow| next.flows[flow] -= 1);
                        silent(scope, at, &next, messages, &mut steps);
                    }
                }
                ModelKind::Or => {
                    let incoming = incoming(scope, at);
                    let filled: Vec<usize> =
                        incoming.iter().copied().filter(|&flow| now.flows[flow] > 0).collect();
                    if !filled.is_empty() && is_joined(scope, now, at, &filled) {
                        let mut next = now.clone();
                        filled.iter().for_each(|&flow| next.flows[flow] -= 1);
                        silent(scope, at, &next, messages, &mut steps);
                    }
                }
                ModelKind::Race => self.race(scope, now, messages, at, &mut steps),
                ModelKind::Catch => {
                    let behind_race = scope
                        .flows
                        .iter()
                        .any(|flow| flow.to == at && matches!(scope.nodes[flow.from].kind, ModelKind::Race));
                    if !behind_race {
                        self.pass_on(scope, now, messages, at, &mut steps);
                    }
                }
                ModelKind::End | ModelKind::Terminate | ModelKind::ErrorEnd => {
                    self.end(scope, now, messages, at, &mut steps);
                }
                ModelKind::Task => self.task(scope, now, messages, at, &mut steps),
                ModelKind::Sub(inner) => self.sub_process(scope, now, messages, (at, inner), &mut steps),
            }
        }
        steps
    }

    /// The messages after a node has received and sent; `None` if its message is not there.
    fn exchanged(&self, id: &str, messages: &[u8]) -> Option<Vec<u8>> {
        let mut messages = messages.to_vec();
        if let Some(&mailbox) = self.mailboxes.get(id) {
            messages[mailbox] = messages[mailbox].checked_sub(1)?;
        }
        Some(self.sent(id, messages))
    }

    fn sent(&self, id: &str, mut messages: Vec<u8>) -> Vec<u8> {
        for (sender, receiver) in &self.model.messages {
            if sender == id {
                messages[self.mailboxes[&**receiver]] += 1;
            }
        }
        messages
    }

    fn pass_on(
        &self,
        scope: &ModelScope,
        now: &Instance,
        messages: &[u8],
        at: usize,
        steps: &mut Vec<ScopeStep>,
    ) {
        let id = &scope.nodes[at].id;
        let label = (!matches!(scope.nodes[at].kind, ModelKind::Xor)).then(|| id.clone());
        let Some(messages) = self.exchanged(id, messages) else { return };
        for flow in incoming(scope, at).into_iter().filter(|&flow| now.flows[flow] > 0) {
            let mut next = now.clone();
            next.flows[flow] -= 1;
            for after in left(scope, at, &next) {
                let after = AfterStep::GoesOn(after);
                steps.push(ScopeStep { label: label.clone(), after, messages: messages.clone() });
            }
        }
    }

    fn race(
        &self,
        scope: &ModelScope,
        now: &Instance,
        messages: &[u8],
        at: usize,
        steps: &mut Vec<ScopeStep>,
    ) {
        for flow in incoming(scope, at).into_iter().filter(|&flow| now.flows[flow] > 0) {
            for catch in scope.flows.iter().filter(|flow| flow.from == at).map(|flow| flow.to) {
                let id = &scope.nodes[catch].id;
                let Some(messages) = self.exchanged(id, messages) else { continue };
                let mut next = now.clone();
                next.flows[flow] -= 1;
                for after in left(scope, catch, &next) {
                    let (label, after) = (Some(id.clone()), AfterStep::GoesOn(after));
                    steps.push(ScopeStep { label, after, messages: messages.clone() });
                }
            }
        }
    }

    fn end(
        &self,
        scope: &ModelScope,
        now: &Instance,
        messages: &[u8],
        at: usize,
        steps: &mut Vec<ScopeStep>,
    ) {
        let node = &scope.nodes[at];
        for flow in incoming(scope, at).into_iter().filter(|&flow| now.flows[flow] > 0) {
            let mut next = now.clone();
            next.flows[flow] -= 1;
            let after = match node.kind {
                ModelKind::Terminate => AfterStep::Terminated,
                ModelKind::ErrorEnd => AfterStep::Failed,
                _ => AfterStep::GoesOn(next),
            };
            let messages = self.sent(&node.id, messages.to_vec());
            steps.push(ScopeStep { label: Some(node.id.clone()), after, messages });
        }
    }

    fn task(
        &self,
        scope: &ModelScope,
        now: &Instance,
        messages: &[u8],
        at: usize,
        steps: &mut Vec<ScopeStep>,
    ) {
        let id = &scope.nodes[at].id;
        let boundary = boundary_of(scope, at);
        let sends = self.model.messages.iter().any(|(sender, _)| sender == id);
        let exchanges = sends && self.mailboxes.contains_key(&**id);
        if boundary.is_none() && !exchanges {
            return self.pass_on(scope, now, messages, at, steps);
        }
        let mut push = |label: Option<&String>, next: Instance, messages: &[u8]| {
            let (label, after) = (label.cloned(), AfterStep::GoesOn(next));
            steps.push(ScopeStep { label, after, messages: messages.to_vec() });
        };
        for flow in incoming(scope, at).into_iter().filter(|&flow| now.flows[flow] > 0) {
            let mut next = now.clone();
            next.flows[flow] -= 1;
            next.active[at][0] += 1;
            push(None, next, messages);
        }
        for state in (0..4).filter(|&state| now.active[at][state] > 0) {
            let mut next = now.clone();
            next.active[at][state] -= 1;
            let is_sent = state & 2 != 0;
            let done = match is_sent {
                false => self.exchanged(id, messages),
                true => {
                    let mut messages = messages.to_vec();
                    let mailbox = self.mailboxes[&**id];
                    messages[mailbox].checked_sub(1).map(|less| {
                        messages[mailbox] = less;
                        messages
                    })
                }
            };
            for after in left(scope, at, &next) {
                if let Some(messages) = &done {
                    push(Some(id), after, messages);
                }
            }
            if exchanges && !is_sent {
                let mut sent = next.clone();
                sent.active[at][state | 2] += 1;
                push(None, sent, &self.sent(id, messages.to_vec()));
            }
            let Some((event, is_interrupting, _)) = boundary else { continue };
            for mut after in left(scope, event, &next) {
                if !is_interrupting {
                    if state & 1 != 0 {
                        continue;
                    }
                    after.active[at][state | 1] += 1;
                }
                push(Some(&scope.nodes[event].id), after, messages);
            }
        }
    }

    fn sub_process(
        &self,
        scope: &ModelScope,
        now: &Instance,
        messages: &[u8],
        (at, inner): (usize, &ModelScope),
        steps: &mut Vec<ScopeStep>,
    ) {
        let boundary = boundary_of(scope, at);
        let mut push = |label: Option<String>, after: AfterStep, messages: &[u8]| {
            steps.push(ScopeStep { label, after, messages: messages.to_vec() });
        };
        let Some(instance) = &now.inner[at] else {
            for flow in incoming(scope, at).into_iter().filter(|&flow| now.flows[flow] > 0) {
                let mut next = now.clone();
                next.flows[flow] -= 1;
                next.inner[at] = Some(Box::new(started(inner)));
                push(None, AfterStep::GoesOn(next), messages);
            }
            return;
        };
        let mut ended = now.clone();
        ended.inner[at] = None;
        ended.has_occurred[at] = false;
        if instance.is_empty() {
            for after in left(scope, at, &ended) {
                push(None, AfterStep::GoesOn(after), messages);
            }
        }
        for step in self.scope_steps(inner, instance, messages) {
            match (step.after, boundary) {
                (AfterStep::GoesOn(instance), _) => {
                    let mut next = now.clone();
                    next.inner[at] = Some(Box::new(instance));
                    push(step.label, AfterStep::GoesOn(next), &step.messages);
                }
                (AfterStep::Terminated, _) => {
                    for after in left(scope, at, &ended) {
                        push(step.label.clone(), AfterStep::GoesOn(after), &step.messages);
                    }
                }
                (AfterStep::Failed, Some((event, _, true))) => {
                    for after in left(scope, event, &ended) {
                        push(step.label.clone(), AfterStep::GoesOn(after), &step.messages);
                    }
                }
                (AfterStep::Failed, _) => push(step.label, AfterStep::Failed, &step.messages),
            }
        }
        let Some((event, is_interrupting, is_error)) = boundary else { return };
        if is_error && can_fail(inner) || !is_interrupting && now.has_occurred[at] {
            return;
        }
        let mut next = if is_interrupting { ended } else { now.clone() };
        next.has_occurred[at] = !is_interrupting;
        for after in left(scope, event, &next) {
            push(Some(scope.nodes[event].id.clone()), AfterStep::GoesOn(after), messages);
        }
    }
}

impl World {
    /// Whether nothing runs and no message waits.
    pub fn is_complete(&self) -> bool {
        self.pools.iter().all(Option::is_none) && self.messages.iter().all(|&count| count == 0)
    }

    pub fn is_too_large(&self) -> bool {
        let many = self.messages.iter().any(|&count| count > MOST_TOKENS);
        many || self.pools.iter().flatten().any(Instance::is_too_large)
    }
}

impl Instance {
    fn is_empty(&self) -> bool {
        let none = |counts: &[u8]| counts.iter().all(|&count| count == 0);
        none(&self.flows)
            && self.active.iter().all(|counts| none(counts))
            && self.inner.iter().all(Option::is_none)
    }

    fn is_too_large(&self) -> bool {
        let many = |counts: &[u8]| counts.iter().any(|&count| count > MOST_TOKENS);
        many(&self.flows)
            || self.active.iter().any(|counts| many(counts))
            || self.inner.iter().flatten().any(|inner| inner.is_too_large())
    }
}

/// A new instance, whose start event has occurred.
fn started(scope: &ModelScope) -> Instance {
    let nodes = scope.nodes.len();
    let empty = Instance {
        flows: vec![0; scope.flows.len()],
        active: vec![[0; 4]; nodes],
        inner: vec![None; nodes],
        has_occurred: vec![false; nodes],
    };
    left(scope, 0, &empty).remove(0)
}

fn incoming(scope: &ModelScope, node: usize) -> Vec<usize> {
    (0..scope.flows.len()).filter(|&flow| scope.flows[flow].to == node).collect()
}

/// The boundary event on an activity: whether it interrupts, and whether it catches an error.
fn boundary_of(scope: &ModelScope, activity: usize) -> Option<(usize, bool, bool)> {
    scope.nodes.iter().enumerate().find_map(|(at, node)| match node.kind {
        ModelKind::Boundary { on, is_interrupting, is_error } if on == activity => {
            Some((at, is_interrupting, is_error))
        }
        _ => None,
    })
}

/// Whether an error can leave a scope.
fn can_fail(scope: &ModelScope) -> bool {
    scope.nodes.iter().enumerate().any(|(at, node)| match &node.kind {
        ModelKind::ErrorEnd => true,
        ModelKind::Sub(inner) => {
            can_fail(inner) && !boundary_of(scope, at).is_some_and(|(.., is_error)| is_error)
        }
        _ => false,
    })
}

fn can_end_early(scope: &ModelScope) -> bool {
    can_fail(scope) || scope.nodes.iter().any(|node| matches!(node.kind, ModelKind::Terminate))
}

/// The instances after a token has left a node.
fn left(scope: &ModelScope, node: usize, now: &Instance) -> Vec<Instance> {
    let outgoing: Vec<usize> =
        (0..scope.flows.len()).filter(|&flow| scope.flows[flow].from == node).collect();
    let subsets = |flows: &[usize]| -> Vec<Vec<usize>> {
        let mut sets = vec![Vec::new()];
        for &flow in flows {
            let with: Vec<Vec<usize>> =
                sets.iter().map(|set: &Vec<usize>| [&set[..], &[flow]].concat()).collect();
            sets.extend(with);
        }
        sets
    };
    let sets: Vec<Vec<usize>> = match scope.nodes[node].kind {
        ModelKind::Xor if !outgoing.is_empty() => outgoing.iter().map(|&flow| vec![flow]).collect(),
        ModelKind::Or if !outgoing.is_empty() => {
            subsets(&outgoing).into_iter().filter(|set| !set.is_empty()).collect()
        }
        _ => {
            let conditional: Vec<usize> =
                outgoing.iter().copied().filter(|&flow| scope.flows[flow].is_conditional).collect();
            let default: Vec<usize> =
                outgoing.iter().copied().filter(|&flow| scope.flows[flow].is_default).collect();
            let always = outgoing
                .iter()
                .copied()
                .filter(|&flow| !scope.flows[flow].is_conditional && !scope.flows[flow].is_default);
            let always: Vec<usize> = always.collect();
            let sets = subsets(&conditional).into_iter().map(|set| match set.is_empty() {
                true => [&always[..], &default[..]].concat(),
                false => [&always[..], &set[..]].concat(),
            });
            // At least one condition must hold where each flow has one.
            sets.filter(|set| conditional.is_empty() || !set.is_empty()).collect()
        }
    };
    let put = |set: Vec<usize>| {
        let mut next = now.clone();
        set.iter().for_each(|&flow| next.flows[flow] += 1);
        next
    };
    sets.into_iter().map(put).collect()
}

fn silent(scope: &ModelScope, at: usize, next: &Instance, messages: &[u8], steps: &mut Vec<ScopeStep>) {
    for after in left(scope, at, next) {
        let after = AfterStep::GoesOn(after);
        steps.push(ScopeStep { label: None, after, messages: messages.to_vec() });
    }
}

/// Whether an inclusive gateway with tokens on some incoming flows need not wait for others.
fn is_joined(scope: &ModelScope, now: &Instance, gateway: usize, filled: &[usize]) -> bool {
    let empty: Vec<usize> =
        incoming(scope, gateway).into_iter().filter(|flow| !filled.contains(flow)).collect();
    let may_wait = |reached: &[bool]| {
        empty.iter().any(|&flow| reached[flow]) && !filled.iter().any(|&flow| reached[flow])
    };
    let tokens = (0..scope.flows.len()).filter(|&flow| now.flows[flow] > 0);
    let on_flows = tokens.map(|flow| {
        let mut reached = vec![false; scope.flows.len()];
        follow(scope, gateway, flow, &mut reached);
        reached
    });
    let busy = (0..scope.nodes.len()).filter(|&node| now.active[node] != [0; 4] || now.inner[node].is_some());
    let in_nodes = busy.map(|node| {
        let mut reached = vec![false; scope.flows.len()];
        follow_node(scope, gateway, node, &mut reached);
        reached
    });
    !on_flows.chain(in_nodes).any(|reached| may_wait(&reached))
}

/// Marks the flows on paths that begin with a flow and do not pass the gateway.
fn follow(scope: &ModelScope, gateway: usize, flow: usize, reached: &mut [bool]) {
    if !std::mem::replace(&mut reached[flow], true) && scope.flows[flow].to != gateway {
        follow_node(scope, gateway, scope.flows[flow].to, reached);
    }
}

fn follow_node(scope: &ModelScope, gateway: usize, node: usize, reached: &mut [bool]) {
    for flow in (0..scope.flows.len()).filter(|&flow| scope.flows[flow].from == node) {
        follow(scope, gateway, flow, reached);
    }
}

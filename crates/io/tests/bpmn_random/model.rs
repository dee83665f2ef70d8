//! Random process models, and their XML.

use fireset_oracle::random::TestRng;

/// A process or a sub-process.
#[derive(Clone, Debug, Default)]
pub struct ModelScope {
    pub nodes: Vec<ModelNode>,
    pub flows: Vec<ModelFlow>,
}

#[derive(Clone, Debug)]
pub struct ModelNode {
    pub id: String,
    pub kind: ModelKind,
}

#[derive(Clone, Debug)]
pub enum ModelKind {
    Start,
    MessageStart,
    End,
    Terminate,
    ErrorEnd,
    Task,
    Catch,
    Xor,
    And,
    Or,
    Race,
    Sub(ModelScope),
    Boundary { on: usize, is_interrupting: bool, is_error: bool },
}

#[derive(Clone, Copy, Debug)]
pub struct ModelFlow {
    pub from: usize,
    pub to: usize,
    pub is_conditional: bool,
    pub is_default: bool,
}

/// Pools with messages from nodes to nodes.
#[derive(Clone, Debug, Default)]
pub struct RandomModel {
    pub pools: Vec<ModelScope>,
    pub messages: Vec<(String, String)>,
}

/// Grows a scope block by block.
struct ScopeGrower<'r> {
    rng: &'r mut TestRng,
    scope: ModelScope,
    /// Nodes of the whole model so far, for ids.
    count: &'r mut usize,
    /// Blocks that may still be added.
    budget: &'r mut usize,
    nesting: usize,
}

pub fn random_model(rng: &mut TestRng) -> RandomModel {
    let mut model = RandomModel::default();
    let (pools, mut count) = (1 + usize::from(rng.percent(30)), 0);
    for _ in 0..pools {
        let mut budget = 2 + rng.below(5);
        model.pools.push(grown_scope(rng, &mut count, &mut budget, 0));
    }
    if pools > 1 {
        for _ in 0..1 + rng.below(3) {
            add_message(rng, &mut model);
        }
    }
    model
}

fn add_message(rng: &mut TestRng, model: &mut RandomModel) {
    let from = rng.below(2);
    let senders: Vec<String> =
        nodes_of(&model.pools[from], &|kind| matches!(kind, ModelKind::Task | ModelKind::End));
    let receivers = nodes_of(&model.pools[1 - from], &|kind| {
        matches!(kind, ModelKind::Task | ModelKind::Catch | ModelKind::Start)
    });
    if senders.is_empty() || receivers.is_empty() {
        return;
    }
    let (sender, receiver) = (rng.pick(&senders).clone(), rng.pick(&receivers).clone());
    // Only one of the pools may wait for the other to start.
    let starts_with = |pool: &ModelScope| pool.nodes.iter().position(|node| node.id == receiver);
    if let Some(start) = starts_with(&model.pools[1 - from])
        && matches!(model.pools[1 - from].nodes[start].kind, ModelKind::Start)
    {
        if matches!(model.pools[from].nodes[0].kind, ModelKind::MessageStart) {
            return;
        }
        model.pools[1 - from].nodes[start].kind = ModelKind::MessageStart;
    }
    if !model.messages.contains(&(sender.clone(), receiver.clone())) {
        model.messages.push((sender, receiver));
    }
}

/// Ids of nodes of some kinds; start events only of the process itself.
fn nodes_of(scope: &ModelScope, is_wanted: &dyn Fn(&ModelKind) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for node in &scope.nodes {
        match &node.kind {
            ModelKind::Sub(inner) => {
                let inside = |kind: &ModelKind| !matches!(kind, ModelKind::Start) && is_wanted(kind);
                found.extend(nodes_of(inner, &inside));
            }
            kind if is_wanted(kind) => found.push(node.id.clone()),
            _ => {}
        }
    }
    found
}

fn grown_scope(rng: &mut TestRng, count: &mut usize, budget: &mut usize, nesting: usize) -> ModelScope {
    let mut grower = ScopeGrower { rng, scope: ModelScope::default(), count, budget, nesting };
    let start = grower.node(ModelKind::Start);
    let (entry, exit) = grower.block();
    grower.flow(start, entry);
    if let Some(exit) = exit {
        let end = grower.end();
        grower.flow(exit, end);
    }
    if grower.rng.percent(25) {
        grower.shortcut();
    }
    grower.scope
}

impl ScopeGrower<'_> {
    fn node(&mut self, kind: ModelKind) -> usize {
        *self.count += 1;
        self.scope.nodes.push(ModelNode { id: format!("n{}", self.count), kind });
        self.scope.nodes.len() - 1
    }

    fn flow(&mut self, from: usize, to: usize) -> usize {
        self.scope.flows.push(ModelFlow { from, to, is_conditional: false, is_default: false });
        self.scope.flows.len() - 1
    }

    fn end(&mut self) -> usize {
        let kind = match self.rng.below(10) {
            0 => ModelKind::Terminate,
            1 => ModelKind::ErrorEnd,
            _ => ModelKind::End,
        };
        self.node(kind)
    }

    /// Its first node, and its last one unless all its paths end.
    fn block(&mut self) -> (usize, Option<usize>) {
        if *self.budget == 0 {
            let task = self.node(ModelKind::Task);
            return (task, Some(task));
        }
        *self.budget -= 1;
        match self.rng.below(12) {
            0 | 1 => {
                let task = self.node(ModelKind::Task);
                (task, Some(task))
            }
            2 | 3 => {
                let (entry, middle) = self.block();
                let Some(middle) = middle else { return (entry, None) };
                let (next, exit) = self.block();
                self.flow(middle, next);
                (entry, exit)
            }
            4..=6 => self.gateways(),
            7 => self.repeated(),
            8 => self.race(),
            9 if self.nesting < 2 => self.sub_process(),
            10 => {
                let task = self.node(ModelKind::Task);
                self.boundary(task, false)
            }
            _ => self.conditional(),
        }
    }

    fn gateways(&mut self) -> (usize, Option<usize>) {
        let kinds = [ModelKind::Xor, ModelKind::And, ModelKind::Or, ModelKind::Task];
        let split = self.rng.pick(&kinds).clone();
        // Mostly the join fits the split.
        let join = if self.rng.percent(65) { split.clone() } else { self.rng.pick(&kinds).clone() };
        let (split, join) = (self.node(split), self.node(join));
        for _ in 0..2 + self.rng.below(2) {
            self.branch(split, join);
        }
        if self.rng.percent(15) {
            self.flow(split, join);
        }
        self.exit_of(split, join)
    }

    /// A join that no branch reaches is an end.
    fn exit_of(&mut self, split: usize, join: usize) -> (usize, Option<usize>) {
        if !self.scope.flows.iter().any(|flow| flow.to == join) {
            self.flow(split, join);
        }
        (split, Some(join))
    }

    fn branch(&mut self, split: usize, join: usize) {
        let (entry, exit) = self.block();
        self.flow(split, entry);
        if let Some(exit) = exit {
            let target = if self.rng.percent(15) { self.end() } else { join };
            self.flow(exit, target);
        }
    }

    fn repeated(&mut self) -> (usize, Option<usize>) {
        let (join, split) = (self.node(ModelKind::Xor), self.node(ModelKind::Xor));
        let (entry, exit) = self.block();
        self.flow(join, entry);
        if let Some(exit) = exit {
            self.flow(exit, split);
        } else {
            self.flow(join, split);
        }
        self.flow(split, join);
        (join, Some(split))
    }

    fn race(&mut self) -> (usize, Option<usize>) {
        let (race, join) = (self.node(ModelKind::Race), self.node(ModelKind::Xor));
        for _ in 0..2 {
            let catch = self.node(ModelKind::Catch);
            self.flow(race, catch);
            match self.rng.percent(50) {
                true => self.branch(catch, join),
                false => _ = self.flow(catch, join),
            }
        }
        self.exit_of(race_exit(&self.scope, race), join).1.map_or((race, None), |exit| (race, Some(exit)))
    }

    fn sub_process(&mut self) -> (usize, Option<usize>) {
        let inner = grown_scope(self.rng, self.count, self.budget, self.nesting + 1);
        let sub = self.node(ModelKind::Sub(inner));
        if self.rng.percent(70) { self.boundary(sub, true) } else { (sub, Some(sub)) }
    }

    /// A boundary event on an activity, whose flow ends or comes back.
    fn boundary(&mut self, on: usize, is_sub: bool) -> (usize, Option<usize>) {
        let is_error = is_sub && self.rng.percent(50);
        let is_interrupting = is_error || self.rng.percent(60);
        let event = self.node(ModelKind::Boundary { on, is_interrupting, is_error });
        let (entry, exit) = self.block();
        self.flow(event, entry);
        let Some(exit) = exit else { return (on, Some(on)) };
        if self.rng.percent(50) {
            let end = self.end();
            self.flow(exit, end);
            return (on, Some(on));
        }
        let join = self.node(if is_interrupting { ModelKind::Xor } else { ModelKind::Or });
        self.flow(exit, join);
        self.flow(on, join);
        (on, Some(join))
    }

    /// A task with conditional flows.
    fn conditional(&mut self) -> (usize, Option<usize>) {
        let (task, join) = (self.node(ModelKind::Task), self.node(ModelKind::Or));
        for _ in 0..2 + self.rng.below(2) {
            let flow = self.flow(task, join);
            self.scope.flows[flow].is_conditional = self.rng.percent(75);
        }
        let last = self.scope.flows.len() - 1;
        if self.rng.percent(40) {
            self.scope.flows[last].is_default = true;
            self.scope.flows[last].is_conditional = false;
        }
        (task, Some(join))
    }

    /// A way from the middle of one flow to the middle of another, so that not all is in blocks.
    fn shortcut(&mut self) {
        let plain = |flow: &ModelFlow, scope: &ModelScope| {
            !flow.is_conditional
                && !flow.is_default
                && !matches!(scope.nodes[flow.from].kind, ModelKind::Race)
        };
        let open: Vec<usize> =
            (0..self.scope.flows.len()).filter(|&at| plain(&self.scope.flows[at], &self.scope)).collect();
        if open.len() < 2 {
            return;
        }
        let (first, second) = (*self.rng.pick(&open), *self.rng.pick(&open));
        if first == second {
            return;
        }
        let (split, join) = (self.node(ModelKind::Xor), self.node(ModelKind::Xor));
        for (flow, middle) in [(first, split), (second, join)] {
            let target = std::mem::replace(&mut self.scope.flows[flow].to, middle);
            self.flow(middle, target);
        }
        self.flow(split, join);
    }
}

/// A flow to the join of a race must not leave the gateway itself.
fn race_exit(scope: &ModelScope, race: usize) -> usize {
    scope.flows.iter().find(|flow| flow.from == race).map_or(race, |flow| flow.to)
}

impl RandomModel {
    pub fn xml(&self) -> String {
        let mut text =
            String::from("<bpmn:definitions xmlns:bpmn='http://www.omg.org/spec/BPMN/20100524/MODEL'>");
        if self.pools.len() > 1 {
            text += "<bpmn:collaboration id='c'>";
            for pool in 0..self.pools.len() {
                text += &format!("<bpmn:participant id='pool{pool}' processRef='process{pool}'/>");
            }
            for (at, (from, to)) in self.messages.iter().enumerate() {
                text += &format!("<bpmn:messageFlow id='message{at}' sourceRef='{from}' targetRef='{to}'/>");
            }
            text += "</bpmn:collaboration>";
        }
        for (at, pool) in self.pools.iter().enumerate() {
            text += &format!("<bpmn:process id='process{at}'>{}</bpmn:process>", pool.xml());
        }
        text + "</bpmn:definitions>"
    }
}

impl ModelScope {
    fn xml(&self) -> String {
        let nodes: String = (0..self.nodes.len()).map(|at| self.node_xml(at)).collect();
        let flow = |(at, flow): (usize, &ModelFlow)| {
            let (from, to) = (&self.nodes[flow.from].id, &self.nodes[flow.to].id);
            let condition =
                if flow.is_conditional { "<conditionExpression>x</conditionExpression>" } else { "" };
            let id = self.flow_id(at);
            format!("<sequenceFlow id='{id}' sourceRef='{from}' targetRef='{to}'>{condition}</sequenceFlow>")
        };
        nodes + &self.flows.iter().enumerate().map(flow).collect::<String>()
    }

    fn flow_id(&self, at: usize) -> String {
        format!("{}f{at}", self.nodes[0].id)
    }

    fn node_xml(&self, at: usize) -> String {
        let id = &self.nodes[at].id;
        let (tag, more, inner) = match &self.nodes[at].kind {
            ModelKind::Start => ("startEvent", String::new(), String::new()),
            ModelKind::MessageStart => ("startEvent", String::new(), "<messageEventDefinition/>".into()),
            ModelKind::End => ("endEvent", String::new(), String::new()),
            ModelKind::Terminate => ("endEvent", String::new(), "<terminateEventDefinition/>".into()),
            ModelKind::ErrorEnd => ("endEvent", String::new(), "<errorEventDefinition/>".into()),
            ModelKind::Task => {
                let default = self.flows.iter().position(|flow| flow.from == at && flow.is_default);
                let default =
                    default.map_or(String::new(), |flow| format!("default='{}'", self.flow_id(flow)));
                ("task", default, String::new())
            }
            ModelKind::Catch => ("intermediateCatchEvent", String::new(), "<messageEventDefinition/>".into()),
            ModelKind::Xor => ("exclusiveGateway", String::new(), String::new()),
            ModelKind::And => ("parallelGateway", String::new(), String::new()),
            ModelKind::Or => ("inclusiveGateway", String::new(), String::new()),
            ModelKind::Race => ("eventBasedGateway", String::new(), String::new()),
            ModelKind::Sub(inner) => ("subProcess", String::new(), inner.xml()),
            ModelKind::Boundary { on, is_interrupting, is_error } => {
                let on = &self.nodes[*on].id;
                let trigger = if *is_error { "<errorEventDefinition/>" } else { "<timerEventDefinition/>" };
                let more = format!("attachedToRef='{on}' cancelActivity='{is_interrupting}'");
                ("boundaryEvent", more, trigger.into())
            }
        };
        format!("<{tag} id='{id}' {more}>{inner}</{tag}>")
    }
}

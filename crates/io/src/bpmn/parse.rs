//! Reads the XML text of a BPMN document.

use std::{borrow::Cow, io::BufRead};

use super::document::{
    BpmnDocument, BpmnProcess, ElementHead, EventTrigger, FlowNode, FlowNodeKind, FlowScope, MessageFlow,
    Participant, Repetition, SequenceFlow, TriggerKind,
};
use crate::{
    Fault,
    xml::{Tag, XmlCursor},
};

/// The deepest nesting of sub-processes.
const MAX_NESTING: usize = 40;

/// Flow nodes other than sub-processes.
const FLOW_NODES: [&str; 18] = [
    "boundaryEvent",
    "businessRuleTask",
    "callActivity",
    "endEvent",
    "eventBasedGateway",
    "exclusiveGateway",
    "inclusiveGateway",
    "intermediateCatchEvent",
    "intermediateThrowEvent",
    "manualTask",
    "parallelGateway",
    "receiveTask",
    "scriptTask",
    "sendTask",
    "serviceTask",
    "startEvent",
    "task",
    "userTask",
];

/// Elements of a process that do not change how tokens move.
const PASSED: [&str; 24] = [
    "documentation",
    "extensionElements",
    "auditing",
    "monitoring",
    "property",
    "laneSet",
    "dataObject",
    "dataObjectReference",
    "dataStoreReference",
    "dataStore",
    "dataInputAssociation",
    "dataOutputAssociation",
    "ioSpecification",
    "ioBinding",
    "supportedInterfaceRef",
    "artifact",
    "association",
    "group",
    "textAnnotation",
    "resourceRole",
    "performer",
    "potentialOwner",
    "humanPerformer",
    "correlationSubscription",
];

/// References of elements, which the sequence flows say again.
const REFERENCES: [&str; 3] = ["incoming", "outgoing", "supports"];

/// Constructs that are refused by name: the element, how messages call it, and a hint.
const REFUSED: [(&str, &str, &str); 7] = [
    ("complexGateway", "a complex gateway", "its condition is written in prose or code; use other gateways"),
    ("adHocSubProcess", "an ad-hoc sub-process", "its activities have no order that a net could follow"),
    ("choreographyTask", "a choreography task", "fireset reads processes, not choreographies"),
    ("subChoreography", "a sub-choreography", "fireset reads processes, not choreographies"),
    ("callChoreography", "a call choreography", "fireset reads processes, not choreographies"),
    ("implicitThrowEvent", "an implicit throw event", "use an intermediate throw event"),
    ("event", "an event of no kind", "use a start, intermediate, boundary or end event"),
];

struct DocumentParser<R> {
    cursor: XmlCursor<R>,
    document: BpmnDocument,
}

/// Reads a whole document.
pub(super) fn parse<R: BufRead>(input: R) -> Result<BpmnDocument, Fault> {
    let mut cursor = XmlCursor::new(input)?;
    let (name, offset) = match cursor.child()? {
        None => return Err(Fault::at(0, "the file has no root element")),
        Some(tag) if tag.name() != "definitions" => {
            let message = format!("expected the root element `<definitions>`, found `<{}>`", tag.name());
            return Err(Fault::at(tag.offset, message));
        }
        Some(tag) => {
            let [name, id] = tag.attributes(["name", "id"])?;
            let given = name.filter(|name| !name.trim().is_empty()).or(id);
            (one_line(given), tag.offset)
        }
    };
    let document = BpmnDocument { name, offset, ..BpmnDocument::default() };
    let mut parser = DocumentParser { cursor, document };
    parser.definitions()?;
    Ok(parser.document)
}

impl<R: BufRead> DocumentParser<R> {
    fn definitions(&mut self) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child_amid_text()? {
            let offset = tag.offset;
            match tag.name() {
                "process" => {
                    let head = head(&tag)?;
                    self.process(head)?;
                }
                "collaboration" => self.collaboration()?,
                "choreography" | "globalChoreographyTask" => self.other("a choreography", offset)?,
                "conversation" | "globalConversation" => self.other("a conversation", offset)?,
                _ => self.cursor.skip()?,
            }
        }
        if self.cursor.child()?.is_some() {
            return Err(Fault::at(0, "the file has several root elements"));
        }
        Ok(())
    }

    fn other(&mut self, what: &'static str, offset: u64) -> Result<(), Fault> {
        self.document.other_model.get_or_insert((what, offset));
        self.cursor.skip()
    }

    fn process(&mut self, head: ElementHead) -> Result<(), Fault> {
        let (scope, process) = (self.document.scopes.len(), self.document.processes.len());
        self.document.scopes.push(FlowScope { owner: None, parent: None, process });
        self.document.processes.push(BpmnProcess { head, scope });
        self.scope(scope, 0)
    }

    fn collaboration(&mut self) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child_amid_text()? {
            match tag.name() {
                "participant" => {
                    let head = head(&tag)?;
                    let [process] = tag.attributes(["processRef"])?;
                    let process = process.map(local);
                    let mut has_several_instances = false;
                    while let Some(tag) = self.cursor.child_amid_text()? {
                        has_several_instances |= tag.name() == "participantMultiplicity";
                        self.cursor.skip()?;
                    }
                    self.document.participants.push(Participant { head, process, has_several_instances });
                }
                "messageFlow" => {
                    let head = head(&tag)?;
                    let [source, target] = tag.attributes(["sourceRef", "targetRef"])?;
                    let (source, target) = (source.map(local), target.map(local));
                    self.document.message_flows.push(MessageFlow { head, source, target });
                    self.cursor.skip()?;
                }
                _ => self.cursor.skip()?,
            }
        }
        Ok(())
    }

    /// Reads the flow elements of a process or a sub-process to its end.
    fn scope(&mut self, scope: usize, nesting: usize) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child_amid_text()? {
            let name = tag.name().to_owned();
            let head = || head(&tag);
            match &*name {
                "sequenceFlow" => {
                    let head = head()?;
                    let [source, target] = tag.attributes(["sourceRef", "targetRef"])?;
                    let (source, target) = (source.map(local), target.map(local));
                    self.sequence_flow(SequenceFlow { head, source, target, is_conditional: false })?;
                }
                "subProcess" | "transaction" => {
                    let node = FlowNode { head: head()?, ..node_of(&tag, scope)? };
                    self.sub_process(node, nesting)?;
                }
                "standardLoopCharacteristics" | "multiInstanceLoopCharacteristics" => {
                    let repetition = repetition(&tag)?;
                    if let Some(owner) = self.document.scopes[scope].owner {
                        self.document.nodes[owner].repetition = repetition;
                    }
                    self.cursor.skip()?;
                }
                _ if FLOW_NODES.contains(&&*name) => {
                    let node = FlowNode { head: head()?, ..node_of(&tag, scope)? };
                    self.flow_node(node)?;
                }
                _ if PASSED.contains(&&*name) || REFERENCES.contains(&&*name) => self.cursor.skip()?,
                _ => return Err(unsupported(&tag)),
            }
        }
        Ok(())
    }

    fn sequence_flow(&mut self, mut flow: SequenceFlow) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child_amid_text()? {
            flow.is_conditional |= tag.name() == "conditionExpression";
            self.cursor.skip()?;
        }
        self.document.flows.push(flow);
        Ok(())
    }

    fn sub_process(&mut self, mut node: FlowNode, nesting: usize) -> Result<(), Fault> {
        if nesting == MAX_NESTING {
            let message = format!("sub-processes nest more than {MAX_NESTING} levels deep");
            return Err(Fault::at(node.head.offset, message));
        }
        let document = &mut self.document;
        let (inner, owner, flows) = (document.scopes.len(), document.nodes.len(), document.flows.len());
        let process = document.scopes[node.scope].process;
        document.scopes.push(FlowScope { owner: Some(owner), parent: Some(node.scope), process });
        node.kind = FlowNodeKind::SubProcess { inner };
        document.nodes.push(node);
        self.scope(inner, nesting + 1)?;
        let document = &mut self.document;
        // A collapsed sub-process, whose content is not drawn, is as good as a task.
        if document.nodes.len() == owner + 1 && document.flows.len() == flows {
            document.nodes[owner].kind = FlowNodeKind::Task { is_instantiating: false };
        }
        Ok(())
    }

    fn flow_node(&mut self, mut node: FlowNode) -> Result<(), Fault> {
        while let Some(tag) = self.cursor.child_amid_text()? {
            let name = tag.name();
            if let Some(kind) = name.strip_suffix("EventDefinition") {
                let [error, escalation, link] = tag.attributes(["errorRef", "escalationRef", "name"])?;
                let kind = trigger_kind(kind, tag.offset, &node)?;
                let reference = match kind {
                    TriggerKind::Error => error.map(local),
                    TriggerKind::Escalation => escalation.map(local),
                    TriggerKind::Link => link.map(|name| name.trim().to_owned()),
                    _ => None,
                };
                let kind = self.timer(kind)?;
                node.triggers.push(EventTrigger { kind, reference });
                continue;
            }
            match name {
                "standardLoopCharacteristics" | "multiInstanceLoopCharacteristics" => {
                    node.repetition = repetition(&tag)?;
                }
                "eventDefinitionRef" => {
                    let message = "the event refers to an event definition outside of it";
                    return Err(Fault::at(tag.offset, message)
                        .within(node.described())
                        .hint("write the event definition into the event"));
                }
                _ => {}
            }
            self.cursor.skip()?;
        }
        self.document.nodes.push(node);
        Ok(())
    }

    /// Reads the rest of an event definition: a timer may be cyclic.
    fn timer(&mut self, kind: TriggerKind) -> Result<TriggerKind, Fault> {
        let mut is_cycle = false;
        while let Some(tag) = self.cursor.child_amid_text()? {
            is_cycle |= tag.name() == "timeCycle";
            self.cursor.skip()?;
        }
        Ok(if kind == TriggerKind::Timer && is_cycle { TriggerKind::Cycle } else { kind })
    }
}

/// A flow node by its tag alone; the caller sets its head.
fn node_of(tag: &Tag<'_>, scope: usize) -> Result<FlowNode, Fault> {
    let names = [
        "default",
        "isForCompensation",
        "triggeredByEvent",
        "startQuantity",
        "completionQuantity",
        "parallelMultiple",
        "attachedToRef",
        "cancelActivity",
        "instantiate",
        "eventGatewayType",
        "calledElement",
    ];
    let [
        default,
        compensation,
        by_event,
        start,
        completion,
        parallel,
        attached,
        cancel,
        instantiate,
        race,
        called,
    ] = tag.attributes(names)?;
    let refuse = |message: &str| Err(Fault::at(tag.offset, message).within(described(tag)));
    let is_true = |value: Option<Cow<'_, str>>| value.is_some_and(|value| matches!(&*value, "true" | "1"));
    if is_true(compensation) {
        return refuse("compensation is not supported");
    }
    if is_true(by_event) {
        return refuse("event sub-processes are not supported");
    }
    for (what, value) in [("startQuantity", start), ("completionQuantity", completion)] {
        if let Some(value) = value.filter(|value| value.trim() != "1") {
            return refuse(&format!("the {what} {value} is not supported: only 1 is"));
        }
    }
    if race.is_some_and(|race| &*race == "Parallel") {
        return refuse("a parallel event-based gateway is not supported");
    }
    let is_instantiating = is_true(instantiate);
    let kind = match tag.name() {
        "startEvent" => FlowNodeKind::Start,
        "endEvent" => FlowNodeKind::End,
        "intermediateThrowEvent" => FlowNodeKind::Throw,
        "intermediateCatchEvent" => FlowNodeKind::Catch,
        "boundaryEvent" => {
            let Some(activity) = attached.map(local) else { return Err(tag.lacks("attachedToRef")) };
            let is_interrupting = !cancel.is_some_and(|value| matches!(&*value, "false" | "0"));
            FlowNodeKind::Boundary { activity, is_interrupting }
        }
        "exclusiveGateway" => FlowNodeKind::Exclusive,
        "parallelGateway" => FlowNodeKind::Parallel,
        "inclusiveGateway" => FlowNodeKind::Inclusive,
        "eventBasedGateway" => FlowNodeKind::EventBased { is_instantiating },
        _ => FlowNodeKind::Task { is_instantiating },
    };
    Ok(FlowNode {
        head: ElementHead::default(),
        scope,
        kind,
        triggers: Vec::new(),
        needs_all: is_true(parallel),
        called: called.map(local),
        default: default.map(local),
        repetition: Repetition::Once,
        tag: tag.name().to_owned(),
    })
}

fn trigger_kind(name: &str, offset: u64, node: &FlowNode) -> Result<TriggerKind, Fault> {
    let message = match name {
        "message" => return Ok(TriggerKind::Message),
        "timer" => return Ok(TriggerKind::Timer),
        "signal" => return Ok(TriggerKind::Signal),
        "conditional" => return Ok(TriggerKind::Conditional),
        "link" => return Ok(TriggerKind::Link),
        "error" => return Ok(TriggerKind::Error),
        "escalation" => return Ok(TriggerKind::Escalation),
        "cancel" => return Ok(TriggerKind::Cancel),
        "terminate" => return Ok(TriggerKind::Terminate),
        "compensate" => "compensation is not supported".to_owned(),
        _ => format!("the event definition `<{name}EventDefinition>` is unknown"),
    };
    Err(Fault::at(offset, message).within(node.described()))
}

fn repetition(tag: &Tag<'_>) -> Result<Repetition, Fault> {
    let [test_before, sequential, maximum] = tag.attributes(["testBefore", "isSequential", "loopMaximum"])?;
    if let Some(maximum) = maximum {
        let message = format!("the loopMaximum {maximum} is not supported: a loop has no bound");
        return Err(
            Fault::at(tag.offset, message).hint("remove the attribute, or draw the loop with gateways")
        );
    }
    let is_true = |value: Option<Cow<'_, str>>| value.is_some_and(|value| matches!(&*value, "true" | "1"));
    Ok(match (tag.name() == "standardLoopCharacteristics", is_true(test_before), is_true(sequential)) {
        (true, false, _) => Repetition::OnceOrMore,
        (true, true, _) | (false, _, true) => Repetition::ZeroOrMore,
        (false, _, false) => Repetition::Parallel,
    })
}

fn unsupported(tag: &Tag<'_>) -> Fault {
    let name = tag.name();
    match REFUSED.iter().find(|(refused, ..)| *refused == name) {
        Some((_, what, hint)) => {
            Fault::at(tag.offset, format!("{what} is not supported")).within(described(tag)).hint(*hint)
        }
        None => Fault::at(tag.offset, format!("the element `<{name}>` of a process is unknown"))
            .hint("elements of other tools belong into `<extensionElements>`"),
    }
}

/// For messages, from a tag alone.
fn described(tag: &Tag<'_>) -> String {
    head(tag).map_or_else(|_| tag.name().to_owned(), |head| head.described(tag.name()))
}

fn head(tag: &Tag<'_>) -> Result<ElementHead, Fault> {
    let [id, name] = tag.attributes(["id", "name"])?;
    let id = id.filter(|id| !id.trim().is_empty()).ok_or_else(|| tag.lacks("id"))?;
    Ok(ElementHead { id: id.trim().to_owned(), name: one_line(name), offset: tag.offset })
}

/// A name with its line breaks as spaces.
fn one_line(name: Option<Cow<'_, str>>) -> String {
    let name = name.unwrap_or_default();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A reference is a qualified name; ids of this file have no prefix, or one that says so.
fn local(reference: Cow<'_, str>) -> String {
    let reference = reference.trim();
    reference.rsplit_once(':').map_or(reference, |(_, local)| local).to_owned()
}

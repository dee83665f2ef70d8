//! A BPMN document as far as it says how tokens move: flow nodes and sequence flows in flat lists, each with its scope.

/// A file's processes and what connects them.
#[derive(Debug, Default)]
pub(super) struct BpmnDocument {
    pub(super) name: String,
    /// Of the root element.
    pub(super) offset: u64,
    pub(super) processes: Vec<BpmnProcess>,
    pub(super) participants: Vec<Participant>,
    pub(super) message_flows: Vec<MessageFlow>,
    pub(super) scopes: Vec<FlowScope>,
    pub(super) nodes: Vec<FlowNode>,
    pub(super) flows: Vec<SequenceFlow>,
    /// A choreography or a conversation, for the message that there is no process.
    pub(super) other_model: Option<(&'static str, u64)>,
}

/// The id and the name of an element, and where its tag is.
#[derive(Clone, Debug, Default)]
pub(super) struct ElementHead {
    pub(super) id: String,
    /// Without line breaks; often empty.
    pub(super) name: String,
    pub(super) offset: u64,
}

#[derive(Debug)]
pub(super) struct BpmnProcess {
    pub(super) head: ElementHead,
    pub(super) scope: usize,
}

/// A pool. Without a process it is a black box.
#[derive(Debug)]
pub(super) struct Participant {
    pub(super) head: ElementHead,
    pub(super) process: Option<String>,
    pub(super) has_several_instances: bool,
}

/// An end that is not drawn is absent.
#[derive(Debug)]
pub(super) struct MessageFlow {
    pub(super) head: ElementHead,
    pub(super) source: Option<String>,
    pub(super) target: Option<String>,
}

/// A process or a sub-process: what a terminate end event ends.
#[derive(Debug)]
pub(super) struct FlowScope {
    /// The sub-process and the scope that it is in; `None` for a process.
    pub(super) owner: Option<usize>,
    pub(super) parent: Option<usize>,
    /// Of the process, also for a sub-process in it.
    pub(super) process: usize,
}

#[derive(Debug)]
pub(super) struct SequenceFlow {
    pub(super) head: ElementHead,
    pub(super) source: Option<String>,
    pub(super) target: Option<String>,
    pub(super) is_conditional: bool,
}

#[derive(Debug)]
pub(super) struct FlowNode {
    pub(super) head: ElementHead,
    pub(super) scope: usize,
    pub(super) kind: FlowNodeKind,
    pub(super) triggers: Vec<EventTrigger>,
    /// An event with several triggers waits for one of them, or for all of them.
    pub(super) needs_all: bool,
    /// The process that a call activity calls.
    pub(super) called: Option<String>,
    /// The default sequence flow.
    pub(super) default: Option<String>,
    pub(super) repetition: Repetition,
    /// Such as `task`, for messages.
    pub(super) tag: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FlowNodeKind {
    Start,
    End,
    Throw,
    Catch,
    Boundary {
        activity: String,
        is_interrupting: bool,
    },
    /// A call activity and an empty sub-process, too. One that receives may start its process.
    Task {
        is_instantiating: bool,
    },
    SubProcess {
        inner: usize,
    },
    Exclusive,
    Parallel,
    Inclusive,
    EventBased {
        is_instantiating: bool,
    },
}

/// What an event reacts to or causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventTrigger {
    pub(super) kind: TriggerKind,
    /// The error or escalation, or a link's name.
    pub(super) reference: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TriggerKind {
    Message,
    /// A timer that goes off at a date or after a while.
    Timer,
    /// A timer that goes off again and again.
    Cycle,
    Signal,
    Conditional,
    Link,
    Error,
    Escalation,
    Cancel,
    Terminate,
}

/// How often an activity is carried out each time that it is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Repetition {
    #[default]
    Once,
    OnceOrMore,
    ZeroOrMore,
    /// Several instances side by side.
    Parallel,
}

impl FlowNode {
    pub(super) fn is_activity(&self) -> bool {
        matches!(self.kind, FlowNodeKind::Task { .. } | FlowNodeKind::SubProcess { .. })
    }

    pub(super) fn has_trigger(&self, kind: TriggerKind) -> bool {
        self.triggers.iter().any(|trigger| trigger.kind == kind)
    }

    /// For messages: `task t1 ("Check the bill")`.
    pub(super) fn described(&self) -> String {
        self.head.described(&self.tag)
    }
}

impl ElementHead {
    pub(super) fn described(&self, tag: &str) -> String {
        match self.name.is_empty() {
            true => format!("{tag} {}", self.id),
            false => format!("{tag} {} (\"{}\")", self.id, self.name),
        }
    }

    /// The name if there is one, or the id.
    pub(super) fn shown(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }
}

//! A net of a project as it is written: names and expressions are texts.

/// The nodes and arcs of a `<gspn>`.
#[derive(Debug, Default)]
pub(super) struct GspnDraft {
    pub(super) name: String,
    pub(super) offset: u64,
    pub(super) places: Vec<GspnPlace>,
    pub(super) transitions: Vec<GspnTransition>,
    pub(super) constants: Vec<GspnConstant>,
    /// Parameters, whose value is given when the net is analysed.
    pub(super) parameters: Vec<String>,
    /// Colour classes with their definitions and offsets.
    pub(super) classes: Vec<(String, String, u64)>,
    /// Variables with their classes and offsets.
    pub(super) variables: Vec<(String, String, u64)>,
    pub(super) arcs: Vec<GspnArc>,
}

#[derive(Debug)]
pub(super) struct GspnPlace {
    pub(super) name: String,
    pub(super) marking: String,
    /// The colour class; empty for places without colours.
    pub(super) domain: String,
    pub(super) offset: u64,
}

/// When an enabled transition fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FiringTime {
    /// Before all that are not immediate.
    Immediate,
    /// After any time.
    Exponential,
    /// After a time of another distribution.
    General,
}

#[derive(Debug)]
pub(super) struct GspnTransition {
    pub(super) name: String,
    pub(super) timing: FiringTime,
    pub(super) priority: String,
    pub(super) guard: String,
    pub(super) offset: u64,
}

#[derive(Debug)]
pub(super) struct GspnConstant {
    pub(super) name: String,
    pub(super) value: String,
}

/// What an arc does to its transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GspnArcKind {
    Input,
    Output,
    Inhibitor,
}

#[derive(Debug)]
pub(super) struct GspnArc {
    pub(super) kind: GspnArcKind,
    pub(super) tail: String,
    pub(super) head: String,
    /// The weight; empty for 1.
    pub(super) multiplicity: String,
    pub(super) offset: u64,
}

impl GspnArc {
    /// The names of the place and of the transition.
    pub(super) fn ends(&self) -> (&str, &str) {
        match self.kind {
            GspnArcKind::Output => (&self.head, &self.tail),
            GspnArcKind::Input | GspnArcKind::Inhibitor => (&self.tail, &self.head),
        }
    }

    /// A name for messages.
    pub(super) fn shown(&self) -> String {
        format!("arc from {} to {}", self.tail, self.head)
    }
}

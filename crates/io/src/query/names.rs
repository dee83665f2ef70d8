//! Binds names: by the id in the net's file, else by a unique label.

use std::{cell::OnceCell, collections::HashMap, rc::Rc};

use fireset_net::{Model, Names, Net, Nodes, PlaceId, TransitionId, coloured::ColouredNet};

use super::pattern::NamePattern;
use crate::{net_file::NetFile, suggest::nearest};

/// The number of names in a hint if no name is similar.
const EXAMPLES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Place,
    Transition,
}

impl NodeKind {
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Transition => "transition",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Place => Self::Transition,
            Self::Transition => Self::Place,
        }
    }
}

/// Why a name cannot be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unbound<'n> {
    /// Several nodes have this label; these are the ids of two.
    Ambiguous(&'n str, &'n str),
    /// A node of the other kind has this name.
    OtherKind,
    /// No node has this name; the most similar name.
    Unknown(Option<&'n str>),
}

impl Unbound<'_> {
    pub(crate) fn message(&self, kind: NodeKind, name: &str) -> String {
        let noun = kind.noun();
        match self {
            Self::Ambiguous(..) => format!("`{name}` is the label of several {noun}s"),
            Self::OtherKind => format!("`{name}` is a {}, not a {noun}", kind.other().noun()),
            Self::Unknown(_) => format!("the net has no {noun} `{name}`"),
        }
    }

    /// A hint; `shown` formats names as the input's language does.
    pub(crate) fn hint(&self, shown: impl Fn(&str) -> String) -> Option<String> {
        match self {
            Self::Ambiguous(a, b) => {
                Some(format!("write the id of one, such as {} or {}", shown(a), shown(b)))
            }
            Self::OtherKind => None,
            Self::Unknown(near) => near.map(|name| format!("did you mean {}?", shown(name))),
        }
    }
}

/// The first and the second position of each label.
type Labels<'n> = HashMap<&'n str, (usize, Option<usize>)>;

/// The names that queries about a net can use: those of its nodes and, on a coloured net, of its colours and variables.
///
/// From nodes alone, it knows no colours; only from a file, it knows the markings in which runs should end.
#[derive(Clone, Copy, Debug)]
pub struct QueryNames<'n> {
    nodes: &'n Nodes,
    coloured: Option<&'n ColouredNet>,
    file: Option<&'n NetFile>,
}

impl<'n> QueryNames<'n> {
    pub(crate) fn nodes(self) -> &'n Nodes {
        self.nodes
    }

    pub(crate) fn coloured(self) -> Option<&'n ColouredNet> {
        self.coloured
    }

    pub(crate) fn file(self) -> Option<&'n NetFile> {
        self.file
    }
}

impl<'n> From<&'n Nodes> for QueryNames<'n> {
    fn from(nodes: &'n Nodes) -> Self {
        Self { nodes, coloured: None, file: None }
    }
}

impl<'n> From<&'n Net> for QueryNames<'n> {
    fn from(net: &'n Net) -> Self {
        net.nodes().into()
    }
}

impl<'n> From<&'n ColouredNet> for QueryNames<'n> {
    fn from(net: &'n ColouredNet) -> Self {
        Self { nodes: net.nodes(), coloured: Some(net), file: None }
    }
}

impl<'n> From<&'n Model> for QueryNames<'n> {
    fn from(model: &'n Model) -> Self {
        match model {
            Model::Plain(net) => net.into(),
            Model::Coloured(net) => net.into(),
        }
    }
}

impl<'n> From<&'n NetFile> for QueryNames<'n> {
    fn from(file: &'n NetFile) -> Self {
        Self { file: Some(file), ..(&file.model).into() }
    }
}

/// Labels are indexed when the first name is not an id; clones share the index.
#[derive(Clone)]
pub(crate) struct Binder<'n> {
    names: QueryNames<'n>,
    places: Rc<OnceCell<Labels<'n>>>,
    transitions: Rc<OnceCell<Labels<'n>>>,
}

impl<'n> Binder<'n> {
    pub(crate) fn new(names: impl Into<QueryNames<'n>>) -> Self {
        Self { names: names.into(), places: Rc::default(), transitions: Rc::default() }
    }

    /// The net's own names.
    pub(crate) fn names(&self) -> QueryNames<'n> {
        self.names
    }

    pub(crate) fn place(&self, name: &str) -> Result<PlaceId, Unbound<'n>> {
        self.bind(NodeKind::Place, name).map(PlaceId::new)
    }

    pub(crate) fn transition(&self, name: &str) -> Result<TransitionId, Unbound<'n>> {
        self.bind(NodeKind::Transition, name).map(TransitionId::new)
    }

    /// All transitions that a name stands for: one, or those that share it as their label.
    pub(crate) fn transitions(&self, name: &str) -> Result<Vec<TransitionId>, Unbound<'n>> {
        match self.bind(NodeKind::Transition, name) {
            Err(Unbound::Ambiguous(..)) => {
                let shares = |&(_, label): &(usize, &str)| label == name;
                let all = labels(&self.names.nodes.transitions).enumerate().filter(shares);
                Ok(all.map(|(at, _)| TransitionId::new(at)).collect())
            }
            bound => bound.map(|at| vec![TransitionId::new(at)]),
        }
    }

    /// The nodes of this kind whose id or label matches a pattern.
    pub(crate) fn matching(&self, kind: NodeKind, pattern: &str) -> Vec<usize> {
        let (names, pattern) = (self.names_of(kind), NamePattern::new(pattern));
        let is_match = |&at: &usize| pattern.matches(names.get(at)) || pattern.matches(names.label(at));
        (0..names.len()).filter(is_match).collect()
    }

    /// Whether some node of this kind has the id or label `name`.
    pub(crate) fn knows(&self, kind: NodeKind, name: &str) -> bool {
        self.names_of(kind).find(name).is_some() || self.labels(kind).contains_key(name)
    }

    /// Names of some nodes of this kind; `shown` formats names as the input's language does.
    pub(crate) fn examples(&self, kind: NodeKind, shown: impl Fn(&str) -> String) -> String {
        let (noun, names) = (kind.noun(), self.names_of(kind));
        // A label is better known than an id, but it must be bound to this node.
        let name = |at| match names.label(at) {
            label if self.bind(kind, label) == Ok(at) => label,
            _ => names.get(at),
        };
        let some: Vec<String> = (0..names.len()).take(EXAMPLES).map(|at| shown(name(at))).collect();
        match names.len().saturating_sub(EXAMPLES) {
            _ if some.is_empty() => format!("the net has no {noun}s"),
            0 => format!("the net's {noun}s are {}", some.join(", ")),
            more => format!("the net's {noun}s are {} and {more} more", some.join(", ")),
        }
    }

    fn bind(&self, kind: NodeKind, name: &str) -> Result<usize, Unbound<'n>> {
        let names = self.names_of(kind);
        if let Some(at) = names.find(name) {
            return Ok(at);
        }
        match self.labels(kind).get(name) {
            Some(&(at, None)) => Ok(at),
            Some(&(at, Some(again))) => Err(Unbound::Ambiguous(names.get(at), names.get(again))),
            None if self.knows(kind.other(), name) => Err(Unbound::OtherKind),
            None => Err(Unbound::Unknown(nearest(name, names.iter().chain(labels(names))))),
        }
    }

    fn names_of(&self, kind: NodeKind) -> &'n Names {
        match kind {
            NodeKind::Place => &self.names.nodes.places,
            NodeKind::Transition => &self.names.nodes.transitions,
        }
    }

    fn labels(&self, kind: NodeKind) -> &Labels<'n> {
        let cell = match kind {
            NodeKind::Place => &self.places,
            NodeKind::Transition => &self.transitions,
        };
        cell.get_or_init(|| {
            let mut index = Labels::new();
            for (at, label) in labels(self.names_of(kind)).enumerate() {
                index.entry(label).and_modify(|(_, again)| *again = again.or(Some(at))).or_insert((at, None));
            }
            index
        })
    }
}

fn labels(names: &Names) -> impl Iterator<Item = &str> {
    (0..names.len()).map(|at| names.label(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Nodes {
        let mut nodes = Nodes::default();
        for (id, label) in [("p1", "idle"), ("p2", "busy"), ("p3", "busy"), ("p4", "p1")] {
            let at = nodes.places.insert(id).unwrap();
            nodes.places.set_label(at, label);
        }
        nodes.transitions.insert("start");
        nodes
    }

    #[test]
    fn ids_come_before_labels() {
        let nodes = nodes();
        let binder = Binder::new(&nodes);
        assert_eq!(binder.place("p1"), Ok(PlaceId::new(0)));
        assert_eq!(binder.place("idle"), Ok(PlaceId::new(0)));
        assert_eq!(binder.transition("start"), Ok(TransitionId::new(0)));
    }

    #[test]
    fn patterns_match_ids_and_labels() {
        let nodes = nodes();
        let binder = Binder::new(&nodes);
        assert_eq!(binder.matching(NodeKind::Place, "p*"), [0, 1, 2, 3]);
        assert_eq!(binder.matching(NodeKind::Place, "b?sy"), [1, 2]);
        assert_eq!(binder.matching(NodeKind::Place, "*t"), [0; 0]);
        assert_eq!(binder.matching(NodeKind::Transition, "*t"), [0]);
    }

    #[test]
    fn a_label_of_several_transitions_is_all_of_them() {
        let mut nodes = nodes();
        for label in ["go", "stop", "go"] {
            let at = nodes.transitions.insert(&format!("t{}", nodes.transitions.len())).unwrap();
            nodes.transitions.set_label(at, label);
        }
        let binder = Binder::new(&nodes);
        assert_eq!(binder.transitions("go"), Ok(vec![TransitionId::new(1), TransitionId::new(3)]));
        assert_eq!(binder.transitions("stop"), Ok(vec![TransitionId::new(2)]));
        assert_eq!(binder.transitions("busy"), Err(Unbound::OtherKind));
    }

    #[test]
    fn unbound_names_have_reasons() {
        let nodes = nodes();
        let binder = Binder::new(&nodes);
        assert_eq!(binder.place("busy"), Err(Unbound::Ambiguous("p2", "p3")));
        assert_eq!(binder.place("start"), Err(Unbound::OtherKind));
        assert_eq!(binder.transition("idle"), Err(Unbound::OtherKind));
        assert_eq!(binder.place("idel"), Err(Unbound::Unknown(Some("idle"))));
        assert_eq!(binder.transition("x"), Err(Unbound::Unknown(None)));
        let shown = |name: &str| format!("<{name}>");
        assert_eq!(
            binder.examples(NodeKind::Place, shown),
            "the net's places are <idle>, <p2>, <p3> and 1 more"
        );
        assert_eq!(binder.examples(NodeKind::Transition, shown), "the net's transitions are <start>");
        let empty = Nodes::default();
        assert_eq!(Binder::new(&empty).examples(NodeKind::Place, shown), "the net has no places");
    }
}

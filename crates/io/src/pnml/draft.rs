//! A net as it is collected: nodes, arcs and terms in the file's order, with nothing looked up yet.

use super::{
    nupn::DraftNupn,
    symbols::{Symbol, Symbols},
    terms::{TermId, Terms},
};
use crate::{Fault, suggest::nearest};

/// Which grammar a net follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Plain tokens.
    Plain,
    /// Colours.
    Coloured,
}

/// What an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Nothing so far; arcs may name it before it comes.
    Unknown,
    /// A place, by its position.
    Place(u32),
    /// A transition, by its position.
    Transition(u32),
    /// A reference to a place or transition elsewhere, by its position.
    Reference(u32),
}

/// A place.
#[derive(Debug)]
pub(super) struct DraftPlace {
    pub(super) id: Symbol,
    pub(super) label: Option<Box<str>>,
    pub(super) offset: u64,
    /// Its initial tokens in a plain marking, where it has one.
    pub(super) tokens: Option<u64>,
    pub(super) sort: Option<TermId>,
    pub(super) marking: Option<TermId>,
}

/// A transition.
#[derive(Debug)]
pub(super) struct DraftTransition {
    pub(super) id: Symbol,
    pub(super) label: Option<Box<str>>,
    pub(super) guard: Option<TermId>,
}

/// A reference place or transition.
#[derive(Debug)]
pub(super) struct DraftReference {
    pub(super) id: Symbol,
    pub(super) to: Symbol,
    pub(super) offset: u64,
    /// Whether it stands for a place.
    pub(super) place: bool,
}

/// An arc; its own id is not kept, since it is found again by its offset.
#[derive(Debug)]
pub(super) struct DraftArc {
    pub(super) source: Symbol,
    pub(super) target: Symbol,
    pub(super) offset: u64,
    pub(super) weight: u64,
    pub(super) term: Option<TermId>,
    pub(super) inhibitor: bool,
}

/// A net with names instead of references.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Node ids, and what each stands for.
    pub(super) ids: Symbols,
    pub(super) nodes: Vec<Node>,
    pub(super) places: Vec<DraftPlace>,
    pub(super) transitions: Vec<DraftTransition>,
    pub(super) references: Vec<DraftReference>,
    pub(super) arcs: Vec<DraftArc>,
    /// The id of the arc that is read, for messages; kept here so that arcs need no memory of their own.
    pub(super) arc: String,
    pub(super) terms: Terms,
    /// The `<structure>`s of the declarations.
    pub(super) declarations: Vec<TermId>,
    pub(super) nupn: Option<DraftNupn>,
}

impl Draft {
    /// An empty net.
    pub(super) fn new(kind: Kind, name: String) -> Self {
        Self {
            kind,
            name,
            ids: Symbols::default(),
            nodes: Vec::new(),
            places: Vec::new(),
            transitions: Vec::new(),
            references: Vec::new(),
            arcs: Vec::new(),
            arc: String::new(),
            terms: Terms::default(),
            declarations: Vec::new(),
            nupn: None,
        }
    }

    /// The symbol of an id that something names.
    pub(super) fn intern(&mut self, id: &str, offset: u64) -> Result<Symbol, Fault> {
        let symbol =
            self.ids.intern(id).ok_or_else(|| Fault::at(offset, "the file has more than 2^32 ids"))?;
        if symbol.index() == self.nodes.len() {
            self.nodes.push(Node::Unknown);
        }
        Ok(symbol)
    }

    /// The symbol of a new node.
    pub(super) fn declare(&mut self, id: &str, node: Node, offset: u64) -> Result<Symbol, Fault> {
        let symbol = self.intern(id, offset)?;
        let known = std::mem::replace(&mut self.nodes[symbol.index()], node);
        if known == Node::Unknown {
            return Ok(symbol);
        }
        let message = format!("the id `{id}` is used twice; it is {} already", article(known));
        Err(Fault::at(offset, message).hint("give every place and transition an id of its own"))
    }

    /// What is wrong with an id that nothing has.
    pub(super) fn unknown(&self, id: Symbol, offset: u64) -> Fault {
        let name = self.ids.get(id);
        let fault = Fault::at(offset, format!("there is no place or transition `{name}`"));
        let known = (0..self.nodes.len())
            .filter(|&at| self.nodes[at] != Node::Unknown)
            .map(|at| self.ids.get(Symbol(at as u32)));
        match nearest(name, known) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault,
        }
    }
}

/// What to call a node of that kind.
pub(super) fn article(node: Node) -> &'static str {
    match node {
        Node::Unknown => "nothing",
        Node::Place(_) => "a place",
        Node::Transition(_) => "a transition",
        Node::Reference(_) => "a reference",
    }
}

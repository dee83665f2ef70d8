//! The draft of a net: nodes, arcs and terms in the order of the file, names unresolved.

use std::{borrow::Cow, collections::HashMap, io::BufRead};

use super::{
    labels::{ArcKind, CountText},
    nupn::DraftNupn,
    presentation::{DraftPresentation, KeptOwner, KeptPart},
    queries::DraftQuery,
    symbols::{Symbol, Symbols},
    terms::{TermId, TermTrees},
    token_classes::CountOwner,
};
use crate::{Fault, suggest::nearest, xml::XmlCursor};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetKind {
    Plain,
    Coloured,
}

/// The node that an id denotes; numbers are positions in the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclaredNode {
    /// Not declared so far; arcs may name a node before its declaration.
    Unknown,
    Place(u32),
    Transition(u32),
    Reference(u32),
}

#[derive(Debug)]
pub(super) struct DraftPlace {
    pub(super) id: Symbol,
    pub(super) label: Option<Box<str>>,
    pub(super) offset: u64,
    /// The number in `<initialMarking>`.
    pub(super) tokens: Option<u64>,
    pub(super) sort: Option<TermId>,
    pub(super) marking: Option<TermId>,
    /// The most tokens that firing may put there.
    pub(super) capacity: Option<u64>,
}

impl DraftPlace {
    pub(super) fn new(id: Symbol, offset: u64) -> Self {
        Self { id, label: None, offset, tokens: None, sort: None, marking: None, capacity: None }
    }
}

#[derive(Debug)]
pub(super) struct DraftTransition {
    pub(super) id: Symbol,
    pub(super) label: Option<Box<str>>,
    pub(super) guard: Option<TermId>,
}

#[derive(Debug)]
pub(super) struct DraftReference {
    pub(super) id: Symbol,
    pub(super) to: Symbol,
    pub(super) offset: u64,
    /// True for a `referencePlace`.
    pub(super) place: bool,
}

/// The arc's own id is not kept, since the offset identifies it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftArc {
    pub(super) source: Symbol,
    pub(super) target: Symbol,
    pub(super) offset: u64,
    pub(super) weight: u64,
    pub(super) term: Option<TermId>,
    pub(super) kind: ArcKind,
}

#[derive(Debug)]
pub(super) struct NetDraft {
    pub(super) kind: NetKind,
    pub(super) name: String,
    /// Ids of nodes; `nodes` has what each denotes.
    pub(super) ids: Symbols,
    pub(super) nodes: Vec<DeclaredNode>,
    pub(super) places: Vec<DraftPlace>,
    pub(super) transitions: Vec<DraftTransition>,
    pub(super) references: Vec<DraftReference>,
    pub(super) arcs: Vec<DraftArc>,
    /// The id of the current arc, for messages; one buffer for all arcs.
    pub(super) arc: String,
    pub(super) terms: TermTrees,
    /// The `<structure>`s of the declarations.
    pub(super) declarations: Vec<TermId>,
    pub(super) nupn: Option<DraftNupn>,
    /// Counts by class, of places and arcs that have them.
    pub(super) classes: HashMap<CountOwner, Vec<(Symbol, u64)>>,
    pub(super) class_names: Symbols,
    /// The priority of all transitions that have one.
    pub(super) priority: Option<String>,
    /// Places with their tokens and offsets in the file.
    pub(super) final_markings: Vec<Vec<(Symbol, u64, u64)>>,
    /// The questions that TAPAAL's file asks of the net.
    pub(super) queries: Vec<DraftQuery>,
    /// The name of the only component, with which names in queries begin.
    pub(super) component: Option<String>,
    /// How the file presents the net, if that is kept.
    pub(super) kept: Option<Box<DraftPresentation>>,
    /// TAPAAL's constants, which counts may name.
    pub(super) constants: HashMap<String, u64>,
    /// Labels that were passed over, and why.
    pub(super) notes: Vec<(String, &'static str)>,
}

impl NetDraft {
    pub(super) fn new(kind: NetKind, name: String) -> Self {
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
            terms: TermTrees::default(),
            declarations: Vec::new(),
            nupn: None,
            classes: HashMap::new(),
            class_names: Symbols::default(),
            priority: None,
            final_markings: Vec::new(),
            queries: Vec::new(),
            component: None,
            kept: None,
            constants: HashMap::new(),
            notes: Vec::new(),
        }
    }

    /// Takes what the cursor has kept of the current element, for this part of it.
    pub(super) fn keep<R: BufRead>(&mut self, part: KeptPart, cursor: &mut XmlCursor<R>) {
        if let Some(kept) = &mut self.kept
            && let Some(pieces) = cursor.take_kept()
        {
            kept.add(part, &pieces);
        }
    }

    /// The part of a node or arc that an element in it is.
    pub(super) fn part(&self, name: &str) -> KeptPart {
        // Without a presentation nothing is compared.
        if self.kept.is_some() { KeptPart::of(name) } else { KeptPart::Nothing }
    }

    /// The current element ends.
    pub(super) fn end_kept(&mut self, owner: KeptOwner) {
        if let Some(kept) = &mut self.kept {
            kept.end(owner, &self.arc);
        }
    }

    /// The count that a text says, as a number or by the name of a constant.
    pub(super) fn count_text(&self, text: &str, what: &str, offset: u64) -> Result<CountText, Fault> {
        CountText::parse(text, what, offset).or_else(|fault| {
            self.constants.get(text.trim()).map(|&value| CountText::Plain(value)).ok_or(fault)
        })
    }

    /// A text in which the names of constants are replaced by their values.
    pub(super) fn with_constants<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.constants.is_empty() {
            return Cow::Borrowed(text);
        }
        let is_inner = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words = text.split_inclusive(|letter| !is_inner(letter)).flat_map(|piece| {
            let end = piece.find(|letter| !is_inner(letter)).unwrap_or(piece.len());
            let (word, rest) = piece.split_at(end);
            [
                self.constants.get(word).map_or(Cow::Borrowed(word), |value| value.to_string().into()),
                rest.into(),
            ]
        });
        Cow::Owned(words.collect())
    }

    /// Notes that a label was passed over; once is enough.
    pub(super) fn note(&mut self, label: &str, why: &'static str) {
        if !self.notes.iter().any(|(known, _)| known == label) {
            self.notes.push((label.to_owned(), why));
        }
    }

    /// The number of tokens in all; their classes are kept.
    pub(super) fn count(&mut self, owner: CountOwner, count: CountText) -> u64 {
        let total = count.total();
        if let CountText::Classes(classes) = count {
            let class = |(name, count): (String, u64)| Some((self.class_names.intern(&name)?, count));
            self.classes.insert(owner, classes.into_iter().filter_map(class).collect());
        }
        total
    }

    /// The symbol of an id that is used but need not be declared yet.
    pub(super) fn intern(&mut self, id: &str, offset: u64) -> Result<Symbol, Fault> {
        let symbol =
            self.ids.intern(id).ok_or_else(|| Fault::at(offset, "the file has more than 2^32 ids"))?;
        if symbol.index() == self.nodes.len() {
            self.nodes.push(DeclaredNode::Unknown);
        }
        Ok(symbol)
    }

    /// Declares a node; its id must be new.
    pub(super) fn declare(&mut self, id: &str, node: DeclaredNode, offset: u64) -> Result<Symbol, Fault> {
        let symbol = self.intern(id, offset)?;
        let known = std::mem::replace(&mut self.nodes[symbol.index()], node);
        if known == DeclaredNode::Unknown {
            return Ok(symbol);
        }
        let message = format!("the id `{id}` is used twice; it denotes {} already", article(known));
        Err(Fault::at(offset, message).hint("every place and transition needs a unique id"))
    }

    /// The fault of an id without a node.
    pub(super) fn unknown(&self, id: Symbol, offset: u64) -> Fault {
        let name = self.ids.get(id);
        let fault = Fault::at(offset, format!("no place or transition has the id `{name}`"));
        let known = (0..self.nodes.len())
            .filter(|&at| self.nodes[at] != DeclaredNode::Unknown)
            .map(|at| self.ids.get(Symbol(at as u32)));
        match nearest(name, known) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault,
        }
    }
}

/// A noun for messages.
pub(super) fn article(node: DeclaredNode) -> &'static str {
    match node {
        DeclaredNode::Unknown => "nothing",
        DeclaredNode::Place(_) => "a place",
        DeclaredNode::Transition(_) => "a transition",
        DeclaredNode::Reference(_) => "a reference",
    }
}

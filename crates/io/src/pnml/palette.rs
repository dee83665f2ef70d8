//! What colour terms refer to: sorts, constants, variables, and which sorts are the same.

use fireset_net::{
    SortId, VariableId,
    coloured::{Bag, Colour, ColouredNetBuilder, SortKind},
};
use hashbrown::{HashMap, HashSet};

use super::{
    symbols::Symbol,
    terms::{TermId, Terms},
};
use crate::{Fault, suggest::nearest};

/// Sorts nest at most so deep, so that walking through them needs no care elsewhere.
pub(super) const MAX_SORT_DEPTH: usize = 64;

/// A tuple has at most so many components, counted through nested tuples.
const MAX_COMPONENTS: usize = 4_096;

/// The multisets of a net hold at most so many colours together: a short file cannot ask for more memory.
const MAX_COLOURS: u64 = 1 << 24;

/// How far a declared sort is.
#[derive(Clone, Copy)]
pub(super) enum Declared {
    /// Seen, not looked at.
    Waiting(TermId),
    /// Being looked at; who needs it now needs itself.
    Open,
    /// Known.
    Done(SortId),
}

/// What a constant's name stands for.
#[derive(Clone, Copy)]
pub(super) enum Operator {
    /// A colour of an enumeration.
    Constant(SortId, Colour),
    /// A block: a colour of the partition, and a multiset of colours of what is partitioned.
    Block(SortId, Colour),
}

/// What makes two sorts the same although each has a name of its own.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Dot,
    Bool,
    Range(i64, i64),
    Product(Vec<SortId>),
}

/// What is known about a sort besides its declaration.
struct Facts {
    /// The first sort that is the same.
    class: SortId,
    components: usize,
    depth: usize,
}

/// All declarations of a net.
pub(super) struct Palette<'d> {
    pub(super) terms: &'d Terms,
    pub(super) builder: ColouredNetBuilder,
    pub(super) sorts: HashMap<Symbol, Declared>,
    pub(super) operators: HashMap<Symbol, Operator>,
    pub(super) variables: HashMap<Symbol, VariableId>,
    pub(super) blocks: HashMap<(SortId, Colour), Bag>,
    facts: Vec<Facts>,
    shapes: HashMap<Shape, SortId>,
    /// The names of sorts, then those of variables.
    names: [HashSet<String>; 2],
    spent: u64,
}

impl<'d> Palette<'d> {
    /// Without declarations.
    pub(super) fn new(terms: &'d Terms, name: &str) -> Self {
        Self {
            terms,
            builder: ColouredNetBuilder::new(name),
            sorts: HashMap::new(),
            operators: HashMap::new(),
            variables: HashMap::new(),
            blocks: HashMap::new(),
            facts: Vec::new(),
            shapes: HashMap::new(),
            names: Default::default(),
            spent: 0,
        }
    }

    /// Adds a sort under the first of these names that is free.
    pub(super) fn add_sort(&mut self, names: [&str; 2], kind: SortKind, at: u64) -> Result<SortId, Fault> {
        let name = free_name(&mut self.names[0], names);
        let shape = self.shape(&kind);
        let (components, depth) = self.extent(&kind);
        if depth > MAX_SORT_DEPTH {
            return Err(too_deep(at));
        }
        if components > MAX_COMPONENTS {
            let message = format!("the sort `{name}` has more than {MAX_COMPONENTS} components");
            return Err(Fault::at(at, message));
        }
        let added = self.builder.sorts.add(name, kind);
        let sort = added.map_err(|error| Fault::at(at, error.to_string()))?;
        let class = shape.map_or(sort, |shape| *self.shapes.entry(shape).or_insert(sort));
        self.facts.push(Facts { class, components, depth });
        Ok(sort)
    }

    /// The sort of that kind without a name of its own: the first that is the same, or a new one.
    pub(super) fn unnamed_sort(&mut self, kind: SortKind, at: u64) -> Result<SortId, Fault> {
        if let Some(&sort) = self.shape(&kind).and_then(|shape| self.shapes.get(&shape)) {
            return Ok(sort);
        }
        let name = match &kind {
            SortKind::Dot => "dot".to_owned(),
            SortKind::Bool => "bool".to_owned(),
            SortKind::IntRange { start, end } => format!("{start}..{end}"),
            _ => format!("sort{}", self.facts.len()),
        };
        self.add_sort([&name, &name], kind, at)
    }

    /// The sort of plain tokens.
    pub(super) fn dot(&mut self, at: u64) -> Result<SortId, Fault> {
        self.unnamed_sort(SortKind::Dot, at)
    }

    /// The product sort of these sorts, if there is one.
    pub(super) fn product(&self, parts: &[SortId]) -> Option<SortId> {
        let classes = parts.iter().map(|&part| self.class(part)).collect();
        self.shapes.get(&Shape::Product(classes)).copied()
    }

    /// Whether two sorts have the same colours.
    pub(super) fn same(&self, one: SortId, other: SortId) -> bool {
        self.class(one) == self.class(other)
    }

    fn class(&self, sort: SortId) -> SortId {
        self.facts[sort.index()].class
    }

    fn shape(&self, kind: &SortKind) -> Option<Shape> {
        match kind {
            SortKind::Dot => Some(Shape::Dot),
            SortKind::Bool => Some(Shape::Bool),
            SortKind::IntRange { start, end } => Some(Shape::Range(*start, *end)),
            SortKind::Product(parts) => {
                Some(Shape::Product(parts.iter().map(|&part| self.class(part)).collect()))
            }
            // Each enumeration and each partition has colours of its own.
            SortKind::Enumeration { .. } | SortKind::Partition { .. } => None,
        }
    }

    /// How many components and levels a sort has.
    fn extent(&self, kind: &SortKind) -> (usize, usize) {
        let facts = |part: &SortId| &self.facts[part.index()];
        match kind {
            SortKind::Product(parts) => {
                let components = parts.iter().map(|part| facts(part).components).sum();
                (components, 1 + parts.iter().map(|part| facts(part).depth).max().unwrap_or(0))
            }
            SortKind::Partition { base, .. } => (1, 1 + facts(base).depth),
            _ => (1, 1),
        }
    }

    /// A sort's name, for messages.
    pub(super) fn sort_name(&self, sort: SortId) -> &str {
        &self.builder.sorts[sort].name
    }

    /// What a sort is made of.
    pub(super) fn kind(&self, sort: SortId) -> &SortKind {
        &self.builder.sorts[sort].kind
    }

    /// Adds a variable under the first of these names that is free.
    pub(super) fn add_variable(&mut self, names: [&str; 2], sort: SortId) -> VariableId {
        let name = free_name(&mut self.names[1], names);
        self.builder.variable(name, sort)
    }

    /// Counts the colours of a multiset that is to be built.
    pub(super) fn spend(&mut self, colours: u64, at: u64) -> Result<(), Fault> {
        self.spent = self.spent.saturating_add(colours);
        if self.spent <= MAX_COLOURS {
            return Ok(());
        }
        let message = format!("the multisets of the net hold more than {MAX_COLOURS} colours together");
        Err(Fault::at(at, message))
    }

    /// What is wrong with a name that is not declared.
    pub(super) fn undeclared(&self, what: &str, at: TermId, known: impl Iterator<Item = Symbol>) -> Fault {
        let name = self.terms.value(at);
        let fault = self.terms.fault(at, format!("the {what} `{name}` is not declared"));
        match nearest(name, known.map(|key| self.terms.text(key))) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault,
        }
    }
}

/// The first of two names that is neither empty nor taken, or one made of the second; takes it.
fn free_name(taken: &mut HashSet<String>, [first, second]: [&str; 2]) -> String {
    let mut name = if first.is_empty() { second } else { first }.to_owned();
    if taken.contains(&name) {
        name = second.to_owned();
    }
    let mut number = 2;
    while taken.contains(&name) {
        name = format!("{second}_{number}");
        number += 1;
    }
    taken.insert(name.clone());
    name
}

/// What is wrong with sorts in sorts in sorts.
pub(super) fn too_deep(at: u64) -> Fault {
    Fault::at(at, format!("sorts nest more than {MAX_SORT_DEPTH} levels deep"))
}

//! The sort table: the declarations that colour terms refer to, and which sorts are equal.

use fireset_net::{
    SortId, VariableId,
    coloured::{Bag, Colour, ColouredNetBuilder, SortKind},
};
use hashbrown::{HashMap, HashSet};

use super::{
    symbols::Symbol,
    terms::{TermId, TermTrees},
};
use crate::{Fault, suggest::nearest};

/// The largest nesting depth of sorts, so that recursion over sorts is bounded everywhere.
pub(super) const MAX_SORT_DEPTH: usize = 64;

/// The largest number of components of a tuple, counted through nested tuples.
const MAX_COMPONENTS: usize = 4_096;

/// The largest total number of colours in the multisets of a net, so that a short file cannot fill the memory.
const MAX_COLOURS: u64 = 1 << 24;

/// The state of a sort declaration.
#[derive(Clone, Copy)]
pub(super) enum Declared {
    /// A term that is not bound to a colour yet.
    Waiting(TermId),
    /// Being bound; a sort that refers to it contains itself.
    Open,
    Done(SortId),
}

#[derive(Clone, Copy)]
pub(super) enum NamedConstant {
    Constant(SortId, Colour),
    /// A block: a colour of the partition, and a multiset over the partitioned sort.
    Block(SortId, Colour),
}

/// The structure of a sort; sorts of one shape are equal although their names differ.
#[derive(PartialEq, Eq, Hash)]
enum SortShape {
    Dot,
    Bool,
    Range(i64, i64),
    Product(Vec<SortId>),
}

struct SortFacts {
    /// The first equal sort.
    class: SortId,
    components: usize,
    depth: usize,
}

pub(super) struct SortTable<'d> {
    pub(super) terms: &'d TermTrees,
    pub(super) builder: ColouredNetBuilder,
    pub(super) sorts: HashMap<Symbol, Declared>,
    pub(super) operators: HashMap<Symbol, NamedConstant>,
    pub(super) variables: HashMap<Symbol, VariableId>,
    pub(super) blocks: HashMap<(SortId, Colour), Bag>,
    facts: Vec<SortFacts>,
    shapes: HashMap<SortShape, SortId>,
    /// The names of sorts, then those of variables.
    names: [HashSet<String>; 2],
    spent: u64,
}

impl<'d> SortTable<'d> {
    pub(super) fn new(terms: &'d TermTrees, name: &str) -> Self {
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

    /// Adds a sort under the first unused name of `names`.
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
        self.facts.push(SortFacts { class, components, depth });
        Ok(sort)
    }

    /// The first sort of this kind; adds one if there is none.
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

    /// The product sort of these sorts, if it is declared.
    pub(super) fn product(&self, parts: &[SortId]) -> Option<SortId> {
        let classes = parts.iter().map(|&part| self.class(part)).collect();
        self.shapes.get(&SortShape::Product(classes)).copied()
    }

    /// Whether two sorts have the same colours.
    pub(super) fn same(&self, one: SortId, other: SortId) -> bool {
        self.class(one) == self.class(other)
    }

    fn class(&self, sort: SortId) -> SortId {
        self.facts[sort.index()].class
    }

    fn shape(&self, kind: &SortKind) -> Option<SortShape> {
        match kind {
            SortKind::Dot => Some(SortShape::Dot),
            SortKind::Bool => Some(SortShape::Bool),
            SortKind::IntRange { start, end } => Some(SortShape::Range(*start, *end)),
            SortKind::Product(parts) => {
                Some(SortShape::Product(parts.iter().map(|&part| self.class(part)).collect()))
            }
            // Each enumeration and each partition has colours of its own.
            SortKind::Enumeration { .. } | SortKind::Partition { .. } => None,
        }
    }

    /// The number of components and the depth of a sort.
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

    pub(super) fn kind(&self, sort: SortId) -> &SortKind {
        &self.builder.sorts[sort].kind
    }

    /// Adds a variable under the first unused name of `names`.
    pub(super) fn add_variable(&mut self, names: [&str; 2], sort: SortId) -> VariableId {
        let name = free_name(&mut self.names[1], names);
        self.builder.variable(name, sort)
    }

    /// Counts the colours of a multiset against [`MAX_COLOURS`].
    pub(super) fn spend(&mut self, colours: u64, at: u64) -> Result<(), Fault> {
        self.spent = self.spent.saturating_add(colours);
        if self.spent <= MAX_COLOURS {
            return Ok(());
        }
        let message = format!("the multisets of the net have more than {MAX_COLOURS} colours in total");
        Err(Fault::at(at, message))
    }

    /// The fault of an undeclared name.
    pub(super) fn undeclared(&self, what: &str, at: TermId, known: impl Iterator<Item = Symbol>) -> Fault {
        let name = self.terms.value(at);
        let fault = self.terms.fault(at, format!("the {what} `{name}` is not declared"));
        // The tables have no order, but the same file should always get the same hint.
        let mut known: Vec<&str> = known.map(|key| self.terms.text(key)).collect();
        known.sort_unstable();
        match nearest(name, known.into_iter()) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault,
        }
    }
}

/// Reserves the first name that is neither empty nor used, or a variant of the second.
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

pub(super) fn too_deep(at: u64) -> Fault {
    Fault::at(at, format!("sorts nest more than {MAX_SORT_DEPTH} levels deep"))
}

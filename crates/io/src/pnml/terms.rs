//! The terms of a file, unbound: declarations, sorts and colour terms as trees in one array, read without recursion.

use std::{io::BufRead, num::NonZeroU32};

use super::symbols::{Symbol, Symbols};
use crate::{
    Fault,
    xml::{Tag, XmlCursor},
};

/// Declares the elements of terms, each with its relevant attributes.
macro_rules! operators {
    ($($name:literal $(| $other:literal)* => $op:ident [$($attribute:literal),*];)*) => {
        /// The kind of an element in a `<structure>`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum TermOp {
            /// `<structure>` itself.
            Structure,
            $($op,)*
        }

        impl TermOp {
            /// The operator of an element, and its at most two relevant attributes.
            fn find(name: &str) -> Option<(Self, &'static [&'static str])> {
                Some(match name {
                    $($name $(| $other)* => (Self::$op, &[$($attribute),*]),)*
                    _ => return None,
                })
            }

            pub(super) fn name(self) -> &'static str {
                match self {
                    Self::Structure => "structure",
                    $(Self::$op => $name,)*
                }
            }
        }
    };
}

operators! {
    "namedsort" => NamedSort ["id", "name"];
    "variabledecl" => VariableDecl ["id", "name"];
    "partition" => Partition ["id", "name"];
    "partitionelement" => PartitionElement ["id", "name"];
    "feconstant" => FeConstant ["id", "name"];
    "namedoperator" => NamedOperator ["id", "name"];
    "arbitrarysort" => ArbitrarySort ["id", "name"];
    "usersort" => UserSort ["declaration"];
    "dot" => Dot [];
    "bool" => Bool [];
    "finiteenumeration" => FiniteEnumeration [];
    "cyclicenumeration" => CyclicEnumeration [];
    "finiteintrange" => FiniteIntRange ["start", "end"];
    "productsort" => ProductSort [];
    "multisetsort" => MultisetSort [];
    "positive" => Positive [];
    "natural" => Natural [];
    "integer" => Integer [];
    "numberof" => NumberOf [];
    "scalarproduct" => ScalarProduct [];
    "add" => Add [];
    "subtract" => Subtract [];
    "all" => All [];
    "empty" => Empty [];
    "tuple" => Tuple [];
    "variable" => Variable ["refvariable"];
    "useroperator" => UserOperator ["declaration"];
    "successor" => Successor [];
    "predecessor" => Predecessor [];
    "numberconstant" => NumberConstant ["value"];
    "finiteintrangeconstant" => FiniteIntRangeConstant ["value"];
    "booleanconstant" => BooleanConstant ["value"];
    "dotconstant" => DotConstant [];
    "partitionelementof" | "partitionElementOf" => PartitionElementOf ["refpartition"];
    "and" => And [];
    "or" => Or [];
    "not" => Not [];
    "imply" | "implies" => Imply [];
    "equality" => Equality [];
    "inequality" => Inequality [];
    "lessthan" | "ltp" | "lt" => LessThan [];
    "lessthanorequal" | "leq" => LessThanOrEqual [];
    "greaterthan" | "gtp" | "gt" => GreaterThan [];
    "greaterthanorequal" | "geq" => GreaterThanOrEqual [];
}

/// The position of a term in [`TermTrees`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TermId(NonZeroU32);

impl TermId {
    /// Ids count from one, so that `Option<TermId>` needs four bytes.
    fn at(index: usize) -> Option<Self> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(Self)
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// One element with its attributes; its children are a linked list.
#[derive(Clone, Copy, Debug)]
struct TermNode {
    op: TermOp,
    values: [Option<Symbol>; 2],
    offset: u64,
    first: Option<TermId>,
    last: Option<TermId>,
    next: Option<TermId>,
}

#[derive(Debug, Default)]
pub(super) struct TermTrees {
    terms: Vec<TermNode>,
    symbols: Symbols,
}

impl TermTrees {
    /// Reads the rest of a `<structure>` element.
    pub(super) fn read<R: BufRead>(
        &mut self,
        cursor: &mut XmlCursor<R>,
        offset: u64,
    ) -> Result<TermId, Fault> {
        let root = self.push(TermOp::Structure, [None; 2], offset, None)?;
        // For each open element, the term that receives its children.
        let mut open = vec![root];
        while let Some(&parent) = open.last() {
            // Some files have stray characters here; terms are never text.
            let Some(tag) = cursor.child_amid_text()? else {
                open.pop();
                continue;
            };
            match tag.name() {
                // These elements have no meaning of their own.
                "subterm" | "declarations" => open.push(parent),
                "toolspecific" | "graphics" | "text" => cursor.skip()?,
                _ => {
                    let (op, values) = self.element(&tag)?;
                    let offset = tag.offset;
                    open.push(self.push(op, values, offset, Some(parent))?);
                }
            }
        }
        Ok(root)
    }

    fn element(&mut self, tag: &Tag) -> Result<(TermOp, [Option<Symbol>; 2]), Fault> {
        let (op, wanted) = TermOp::find(tag.name()).ok_or_else(|| {
            Fault::at(tag.offset, format!("unknown element `<{}>` in a colour term", tag.name()))
                .hint("only the constructs of symmetric nets are supported")
        })?;
        let mut values = [None; 2];
        if !wanted.is_empty() {
            let found = tag.attributes([wanted[0], wanted.get(1).copied().unwrap_or(wanted[0])])?;
            for (at, (value, &name)) in found.into_iter().zip(wanted).enumerate() {
                values[at] = match value {
                    Some(value) => Some(self.symbols.intern(&value).ok_or_else(|| too_many(tag.offset))?),
                    // Only display names are optional.
                    None if name == "name" => None,
                    None => return Err(tag.lacks(name)),
                };
            }
        }
        Ok((op, values))
    }

    fn push(
        &mut self,
        op: TermOp,
        values: [Option<Symbol>; 2],
        offset: u64,
        parent: Option<TermId>,
    ) -> Result<TermId, Fault> {
        let at = TermId::at(self.terms.len()).ok_or_else(|| too_many(offset))?;
        self.terms.push(TermNode { op, values, offset, first: None, last: None, next: None });
        if let Some(parent) = parent {
            match self.terms[parent.index()].last.replace(at) {
                None => self.terms[parent.index()].first = Some(at),
                Some(last) => self.terms[last.index()].next = Some(at),
            }
        }
        Ok(at)
    }

    fn get(&self, term: TermId) -> &TermNode {
        &self.terms[term.index()]
    }

    pub(super) fn op(&self, term: TermId) -> TermOp {
        self.get(term).op
    }

    /// The offset of a term in the file.
    pub(super) fn offset(&self, term: TermId) -> u64 {
        self.get(term).offset
    }

    /// The first attribute: an id, a reference or a value; empty if missing.
    pub(super) fn value(&self, term: TermId) -> &str {
        self.get(term).values[0].map_or("", |symbol| self.symbols.get(symbol))
    }

    /// The second attribute: a name or the end of a range; empty if missing.
    pub(super) fn second(&self, term: TermId) -> &str {
        self.get(term).values[1].map_or("", |symbol| self.symbols.get(symbol))
    }

    /// The first attribute as a symbol.
    pub(super) fn key(&self, term: TermId) -> Option<Symbol> {
        self.get(term).values[0]
    }

    pub(super) fn text(&self, key: Symbol) -> &str {
        self.symbols.get(key)
    }

    pub(super) fn children(&self, term: TermId) -> impl Iterator<Item = TermId> + Clone {
        std::iter::successors(self.get(term).first, |&child| self.get(child).next)
    }

    /// The only child of a term.
    pub(super) fn only(&self, term: TermId) -> Result<TermId, Fault> {
        let mut children = self.children(term);
        match (children.next(), children.next()) {
            (Some(child), None) => Ok(child),
            (None, _) => Err(self.fault(term, format!("`<{}>` is empty", self.op(term).name()))),
            (_, Some(_)) => {
                Err(self.fault(term, format!("`<{}>` has more than one term", self.op(term).name())))
            }
        }
    }

    /// The two children of a term.
    pub(super) fn both(&self, term: TermId) -> Result<(TermId, TermId), Fault> {
        let mut children = self.children(term);
        match (children.next(), children.next(), children.next()) {
            (Some(first), Some(second), None) => Ok((first, second)),
            _ => Err(self.fault(term, format!("`<{}>` takes two terms", self.op(term).name()))),
        }
    }

    pub(super) fn fault(&self, term: TermId, message: impl Into<String>) -> Fault {
        Fault::at(self.offset(term), message)
    }
}

fn too_many(offset: u64) -> Fault {
    Fault::at(offset, "the file has more than 2^32 elements of a kind")
}

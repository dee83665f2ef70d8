//! Declarations, sorts and colour terms as the file has them: trees in one array, read without recursion.

use std::{io::BufRead, num::NonZeroU32};

use super::symbols::{Symbol, Symbols};
use crate::{
    Fault,
    xml::{Cursor, Tag},
};

/// Declares the elements that trees are made of, with the attributes of each that matter.
macro_rules! operators {
    ($($name:literal $(| $other:literal)* => $op:ident [$($attribute:literal),*];)*) => {
        /// The kind of an element in a `<structure>`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Op {
            /// `<structure>` itself.
            Structure,
            $($op,)*
        }

        impl Op {
            /// The kind with that element name, and the attributes to keep: at most two.
            fn find(name: &str) -> Option<(Self, &'static [&'static str])> {
                Some(match name {
                    $($name $(| $other)* => (Self::$op, &[$($attribute),*]),)*
                    _ => return None,
                })
            }

            /// The name of its element.
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

/// Where a term stands in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TermId(NonZeroU32);

impl TermId {
    /// The id of the term at a position. Counting from one makes room for "no term" in the same four bytes.
    fn at(index: usize) -> Option<Self> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(Self)
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// One element: its kind, its first attributes, and its children as a chain.
#[derive(Clone, Copy, Debug)]
struct Term {
    op: Op,
    values: [Option<Symbol>; 2],
    offset: u64,
    first: Option<TermId>,
    last: Option<TermId>,
    next: Option<TermId>,
}

/// All trees of a file.
#[derive(Debug, Default)]
pub(super) struct Terms {
    terms: Vec<Term>,
    symbols: Symbols,
}

impl Terms {
    /// Reads the rest of a `<structure>` element.
    pub(super) fn read<R: BufRead>(&mut self, cursor: &mut Cursor<R>, offset: u64) -> Result<TermId, Fault> {
        let root = self.push(Op::Structure, [None; 2], offset, None)?;
        // The term into which children go, for each open element.
        let mut open = vec![root];
        while let Some(&parent) = open.last() {
            // Some files have stray characters there; no term is written as text.
            let Some(tag) = cursor.child_amid_text()? else {
                open.pop();
                continue;
            };
            match tag.name() {
                // They say nothing of their own.
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

    /// The kind and the attributes of an element.
    fn element(&mut self, tag: &Tag) -> Result<(Op, [Option<Symbol>; 2]), Fault> {
        let (op, wanted) = Op::find(tag.name()).ok_or_else(|| {
            Fault::at(tag.offset, format!("`<{}>` is not known in colour terms", tag.name()))
                .hint("only the constructs of symmetric nets are supported")
        })?;
        let mut values = [None; 2];
        if !wanted.is_empty() {
            let found = tag.attributes([wanted[0], wanted.get(1).copied().unwrap_or(wanted[0])])?;
            for (at, (value, &name)) in found.into_iter().zip(wanted).enumerate() {
                values[at] = match value {
                    Some(value) => Some(self.symbols.intern(&value).ok_or_else(|| too_many(tag.offset))?),
                    // Only names for people may be missing.
                    None if name == "name" => None,
                    None => return Err(tag.lacks(name)),
                };
            }
        }
        Ok((op, values))
    }

    fn push(
        &mut self,
        op: Op,
        values: [Option<Symbol>; 2],
        offset: u64,
        parent: Option<TermId>,
    ) -> Result<TermId, Fault> {
        let at = TermId::at(self.terms.len()).ok_or_else(|| too_many(offset))?;
        self.terms.push(Term { op, values, offset, first: None, last: None, next: None });
        if let Some(parent) = parent {
            match self.terms[parent.index()].last.replace(at) {
                None => self.terms[parent.index()].first = Some(at),
                Some(last) => self.terms[last.index()].next = Some(at),
            }
        }
        Ok(at)
    }

    fn get(&self, term: TermId) -> &Term {
        &self.terms[term.index()]
    }

    /// The kind of a term.
    pub(super) fn op(&self, term: TermId) -> Op {
        self.get(term).op
    }

    /// Where a term starts in the file.
    pub(super) fn offset(&self, term: TermId) -> u64 {
        self.get(term).offset
    }

    /// The first attribute of a term that has one: an id, a reference, a value.
    pub(super) fn value(&self, term: TermId) -> &str {
        self.get(term).values[0].map_or("", |symbol| self.symbols.get(symbol))
    }

    /// The second attribute of a term: a name, the end of a range.
    pub(super) fn second(&self, term: TermId) -> &str {
        self.get(term).values[1].map_or("", |symbol| self.symbols.get(symbol))
    }

    /// The first attribute as a key, which is the same for the same text.
    pub(super) fn key(&self, term: TermId) -> Option<Symbol> {
        self.get(term).values[0]
    }

    /// The text of a key.
    pub(super) fn text(&self, key: Symbol) -> &str {
        self.symbols.get(key)
    }

    /// The terms directly below a term.
    pub(super) fn children(&self, term: TermId) -> impl Iterator<Item = TermId> + Clone {
        std::iter::successors(self.get(term).first, |&child| self.get(child).next)
    }

    /// The only term below a term.
    pub(super) fn only(&self, term: TermId) -> Result<TermId, Fault> {
        let mut children = self.children(term);
        match (children.next(), children.next()) {
            (Some(child), None) => Ok(child),
            (None, _) => Err(self.fault(term, format!("`<{}>` is empty", self.op(term).name()))),
            (_, Some(_)) => {
                Err(self.fault(term, format!("`<{}>` holds more than one term", self.op(term).name())))
            }
        }
    }

    /// The two terms below a term.
    pub(super) fn both(&self, term: TermId) -> Result<(TermId, TermId), Fault> {
        let mut children = self.children(term);
        match (children.next(), children.next(), children.next()) {
            (Some(first), Some(second), None) => Ok((first, second)),
            _ => Err(self.fault(term, format!("`<{}>` takes two terms", self.op(term).name()))),
        }
    }

    /// A fault at a term.
    pub(super) fn fault(&self, term: TermId, message: impl Into<String>) -> Fault {
        Fault::at(self.offset(term), message)
    }
}

fn too_many(offset: u64) -> Fault {
    Fault::at(offset, "the file has more than 2^32 elements of a kind")
}

//! Declarations of sorts with their constants, partitions and variables. A declaration may refer to later ones.

use fireset_net::{
    SortId,
    coloured::{Bag, Colour, ColourTerm, SortKind},
};
use hashbrown::HashSet;

use super::{
    sort_table::{Declared, MAX_SORT_DEPTH, NamedConstant, SortTable, too_deep},
    terms::{TermId, TermOp},
};
use crate::Fault;

impl SortTable<'_> {
    /// Declares everything below these terms.
    pub(super) fn declare(&mut self, structures: &[TermId]) -> Result<(), Fault> {
        let all: Vec<TermId> =
            structures.iter().flat_map(|&structure| self.terms.children(structure)).collect();
        for &term in &all {
            match self.terms.op(term) {
                TermOp::NamedSort | TermOp::Partition => {
                    let Some(key) = self.terms.key(term) else { continue };
                    if self.sorts.insert(key, Declared::Waiting(term)).is_some() {
                        return Err(self.twice("sort", term));
                    }
                }
                TermOp::VariableDecl => {}
                other => {
                    let message = format!("declarations with `<{}>` are not supported", other.name());
                    return Err(self
                        .terms
                        .fault(term, message)
                        .hint("symmetric nets declare sorts, partitions and variables"));
                }
            }
        }
        for &term in all.iter().filter(|&&term| self.terms.op(term) != TermOp::VariableDecl) {
            self.declared_sort(term, 0)?;
        }
        for &term in all.iter().filter(|&&term| self.terms.op(term) == TermOp::VariableDecl) {
            self.variable(term)?;
        }
        Ok(())
    }

    fn twice(&self, what: &str, term: TermId) -> Fault {
        self.terms.fault(term, format!("the {what} `{}` is declared twice", self.terms.value(term)))
    }

    fn variable(&mut self, term: TermId) -> Result<(), Fault> {
        let body = self.terms.only(term)?;
        let sort = self.sort(body, 0)?;
        let Some(key) = self.terms.key(term) else { return Ok(()) };
        let variable = self.add_variable([self.terms.second(term), self.terms.value(term)], sort);
        match self.variables.insert(key, variable) {
            None => Ok(()),
            Some(_) => Err(self.twice("variable", term)),
        }
    }

    /// The sort that a term such as `<usersort>` or `<dot>` denotes.
    pub(super) fn sort(&mut self, term: TermId, depth: usize) -> Result<SortId, Fault> {
        if depth > MAX_SORT_DEPTH {
            return Err(too_deep(self.terms.offset(term)));
        }
        if self.terms.op(term) != TermOp::UserSort {
            let kind = self.sort_kind(term, depth)?;
            return self.unnamed_sort(kind, self.terms.offset(term));
        }
        let declared = self.terms.key(term).and_then(|key| self.sorts.get(&key).copied());
        match (declared, self.terms.value(term)) {
            (Some(Declared::Done(sort)), _) => Ok(sort),
            (Some(Declared::Waiting(declaration)), _) => self.declared_sort(declaration, depth + 1),
            (Some(Declared::Open), name) => {
                Err(self.terms.fault(term, format!("the sort `{name}` contains itself")))
            }
            (None, "dot") => self.dot(self.terms.offset(term)),
            (None, "bool") => self.unnamed_sort(SortKind::Bool, self.terms.offset(term)),
            (None, _) => Err(self.undeclared("sort", term, self.sorts.keys().copied())),
        }
    }

    /// The sort of a declaration; bound now unless it is already.
    fn declared_sort(&mut self, term: TermId, depth: usize) -> Result<SortId, Fault> {
        let Some(key) = self.terms.key(term) else { return Err(self.terms.fault(term, "a sort has no id")) };
        if let Some(Declared::Done(sort)) = self.sorts.get(&key) {
            return Ok(*sort);
        }
        self.sorts.insert(key, Declared::Open);
        let names = [self.terms.second(term), self.terms.value(term)];
        let sort = if self.terms.op(term) == TermOp::Partition {
            self.partition(term, names, depth)?
        } else {
            let body = self.terms.only(term)?;
            match self.terms.op(body) {
                TermOp::UserSort => self.sort(body, depth + 1)?,
                TermOp::FiniteEnumeration | TermOp::CyclicEnumeration => self.enumeration(body, names)?,
                _ => {
                    let kind = self.sort_kind(body, depth)?;
                    self.add_sort(names, kind, self.terms.offset(term))?
                }
            }
        };
        self.sorts.insert(key, Declared::Done(sort));
        Ok(sort)
    }

    /// The kind of a sort without a declaration.
    fn sort_kind(&mut self, term: TermId, depth: usize) -> Result<SortKind, Fault> {
        let terms = self.terms;
        match terms.op(term) {
            TermOp::Dot => Ok(SortKind::Dot),
            TermOp::Bool => Ok(SortKind::Bool),
            TermOp::FiniteIntRange => {
                let (start, end) = self.range(term)?;
                Ok(SortKind::IntRange { start, end })
            }
            TermOp::ProductSort => {
                let parts: Result<Vec<_>, _> =
                    terms.children(term).map(|part| self.sort(part, depth + 1)).collect();
                let parts = parts?;
                if parts.is_empty() {
                    return Err(terms.fault(term, "a product sort needs at least one component"));
                }
                Ok(SortKind::Product(parts))
            }
            TermOp::FiniteEnumeration | TermOp::CyclicEnumeration => Err(terms
                .fault(term, "enumerations are allowed in declarations only")
                .hint("declare a `namedsort` and refer to it with `usersort`")),
            other => Err(terms.fault(term, format!("the sort `<{}>` is not supported here", other.name()))),
        }
    }

    /// The first and last integer of a range.
    pub(super) fn range(&self, term: TermId) -> Result<(i64, i64), Fault> {
        let parse = |text: &str| {
            text.trim().parse::<i64>().map_err(|_| {
                self.terms.fault(term, format!("`{text}` is not an integer that fits into 64 bits"))
            })
        };
        Ok((parse(self.terms.value(term))?, parse(self.terms.second(term))?))
    }

    fn enumeration(&mut self, term: TermId, names: [&str; 2]) -> Result<SortId, Fault> {
        let terms = self.terms;
        let cyclic = terms.op(term) == TermOp::CyclicEnumeration;
        let elements: Vec<TermId> = terms.children(term).collect();
        if let Some(&other) = elements.iter().find(|&&element| terms.op(element) != TermOp::FeConstant) {
            return Err(terms.fault(other, "an enumeration consists of `<feconstant>`s"));
        }
        let constants = self.element_names(&elements);
        let sort = self.add_sort(names, SortKind::Enumeration { constants, cyclic }, terms.offset(term))?;
        for (&element, colour) in elements.iter().zip(0..) {
            self.operator(element, NamedConstant::Constant(sort, Colour(colour)))?;
        }
        Ok(sort)
    }

    /// The displayed names of elements: their names, or their ids if the names are not unique.
    fn element_names(&self, elements: &[TermId]) -> Vec<String> {
        let name = |&element: &TermId| match self.terms.second(element) {
            "" => self.terms.value(element),
            name => name,
        };
        let mut seen = HashSet::new();
        if elements.iter().map(name).all(|name| seen.insert(name)) {
            elements.iter().map(|element| name(element).to_owned()).collect()
        } else {
            elements.iter().map(|&element| self.terms.value(element).to_owned()).collect()
        }
    }

    fn operator(&mut self, term: TermId, operator: NamedConstant) -> Result<(), Fault> {
        let Some(key) = self.terms.key(term) else { return Ok(()) };
        match self.operators.insert(key, operator) {
            None => Ok(()),
            Some(_) => Err(self.twice("constant", term)),
        }
    }

    fn partition(&mut self, term: TermId, names: [&str; 2], depth: usize) -> Result<SortId, Fault> {
        let terms = self.terms;
        let mut children = terms.children(term);
        let base = children.next().ok_or_else(|| terms.fault(term, "the partition is empty"))?;
        let base = self.sort(base, depth + 1)?;
        let elements: Vec<TermId> = children.collect();
        let mut members = Vec::new();
        for (&element, block) in elements.iter().zip(0..) {
            if terms.op(element) != TermOp::PartitionElement {
                return Err(terms.fault(element, "a partition consists of `<partitionelement>`s"));
            }
            for member in terms.children(element) {
                match self.colour(member, base)? {
                    ColourTerm::Constant(_, colour) => members.push((colour, Colour(block), member)),
                    _ => return Err(terms.fault(member, "a partition consists of constants")),
                }
            }
        }
        let block_of = self.cover(term, base, &mut members)?;
        let mut bags = vec![Vec::new(); elements.len()];
        members.iter().for_each(|(colour, block, _)| bags[block.0 as usize].push((*colour, 1)));
        let blocks = self.element_names(&elements);
        let sort =
            self.add_sort(names, SortKind::Partition { base, blocks, block_of }, terms.offset(term))?;
        for ((&element, block), bag) in elements.iter().zip(0..).zip(bags) {
            if bag.is_empty() {
                return Err(terms.fault(element, "the block of the partition is empty"));
            }
            self.operator(element, NamedConstant::Block(sort, Colour(block)))?;
            self.blocks.insert((sort, Colour(block)), Bag::collect(bag).unwrap_or_default());
        }
        Ok(sort)
    }

    /// The block of each colour; a partition has every colour in exactly one block.
    fn cover(
        &self,
        term: TermId,
        base: SortId,
        members: &mut [(Colour, Colour, TermId)],
    ) -> Result<Vec<Colour>, Fault> {
        members.sort_by_key(|(colour, ..)| *colour);
        let show = |colour| self.builder.sorts.show(base, colour);
        if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let message = format!("the colour `{}` is in two blocks of the partition", show(pair[0].0));
            return Err(self.terms.fault(pair[1].2, message));
        }
        if members.len() as u64 != self.builder.sorts[base].size() {
            let missing = members.iter().zip(0..).find(|((colour, ..), at)| colour.0 != *at);
            let missing = missing.map_or(members.len() as u64, |(_, at)| at);
            let message = format!("the colour `{}` is in no block of the partition", show(Colour(missing)));
            return Err(self.terms.fault(term, message));
        }
        Ok(members.iter().map(|(_, block, _)| *block).collect())
    }
}

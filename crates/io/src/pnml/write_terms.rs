//! Writes declarations and colour terms as PNML.

use std::io::{self, Write};

use fireset_net::{
    Comparison, SortId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNet, Guard, SortKind},
};

use super::write::Escaped;

/// Writes the terms of a coloured net; `prefix` starts the generated ids of declarations.
pub(super) struct TermWriter<'n> {
    pub(super) net: &'n ColouredNet,
    pub(super) prefix: &'n str,
}

pub(super) fn declarations(terms: &TermWriter, out: &mut impl Write) -> io::Result<()> {
    let prefix = terms.prefix;
    writeln!(out, "    <declaration><structure><declarations>")?;
    for (number, sort) in terms.net.sorts().iter().enumerate() {
        let (id, name) = (SortId::new(number), Escaped(&sort.name));
        if let SortKind::Partition { base, blocks, block_of } = &sort.kind {
            write!(out, r#"      <partition id="{prefix}sort{number}" name="{name}">{}"#, terms.sort(*base))?;
            for (block, name) in blocks.iter().enumerate() {
                let constant = terms.constant_id(id, Colour(block as u64));
                write!(out, r#"<partitionelement id="{constant}" name="{}">"#, Escaped(name))?;
                for (colour, _) in block_of.iter().enumerate().filter(|(_, of)| of.0 == block as u64) {
                    terms.constant(*base, Colour(colour as u64), out)?;
                }
                write!(out, "</partitionelement>")?;
            }
            writeln!(out, "</partition>")?;
        } else {
            write!(out, r#"      <namedsort id="{prefix}sort{number}" name="{name}">"#)?;
            sort_body(terms, id, &sort.kind, out)?;
            writeln!(out, "</namedsort>")?;
        }
    }
    for (number, variable) in terms.net.variables().iter().enumerate() {
        let (name, sort) = (Escaped(&variable.name), terms.sort(variable.sort));
        writeln!(out, r#"      <variabledecl id="{prefix}var{number}" name="{name}">{sort}</variabledecl>"#)?;
    }
    writeln!(out, "    </declarations></structure></declaration>")
}

fn sort_body(terms: &TermWriter, sort: SortId, kind: &SortKind, out: &mut impl Write) -> io::Result<()> {
    match kind {
        SortKind::Dot => write!(out, "<dot/>"),
        SortKind::Bool => write!(out, "<bool/>"),
        SortKind::IntRange { start, end } => {
            write!(out, r#"<finiteintrange start="{start}" end="{end}"/>"#)
        }
        SortKind::Product(parts) => {
            write!(out, "<productsort>")?;
            parts.iter().try_for_each(|&part| write!(out, "{}", terms.sort(part)))?;
            write!(out, "</productsort>")
        }
        SortKind::Enumeration { constants, cyclic } => {
            let element = if *cyclic { "cyclicenumeration" } else { "finiteenumeration" };
            write!(out, "<{element}>")?;
            for (name, colour) in constants.iter().zip(0..) {
                let (id, name) = (terms.constant_id(sort, Colour(colour)), Escaped(name));
                write!(out, r#"<feconstant id="{id}" name="{name}"/>"#)?;
            }
            write!(out, "</{element}>")
        }
        // Partitions are declarations of their own.
        SortKind::Partition { .. } => Ok(()),
    }
}

impl TermWriter<'_> {
    pub(super) fn sort(&self, sort: SortId) -> String {
        format!(r#"<usersort declaration="{}sort{}"/>"#, self.prefix, sort.index())
    }

    fn constant_id(&self, sort: SortId, colour: Colour) -> String {
        format!("{}colour{}_{}", self.prefix, sort.index(), colour.0)
    }

    /// Writes an operator and its operands.
    fn operation<T, W: Write>(
        &self,
        name: &str,
        operands: impl IntoIterator<Item = T>,
        out: &mut W,
        mut each: impl FnMut(T, &mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        write!(out, "<{name}>")?;
        for operand in operands {
            write!(out, "<subterm>")?;
            each(operand, out)?;
            write!(out, "</subterm>")?;
        }
        write!(out, "</{name}>")
    }

    /// Writes a multiple of the term that `each` writes.
    fn number_of<W: Write>(
        &self,
        name: &str,
        count: u64,
        out: &mut W,
        each: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        write!(
            out,
            r#"<{name}><subterm><numberconstant value="{count}"><natural/></numberconstant></subterm>"#
        )?;
        write!(out, "<subterm>")?;
        each(out)?;
        write!(out, "</subterm></{name}>")
    }

    fn constant<W: Write>(&self, sort: SortId, colour: Colour, out: &mut W) -> io::Result<()> {
        let sorts = self.net.sorts();
        match &sorts[sort].kind {
            SortKind::Dot => write!(out, "<dotconstant/>"),
            SortKind::Bool => write!(out, r#"<booleanconstant value="{}"/>"#, colour.0 == 1),
            SortKind::IntRange { start, end } => {
                let value = sorts.rank(sort, colour);
                write!(out, r#"<finiteintrangeconstant value="{value}"><finiteintrange start="{start}" "#)?;
                write!(out, r#"end="{end}"/></finiteintrangeconstant>"#)
            }
            SortKind::Enumeration { .. } | SortKind::Partition { .. } => {
                write!(out, r#"<useroperator declaration="{}"/>"#, self.constant_id(sort, colour))
            }
            SortKind::Product(parts) => {
                let components = parts.iter().zip(sorts.components(sort, colour));
                self.operation("tuple", components, out, |(&part, colour), out| {
                    self.constant(part, colour, out)
                })
            }
        }
    }

    fn colour<W: Write>(&self, term: &ColourTerm, out: &mut W) -> io::Result<()> {
        match term {
            ColourTerm::Constant(sort, colour) => self.constant(*sort, *colour, out),
            ColourTerm::Variable(variable) => {
                write!(out, r#"<variable refvariable="{}var{}"/>"#, self.prefix, variable.index())
            }
            ColourTerm::Shift { term, by, .. } => {
                let name = if *by < 0 { "predecessor" } else { "successor" };
                (0..by.unsigned_abs()).try_for_each(|_| write!(out, "<{name}><subterm>"))?;
                self.colour(term, out)?;
                (0..by.unsigned_abs()).try_for_each(|_| write!(out, "</subterm></{name}>"))
            }
            ColourTerm::Tuple(_, terms) => {
                self.operation("tuple", terms, out, |term, out| self.colour(term, out))
            }
            ColourTerm::BlockOf(partition, term) => {
                let id = partition.index();
                write!(out, r#"<partitionelementof refpartition="{}sort{id}"><subterm>"#, self.prefix)?;
                self.colour(term, out)?;
                write!(out, "</subterm></partitionelementof>")
            }
        }
    }

    pub(super) fn fixed<W: Write>(&self, bag: &Bag, sort: SortId, out: &mut W) -> io::Result<()> {
        let one = |(colour, count): (Colour, u64), out: &mut W| {
            self.number_of("numberof", count, out, |out| self.constant(sort, colour, out))
        };
        match bag.iter().len() {
            0 => one((Colour(0), 0), out),
            1 => bag.iter().try_for_each(|element| one(element, out)),
            _ => self.operation("add", bag.iter(), out, one),
        }
    }

    /// A term for a multiset over a sort.
    pub(super) fn bag<W: Write>(&self, term: &BagTerm, sort: SortId, out: &mut W) -> io::Result<()> {
        match term {
            BagTerm::One(colour) => self.number_of("numberof", 1, out, |out| self.colour(colour, out)),
            BagTerm::All(sort) => write!(out, "<all>{}</all>", self.sort(*sort)),
            BagTerm::Fixed(bag) => self.fixed(bag, sort, out),
            BagTerm::Times(count, of) => match &**of {
                BagTerm::One(colour) => {
                    self.number_of("numberof", *count, out, |out| self.colour(colour, out))
                }
                of => self.number_of("scalarproduct", *count, out, |out| self.bag(of, sort, out)),
            },
            BagTerm::Sum(terms) => self.operation("add", terms, out, |term, out| self.bag(term, sort, out)),
            BagTerm::Minus(from, what) => {
                let both = [&**from, &**what];
                self.operation("subtract", both, out, |term, out| self.bag(term, sort, out))
            }
            BagTerm::Tuple(sort, terms) => {
                let parts: &[SortId] = match &self.net.sorts()[*sort].kind {
                    SortKind::Product(parts) => parts,
                    _ => &[],
                };
                self.operation("tuple", terms.iter().zip(parts), out, |(term, &part), out| match term {
                    BagTerm::One(colour) => self.colour(colour, out),
                    term => self.bag(term, part, out),
                })
            }
        }
    }

    pub(super) fn guard<W: Write>(&self, guard: &Guard, out: &mut W) -> io::Result<()> {
        match guard {
            Guard::Constant(value) => write!(out, r#"<booleanconstant value="{value}"/>"#),
            Guard::Not(inner) => self.operation("not", [inner], out, |guard, out| self.guard(guard, out)),
            // The format has no empty conjunction.
            Guard::And(all) if all.is_empty() => self.guard(&Guard::Constant(true), out),
            Guard::Or(all) if all.is_empty() => self.guard(&Guard::Constant(false), out),
            Guard::And(all) => self.operation("and", all, out, |guard, out| self.guard(guard, out)),
            Guard::Or(all) => self.operation("or", all, out, |guard, out| self.guard(guard, out)),
            Guard::Compare(ordering, (_, left), (_, right)) => {
                let name = match ordering {
                    Comparison::Equal => "equality",
                    Comparison::NotEqual => "inequality",
                    Comparison::Less => "lessthan",
                    Comparison::LessEqual => "lessthanorequal",
                    Comparison::Greater => "greaterthan",
                    Comparison::GreaterEqual => "greaterthanorequal",
                };
                self.operation(name, [left, right], out, |term, out| self.colour(term, out))
            }
        }
    }
}

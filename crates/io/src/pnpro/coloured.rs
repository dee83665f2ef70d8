//! Markings and arcs with colours: `<x> + 2<c1, All>`.

use fireset_net::{
    SortId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, SortKind},
};

use super::{classes::ColourTable, count::is_inner};
use crate::{
    Fault,
    pnml::{sum, times},
    scanner::{Scanner, Word},
};

impl ColourTable<'_> {
    /// The multiset that a text describes.
    pub(super) fn bag(&self, text: &str, sort: SortId) -> Result<BagTerm, Fault> {
        if sort == self.dot {
            let dot = BagTerm::One(ColourTerm::Constant(sort, Colour(0)));
            return match self.counts.value(text)? {
                0 => Ok(BagTerm::Fixed(Bag::default())),
                count => times(count, dot, sort, 0),
            };
        }
        // A constant may stand for a whole multiset.
        let text = self.counts.constant(text).filter(|value| value.contains('<')).unwrap_or(text);
        let mut scanner = Scanner::new(text, &[]);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        let mut is_negative = scanner.eat("-")?;
        loop {
            let summand = self.summand(&mut scanner, sort)?;
            if is_negative {
                minus.push(summand)
            } else {
                plus.push(summand)
            }
            is_negative = match scanner.rest()? {
                "" => break,
                _ if scanner.eat("+")? => false,
                _ if scanner.eat("-")? => true,
                _ => return Err(scanner.unexpected("`+`, `-` or the end of the expression")),
            };
        }
        let plus = sum(plus, sort, 0)?;
        match minus.is_empty() {
            true => Ok(plus),
            false => Ok(BagTerm::Minus(Box::new(plus), Box::new(sum(minus, sort, 0)?))),
        }
    }

    /// A count, if there is one, and a tuple.
    fn summand(&self, scanner: &mut Scanner<'_>, sort: SortId) -> Result<BagTerm, Fault> {
        let count = match scanner.rest()?.starts_with('<') {
            true => 1,
            false => {
                let count = self.counts.unit(scanner, 0)?;
                scanner.eat("*")?;
                u64::try_from(count)
                    .map_err(|_| Fault::at(0, "a count is negative or does not fit into 64 bits"))?
            }
        };
        if !scanner.eat("<")? {
            return Err(scanner.unexpected("colours in `<` and `>`"));
        }
        let mut parts = Vec::new();
        let sorts = match &self.builder.sorts[sort].kind {
            SortKind::Product(sorts) => sorts.clone(),
            _ => vec![sort],
        };
        loop {
            let part = sorts.get(parts.len()).copied();
            let part =
                part.ok_or_else(|| scanner.unexpected("`>`: the place's class has fewer components"))?;
            parts.push(self.element(scanner, part)?);
            if scanner.eat(">")? {
                break;
            }
            scanner.expect(",")?;
        }
        if parts.len() < sorts.len() {
            // All colours of a product may be written as one.
            return match parts.as_slice() {
                [BagTerm::All(_)] => times(count, BagTerm::All(sort), sort, 0),
                _ => Err(Fault::at(0, format!("the place's class has {} components", sorts.len()))),
            };
        }
        let tuple = match parts.len() {
            1 => parts.swap_remove(0),
            _ => tuple(sort, parts),
        };
        match count {
            0 => Ok(BagTerm::Fixed(Bag::default())),
            count => times(count, tuple, sort, 0),
        }
    }

    /// A component of a tuple.
    fn element(&self, scanner: &mut Scanner<'_>, sort: SortId) -> Result<BagTerm, Fault> {
        let name = scanner.word(is_inner)?;
        if name.text == "All" {
            let class = scanner.word(is_inner)?;
            return match class.text {
                "" => Ok(BagTerm::All(sort)),
                _ if self.domain(class.text)? == sort => Ok(BagTerm::All(sort)),
                other => {
                    Err(Fault::at(class.offset, format!("`{other}` is not the class of this component")))
                }
            };
        }
        self.colour(name, scanner, sort).map(BagTerm::One)
    }

    /// A constant, or a variable with its successor or predecessor.
    pub(super) fn colour(
        &self,
        name: Word<'_>,
        scanner: &mut Scanner<'_>,
        sort: SortId,
    ) -> Result<ColourTerm, Fault> {
        let Some(&variable) = self.variables.get(name.text) else {
            let constant = self.constant(sort, name).map(|colour| ColourTerm::Constant(sort, colour));
            return constant.ok_or_else(|| match name.text {
                "" => scanner.unexpected("a variable, a colour or `All`"),
                name => Fault::at(0, format!("no variable or colour of this class is called `{name}`")),
            });
        };
        if self.builder.sort_of(variable) != sort {
            return Err(Fault::at(0, format!("the variable `{}` is of another class", name.text)));
        }
        let mut by = 0_i64;
        loop {
            by += match scanner.rest()? {
                _ if scanner.eat("++")? => 1,
                _ if scanner.eat("--")? => -1,
                _ => break,
            };
        }
        let variable = ColourTerm::Variable(variable);
        match by {
            0 => Ok(variable),
            _ if !self.is_circular.get(&sort).copied().unwrap_or(false) => {
                Err(Fault::at(0, "successors are defined only in classes that are `circular`"))
            }
            by => Ok(ColourTerm::Shift { term: Box::new(variable), sort, by }),
        }
    }
}

/// The product of the components; a single tuple if each is a single colour.
fn tuple(sort: SortId, parts: Vec<BagTerm>) -> BagTerm {
    let single = |part: &BagTerm| match part {
        BagTerm::One(colour) => Some(colour.clone()),
        _ => None,
    };
    match parts.iter().map(single).collect::<Option<Vec<_>>>() {
        Some(colours) => BagTerm::One(ColourTerm::Tuple(sort, colours)),
        None => BagTerm::Tuple(sort, parts),
    }
}

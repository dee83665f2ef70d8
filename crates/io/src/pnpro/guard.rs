//! Guards of transitions: comparisons of colours and memberships in parts of a class.

use fireset_net::{
    Comparison, SortId,
    coloured::{ColourTerm, Guard},
};

use super::{classes::ColourTable, count::is_inner};
use crate::{Fault, scanner::Scanner};

/// The largest nesting of parentheses and negations.
const MAX_DEPTH: usize = 64;

impl ColourTable<'_> {
    /// The guard that a text describes; an empty one is true.
    pub(super) fn guard(&self, text: &str) -> Result<Guard, Fault> {
        let mut scanner = Scanner::new(text, &[]);
        if scanner.is_at_end()? {
            return Ok(Guard::Constant(true));
        }
        let guard = self.disjunction(&mut scanner, 0)?;
        match scanner.is_at_end()? {
            true => Ok(guard),
            false => Err(scanner.unexpected("`&&`, `||` or the end of the guard")),
        }
    }

    fn disjunction(&self, scanner: &mut Scanner<'_>, depth: usize) -> Result<Guard, Fault> {
        let mut parts = vec![self.conjunction(scanner, depth)?];
        while scanner.eat("||")? || scanner.eat("or ")? {
            parts.push(self.conjunction(scanner, depth)?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Guard::Or(parts) })
    }

    fn conjunction(&self, scanner: &mut Scanner<'_>, depth: usize) -> Result<Guard, Fault> {
        let mut parts = vec![self.atom(scanner, depth)?];
        while scanner.eat("&&")? || scanner.eat("and ")? {
            parts.push(self.atom(scanner, depth)?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Guard::And(parts) })
    }

    fn atom(&self, scanner: &mut Scanner<'_>, depth: usize) -> Result<Guard, Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::at(scanner.offset()?, "the guard nests too deeply"));
        }
        if scanner.eat("(")? {
            let guard = self.disjunction(scanner, depth + 1)?;
            scanner.expect(")")?;
            return Ok(guard);
        }
        if scanner.eat("!")? {
            return Ok(Guard::Not(Box::new(self.atom(scanner, depth + 1)?)));
        }
        if scanner.rest()?.starts_with('#') {
            return Err(Fault::at(0, "guards that depend on the marking are not supported"));
        }
        let name = scanner.word(is_inner)?;
        if scanner.rest()?.starts_with('[') {
            return Err(Fault::at(0, format!("the function `{}` in a guard is not supported", name.text)));
        }
        match name.text {
            "True" | "true" => return Ok(Guard::Constant(true)),
            "False" | "false" => return Ok(Guard::Constant(false)),
            _ => {}
        }
        let Some(&variable) = self.variables.get(name.text) else {
            return Err(Fault::at(0, format!("no variable is called `{}`", name.text))
                .hint("a comparison has a variable on its left side"));
        };
        let sort = self.builder.sort_of(variable);
        let left = self.colour(name, scanner, sort)?;
        if scanner.eat("!in ")? {
            return Ok(Guard::Not(Box::new(self.member(scanner, sort, &left)?)));
        }
        if scanner.eat("in ")? {
            return self.member(scanner, sort, &left);
        }
        let Some(comparison) = scanner.comparison()? else {
            return Err(scanner.unexpected("a comparison"));
        };
        let name = scanner.word(is_inner)?;
        let right = self.colour(name, scanner, sort)?;
        Ok(Guard::Compare(comparison, (sort, left), (sort, right)))
    }

    /// Whether a colour is in a part of its class.
    fn member(&self, scanner: &mut Scanner<'_>, sort: SortId, colour: &ColourTerm) -> Result<Guard, Fault> {
        let name = scanner.word(is_inner)?;
        let Some(colours) = self.parts.get(&(sort, name.text.to_owned())) else {
            return Err(Fault::at(0, format!("no part of the class is called `{}`", name.text)));
        };
        let is = |&other| {
            let other = ColourTerm::Constant(sort, other);
            Guard::Compare(Comparison::Equal, (sort, colour.clone()), (sort, other))
        };
        Ok(Guard::Or(colours.iter().map(is).collect()))
    }
}

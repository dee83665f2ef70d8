//! Counts: whole numbers, constants, and their sums, differences and products.

use std::{cell::Cell, collections::HashMap};

use super::draft::GspnDraft;
use crate::{
    Fault,
    scanner::{Scanner, Word},
};

/// The largest nesting of parentheses and of constants in constants.
const MAX_DEPTH: usize = 32;

/// The largest number of names and numbers in all counts of a net together.
const MAX_STEPS: u32 = 1 << 24;

/// The names that counts may have.
pub(super) struct Counts<'d> {
    constants: HashMap<&'d str, &'d str>,
    parameters: &'d [String],
    /// Constants that refer to others twice each could take exponential time.
    steps: Cell<u32>,
}

impl<'d> Counts<'d> {
    pub(super) fn new(draft: &'d GspnDraft) -> Self {
        let constants = draft.constants.iter().map(|constant| (&*constant.name, &*constant.value)).collect();
        Self { constants, parameters: &draft.parameters, steps: Cell::new(0) }
    }

    /// The text that a constant stands for.
    pub(super) fn constant(&self, name: &str) -> Option<&'d str> {
        self.constants.get(name).copied()
    }

    /// The value of a whole text.
    pub(super) fn value(&self, text: &str) -> Result<u64, Fault> {
        let mut scanner = Scanner::new(text, &[]);
        let value = self.sum(&mut scanner, 0)?;
        if !scanner.is_at_end()? {
            return Err(self.not_a_count(&mut scanner));
        }
        let shown = |value: i128| format!("the count `{text}` is {value}, which does not fit into 64 bits");
        u64::try_from(value).map_err(|_| match value {
            ..0 => Fault::at(0, format!("the count `{text}` is negative")),
            _ => Fault::at(0, shown(value)),
        })
    }

    /// The longest sum that comes next.
    fn sum(&self, scanner: &mut Scanner<'_>, depth: usize) -> Result<i128, Fault> {
        let mut sum = self.product(scanner, depth)?;
        loop {
            let offset = scanner.offset()?;
            let next = if scanner.eat("+")? {
                sum.checked_add(self.product(scanner, depth)?)
            } else if scanner.eat("-")? {
                sum.checked_sub(self.product(scanner, depth)?)
            } else {
                return Ok(sum);
            };
            sum = next.ok_or_else(|| too_large(offset))?;
        }
    }

    fn product(&self, scanner: &mut Scanner<'_>, depth: usize) -> Result<i128, Fault> {
        let mut product = self.unit(scanner, depth)?;
        loop {
            let offset = scanner.offset()?;
            if !scanner.eat("*")? {
                return Ok(product);
            }
            let factor = self.unit(scanner, depth)?;
            product = product.checked_mul(factor).ok_or_else(|| too_large(offset))?;
        }
    }

    /// A number, a name or a sum in parentheses.
    pub(super) fn unit(&self, scanner: &mut Scanner<'_>, depth: usize) -> Result<i128, Fault> {
        let offset = scanner.offset()?;
        self.steps.set(self.steps.get() + 1);
        if depth > MAX_DEPTH || self.steps.get() > MAX_STEPS {
            return Err(Fault::at(offset, "counts and constants nest too deeply"));
        }
        if scanner.eat("(")? {
            let sum = self.sum(scanner, depth + 1)?;
            scanner.expect(")")?;
            return Ok(sum);
        }
        if scanner.rest()?.starts_with(|letter: char| letter.is_ascii_digit()) {
            return scanner.number().map(i128::from);
        }
        let name = scanner.word(is_inner)?;
        if name.text.is_empty() || scanner.rest()?.starts_with('[') {
            return Err(self.not_a_count(scanner));
        }
        self.named(name, depth)
    }

    fn named(&self, name: Word<'_>, depth: usize) -> Result<i128, Fault> {
        if let Some(value) = self.constant(name.text) {
            let mut scanner = Scanner::new(value, &[]);
            let value =
                self.sum(&mut scanner, depth + 1).map_err(|fault| Fault { offset: name.offset, ..fault });
            let value = value?;
            return match scanner.is_at_end()? {
                true => Ok(value),
                false => Err(Fault::at(name.offset, format!("the constant `{}` is no count", name.text))),
            };
        }
        if self.parameters.iter().any(|parameter| parameter == name.text) {
            let message = format!("the parameter `{}` has no value", name.text);
            return Err(Fault::at(name.offset, message)
                .hint("make it a constant in GreatSPN's editor: its value is part of the file then"));
        }
        Err(Fault::at(name.offset, format!("no constant is called `{}`", name.text)))
    }

    fn not_a_count(&self, scanner: &mut Scanner<'_>) -> Fault {
        match scanner.rest() {
            Ok(rest) if rest.starts_with(['#', '[']) => {
                let at = scanner.offset().unwrap_or(0);
                Fault::at(at, "counts that depend on the marking are not supported")
                    .hint("counts are numbers and constants with +, - and *")
            }
            Ok(_) => scanner.unexpected("a count"),
            Err(fault) => fault,
        }
    }
}

/// Whether a name has such a letter.
pub(super) fn is_inner(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn too_large(offset: u64) -> Fault {
    Fault::at(offset, "the count does not fit into 64 bits")
}

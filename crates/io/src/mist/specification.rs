//! The parser of specifications: variables by their numbers, rules, and the ranges of init and target.

use std::collections::{BTreeMap, BTreeSet};

use fireset_net::Names;

use crate::{
    Fault,
    scanner::{Comment, Scanner, Word},
};

const COMMENTS: &[Comment] = &[Comment::Line("#")];

/// The words that begin a section or have another meaning, which are no variables.
const KEYWORDS: [&str; 7] = ["vars", "rules", "init", "target", "invariants", "true", "in"];

/// A specification as it is written.
pub(super) struct Specification {
    pub(super) variables: Names,
    pub(super) rules: Vec<CounterRule>,
    pub(super) initial: Vec<CounterRange>,
    /// The alternatives, of which one is to be reached.
    pub(super) target: Vec<Vec<CounterRange>>,
}

/// What a rule needs of each variable, and how it changes it.
#[derive(Default)]
pub(super) struct CounterRule {
    pub(super) offset: u64,
    pub(super) needs: BTreeMap<usize, u64>,
    pub(super) changes: BTreeMap<usize, CounterChange>,
}

#[derive(Clone, Copy)]
pub(super) enum CounterChange {
    Plus(u64),
    Minus(u64),
}

/// The numbers that a variable may have.
#[derive(Clone, Copy)]
pub(super) struct CounterRange {
    pub(super) variable: usize,
    pub(super) least: u64,
    pub(super) most: Option<u64>,
    pub(super) offset: u64,
}

/// Whether a word can be the name of a variable.
pub(super) fn is_identifier(word: &str) -> bool {
    let begins = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    word.starts_with(begins) && word.chars().all(is_inner) && !KEYWORDS.contains(&word)
}

fn is_inner(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Parses a whole file.
pub(super) fn parse(text: &str) -> Result<Specification, Fault> {
    let mut reader = SpecReader { scanner: Scanner::new(text, COMMENTS), variables: Names::default() };
    reader.keyword("vars")?;
    reader.variables()?;
    reader.keyword("rules")?;
    let mut rules = Vec::new();
    while !reader.is_at("init")? {
        rules.push(reader.rule()?);
    }
    reader.keyword("init")?;
    let initial = reader.all()?;
    reader.keyword("target")?;
    let target = reader.alternatives()?;
    if reader.is_at("invariants")? {
        reader.keyword("invariants")?;
        reader.invariants()?;
    }
    if !reader.scanner.is_at_end()? {
        return Err(reader.scanner.unexpected("the end of the file"));
    }
    Ok(Specification { variables: reader.variables, rules, initial, target })
}

struct SpecReader<'t> {
    scanner: Scanner<'t>,
    variables: Names,
}

impl<'t> SpecReader<'t> {
    fn variables(&mut self) -> Result<(), Fault> {
        while !self.is_at("rules")? {
            let name = self.identifier()?;
            if self.variables.insert(name.text).is_none() {
                return Err(Fault::at(
                    name.offset,
                    format!("the variable `{}` is declared twice", name.text),
                ));
            }
        }
        Ok(())
    }

    fn rule(&mut self) -> Result<CounterRule, Fault> {
        let mut rule = CounterRule { offset: self.scanner.offset()?, ..CounterRule::default() };
        loop {
            if self.is_at("true")? {
                self.keyword("true")?;
            } else {
                let need = self.guard()?;
                if rule.needs.insert(need.variable, need.least).is_some() {
                    return Err(self.twice(need, "the rule has two guards for"));
                }
            }
            if !self.scanner.eat(",")? {
                break;
            }
        }
        self.scanner.expect("->")?;
        while !self.scanner.eat(";")? {
            if !rule.changes.is_empty() {
                self.scanner.expect(",")?;
            }
            let offset = self.scanner.offset()?;
            let (variable, change) = self.change()?;
            if rule.changes.insert(variable, change).is_some() {
                let message = format!("the rule changes `{}` twice", self.variables.get(variable));
                return Err(Fault::at(offset, message));
            }
        }
        Ok(rule)
    }

    /// A guard, which must be a lower bound.
    fn guard(&mut self) -> Result<CounterRange, Fault> {
        let range = self.constraint()?;
        let (name, least) = (self.variables.get(range.variable), range.least);
        let message = match range.most {
            None => return Ok(range),
            Some(0) => format!("the guard `{name} = 0` is a zero test, which is not supported"),
            Some(most) if most == least => format!("the guard `{name} = {most}` is not supported"),
            Some(most) => format!("the guard `{name} in [{least},{most}]` is not supported"),
        };
        Err(Fault::at(range.offset, message).hint("a Petri net can only test `x >= k`"))
    }

    fn change(&mut self) -> Result<(usize, CounterChange), Fault> {
        let offset = self.scanner.offset()?;
        let (name, variable) = self.variable()?;
        self.scanner.expect("'")?;
        self.scanner.expect("=")?;
        if self.is_at_number()? {
            let value = self.scanner.number()?;
            let message = match value {
                0 => format!("the reset `{}' = 0` is not supported", name.text),
                _ => format!("the assignment `{}' = {value}` is not supported", name.text),
            };
            return Err(Fault::at(offset, message).hint("a Petri net can only add and subtract numbers"));
        }
        let (first, mut is_sum, mut added) = (self.variable()?, false, None);
        let mut other = (first.1 != variable).then_some(first.0);
        while added.is_none() && self.scanner.eat("+")? {
            if self.is_at_number()? {
                added = Some(CounterChange::Plus(self.scanner.number()?));
            } else {
                is_sum = true;
                let next = self.variable()?;
                other = other.or((next.1 != variable).then_some(next.0));
            }
        }
        if added.is_none() && self.scanner.eat("-")? {
            added = Some(CounterChange::Minus(self.scanner.number()?));
        }
        let message = match other {
            Some(other) => format!("the change of `{}` is a transfer from `{}`", name.text, other.text),
            None if is_sum => format!("the change of `{}` adds it to itself", name.text),
            None => return Ok((variable, added.unwrap_or(CounterChange::Plus(0)))),
        };
        let fault = Fault::at(offset, format!("{message}, which is not supported"));
        Err(fault.hint("a Petri net can only add and subtract numbers"))
    }

    /// Constraints that are joined by commas; each variable has at most one.
    fn all(&mut self) -> Result<Vec<CounterRange>, Fault> {
        let mut ranges: Vec<CounterRange> = Vec::new();
        let mut seen = BTreeSet::new();
        loop {
            let range = self.constraint()?;
            if !seen.insert(range.variable) {
                return Err(self.twice(range, "two joined constraints speak of"));
            }
            ranges.push(range);
            if !self.scanner.eat(",")? {
                return Ok(ranges);
            }
        }
    }

    fn twice(&self, range: CounterRange, what: &str) -> Fault {
        let message = format!("{what} `{}`", self.variables.get(range.variable));
        Fault::at(range.offset, message).hint("mist takes the last one; give each variable once")
    }

    /// One or more alternatives, up to a section or the end.
    fn alternatives(&mut self) -> Result<Vec<Vec<CounterRange>>, Fault> {
        let mut alternatives = vec![self.all()?];
        while !self.scanner.is_at_end()? && !self.is_at("invariants")? {
            alternatives.push(self.all()?);
        }
        Ok(alternatives)
    }

    /// Passes over invariants, which may give a variable twice.
    fn invariants(&mut self) -> Result<(), Fault> {
        loop {
            self.constraint()?;
            if !self.scanner.eat(",")? && self.scanner.is_at_end()? {
                return Ok(());
            }
        }
    }

    fn constraint(&mut self) -> Result<CounterRange, Fault> {
        let (name, variable) = self.variable()?;
        let range = |least, most| CounterRange { variable, least, most, offset: name.offset };
        if self.scanner.eat(">=")? {
            return Ok(range(self.scanner.number()?, None));
        }
        if self.scanner.eat("=")? {
            let value = self.scanner.number()?;
            return Ok(range(value, Some(value)));
        }
        if !self.is_at("in")? {
            return Err(self.scanner.unexpected("`>=`, `=` or `in`"));
        }
        self.keyword("in")?;
        self.scanner.expect("[")?;
        let least = self.scanner.number()?;
        self.scanner.expect(",")?;
        let most = self.scanner.number()?;
        self.scanner.expect("]")?;
        if least > most {
            return Err(Fault::at(name.offset, format!("the range [{least},{most}] is empty")));
        }
        Ok(range(least, Some(most)))
    }

    /// A variable that is declared.
    fn variable(&mut self) -> Result<(Word<'t>, usize), Fault> {
        let name = self.identifier()?;
        let unknown = || {
            let fault = Fault::at(name.offset, format!("no variable is called `{}`", name.text));
            fault.hint("declare it in the section `vars`")
        };
        Ok((name, self.variables.find(name.text).ok_or_else(unknown)?))
    }

    fn identifier(&mut self) -> Result<Word<'t>, Fault> {
        let word = self.peek()?;
        if !is_identifier(word.text) {
            return Err(self.scanner.unexpected("a variable"));
        }
        Ok(self.scanner.take(word.text.len()))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), Fault> {
        if !self.is_at(keyword)? {
            return Err(self.scanner.unexpected(&format!("`{keyword}`")));
        }
        self.scanner.take(keyword.len());
        Ok(())
    }

    fn is_at(&mut self, keyword: &str) -> Result<bool, Fault> {
        Ok(self.peek()?.text == keyword)
    }

    fn is_at_number(&mut self) -> Result<bool, Fault> {
        Ok(self.peek()?.text.starts_with(|letter: char| letter.is_ascii_digit()))
    }

    /// The next word, which is not taken; what stands before it is.
    fn peek(&mut self) -> Result<Word<'t>, Fault> {
        self.scanner.offset()?;
        self.scanner.clone().word(is_inner)
    }
}

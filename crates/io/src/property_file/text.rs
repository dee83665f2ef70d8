//! fireset's own text form of properties, made to be written by hand and kept beside a net.
//!
//! ```text
//! file       = { definition | property | assumption }
//! definition = "let" NAME "=" expression [";"]
//! property   = "property" name ":" query [";"] { option }
//! assumption = "assume" fairness [";"]
//! option     = "expect" ( "holds" | "fails" | NUMBER | "inf" )
//!            | "logic" ( "ctl" | "ltl" )
//!            | "fair" fairness
//! fairness   = ( "weak" | "strong" ) [ "(" transitions ")" ] [ "," fairness ]
//! name       = any text without `:`, `"` and `#` | a name in quotes, as in queries
//! comment    = "#" to the end of the line
//! ```
//!
//! `let`, `property` and the options stand at the beginning of a line, which ends what comes before; an expression or query
//! may go over several lines. A quoted name ends on its line, where `\n` stands for a line end. An expression is a number or
//! a formula of the query language; a definition is known to what follows it, by its name without quotes. It is a value and
//! not a text: `let a = p + q` and `2*a` is `2*(p + q)`.
//!
//! A mistake in one statement refuses this statement, and properties that use its definition. `timeout` is refused by name:
//! a search works on all properties of a model together, and no part of its time belongs to one of them.

use std::ops::Range;

use fireset_net::{Fairness, Logic, Property, Query};

use super::{
    AskedProperty, Expectation, PropertyList, RefusedProperty,
    expectation::has_number,
    statements::{MaskedText, Statement, StatementKind, statement_word, statements, without_comments},
};
use crate::{
    Fault,
    net_file::Head,
    query::{
        self, QueryNames, QueryReader, is_plain_name, leading_quoted,
        names::{Binder, NodeKind},
    },
    scanner::{Word, number},
};

/// Whether some line begins a statement.
pub(super) fn recognises(head: &Head<'_>) -> bool {
    !head.text.contains('\0') && head.root.is_none() && head.text.lines().any(|l| statement_word(l).is_some())
}

/// Reads definitions and properties.
pub(super) fn read(text: &str, names: QueryNames<'_>) -> Result<PropertyList<Fault>, Fault> {
    let masked = without_comments(text);
    let (before, statements) = statements(&masked.text);
    let stray = masked.text[before.clone()].trim_start();
    if !stray.is_empty() {
        let fault = Fault::at((before.end - stray.len()) as u64, "expected `property` or `let`");
        return Err(fault.hint("a property is written `property NAME: QUERY`"));
    }
    let queries = QueryReader::new(Binder::new(names));
    let (list, assumed) = (PropertyList::default(), Fairness::default());
    let mut reader = TextReader { masked, queries, assumed, list };
    statements.iter().for_each(|statement| reader.statement(statement));
    Ok(reader.list)
}

struct TextReader<'n> {
    masked: MaskedText,
    queries: QueryReader<'n>,
    /// The fairness of the properties that follow.
    assumed: Fairness,
    list: PropertyList<Fault>,
}

/// A fault, and the name of the statement if that is known.
type RefusedStatement = (Option<String>, Fault);

impl TextReader<'_> {
    fn statement(&mut self, statement: &Statement) {
        let read =
            self.closed_quotes(statement).map_err(|fault| (None, fault)).and_then(|()| {
                match statement.kind {
                    StatementKind::Definition => self.definition(statement),
                    StatementKind::Property => self.property(statement),
                    StatementKind::Assumption => self.assumption(statement).map_err(|fault| (None, fault)),
                }
            });
        if let Err((name, fault)) = read {
            let word = match statement.kind {
                StatementKind::Definition => "definition",
                StatementKind::Property => "property",
                StatementKind::Assumption => "assumption",
            };
            let (name, element) = match name {
                Some(name) if statement.kind == StatementKind::Definition => {
                    (format!("let {name}"), format!("definition {name}"))
                }
                Some(name) => (name.clone(), format!("property {name}")),
                None => (format!("{word} {}", self.list.len() + 1), word.to_owned()),
            };
            self.list.refused.push(RefusedProperty { name, error: fault.within(element) });
        }
    }

    /// Refuses a quote that is open at the end of its line.
    fn closed_quotes(&self, statement: &Statement) -> Result<(), Fault> {
        let open = &self.masked.open_quotes;
        match open.get(open.partition_point(|&at| at < statement.start)) {
            Some(&at) if at < statement.body.end => {
                Err(Fault::at(at as u64, "unterminated quoted name")
                    .hint("close it with \" on the same line"))
            }
            _ => Ok(()),
        }
    }

    /// Reads `let NAME = EXPRESSION`.
    fn definition(&mut self, statement: &Statement) -> Result<(), RefusedStatement> {
        let body = self.body(statement.body.clone());
        let end = body.text.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(body.text.len());
        let name = &body.text[..end];
        let wrong = |message: String| Fault::at(body.offset, message);
        if !is_plain_name(name) {
            let hint =
                "a definition is written `let busy = p1 + p2`; its name is a plain word and no keyword";
            let message = if name.is_empty() {
                "the definition has no name".into()
            } else {
                format!("`{name}` cannot be the name of a definition")
            };
            return Err((None, wrong(message).hint(hint)));
        }
        let name = name.to_owned();
        let refused = |fault: Fault| (Some(name.clone()), fault);
        let rest = body.text[end..].trim_start();
        let at = body.offset + (body.text.len() - rest.len()) as u64;
        let Some(expression) = rest.strip_prefix('=') else {
            return Err(refused(Fault::at(at, "expected `=` after the name of the definition")));
        };
        if self.queries.is_defined(&name) {
            return Err(refused(wrong(format!("`{name}` is defined twice"))));
        }
        if self.queries.binder().knows(NodeKind::Place, &name) {
            let fault = wrong(format!("`{name}` is the name of a place"));
            return Err(refused(fault.hint("choose another name for the definition")));
        }
        let (expression, at) = (without_semicolon(expression).to_owned(), at + 1);
        let defined = self.queries.define(&name, &expression);
        defined.map(|notes| self.list.notes.extend(notes)).map_err(|fault| refused(behind(at, fault)))
    }

    /// Reads `assume FAIRNESS`, which adds to what was assumed before.
    fn assumption(&mut self, statement: &Statement) -> Result<(), Fault> {
        let body = self.body(statement.body.clone());
        let fairness = self.fairness(without_semicolon(body.text), body.offset)?;
        self.assumed.0.extend(fairness.0);
        Ok(())
    }

    fn fairness(&self, text: &str, offset: u64) -> Result<Fairness, Fault> {
        query::fairness(text, self.queries.binder().clone()).map_err(|fault| behind(offset, fault))
    }

    /// Reads `property NAME: QUERY` with its options.
    fn property(&mut self, statement: &Statement) -> Result<(), RefusedStatement> {
        let (name, query) = self.property_name(statement.body.clone()).map_err(|fault| (None, fault))?;
        let read = self.named_property(&name, query);
        read.map(|asked| self.list.properties.push(asked)).map_err(|fault| (Some(name), fault))
    }

    /// The name of a property, and the range behind the colon.
    fn property_name(&self, body: Range<usize>) -> Result<(String, Range<usize>), Fault> {
        let Word { text, offset } = self.body(body.clone());
        let at = |rest: &str| offset + (text.len() - rest.len()) as u64;
        let (name, rest) = if text.starts_with('"') {
            let (name, rest) = leading_quoted(text).map_err(|fault| behind(offset, fault))?;
            (name, rest.trim_start())
        } else {
            let line = text.lines().next().unwrap_or_default();
            let end = line.find([':', '"']).unwrap_or(line.trim_end().len());
            (line[..end].trim().to_owned(), &text[end..])
        };
        let Some(query) = rest.strip_prefix(':') else {
            let fault = Fault::at(at(rest), "expected `:` after the name of the property");
            return Err(fault.hint("a property is written `property NAME: QUERY`"));
        };
        if name.is_empty() && !text.starts_with('"') {
            let fault = Fault::at(offset, "the property has no name");
            return Err(fault.hint("a property is written `property NAME: QUERY`"));
        }
        Ok((name, at(query) as usize..body.end))
    }

    fn named_property(&mut self, name: &str, range: Range<usize>) -> Result<AskedProperty, Fault> {
        let (query, options) = self.options(range)?;
        let text = without_semicolon(&self.masked.text[query.clone()]).to_owned();
        let read = self.queries.property(name, &text);
        let (mut property, notes) =
            read.map_err(|fault| self.with_option_hint(behind(query.start as u64, fault)))?;
        self.list.notes.extend(notes);
        if let Some((logic, offset)) = options.logic {
            set_logic(&mut property, logic, offset)?;
        }
        let fair = options.fair.map(|(text, offset)| (self.fairness(&text, offset), offset));
        for (fairness, offset) in
            [Some((Ok(self.assumed.clone()), query.start as u64)), fair].into_iter().flatten()
        {
            let fairness = fairness?;
            if !fairness.is_empty() {
                property = fair_property(property, &fairness, offset)?;
            }
        }
        let Some((expected, offset)) = options.expected else { return Ok(property.into()) };
        let kind = property.query().map_err(|unsupported| Fault::at(offset, unsupported.to_string()))?;
        if !expected.fits(&kind) {
            let (what, hint) = match has_number(&kind) {
                true => ("is a number", "write `expect 3`, or `expect inf` for no bound"),
                false => ("is `holds` or `fails`", "write `expect holds` or `expect fails`"),
            };
            return Err(Fault::at(offset, format!("the verdict of this property {what}")).hint(hint));
        }
        Ok(AskedProperty { property, expected: Some(expected) })
    }

    /// Adds a hint to the fault of an option that is read as a part of the query.
    fn with_option_hint(&self, fault: Fault) -> Fault {
        let rest = self.masked.text.get(fault.offset as usize..).unwrap_or_default();
        match OPTIONS.iter().find(|word| fault.hint.is_none() && rest.starts_with(*word)) {
            Some(word) => fault.hint(format!("`{word}` stands on a line of its own, after the query")),
            None => fault,
        }
    }

    /// Splits off the options, each on a line of its own behind the query.
    fn options(&self, range: Range<usize>) -> Result<(Range<usize>, PropertyOptions), Fault> {
        let (mut query, mut options, mut at) = (range.clone(), PropertyOptions::default(), range.start);
        // The rest of the first line belongs to the query.
        for (number, line) in self.masked.text[range.clone()].split_inclusive('\n').enumerate() {
            let start = at + line.len() - line.trim_start().len();
            if number > 0 && is_option(line) {
                query.end = query.end.min(start);
                options.add(line.trim(), start as u64)?;
            } else if query.end < range.end && !line.trim().is_empty() {
                let fault = Fault::at(start as u64, "expected an option, `property`, `let` or `assume`");
                return Err(fault.hint("options such as `expect holds` follow the whole query"));
            }
            at += line.len();
        }
        Ok((query, options))
    }

    /// What follows the first word of a statement, without the white space around it.
    fn body(&self, range: Range<usize>) -> Word<'_> {
        let text = &self.masked.text[range.clone()];
        let offset = (range.start + text.len() - text.trim_start().len()) as u64;
        Word { text: text.trim(), offset }
    }
}

/// What a property says beside its query, each with the offset of its value.
#[derive(Default)]
struct PropertyOptions {
    expected: Option<(Expectation, u64)>,
    logic: Option<(Logic, u64)>,
    fair: Option<(String, u64)>,
}

/// The words with which options begin.
const OPTIONS: [&str; 4] = ["expect", "logic", "fair", "timeout"];

/// Whether a line is an option. A place with such a name is followed by an operator and not by a word.
fn is_option(line: &str) -> bool {
    let follows = |rest: &str| {
        let value = rest.trim_start();
        value.len() < rest.len() && (value.is_empty() || value.starts_with(char::is_alphanumeric))
    };
    OPTIONS.iter().any(|word| line.trim_start().strip_prefix(word).is_some_and(follows))
}

impl PropertyOptions {
    /// Reads a line that begins with the word of an option.
    fn add(&mut self, line: &str, start: u64) -> Result<(), Fault> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let value = without_semicolon(rest.trim_start()).trim_end();
        let offset = start + (line.len() - rest.trim_start().len()) as u64;
        let is_twice = match word {
            "expect" => self.expected.replace((expectation(value, offset)?, offset)).is_some(),
            "fair" => self.fair.replace((value.to_owned(), offset)).is_some(),
            "logic" => self.logic.replace((logic(value, offset)?, offset)).is_some(),
            _ => {
                let fault = Fault::at(start, "a time limit of a single property is not supported");
                return Err(fault.hint("--timeout limits the time of all properties of a model together"));
            }
        };
        if is_twice { Err(Fault::at(start, format!("`{word}` is given twice"))) } else { Ok(()) }
    }
}

fn expectation(value: &str, offset: u64) -> Result<Expectation, Fault> {
    match value {
        "holds" => Ok(Expectation::Holds),
        "fails" => Ok(Expectation::Fails),
        "inf" => Ok(Expectation::Number(fireset_net::Count::Infinite)),
        _ if value.starts_with(|c: char| c.is_ascii_digit()) => {
            number(Word { text: value, offset }).map(|n| Expectation::Number(n.into()))
        }
        _ => {
            let fault = Fault::at(offset, format!("`{value}` is no verdict that can be expected"));
            Err(fault.hint("write `holds`, `fails`, a number, or `inf` for no bound"))
        }
    }
}

fn logic(value: &str, offset: u64) -> Result<Logic, Fault> {
    match value {
        _ if value.eq_ignore_ascii_case("ctl") => Ok(Logic::Ctl),
        _ if value.eq_ignore_ascii_case("ltl") => Ok(Logic::Ltl),
        _ => Err(Fault::at(offset, format!("`{value}` is no logic")).hint("write `ctl` or `ltl`")),
    }
}

/// Gives a property the logic that its file says, if the formula is of that logic.
fn set_logic(property: &mut Property, logic: Logic, offset: u64) -> Result<(), Fault> {
    property.logic = logic;
    let is_temporal = property.formula.temporal_operators() > 0;
    let name = match (property.query(), logic) {
        (Ok(Query::Ctl(_)), Logic::Ltl) if is_temporal => "LTL",
        (Ok(Query::CtlStar(_)), Logic::Ltl) => "LTL",
        (Ok(Query::Ltl(..) | Query::Run(_) | Query::CtlStar(_)), Logic::Ctl) => "CTL",
        _ => return Ok(()),
    };
    Err(Fault::at(offset, format!("the formula is not {name}")))
}

/// A property asked about fair runs.
fn fair_property(property: Property, fairness: &Fairness, offset: u64) -> Result<Property, Fault> {
    property.under(fairness).map_err(|unsupported| {
        Fault::at(offset, unsupported.to_string())
            .hint("LTL has one quantifier in front or none: `A G F (p >= 1)`")
    })
}

/// The text without a semicolon at its end.
fn without_semicolon(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix(';').map_or(text, str::trim_end)
}

/// A fault of a part that begins at `start`.
fn behind(start: u64, fault: Fault) -> Fault {
    Fault { offset: start + fault.offset, ..fault }
}

//! Queries of TAPAAL and its engine verifypn as texts: `EF (p1 >= 1 and !(deadlock))`.
//!
//! Source: the grammar of verifypn's queries. The tools differ in how tightly a quantifier and `and` beside `or` bind, so a
//! text whose meaning depends on it is refused: `EF a >= 1 and b >= 1` needs parentheses.
//!
//! ```text
//! queries = query*
//! query   = chain
//! chain   = part ("and" part)* | part ("or" part)* | part "U" part
//! part    = sum [("=" | "==" | "!=" | "<" | "<=" | ">" | ">=") sum]
//! sum     = product (("+" | "-") product)*;  product = unit ("*" unit)*
//! unit    = ("EF" | "EG" | "EX" | "AF" | "AG" | "AX" | "E" | "A" | "F" | "G" | "X" | "not" | "!") part
//!         | "(" chain ")" | "[" chain "]" | "true" | "false" | "deadlock" | number | "-" unit | name | name "?"
//!         | "is-fireable" "(" name ("," name)* ")" | ("tokens-count" | "#tokens") "(" name ("," name)* ")"
//! name    = piece ("." piece)*;  piece = letters, digits and "_" | a text in double quotes
//! ```
//!
//! Refused by name: the strategies of games (`control:`) and properties of several runs (`exists`, `forall`).

use fireset_net::{Expr, Formula, Logic, Nodes, PlaceId, Property, TransitionId};

use crate::{
    Fault,
    query::names::{Binder, NodeKind, Unbound},
    scanner::Scanner,
};

/// The largest nesting of operators and parentheses.
const MAX_DEPTH: usize = 200;

/// Reads the queries of a text; they are called `query 1` and so on.
pub fn read_properties(text: &str, nodes: &Nodes) -> Result<Vec<Property>, Fault> {
    let mut properties = Vec::new();
    let mut reader = TapaalReader::new(text, nodes, None);
    while !reader.scanner.is_at_end()? {
        let name = format!("query {}", properties.len() + 1);
        properties.push(reader.query(name)?);
    }
    Ok(properties)
}

/// Reads a query whose names may begin with the name of the only component.
pub(crate) fn read_query(
    name: String,
    text: &str,
    nodes: &Nodes,
    component: Option<&str>,
) -> Result<Property, Fault> {
    let mut reader = TapaalReader::new(text, nodes, component);
    let property = reader.query(name)?;
    match reader.scanner.is_at_end()? {
        true => Ok(property),
        false => Err(reader.scanner.unexpected("an operator or the end of the query")),
    }
}

/// A name without the component that it begins with.
pub(crate) fn without_component<'n>(name: &'n str, component: Option<&str>) -> &'n str {
    let stripped = component.and_then(|component| name.strip_prefix(component)?.strip_prefix('.'));
    stripped.unwrap_or(name)
}

/// What a prefix operator makes of its operand.
type FormulaPrefix = fn(Formula) -> Formula;

/// A formula or a number.
enum QueryOperand {
    Formula(Formula),
    Number(Expr),
}

/// A part of a chain.
struct QueryPart {
    operand: QueryOperand,
    offset: u64,
    /// Whether it begins with a temporal operator, which the tools do not bind alike.
    is_temporal: bool,
}

struct TapaalReader<'t, 'n> {
    scanner: Scanner<'t>,
    binder: Binder<'n>,
    component: Option<&'t str>,
    /// Whether a temporal operator has no quantifier of its own, as in LTL.
    has_bare_operator: bool,
}

impl<'t, 'n> TapaalReader<'t, 'n> {
    fn new(text: &'t str, nodes: &'n Nodes, component: Option<&'t str>) -> Self {
        let (scanner, binder) = (Scanner::new(text, &[]), Binder::new(nodes));
        Self { scanner, binder, component, has_bare_operator: false }
    }

    fn query(&mut self, name: String) -> Result<Property, Fault> {
        self.has_bare_operator = false;
        let offset = self.scanner.offset()?;
        let part = self.chain(0)?;
        let formula = formula(part)?;
        let logic = if self.has_bare_operator { Logic::Ltl } else { Logic::Ctl };
        let property = Property { name, formula, logic };
        match property.query() {
            Ok(_) => Ok(property),
            Err(unsupported) => Err(Fault::at(offset, unsupported.to_string())),
        }
    }

    /// Parts that are all joined by the same operator.
    fn chain(&mut self, depth: usize) -> Result<QueryPart, Fault> {
        let first = self.part(depth)?;
        let offset = first.offset;
        if self.word_is(&["U"])? {
            self.keyword()?;
            let second = self.part(depth)?;
            let until = Formula::Until(Box::new(formula(first)?), Box::new(formula(second)?));
            return Ok(QueryPart { operand: QueryOperand::Formula(until), offset, is_temporal: true });
        }
        let (mut parts, mut joined) = (vec![first], None);
        while let Some(is_and) = self.junction()? {
            let here = self.scanner.offset()?;
            if joined.is_some_and(|joined| joined != is_and) {
                let message = "`and` and `or` are mixed without parentheses";
                return Err(Fault::at(here, message).hint("put parentheses around one of them"));
            }
            if parts.last().is_some_and(|part| part.is_temporal) {
                let message = "it is not clear where the operand of the temporal operator ends";
                return Err(Fault::at(here, message).hint("write EF (a and b) or (EF a) and b"));
            }
            joined = Some(is_and);
            parts.push(self.part(depth)?);
        }
        let Some(is_and) = joined else {
            return parts.pop().ok_or_else(|| self.scanner.unexpected("a formula"));
        };
        let is_temporal = parts.last().is_some_and(|part| part.is_temporal);
        let parts = parts.into_iter().map(formula).collect::<Result<_, _>>()?;
        let joined = if is_and { Formula::And(parts) } else { Formula::Or(parts) };
        Ok(QueryPart { operand: QueryOperand::Formula(joined), offset, is_temporal })
    }

    /// Takes `and` or `or`, if one comes next; true for `and`.
    fn junction(&mut self) -> Result<Option<bool>, Fault> {
        for (symbols, words, is_and) in
            [(["&&", "&"], ["and", "AND"], true), (["||", "|"], ["or", "OR"], false)]
        {
            if self.scanner.eat(symbols[0])? || self.scanner.eat(symbols[1])? {
                return Ok(Some(is_and));
            }
            if self.word_is(&words)? {
                self.keyword()?;
                return Ok(Some(is_and));
            }
        }
        Ok(None)
    }

    /// Whether one of these words comes next.
    fn word_is(&mut self, words: &[&str]) -> Result<bool, Fault> {
        let next = self.scanner.clone().word(is_inner)?;
        Ok(words.contains(&next.text))
    }

    /// Takes the next word.
    fn keyword(&mut self) -> Result<&'t str, Fault> {
        Ok(self.scanner.word(is_inner)?.text)
    }

    /// A comparison, or what it compares.
    fn part(&mut self, depth: usize) -> Result<QueryPart, Fault> {
        let left = self.sum(depth)?;
        let Some(comparison) = self.scanner.comparison()? else { return Ok(left) };
        let (offset, is_temporal) = (left.offset, false);
        let right = self.sum(depth)?;
        let compared = Formula::Compare(comparison, number(left)?, number(right)?);
        Ok(QueryPart { operand: QueryOperand::Formula(compared), offset, is_temporal })
    }

    fn sum(&mut self, depth: usize) -> Result<QueryPart, Fault> {
        let mut left = self.product(depth)?;
        loop {
            let is_sum = match self.scanner.rest()? {
                _ if self.scanner.eat("+")? => true,
                _ if self.scanner.eat("-")? => false,
                _ => return Ok(left),
            };
            let (offset, right) = (left.offset, self.product(depth)?);
            let operand = match (number(left)?, number(right)?, is_sum) {
                (Expr::Sum(mut terms), right, true) => {
                    terms.push(right);
                    Expr::Sum(terms)
                }
                (left, right, true) => Expr::Sum(vec![left, right]),
                (left, right, false) => {
                    self.bounded(&left, offset)?;
                    Expr::Difference(Box::new(left), Box::new(right))
                }
            };
            left = QueryPart { operand: QueryOperand::Number(operand), offset, is_temporal: false };
        }
    }

    /// Refuses long differences, which nest to the left.
    fn bounded(&self, expr: &Expr, offset: u64) -> Result<(), Fault> {
        let (mut at, mut depth) = (expr, 0);
        while let Expr::Difference(left, _) = at {
            (at, depth) = (left, depth + 1);
        }
        if depth < MAX_DEPTH { Ok(()) } else { Err(too_deep(offset)) }
    }

    fn product(&mut self, depth: usize) -> Result<QueryPart, Fault> {
        let first = self.unit(depth)?;
        if !self.scanner.rest()?.starts_with('*') {
            return Ok(first);
        }
        let offset = first.offset;
        let mut factors = vec![number(first)?];
        while self.scanner.eat("*")? {
            let factor = self.unit(depth)?;
            factors.push(number(factor)?);
        }
        let operand = QueryOperand::Number(Expr::Product(factors));
        Ok(QueryPart { operand, offset, is_temporal: false })
    }

    fn unit(&mut self, depth: usize) -> Result<QueryPart, Fault> {
        let offset = self.scanner.offset()?;
        if depth > MAX_DEPTH {
            return Err(too_deep(offset));
        }
        for (open, close) in [("(", ")"), ("[", "]")] {
            if self.scanner.eat(open)? {
                let inner = self.chain(depth + 1)?;
                self.scanner.expect(close)?;
                return Ok(QueryPart { operand: inner.operand, offset, is_temporal: false });
            }
        }
        if self.scanner.eat("!")? || self.word_is(&["not", "NOT"])? && !self.keyword()?.is_empty() {
            let inner = self.part(depth + 1)?;
            let is_temporal = inner.is_temporal;
            let operand = QueryOperand::Formula(Formula::Not(Box::new(formula(inner)?)));
            return Ok(QueryPart { operand, offset, is_temporal });
        }
        if let Some(prefix) = self.prefix()? {
            let inner = formula(self.part(depth + 1)?)?;
            return Ok(QueryPart {
                operand: QueryOperand::Formula(prefix(inner)),
                offset,
                is_temporal: true,
            });
        }
        self.atom(offset, depth).map(|operand| QueryPart { operand, offset, is_temporal: false })
    }

    /// Takes a temporal operator or a quantifier, if one comes next.
    fn prefix(&mut self) -> Result<Option<FormulaPrefix>, Fault> {
        use Formula::{Exists, Finally, ForAll, Globally, Next};
        let mut ahead = self.scanner.clone();
        let next = ahead.word(is_inner)?;
        if ahead.rest()?.starts_with('.') {
            // A component may have such a name.
            return Ok(None);
        }
        let is_bare = matches!(next.text, "X" | "F" | "G");
        let prefix: FormulaPrefix = match next.text {
            "EF" => |f| Exists(Box::new(Finally(Box::new(f)))),
            "EG" => |f| Exists(Box::new(Globally(Box::new(f)))),
            "EX" => |f| Exists(Box::new(Next(Box::new(f)))),
            "AF" => |f| ForAll(Box::new(Finally(Box::new(f)))),
            "AG" => |f| ForAll(Box::new(Globally(Box::new(f)))),
            "AX" => |f| ForAll(Box::new(Next(Box::new(f)))),
            "E" => |f| Exists(Box::new(f)),
            "A" => |f| ForAll(Box::new(f)),
            "F" => |f| Finally(Box::new(f)),
            "G" => |f| Globally(Box::new(f)),
            "X" => |f| Next(Box::new(f)),
            _ => return Ok(None),
        };
        self.keyword()?;
        self.has_bare_operator |= is_bare;
        Ok(Some(prefix))
    }

    fn atom(&mut self, offset: u64, depth: usize) -> Result<QueryOperand, Fault> {
        if self.scanner.eat("-")? {
            let inner = self.unit(depth + 1)?;
            let minus = Expr::Product(vec![Expr::Constant(-1), number(inner)?]);
            return Ok(QueryOperand::Number(minus));
        }
        if self.scanner.rest()?.starts_with(|letter: char| letter.is_ascii_digit()) {
            let value = self.scanner.number()?;
            let value = i64::try_from(value)
                .map_err(|_| Fault::at(offset, format!("the number {value} does not fit into 63 bits")))?;
            return Ok(QueryOperand::Number(Expr::Constant(value)));
        }
        if self.scanner.eat("is-fireable")? {
            let transitions = self.list(|reader, name, offset| reader.transition(&name, offset))?;
            return Ok(QueryOperand::Formula(Formula::Fireable(transitions)));
        }
        if self.scanner.eat("tokens-count")? || self.scanner.eat("#tokens")? {
            let places = self.list(|reader, name, offset| reader.place(&name, offset))?;
            return Ok(QueryOperand::Number(Expr::Tokens(places)));
        }
        let is_quoted = self.scanner.rest()?.starts_with('"');
        let name = self.name()?;
        match name.as_str() {
            _ if is_quoted => {}
            "true" => return Ok(QueryOperand::Formula(Formula::Constant(true))),
            "false" => return Ok(QueryOperand::Formula(Formula::Constant(false))),
            "deadlock" | "DEADLOCK" => return Ok(QueryOperand::Formula(Formula::Deadlock)),
            "control" => return Err(Fault::at(offset, "strategies of games (`control:`) are not supported")),
            "exists" | "forall" => {
                let message = format!("properties of several runs (`{name}`) are not supported");
                return Err(Fault::at(offset, message));
            }
            _ => {}
        }
        if self.scanner.eat("?")? {
            return Ok(QueryOperand::Formula(Formula::Fireable(vec![self.transition(&name, offset)?])));
        }
        Ok(QueryOperand::Number(Expr::Tokens(vec![self.place(&name, offset)?])))
    }

    fn list<T>(&mut self, bind: impl Fn(&Self, String, u64) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        self.scanner.expect("(")?;
        let mut found = Vec::new();
        loop {
            let offset = self.scanner.offset()?;
            let name = self.name()?;
            found.push(bind(self, name, offset)?);
            if self.scanner.eat(")")? {
                return Ok(found);
            }
            self.scanner.expect(",")?;
        }
    }

    /// A name; its pieces may be quoted.
    fn name(&mut self) -> Result<String, Fault> {
        let mut name = String::new();
        loop {
            let rest = self.scanner.rest()?;
            if let Some(inner) = rest.strip_prefix('"') {
                let Some(length) = inner.find('"') else {
                    return Err(Fault::at(self.scanner.offset()?, "unterminated quoted name")
                        .hint("close it with \""));
                };
                name.push_str(&inner[..length]);
                self.scanner.take(length + 2);
            } else {
                let piece = self.scanner.word(is_inner)?;
                if piece.text.is_empty() {
                    return Err(self.scanner.unexpected("a formula, a number or a name"));
                }
                name.push_str(piece.text);
            }
            if !self.scanner.eat(".")? {
                return Ok(name);
            }
            name.push('.');
        }
    }

    fn place(&self, name: &str, offset: u64) -> Result<PlaceId, Fault> {
        let bound = self.binder.place(name);
        let bound = bound.or_else(|unbound| {
            self.binder.place(without_component(name, self.component)).map_err(|_| unbound)
        });
        bound.map_err(|unbound| unbound_name(NodeKind::Place, name, unbound, offset))
    }

    fn transition(&self, name: &str, offset: u64) -> Result<TransitionId, Fault> {
        let bound = self.binder.transition(name);
        let bound = bound.or_else(|unbound| {
            self.binder.transition(without_component(name, self.component)).map_err(|_| unbound)
        });
        bound.map_err(|unbound| unbound_name(NodeKind::Transition, name, unbound, offset))
    }
}

fn unbound_name(kind: NodeKind, name: &str, unbound: Unbound<'_>, offset: u64) -> Fault {
    let fault = Fault::at(offset, unbound.message(kind, name));
    match unbound.hint(|name| format!("`{name}`")) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

fn is_inner(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn too_deep(offset: u64) -> Fault {
    Fault::at(offset, format!("the query nests more than {MAX_DEPTH} levels deep"))
}

fn formula(part: QueryPart) -> Result<Formula, Fault> {
    match part.operand {
        QueryOperand::Formula(formula) => Ok(formula),
        QueryOperand::Number(_) => {
            let fault = Fault::at(part.offset, "expected a formula, found a number");
            Err(fault.hint("compare it, as in `p >= 1`"))
        }
    }
}

fn number(part: QueryPart) -> Result<Expr, Fault> {
    match part.operand {
        QueryOperand::Number(number) => Ok(number),
        QueryOperand::Formula(_) => Err(Fault::at(part.offset, "expected a number, found a formula")),
    }
}

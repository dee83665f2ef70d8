//! Formulas of LoLA as properties.
//!
//! ```text
//! file     = formula { ":" formula }         formula = [ "FORMULA" ] f [ ";" ] | "MAX" "(" term ")"
//! f        = atom | "(" f ")" | prefix f | f infix f | "(" f "UNTIL" f ")" | "(" f "RELEASE" f ")"
//! atom     = term compare term | "TRUE" | "FALSE" | "DEADLOCK" | "FIREABLE" "(" name ")"
//! prefix   = "NOT" | "ALLPATH" | "EXPATH" | "ALWAYS" | "EVENTUALLY" | "NEXTSTATE" | "REACHABLE" | "INVARIANT"
//!          | "IMPOSSIBLE" | letters of A, E, F, G, X, such as `AGEF`
//! infix    = "AND" | "OR" | "XOR" | "->" | "<->"       compare = "=" | "!=" | "<>" | "#" | "<" | "<=" | ">" | ">="
//! term     = name | number | number "*" term | term "+" term | term "-" term | "(" term ")"
//! ```
//!
//! From loose to tight bind `REACHABLE` and its like, `<->`, `->`, `OR` with `XOR`, `AND`, the other prefixes; infix operators
//! of one level are read from left to right. `U` and `R` stand for `UNTIL` and `RELEASE`; as in LoLA 1 these may also stand in
//! brackets behind a quantifier. A formula without temporal operator asks about the initial marking. Formulas of both CTL and
//! LTL are LTL formulas, as LoLA 2 takes them. `INITIAL` and bounds of weighted sums are refused.

use fireset_net::{Logic, Nodes, Property, Unsupported};

use super::{
    lexer::{LolaLexer, LolaTokenKind},
    net::refuse_text_between_comments,
    operators::LolaVersion,
    parser::LolaParser,
};
use crate::{Fault, query::names::Binder};

/// Reads all formulas of a file for LoLA 2. They are called `formula 1`, `formula 2` and so on.
pub fn read_properties(text: &str, nodes: &Nodes) -> Result<Vec<Property>, Fault> {
    refuse_text_between_comments(text)?;
    let binder = Binder::new(nodes);
    let mut parser = LolaParser::new(LolaLexer::new(text, 0, nodes, &binder), &binder, LolaVersion::Two)?;
    let mut properties = Vec::new();
    loop {
        let start = parser.token.word.offset;
        let formula = parser.formula()?;
        let name = format!("formula {}", properties.len() + 1);
        properties.push(checked(Property { name, formula, logic: Logic::Ltl }, start)?);
        let is_closed = parser.eat(LolaTokenKind::Semicolon)?;
        let has_next = parser.eat(LolaTokenKind::Colon)?;
        match parser.token.kind {
            LolaTokenKind::End if !has_next => return Ok(properties),
            _ if has_next || is_closed => {}
            _ => return Err(parser.unexpected("an operator, `;` or `:`")),
        }
    }
}

/// Reads the formula that ends a net file of LoLA 1, from its keyword on.
pub(super) fn read_task(text: &str, start: u64, nodes: &Nodes) -> Result<Property, Fault> {
    let binder = Binder::new(nodes);
    let read = |version| {
        let mut parser = LolaParser::new(LolaLexer::new(text, start, nodes, &binder), &binder, version)?;
        let formula = parser.formula()?;
        parser.eat(LolaTokenKind::Semicolon)?;
        match parser.token.kind {
            LolaTokenKind::End => Ok(formula),
            _ => Err(parser.unexpected("an operator or the end of the file")),
        }
    };
    let formula = read(LolaVersion::One)?;
    if read(LolaVersion::Two)? != formula {
        let message = "LoLA 1 and LoLA 2 read this `FORMULA` in different ways";
        return Err(Fault::at(start, message).hint("put parentheses around the operands of `AND` and `OR`"));
    }
    checked(Property { name: "FORMULA".to_owned(), formula, logic: Logic::Ctl }, start)
}

/// A property in a supported logic.
fn checked(property: Property, start: u64) -> Result<Property, Fault> {
    match property.query() {
        Ok(_) => Ok(property),
        Err(unsupported) => {
            let fault = Fault::at(start, unsupported.to_string());
            Err(match unsupported {
                Unsupported::EventOutsideLtl | Unsupported::FairnessOutsideLtl => fault.hint(
                    "CTL has a quantifier directly before each temporal operator, LTL one in front or none",
                ),
                Unsupported::Nested => fault,
            })
        }
    }
}

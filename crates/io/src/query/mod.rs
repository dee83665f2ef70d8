//! The query language: parsed by [`parse`] and [`read`], printed by [`show`], explained in [`HELP`].
//!
//! ```
//! use fireset_io::query;
//!
//! let net = fireset_oracle::tiny::net("p1:1 p2; t1: p1 -> p2");
//! let parsed = query::parse("AG (p1 + 2*p2 <= 3)", net.nodes()).unwrap();
//! assert_eq!(query::show(&parsed.formula, net.nodes()), "AG (p1 + 2*p2 <= 3)");
//! ```

mod check;
pub(crate) mod colours;
mod free;
mod lexer;
pub(crate) mod names;
mod operators;
mod parser;
mod precedence;
mod show;
#[cfg(test)]
mod tests;

pub use free::read_path;
pub use names::QueryNames;
pub(crate) use parser::out_of_range;
pub use show::quote;

use fireset_net::{Formula, Logic, Property, Unsupported};

use crate::{Fault, InputError};

/// The text of `fireset check --help-queries`.
pub const HELP: &str = include_str!("help.txt");

/// A query with its names bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// With names bound to the net.
    pub formula: Formula,
    /// The logic, where CTL and LTL both fit: CTL if the first quantifier is written together with
    /// the temporal operator (`AX f`) or before brackets (`A[X f]`), else LTL (`A X f`, `X f`).
    pub logic: Logic,
}

/// Reads a query. The fault's offset counts bytes of the text.
pub fn parse<'n>(text: &str, names: impl Into<QueryNames<'n>>) -> Result<Parsed, Fault> {
    parser::Parser::new(text, names::Binder::new(names.into()))?.query()
}

/// Reads a query as a property named `source`, and checks that it is in a supported logic.
pub fn read<'n>(source: &str, text: &str, names: impl Into<QueryNames<'n>>) -> Result<Property, InputError> {
    let property = || {
        let Parsed { formula, logic } = parse(text, names)?;
        let property = Property { name: source.to_owned(), formula, logic };
        match property.query() {
            Ok(_) => Ok(property),
            Err(unsupported) => {
                let start = text.len() - text.trim_start().len();
                let fault = Fault::at(start as u64, unsupported.to_string());
                Err(match unsupported {
                    Unsupported::CtlStar => fault.hint(
                        "CTL has a quantifier directly before each temporal operator, LTL one in front or none",
                    ),
                    Unsupported::Nested => fault,
                })
            }
        }
    };
    property().map_err(|fault| InputError::locate_in(source, text, fault))
}

/// Writes a formula as a query, with few parentheses and CTL's quantifiers written together with their
/// operators; see [`show_as`].
///
/// # Panics
/// If the formula refers to a place or transition that the net does not have, or to colours and only nodes are given.
pub fn show<'n>(formula: &Formula, names: impl Into<QueryNames<'n>>) -> String {
    show_as(formula, Logic::Ctl, names)
}

/// Writes a formula as a query that is read in this logic.
///
/// Reading it gives the same formula when each `And`, `Or`, `Sum` and `Product` in it has two or more operands
/// and each `Fireable`, `Tokens` and `Bound` one or more. Otherwise it gives an equivalent one: a single operand
/// is written for itself, and nothing as `true`, `false`, `0` or `1`; only an empty `Bound` has no form.
/// Comparisons are put in parentheses below `!` and temporal operators, although they bind tighter.
///
/// # Panics
/// If the formula refers to a place or transition that the net does not have, or to colours and only nodes are given.
pub fn show_as<'n>(formula: &Formula, logic: Logic, names: impl Into<QueryNames<'n>>) -> String {
    let mut printer = show::FormulaPrinter { names: names.into(), logic, out: String::new() };
    printer.formula(formula, precedence::LOOSEST);
    printer.out
}

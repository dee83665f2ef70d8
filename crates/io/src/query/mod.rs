//! The query language: parsed by [`parse`] and [`read`], printed by [`show`], explained in [`HELP`].
//!
//! ```
//! use fireset_io::query;
//!
//! let net = fireset_oracle::tiny::net("p1:1 p2; t1: p1 -> p2");
//! let parsed = query::parse("AG (p1 + 2*p2 <= 3)", net.nodes()).unwrap();
//! assert_eq!(query::show(&parsed.formula, net.nodes()), "AG (p1 + 2*p2 <= 3)");
//! ```

mod abbreviations;
mod check;
pub(crate) mod colours;
mod free;
mod lexer;
mod named;
pub(crate) mod names;
mod operators;
mod parser;
mod pattern;
mod precedence;
mod reader;
mod runs;
mod show;
mod specification;
#[cfg(test)]
mod tests;

pub use free::read_path;
pub use names::QueryNames;
pub(crate) use parser::out_of_range;
pub(crate) use reader::QueryReader;
pub(crate) use show::in_quotes;
pub use show::{quote, quote_title};

use fireset_net::{Fairness, FairnessAssumption, Formula, Logic, Property};

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
    read_with_notes(source, text, names).map(|(property, _)| property)
}

/// [`read`], with notes about what a user may wonder at, such as a label that several transitions share.
pub fn read_with_notes<'n>(
    source: &str,
    text: &str,
    names: impl Into<QueryNames<'n>>,
) -> Result<(Property, Vec<String>), InputError> {
    let read = QueryReader::new(names::Binder::new(names)).property(source, text);
    read.map_err(|fault| InputError::locate_in(source, text, fault))
}

/// Reads fairness assumptions, such as `weak(t1, t2), strong`; errors name them `source`.
pub fn read_fairness<'n>(
    source: &str,
    text: &str,
    names: impl Into<QueryNames<'n>>,
) -> Result<Fairness, InputError> {
    fairness(text, names::Binder::new(names)).map_err(|fault| InputError::locate_in(source, text, fault))
}

/// Reads fairness assumptions with the names of a binder.
pub(crate) fn fairness(text: &str, binder: names::Binder<'_>) -> Result<Fairness, Fault> {
    parser::Parser::new(text, binder)?.only_fairness()
}

/// Whether a name needs no quotes in a query.
pub(crate) fn is_plain_name(name: &str) -> bool {
    lexer::is_bare(name)
}

/// The quoted name at the beginning of a text, and the rest of the text.
pub(crate) fn leading_quoted(text: &str) -> Result<(String, &str), Fault> {
    let name = lexer::Lexer::new(text).next()?;
    Ok((name.name().into_owned(), &text[name.end()..]))
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
    print(formula, logic, names.into(), show::NodeNaming::Ids)
}

/// [`show_as`] for people: nodes are named by their [titles](quote_title).
///
/// # Panics
/// If the formula refers to a place or transition that the net does not have, or to colours and only nodes are given.
pub fn show_with_titles<'n>(formula: &Formula, logic: Logic, names: impl Into<QueryNames<'n>>) -> String {
    print(formula, logic, names.into(), show::NodeNaming::Titles)
}

/// Writes a fairness assumption for people, such as `weak(t1, t2)`.
///
/// # Panics
/// If the assumption refers to a transition that the net does not have, or to colours and only nodes are given.
pub fn show_assumption<'n>(assumption: &FairnessAssumption, names: impl Into<QueryNames<'n>>) -> String {
    let naming = show::NodeNaming::Titles;
    let mut printer =
        show::FormulaPrinter { names: names.into(), naming, logic: Logic::Ltl, out: String::new() };
    printer.assumption(assumption);
    printer.out
}

fn print(formula: &Formula, logic: Logic, names: QueryNames<'_>, naming: show::NodeNaming) -> String {
    let mut printer = show::FormulaPrinter { names, naming, logic, out: String::new() };
    printer.formula(formula, precedence::LOOSEST);
    printer.out
}

//! Signal transition graphs in the ASTG format, `.g`, of petrify, SIS, Workcraft and others.
//!
//! Source: the format as the reader of SIS defines it, with the weights and token counts of petrify.
//!
//! ```text
//! file        ::= line*; a line may end with '#' and a comment
//! line        ::= ('.model' | '.name') text
//!               | ('.inputs' | '.outputs' | '.internal' | '.dummy') SIGNAL*
//!               | '.graph' | NODE target*                                      (after '.graph')
//!               | '.marking' '{' ((PLACE | '<' NODE ',' NODE '>') ['=' NUMBER])* '}'
//!               | '.initial' 'state' ... | '.mode' ... | '.slowenv' ... | '.note' ... | '.end'
//! target      ::= NODE ['(' WEIGHT ')']
//! transition  ::= SIGNAL ['+' | '-' | '~'] ['/' NUMBER]
//! ```
//!
//! A node is a transition if a declared signal or dummy is its base, before the signs `+`, `-`, `~` and the number; else it is a
//! place. The signs are part of the transition's name: the net alone is checked, not the values of signals. An arc between two
//! transitions has a place between them, which is called `<a+,b->` as in a marking. Coordinates in parentheses are passed over.
//!
//! Refused by name: state graphs (`.state graph`), which are no nets; capacities; guards of arcs (`?`); delays; the
//! transition `a*` of a signal that may change or not; arcs that are given twice, which tools read differently; undeclared
//! signals; a file that ends before `.end`; directives that are not known.

mod graph;
mod lines;

use crate::{
    Fault,
    net_file::{Head, NetFile},
};

/// Whether a file is in the ASTG format: it begins with a directive and has a graph.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let mut lines = head.lines().filter(|line| !line.starts_with('#')).peekable();
    let has_directive = lines.peek().is_some_and(|line| line.starts_with('.'));
    let word = |line: &str| line.split_whitespace().next().map(str::to_owned);
    has_directive && lines.any(|line| matches!(word(line).as_deref(), Some(".graph" | ".state")))
}

/// Reads a signal transition graph.
pub fn read(text: &str) -> Result<NetFile, Fault> {
    let file = lines::split(text)?;
    let notes = file.notes.clone();
    Ok(NetFile { notes, ..NetFile::of(graph::build(file)?) })
}
